import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Emulator, type EmulatorOptions, type EmulatorWorld, startEmulator } from '../../../src/testing/index.ts'
import { newFolder } from '../store/folder.ts'

const phone = { recipient_phone: '87000001' }
const iban = { recipient_iban: 'CR73015100100000000001' }
const slow = { recipient_phone: '87000012' }

const start = async (options: EmulatorOptions): Promise<Emulator> => {
  const emulator = await startEmulator({ rateLimit: 'off', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

/** The clock stands still, so that a payment takes exactly the time that the options set. */
const startFrozen = (options: EmulatorOptions) => start({ clock: '2030-01-05T12:00:00Z', ...options })

type Payer = Pick<EmulatorWorld, 'client' | 'accounts' | 'control'>

const pay = async ({ client, accounts }: Payer, to: { recipient_phone: string } | { recipient_iban: string }) =>
  (
    await client.call('payments.create', {
      headers: { 'X-Idempotency-Key': randomUUID() },
      body: { source_account_id: accounts()[0]?.id ?? '', amount: 100, ...to },
    })
  ).id

const paymentOf = ({ client }: Payer, id: string) => client.call('payments.get', { params: { id } })

const statusesOf = async (world: Payer, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await paymentOf(world, id)).status))

/** Milliseconds from a payment's creation to its submission and to its end. The service itself shows whole seconds. */
async function timesOf({ control }: Payer, ids: readonly string[]) {
  const { payments = [] } = (await control.seed()).seed
  return ids.map((id) => {
    const payment = payments.find((one) => one.id === id)
    const since = (time = '') => Date.parse(time) - Date.parse(payment?.created_at ?? '')
    return { submitted: since(payment?.submitted_at), completed: since(payment?.completed_at) }
  })
}

const payMany = async (world: Payer, count: number) => {
  const ids: string[] = []
  while (ids.length < count) ids.push(await pay(world, phone))
  return ids
}

/** Milliseconds that payments over SINPE Móvil take in a world. */
async function drawnIn(world: Payer, count = 8): Promise<readonly number[]> {
  const ids = await payMany(world, count)
  await world.control.clock.runUntilIdle()
  return (await timesOf(world, ids)).map(({ completed }) => completed)
}

describe('the time that payments take', () => {
  it('depends on their rail', async () => {
    const world = await startFrozen({ settle: { pin: 5000, sinpe_movil: 2000 } })
    const ids = [await pay(world, iban), await pay(world, phone), await pay(world, slow)]
    const seen: (readonly string[])[] = []
    for (const ms of [1000, 1000, 500, 2500]) {
      await world.control.advanceClock(ms)
      seen.push(await statusesOf(world, ids))
    }

    expect(seen).toEqual([
      ['pending', 'processing', 'pending'],
      ['pending', 'completed', 'pending'],
      ['processing', 'completed', 'pending'],
      ['completed', 'completed', 'pending'],
    ])
    expect((await world.control.state()).settle_ms).toEqual({ pin: 5000, sinpe_movil: 2000 })
    await world.control.clock.runUntilIdle()
    expect(await timesOf(world, ids.slice(2))).toEqual([{ submitted: 10_000, completed: 20_000 }])
  })

  it('is a second on a rail that is left out', async () => {
    const world = await startFrozen({ settle: { pin: 'instant' } })
    const ids = [await pay(world, iban), await pay(world, phone)]

    expect(await statusesOf(world, ids)).toEqual(['completed', 'pending'])
    await world.control.advanceClock(1000)
    expect(await statusesOf(world, ids)).toEqual(['completed', 'completed'])
  })

  it('is drawn for each payment from a range with both ends, and the payment is submitted halfway', async () => {
    const world = await startFrozen({ settle: { pin: 1000, sinpe_movil: { from: 3, to: 5 } } })
    const ids = await payMany(world, 60)
    await world.control.clock.runUntilIdle()
    const times = await timesOf(world, ids)

    expect(new Set(times.map(({ completed }) => completed))).toEqual(new Set([3, 4, 5]))
    for (const { submitted, completed } of times) expect(submitted).toBe(Math.floor(completed / 2))
  })

  it('is equal for the same seed in the same world, after a reset too', async () => {
    const settle = { from: 3000, to: 15_000 }
    const [one, two, other] = [
      await startFrozen({ settle, rngSeed: 7 }),
      await startFrozen({ settle, rngSeed: 7 }),
      await startFrozen({ settle, rngSeed: 8 }),
    ]
    const first = await drawnIn(one)

    expect(await drawnIn(two)).toEqual(first)
    expect(await drawnIn(other)).not.toEqual(first)
    await one.control.reset()
    expect(await drawnIn(one)).toEqual(first)
    const beside = await drawnIn(await one.world({ name: 'beside' }))
    expect(beside).not.toEqual(first)
    expect(await drawnIn(await two.world({ name: 'beside' }))).toEqual(beside)
  })

  it('does not change for payments in progress when the emulator starts again with another time', async () => {
    const data = join(newFolder(), 'world.db')
    const settle = { sinpe_movil: { from: 3000, to: 15_000 } } as const
    const uninterrupted = await startFrozen({ settle, rngSeed: 7 })
    const first = await startFrozen({ settle, rngSeed: 7, data })
    const ids = await payMany(first, 8)
    await first.control.advanceClock(5000)
    await first.close()

    const again = await start({ settle: { sinpe_movil: 50 }, rngSeed: 7, data })
    await again.control.clock.runUntilIdle()
    const times = (await timesOf(again, ids)).map(({ completed }) => completed)

    expect(times).toEqual(await drawnIn(uninterrupted))
    expect(new Set(times).size).toBeGreaterThan(1)
  })
})

describe('a rail that is manual', () => {
  it('waits for moves of the clock, while payments over the other rail continue by themselves', async () => {
    const world = await start({ settle: { pin: 'manual', sinpe_movil: 5000 } })
    await world.control.clock.speed({ speed: 200 })
    const ids = [await pay(world, iban), await pay(world, phone)] as const
    await world.until.payment(ids[1], 'completed')

    // A PIN payment usually takes a second, so it would have ended by now.
    expect(await statusesOf(world, ids)).toEqual(['pending', 'completed'])
    expect((await world.control.state()).settle_ms).toEqual({ pin: 'manual', sinpe_movil: 5000 })
    await world.control.advanceClock(0)
    expect(await statusesOf(world, ids)).toEqual(['completed', 'completed'])
    expect(await world.control.ledger()).toMatchObject({ balanced: true, unfinished: 0 })
  })

  it.each([
    [{ pin: 'manual', sinpe_movil: 0 }, true],
    [{ pin: 'manual', sinpe_movil: 'manual' }, true],
    [{ pin: 'manual', sinpe_movil: { from: 0, to: 9 } }, false],
    [{ pin: 0, sinpe_movil: 0 }, false],
  ] as const)('%j: a new world’s clock stands still: %s', async (settle, frozen) => {
    const world = await start({ settle })
    expect((await world.control.clock.get()).frozen).toBe(frozen)
  })

  it('has no payment that an instant one of the other rail moves', async () => {
    const world = await start({ settle: { pin: 'instant', sinpe_movil: 'manual' } })
    const ids = [await pay(world, phone), await pay(world, iban)]

    expect(await statusesOf(world, ids)).toEqual(['pending', 'completed'])
    await world.control.clock.runUntilIdle()
    expect(await statusesOf(world, ids)).toEqual(['completed', 'completed'])
  })
})

describe('settle_ms of a seed', () => {
  const ownTimes = { extends: 'demo', settle_ms: { sinpe_movil: { from: 40, to: 60 } } } as const

  it('takes precedence over the emulator’s for each rail, in every world of the seed, after a reset and from an export', async () => {
    const world = await startFrozen({ settle: { pin: 7000, sinpe_movil: 8000 }, seed: ownTimes })
    const expected = { pin: 7000, sinpe_movil: { from: 40, to: 60 } }
    expect((await world.control.state()).settle_ms).toEqual(expected)
    await world.control.reset()
    const { seed } = await world.control.seed()

    expect(seed.settle_ms).toEqual(ownTimes.settle_ms)
    const other = await startFrozen({ settle: { pin: 7000 }, seed })
    for (const each of [world, await world.world(), await other.world({ from: { seed: ownTimes } }), other]) {
      expect((await each.control.state()).settle_ms).toEqual(expected)
      const [time = 0] = await drawnIn(each, 1)
      expect(time).toBeGreaterThanOrEqual(40)
      expect(time).toBeLessThanOrEqual(60)
    }
    expect((await (await other.world({ from: { seed: 'demo' } })).control.state()).settle_ms.sinpe_movil).toBe(1000)
  })

  it('freezes the clock of its world if it is manual', async () => {
    const world = await start({ seed: { extends: 'demo', settle_ms: { pin: 'manual', sinpe_movil: 'manual' } } })
    expect((await world.control.clock.get()).frozen).toBe(true)
    const id = await pay(world, phone)
    await world.control.advanceClock(1000)
    expect(await statusesOf(world, [id])).toEqual(['completed'])
  })

  it('is that of its payments under way, a range by its end', async () => {
    const accounts = [{ alias: 'a', balance: 1000 }]
    const ids = [randomUUID(), randomUUID()]
    const payments = ['87000001', 'CR73015100100000000001'].map((to, at) => ({
      ...{ id: ids[at] ?? '', account: 'a', to, amount: 1, fee: 0, status: 'pending' as const },
    }))
    const world = await startFrozen({ seed: { ...ownTimes, accounts, payments }, settle: { pin: 90 } })
    await world.control.clock.runUntilIdle()

    expect((await timesOf(world, ids)).map(({ completed }) => completed)).toEqual([60, 90])
  })

  it.each([
    [{ pin: '5s' }, 'settle_ms.pin', 'must be milliseconds, manual, or a range {from, to} in milliseconds'],
    [{ pin: -1 }, 'settle_ms.pin', 'must be at least 0'],
    [{ sinpe: 5000 }, 'settle_ms.sinpe', 'is not a known field; known: pin, sinpe_movil'],
    [{ pin: { from: 5, to: 4 } }, 'settle_ms.pin', 'from (5) is larger than to (4)'],
  ])('%j is refused, in a world too', async (settle_ms, place, message) => {
    const seed = { extends: 'demo', settle_ms } as never
    const refusal = await startEmulator({ seed }).then(
      (emulator) => emulator.close(),
      (error) => error,
    )
    expect(refusal).toMatchObject({ name: 'SeedRefusal', errors: { [place]: [message] } })
    const emulator = await start({})
    await expect(emulator.world({ from: { seed } })).rejects.toMatchObject({ status: 422 })
  })
})

it('scenarios say how long their payments take at most', async () => {
  const world = await startFrozen({ settle: { pin: 200, sinpe_movil: { from: 30, to: 60 } } })
  const scenarios = await world.control.scenarios()
  const after = (address: string) => scenarios.find((one) => one.address === address)?.after_ms

  expect(after('87000006')).toBe(60)
  expect(after('87000012')).toBe(600)
  expect(after('CR81016100100000000006')).toBe(200)
})
