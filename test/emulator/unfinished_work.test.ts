import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { ReadOptions } from '../../emulator/worlds/world_options.ts'
import { ibanOf, paid, paymentOf } from '../conformance/fixture.ts'
import { type InsideWorld, openWorld } from '../conformance/targets/inject.ts'
import { ManualTime } from '../support/manual_time.ts'
import { apiOf } from './payments.ts'

let time: ManualTime

beforeEach(() => {
  time = new ManualTime(Date.UTC(2026, 0, 5))
})

/** A world whose time the test moves. Turns of the event loop continue by themselves, and so do commits. */
async function world(options: ReadOptions = {}) {
  const opened = await openWorld({ rateLimit: null, machineTime: time, ...options })
  onTestFinished(() => opened.close())
  return { ...opened, api: apiOf(opened) }
}

async function passes(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    time.advance(100)
    await turn()
  }
}

const order = {
  source_account_id: '01900000-0000-7000-8000-0000000000c1',
  amount: 100,
  recipient_iban: ibanOf('Carlos Jiménez Mora'),
}

/**
 * Makes every commit that inserts or updates payments fail, as on a full disk. Returns a function that stops the
 * failures.
 */
function spoilCommits({ world }: InsideWorld, change: 'INSERT' | 'UPDATE'): () => void {
  const { connection } = world.database
  connection.exec(`
    CREATE TABLE debts (owed INTEGER REFERENCES users (seq) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER spoil AFTER ${change} ON payments BEGIN INSERT INTO debts VALUES (999); END`)
  return () => connection.exec('DROP TRIGGER spoil')
}

describe('payments that move by themselves', () => {
  test('are submitted halfway and completed at the end of their time', async () => {
    const { api } = await world()
    const { id } = await paid(api, order)

    await passes(400)
    expect((await paymentOf(api, id)).status).toBe('pending')
    await passes(100)
    expect((await paymentOf(api, id)).status).toBe('processing')
    await passes(500)

    expect((await paymentOf(api, id)).status).toBe('completed')
  })

  test('have ended at the first read if they settle instantly, although the answer to their creation is pending', async () => {
    const { api } = await world({ settle: 0 })

    const created = await paid(api, order)

    expect(created.status).toBe('pending')
    expect((await paymentOf(api, created.id)).status).toBe('completed')
    expect((await api.pay(order, created.idempotency_key)).body.data).toEqual(created)
  })

  test('more at once than a batch all end', async () => {
    const { api, control } = await world()
    await Promise.all(Array.from({ length: 450 }, () => paid(api, order)))

    await passes(1500)

    expect(await control?.ledger()).toMatchObject({ unfinished: 0, problems: [] })
  })
})

describe('a fault in a step', () => {
  const trouble = `CREATE TEMP TRIGGER trouble BEFORE UPDATE ON payments BEGIN SELECT raise(ABORT, 'trouble'); END`

  test('is reported, undone and tried again', async () => {
    const { api, inside, control, world: emulated } = await world()
    const { id } = await paid(api, order)
    emulated.database.connection.exec(trouble)
    await passes(3000)
    expect(inside.faults.length).toBeGreaterThan(0)
    expect((await paymentOf(api, id)).status).toBe('pending')
    expect(await control?.ledger()).toMatchObject({ unfinished: 1, problems: [] })

    emulated.database.connection.exec('DROP TRIGGER trouble')
    await passes(3000)

    expect((await paymentOf(api, id)).status).toBe('completed')
    expect(await control?.ledger()).toMatchObject({ unfinished: 0, problems: [] })
  })

  test('of one payment holds up none of those after it', async () => {
    const { api, inside, world: emulated } = await world()
    const [stuck, next] = [await paid(api, order), await paid(api, order)]
    emulated.database.connection.exec(trouble.replace('BEGIN', `WHEN OLD.id = '${stuck.id}' BEGIN`))

    await passes(5000)

    expect((await paymentOf(api, stuck.id)).status).toBe('pending')
    expect((await paymentOf(api, next.id)).status).toBe('completed')
    expect(inside.faults.length).toBeGreaterThan(0)
  })

  test('while the clock is moved is reported to the caller that moves it, and nothing is lost', async () => {
    const { api, control, world: emulated } = await world({ settle: 'manual' })
    const { id } = await paid(api, order)
    emulated.database.connection.exec(trouble)
    await expect(control?.advanceClock(5000)).rejects.toThrow('trouble')

    emulated.database.connection.exec('DROP TRIGGER trouble')
    await control?.advanceClock(5000)

    expect((await paymentOf(api, id)).status).toBe('completed')
    expect(await control?.ledger()).toMatchObject({ unfinished: 0, problems: [] })
  })
})

describe('a request that fails half-way', () => {
  test('leaves neither a payment nor a hold, and its key is still good', async () => {
    const { api, control, world: emulated } = await world({ settle: 'manual' })
    const before = (await api.get('/api/accounts')).body.data.data
    emulated.database.connection.exec(
      `CREATE TEMP TRIGGER trouble BEFORE INSERT ON ledger_entries WHEN NEW.amount > 0
         BEGIN SELECT raise(ABORT, 'trouble'); END`,
    )

    const lost = await api.pay(order, 'a')

    expect(lost.status).toBe(500)
    expect((await api.get('/api/payments/history')).body.data.total).toBe(0)
    expect((await api.get('/api/accounts')).body.data.data).toEqual(before)
    emulated.database.connection.exec('DROP TRIGGER trouble')
    expect((await api.pay(order, 'a')).headers['idempotent-replayed']).toBeUndefined()
    expect(await control?.ledger()).toMatchObject({ unfinished: 1, problems: [] })
  })

  test('takes nothing from those it shares a commit with: they get an error, or it is stored', async () => {
    const { api, control, world: emulated } = await world({ settle: 'manual' })
    emulated.database.connection.exec(
      `CREATE TEMP TRIGGER trouble BEFORE INSERT ON ledger_entries WHEN NEW.amount = 1313
         BEGIN SELECT raise(ABORT, 'trouble'); END`,
    )
    const orders = Array.from({ length: 20 }, (_, at) => ({ ...order, amount: at % 5 === 3 ? 1213 : 100 }))

    const answers = await Promise.all(orders.map((each, at) => api.pay(each, `key-${at}`)))

    const { data } = (await api.get('/api/payments/history?per_page=1000')).body.data
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id)
    expect(data.map(({ id }: { id: string }) => id).toSorted()).toEqual(made.toSorted())
    expect(answers.filter((_, at) => at % 5 === 3).map(({ status }) => status)).toEqual([500, 500, 500, 500])
    expect((await control?.ledger())?.problems).toEqual([])
  })
})

describe('a commit that fails', () => {
  test('is a 500 for all who share it, and their keys are still good', async () => {
    const opened = await world({ settle: 'manual' })
    const { api, control } = opened
    const send = () => Promise.all(['a', 'b', 'c'].map((key) => api.pay(order, key)))
    const fix = spoilCommits(opened, 'INSERT')

    const lost = await send()

    expect(lost.map(({ status }) => status)).toEqual([500, 500, 500])
    expect(new Set(lost.map(({ body }) => body.message))).toEqual(new Set(['Payment processing failed']))
    expect((await api.get('/api/payments/history')).body.data.total).toBe(0)
    fix()
    const made = await send()
    expect(made.map(({ status, headers }) => [status, headers['idempotent-replayed']])).toEqual(
      Array(3).fill([201, undefined]),
    )
    expect(await control?.ledger()).toMatchObject({ unfinished: 3, problems: [] })
  })

  test('takes no money: the balance is what it was', async () => {
    const opened = await world({ settle: 'manual' })
    const balance = async () =>
      (await opened.api.get(`/api/accounts/${order.source_account_id}/balance`)).body.data.balance
    const before = await balance()
    spoilCommits(opened, 'INSERT')

    await opened.api.pay(order, 'a')

    expect(await balance()).toBe(before)
  })

  test.each([
    ['first', 400],
    ['last', 900],
  ])('under the %s step of a payment is reported, and the step taken again', async (_, before) => {
    const opened = await world()
    const { api, inside, control } = opened
    const { id } = await paid(api, order)
    await passes(before)
    const { status } = await paymentOf(api, id)
    const fix = spoilCommits(opened, 'UPDATE')

    await passes(100)
    expect((await paymentOf(api, id)).status).toBe(status)
    expect(inside.faults.length).toBe(1)
    fix()
    await passes(3000)

    expect((await paymentOf(api, id)).status).toBe('completed')
    expect(inside.faults.length).toBe(1)
    expect(await control?.ledger()).toMatchObject({ unfinished: 0, problems: [] })
  })
})
