import { describe, expect, it, onTestFinished } from 'vitest'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/testing/index.ts'
import { newFolder } from './store/folder.ts'

const account = '01900000-0000-7000-8000-0000000000c1'

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ settle: { from: 1000, to: 60_000 }, rateLimit: 'off', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

/** A seed with payments of half a colón each. */
const seedOf = (payments: number, status: 'completed' | 'pending') => ({
  extends: 'demo' as const,
  payments: Array.from({ length: payments }, () => ({ account, amount: 50, to: '87000001', status })),
})

/** Number of requests, sent one after another, that the default world answers before `work` ends. */
async function answeredDuring({ baseUrl, token }: Emulator, work: Promise<unknown>): Promise<number> {
  let ended = false
  const end = work.finally(() => {
    ended = true
  })
  let answered = 0
  while (!ended) {
    const answer = await fetch(`${baseUrl}/api/user`, { headers: { Authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
    if (!ended) answered += 1
  }
  await end
  return answered
}

describe('requests to other worlds are answered during', () => {
  it('a move of the clock over many payments', async () => {
    const emulator = await start()
    const world = await emulator.world({ from: { seed: seedOf(2500, 'pending') } })
    const moved = world.control.clock.advance({ ms: 60_000 })
    expect(await answeredDuring(emulator, moved)).toBeGreaterThan(1)
    const { payments } = await world.control.state()
    expect(payments.completed).toBe(2500)
  })

  it('the making and the reset of a world with many payments', async () => {
    const emulator = await start({ worlds: newFolder() })
    const seed = seedOf(2500, 'completed')
    expect(await answeredDuring(emulator, emulator.world({ name: 'large', from: { seed } }))).toBeGreaterThan(1)
    const large = await emulator.control.worlds.get({ name: 'large' })
    const reset = fetch(`${large.base_url}/_emulator/reset`, { method: 'POST' })
    expect(await answeredDuring(emulator, reset)).toBeGreaterThan(1)
    expect((await reset).status).toBe(200)
  })

  it('the story and the comparison of large worlds', async () => {
    const emulator = await start()
    const seed = seedOf(2500, 'completed')
    const [first, second] = [await emulator.world({ from: { seed } }), await emulator.world({ from: { seed } })]
    await first.control.credits.create({ to: '88001234', amount: 7 })
    const story = first.control.story()
    expect(await answeredDuring(emulator, story)).toBeGreaterThan(1)
    expect((await story).text).toMatch(/^\+0s payment-1: 0\.07 CRC/)
    const compared = emulator.control.compare({ world: [first.name, second.name] })
    expect(await answeredDuring(emulator, compared)).toBeGreaterThan(1)
    expect((await compared).counts).toMatchObject({ added: 0, removed: 3, changed: 0 })
  })

  it.each(['state', 'ledger', 'seed', 'assertions.balanced'] as const)('the %s of a large world', async (what) => {
    const emulator = await start()
    const { control } = await emulator.world({ from: { seed: seedOf(2500, 'completed') } })
    const reading = what === 'assertions.balanced' ? control.assertions.balanced() : control[what]()
    expect(await answeredDuring(emulator, reading)).toBeGreaterThan(1)
    const expected = {
      state: { payments: { completed: 2500 }, ledger_balanced: true },
      ledger: { balanced: true, problems: [], payments: 2500, unfinished: 0 },
      seed: { seed: { payments: { length: 2500 } } },
      'assertions.balanced': { pass: true, problems: [] },
    }
    expect(await reading).toMatchObject(expected[what])
  })

  it('the export and the import of a large world', async () => {
    const emulator = await start()
    const world = await emulator.world({ from: { seed: seedOf(2500, 'completed') } })
    const exported = world.control.export()
    expect(await answeredDuring(emulator, exported)).toBeGreaterThan(1)
    const imported = emulator.world({ from: { file: await exported } })
    expect(await answeredDuring(emulator, imported)).toBeGreaterThan(1)
    expect((await (await imported).control.state()).payments.completed).toBe(2500)
  })
})

it('a world that ends while its seed is read again is not reset', async () => {
  const emulator = await start({ worlds: newFolder() })
  const world = await emulator.world({ name: 'large', from: { seed: seedOf(2000, 'completed') } })
  const { id } = await emulator.control.worlds.get({ name: 'large' })
  const reset = world.control.reset()
  reset.catch(() => {})
  await emulator.control.worlds.delete({ name: 'large' })
  await emulator.world({ name: 'large' })
  const next = await emulator.control.worlds.get({ name: 'large' })
  await expect(reset).rejects.toMatchObject({ status: 410 })
  expect((await emulator.control.worlds.get({ name: 'large' })).id).toBe(next.id)
  expect(next.id).not.toBe(id)
})

it('a long move of the clock makes one moment of the clock', async () => {
  const emulator = await start()
  const world = await emulator.world({ from: { seed: seedOf(1500, 'pending') } })
  await world.control.moments.keep({ limit_mib: 64 })
  const moved = world.control.clock.advance({ ms: 60_000 })
  expect(await answeredDuring(emulator, moved)).toBeGreaterThan(1)
  const listed = await world.control.moments.list({ per_page: 2 })
  expect(listed.data.map(({ cause }) => cause.kind)).toEqual(['clock', 'status'])
  // Moments: the start, two steps of each payment, and the move of the clock.
  expect(listed.kept.count).toBe(3002)
})
