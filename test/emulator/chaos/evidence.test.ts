import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { full } from '../../support/full.ts'
import { serve } from '../../support/server.ts'
import { startReceiver } from '../control/receiver.ts'
import { startWorld, type World } from '../control/world.ts'
import { demoRegistry } from '../demo_registry.ts'

const order = { amount: 2500, description: 'The rent of January' }

/** IBANs of the phone's holder, and of another holder. */
const [carlos = '', roble = ''] = demoRegistry.flatMap(({ address }) => (/^CR/.test(address) ? [address] : []))

/** Answer to a payment, and the payment's status at the next attempt. */
interface Attempt {
  readonly answer: 'lost' | 'whole'
  readonly end: 'pending' | 'failed'
}

interface Changes {
  readonly to?: { readonly recipient_phone: string } | { readonly recipient_iban: string }
  readonly amount?: number
  readonly description?: string | undefined
}

/** Pays with a key; returns the id of the payment, or null after an error. */
const payer =
  ({ client, colones }: World) =>
  (key: string, { to = { recipient_phone: '87000001' }, ...changes }: Changes = {}) =>
    client
      .call('payments.create', {
        headers: { 'X-Idempotency-Key': key.replaceAll(' ', '-') },
        body: { source_account_id: colones, ...to, ...order, ...changes },
      })
      .then(
        ({ id }) => id,
        () => null,
      )

const loseNext = (here: World) =>
  here.steer('control.faults.add', { body: { endpoint: 'payments.create', fault: 'lose_answer' } })

/** Numbers of findings in a world's report: of `paid_twice`, `unresolved` and `handled_twice`. */
async function found(here: World) {
  const { paid_twice, unresolved, handled_twice } = await here.steer('control.report')
  return [paid_twice.count, unresolved.count, handled_twice.count]
}

describe('a lost answer', () => {
  it('counts as paid twice if the same order follows with another key, and stays unresolved', async () => {
    const here = await startWorld()
    const pay = payer(here)
    await loseNext(here)
    await pay('one')
    const second = await pay('two')
    const { paid_twice, unresolved } = await here.steer('control.report')
    const [first] = (await here.client.call('payments.history', { query: {} })).data.slice(1)
    expect(paid_twice).toEqual({
      count: 1,
      first: [
        {
          ...{ world: 'default', because: 'answer_lost', payments: [first?.id, second], requests: ['r1', 'r2'] },
          ...{ payee: '87000001', amount: { value: 2500, currency: 'CRC', formatted: '25.00 CRC' } },
          timeline: expect.any(Array),
        },
      ],
    })
    expect(unresolved).toMatchObject({ count: 1, first: [{ world: 'default', request: 'r1', payment: first?.id }] })
  })

  it('is resolved by its key, by the payment, or by a history that shows it', async () => {
    const here = await startWorld()
    const pay = payer(here)
    const { client } = here
    for (const key of ['known by its key', 'known by a history', 'the newest of all']) {
      await loseNext(here)
      await pay(key, { description: key })
    }
    await pay('known by its key', { description: 'known by its key' })
    expect(await found(here)).toEqual([0, 2, 0])
    await client.call('payments.history', { query: { per_page: 1 } }) // this answer has only the newest payment
    expect(await found(here)).toEqual([0, 1, 0])
    await client.call('payments.history', { query: { channel: 'pin' } })
    expect(await found(here)).toEqual([0, 1, 0])
    await client.call('payments.history', { query: {} })
    expect(await found(here)).toEqual([0, 0, 0])
  })

  it.each([
    ['another amount', { amount: 2600 }],
    ['another description', { description: 'The rent of February' }],
    ['another amount and no description', { amount: 2501, description: undefined }, { description: undefined }],
    ['another payee', { to: { recipient_phone: '87000002' } }],
    ['another payee by the other rail', { to: { recipient_iban: roble } }],
  ] as const)('and an order with %s is two orders', async (_, changes, first: Changes = {}) => {
    const here = await startWorld()
    const pay = payer(here)
    await loseNext(here)
    await pay('one', first)
    await pay('two', changes)
    expect(await found(here)).toEqual([0, 1, 0])
  })

  it.each([
    ['hours later', 11 * 3_600_000, {}],
    ['with its amount rounded', 0, { amount: 2501 }],
    ['by the other rail', 0, { to: { recipient_iban: carlos } }],
    ['by the other rail, without a description', 0, { to: { recipient_iban: carlos }, description: undefined }],
  ] as const)('and the same order %s is paid twice', async (_, ms, changes) => {
    const here = await startWorld()
    const pay = payer(here)
    await loseNext(here)
    await pay('one', 'description' in changes ? { description: undefined } : {})
    await here.steer('control.clock.advance', { body: { ms } })
    await pay('two', changes)
    expect(await found(here)).toEqual([1, 1, 0])
  })

  it('to a caller that did not wait for it, and the same order with another key, is paid twice', async () => {
    const here = await startWorld()
    await here.steer('control.faults.add', { body: { endpoint: 'payments.create', delay_ms: 500 } })
    const { baseUrl, token } = here.emulator
    const body = { source_account_id: here.colones, recipient_phone: '87000001', ...order }
    const patience = new AbortController()
    const { signal } = patience
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Idempotency-Key': 'one' }
    const first = fetch(`${baseUrl}/api/payments`, { method: 'POST', headers, body: JSON.stringify(body), signal })
    const arrived = async () => (await here.steer('control.faults.list', { query: { which: 'all' } }))[0]
    await vi.waitFor(async () => expect(await arrived()).toMatchObject({ fired: 1 }), 10_000)
    patience.abort()
    await expect(first).rejects.toThrow('aborted')
    await payer(here)('two')
    await vi.waitFor(async () => expect(await found(here)).toEqual([1, 1, 0]), 10_000)
  })

  it.each([
    ['tries another key, is paid twice', 'two', [1, 1, 0]],
    ['repeats its key, is paid once', 'one', [0, 0, 0]],
  ] as const)('that was too slow for a caller, who %s', async (_, next, counts) => {
    const profile = { slow_answers: 1, slow_ms: 600_000, most_in_a_row: 1 }
    const here = await startWorld({ chaos: { seed: 1, profile } })
    const { baseUrl, token } = here.emulator
    const patience = new AbortController()
    const pay = (key: string) =>
      fetch(`${baseUrl}/api/payments`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Idempotency-Key': key },
        body: JSON.stringify({ source_account_id: here.colones, recipient_phone: '87000001', ...order }),
        signal: patience.signal,
      })
    const first = pay('one')
    const made = async () => (await here.steer('control.sql', { body: { query: 'SELECT id FROM payments' } })).rows
    await vi.waitFor(async () => expect(await made()).toHaveLength(1), 10_000)
    patience.abort()
    await expect(first).rejects.toThrow('aborted')
    await here.steer('control.faults.add', { body: { endpoint: 'payments.create', delay_ms: 0 } }) // instead of chaos
    await payer(here)(next)
    await vi.waitFor(async () => expect(await found(here)).toEqual(counts), 10_000)
  })

  it.each([
    ['is suspected of it', {}, [true]],
    ['is not once the first key is repeated', { repeats: 'one' }, []],
    ['may have two orders once the first is looked up', { reads: true }, [false]],
    ['may have two orders once the first key was refused', { refused: 'one' }, [false]],
    ['may have two orders if it pays another in between', { pays: '87000002' }, [false]],
    ['has two orders ten minutes later', { ms: 600_001 }, []],
  ] as const)('and the order again with another description: who pays so %s', async (_, meanwhile, ignored) => {
    const here = await startWorld()
    const pay = payer(here)
    const {
      repeats,
      refused,
      reads,
      pays,
      ms = 0,
    }: { repeats?: string; refused?: string; reads?: boolean; pays?: string; ms?: number } = meanwhile
    await loseNext(here)
    await pay('one', { description: 'The rent, attempt of 12:00:00' })
    if (refused) {
      await here.steer('control.faults.add', { body: { endpoint: 'payments.create', status: 429, times: 1 } })
      await pay(refused, { description: 'The rent, attempt of 12:00:00' })
    }
    if (pays) await pay('other', { to: { recipient_phone: pays } })
    await here.steer('control.clock.advance', { body: { ms } })
    await pay('two', { description: 'The rent, attempt of 12:00:01' })
    if (repeats) await pay(repeats, { description: 'The rent, attempt of 12:00:00' })
    if (reads) await here.client.call('payments.history', { query: {} })
    const { suspected, paid_twice } = await here.steer('control.report')
    expect(suspected.first.map((finding) => finding.ignored)).toEqual(ignored)
    expect(suspected.first.every(({ because }) => because === 'other_description')).toBe(true)
    expect(paid_twice.count).toBe(0)
  })

  it.each([
    ['the same description', 'The rent of January'],
    ['another description', 'The rent, attempt of 12:00:01'],
  ])('is not the reason for a third payment, after a second with %s had its answer', async (_, description) => {
    const here = await startWorld()
    const pay = payer(here)
    await loseNext(here)
    await pay('one')
    await pay('two', { description })
    await pay('three', { description: 'The electricity of January' })
    const { suspected, paid_twice } = await here.steer('control.report')
    expect(paid_twice.count + suspected.count).toBe(1)
    expect([...paid_twice.first, ...suspected.first].map(({ requests }) => requests)).toEqual([['r1', 'r2']])
  })

  it('of one of two equal orders is not paid twice by a caller that repeats each with its own key', async () => {
    const here = await startWorld()
    const pay = payer(here)
    await loseNext(here)
    await Promise.all([pay('one'), pay('two')])
    expect((await found(here))[0]).toBe(1) // found for now: the program repeats the keys later
    await Promise.all([pay('one'), pay('two')])
    expect(await found(here)).toEqual([0, 0, 0])
  })

  it('and a payment with another description, made while the first was on its way, may be one order', async () => {
    const here = await startWorld()
    const pay = payer(here)
    await here.steer('control.faults.add', {
      body: { endpoint: 'payments.create', fault: 'lose_answer', delay_ms: 200 },
    })
    const first = pay('one')
    await vi.waitFor(async () => expect(await here.steer('control.faults.list')).toEqual([]), 10_000)
    await pay('two', { description: 'January, the rent' })
    await first
    const { suspected } = await here.steer('control.report')
    expect(suspected.first).toMatchObject([{ because: 'other_description' }])
  })

  it('does not make a payment of the same order suspicious if the caller knew of the first, or a day later', async () => {
    const here = await startWorld()
    const pay = payer(here)
    await pay('one')
    await pay('two')
    await loseNext(here)
    await pay('three')
    await here.client.call('payments.history', { query: {} })
    await pay('four')
    await loseNext(here)
    await pay('five')
    await here.steer('control.clock.advance', { body: { ms: 86_400_000 } })
    await pay('six')
    expect(await found(here)).toEqual([0, 1, 0])
  })

  /**
   * Pays an order: each attempt has a different key. Returns how many payments moved money, or may still move money.
   */
  async function attempts(here: World, order: readonly Attempt[]) {
    let moved = 0
    for (const { answer, end } of order) {
      if (answer === 'lost') await loseNext(here)
      await payer(here)(randomUUID())
      if (end !== 'failed') moved += 1
      else await here.steer('control.payments.move', { params: await newest(here), body: { to: end } })
    }
    return moved
  }

  async function newest(here: World): Promise<{ readonly id: string }> {
    const query = 'SELECT id FROM payments ORDER BY rowid DESC LIMIT 1'
    const { rows } = await here.steer('control.sql', { body: { query } })
    return { id: `${rows[0]?.[0]}` }
  }

  it('is paid twice by the attempt after one that failed, whether its answer was lost too or not', async () => {
    const here = await startWorld()
    for (const answer of ['lost', 'whole'] as const) {
      await attempts(here, [
        { answer: 'lost', end: 'pending' },
        { answer, end: 'failed' },
        { answer: 'whole', end: 'pending' },
      ])
    }
    const { paid_twice } = await here.steer('control.report')
    expect(paid_twice.first.map(({ requests }) => requests)).toEqual([
      ['r1', 'r3'],
      ['r4', 'r6'],
    ])
  })

  it('of one of many orders that look the same is paid as often as it was', async () => {
    const attempt = fc.record<Attempt>({
      answer: fc.constantFrom('lost', 'whole'),
      end: fc.constantFrom('pending', 'failed'),
    })
    const order = fc.array(attempt, { maxLength: 4 }).map((given) => {
      const paid = given.findIndex(({ answer, end }) => answer === 'whole' && end === 'pending')
      const before = paid === -1 ? given : given.slice(0, paid)
      return [...before, { answer: 'whole', end: 'pending' } as const]
    })
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 1, maxLength: 6 }), async (orders) => {
        // Each run gets a separate world, because the orders of earlier runs would slow it down.
        const here = await startWorld()
        let doubles = 0
        for (const each of orders) doubles += (await attempts(here, each)) - 1
        expect((await found(here))[0]).toBe(doubles)
      }),
      { numRuns: full ? 30 : 4, endOnFailure: true },
    )
  })

  it('of a payment that failed is not paid twice, and a reset forgets nothing', async () => {
    const here = await startWorld()
    const pay = payer(here)
    for (const [lost, again] of [
      ['the first order of all', 'two'],
      ['the second order of all', 'four'],
    ] as const) {
      await loseNext(here)
      await pay(lost, { description: lost })
      await pay(again, { description: lost })
    }
    const [, first] = (await here.client.call('payments.history', { query: {} })).data
    const params = { id: first?.id ?? '' }
    await here.steer('control.payments.move', { params, body: { to: 'failed', state_code: 'rejected' } })
    expect((await found(here))[0]).toBe(1)
    await here.steer('control.reset')
    expect((await found(here))[0]).toBe(1)
  })
})

describe('a lost answer to a program with a receiver', () => {
  it.each([
    ['a minute after a delivery about the first, may be another order', 61_000, [0, 1]],
    ['at once, is paid twice', 0, [1, 0]],
    ['the next day, is another order', 13 * 3_600_000, [0, 0]],
  ] as const)('and the same order %s', async (_, ms, counts) => {
    const here = await startWorld()
    const receiver = await startReceiver()
    await here.client.call('webhooks.create', { body: { url: receiver.url, events: ['payment.created'] } })
    await loseNext(here)
    await payer(here)('one')
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000)
    await here.steer('control.clock.advance', { body: { ms } })
    await payer(here)('two')
    const { paid_twice, suspected } = await here.steer('control.report')
    expect([paid_twice.count, suspected.count]).toEqual(counts)
    for (const each of suspected.first) expect(each).toMatchObject({ because: 'after_delivery', ignored: false })
    await payer(here)('one')
    expect((await here.steer('control.report')).suspected.count).toBe(0)
  })
})

describe('an event that comes twice', () => {
  /** Subscribes a receiver that runs `handle` with the id of each delivery before it answers. Returns its URL. */
  async function receives(here: World, handle: (id: string) => Promise<unknown>): Promise<string> {
    const base = await serve(async (request, response) => {
      await handle(`${request.headers['x-webhook-id']}`)
      response.end()
    })
    const url = `${base}/hook`
    await here.client.call('webhooks.create', { body: { url, events: ['transaction.received'] } })
    return url
  }

  const credit = (here: World, amount = 5000) =>
    here.steer('control.credits.create', { body: { to: here.colones, amount } })

  const advance = (here: World, ms = 10_000) => here.steer('control.clock.advance', { body: { ms } })

  /**
   * A shop that pays after each delivery of a credit. `knows`: the shop pays only once for each event. `names`: its
   * payments name the event.
   */
  async function shop(here: World, { knows, names = false }: { readonly knows: boolean; readonly names?: boolean }) {
    const pay = payer(here)
    const seen = new Set<unknown>()
    let payments = 0
    const url = await receives(here, async (id) => {
      payments += 1
      if (!(knows && seen.has(id))) await pay(`payout-${payments}`, names ? { description: `The share of ${id}` } : {})
      seen.add(id)
    })
    await credit(here)
    await advance(here)
    return url
  }

  it('counts as handled twice and paid twice if it causes a payment each time', async () => {
    const here = await startWorld({ chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    const url = await shop(here, { knows: false })
    const { handled_twice, paid_twice } = await here.steer('control.report')
    expect(handled_twice).toMatchObject({
      count: 1,
      first: [{ url, event: 'transaction.received', method: 'POST', path: '/api/payments', requests: ['r2', 'r3'] }],
    })
    expect(paid_twice).toMatchObject({ count: 1, first: [{ because: 'delivered_twice', requests: ['r2', 'r3'] }] })
  })

  /**
   * A shop that pays with one key for each event, or with a new key for each attempt. The connection of the payment for
   * delivery number `resets` is reset.
   */
  async function resetShop(
    here: World,
    { key, resets }: { readonly key: 'event' | 'delivery'; readonly resets: number },
  ) {
    const pay = payer(here)
    let came = 0
    await receives(here, async (id) => {
      came += 1
      if (came === resets)
        await here.steer('control.faults.add', { body: { endpoint: 'payments.create', fault: 'reset' } })
      const own = () => (key === 'event' ? id : randomUUID())
      if ((await pay(own())) === null) await pay(own())
    })
    await credit(here)
    await advance(here)
  }

  it.each([
    ['once by a receiver whose key is the event’s', 'event', 2, [0, 0, 0]],
    ['twice, and paid twice, by one that makes another key', 'delivery', 1, [1, 0, 1]],
  ] as const)('is handled %s, also where a connection was reset', async (_, key, resets, counts) => {
    const here = await startWorld({ chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    await resetShop(here, { key, resets })
    expect(await found(here)).toEqual(counts)
  })

  it('is reported with the amount paid for it, also if others come', async () => {
    const here = await startWorld({ chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    await shop(here, { knows: false, names: true })
    for (const amount of [6000, 7000]) await credit(here, amount)
    await advance(here)
    expect(await found(here)).toEqual([3, 0, 3])
  })

  it('is reported for each of several that came at once, in whatever order they come again', async () => {
    const here = await startWorld({ chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    const pay = payer(here)
    const all = Promise.withResolvers<void>()
    let came = 0
    let paid: Promise<unknown> = all.promise
    await receives(here, async (id) => {
      came += 1
      if (came === 4) all.resolve()
      paid = paid.then(() => pay(randomUUID(), { description: `The share of ${id}` }))
      await paid
    })
    for (const amount of [5000, 6000, 7000, 8000]) await credit(here, amount)
    await vi.waitFor(() => expect(came).toBe(4), 10_000)
    for (let step = 0; step < 25; step += 1) await advance(here, 100)
    expect(came).toBe(8)
    expect(await found(here)).toEqual([4, 0, 4])
  })

  /**
   * A shop that first answers each delivery of a credit, and then refunds the credit with these keys; all refunds but
   * the last fail.
   */
  async function refunding(here: World, keys: (id: string) => readonly string[]) {
    let work: Promise<unknown> = Promise.resolve()
    let came = 0
    const base = await serve(async (request, response) => {
      const id = `${request.headers['x-webhook-id']}`
      const { data } = JSON.parse(await text(request))
      response.end()
      came += 1
      const to = { recipient_phone: data.payer.phone_number }
      const refund = { to, amount: data.amount.value, description: `Refund of ${data.payer.name}` }
      work = work.then(async () => {
        const all = keys(id)
        for (const [at, key] of all.entries()) {
          const params = { id: `${await payer(here)(key, refund)}` }
          if (at < all.length - 1) await here.steer('control.payments.move', { params, body: { to: 'failed' } })
        }
      })
    })
    await here.client.call('webhooks.create', { body: { url: `${base}/hook`, events: ['transaction.received'] } })
    return { came: () => came, done: () => work }
  }

  const refund = (here: World, phone: string, amount: number) =>
    here.steer('control.credits.create', { body: { to: here.colones, amount, from_phone: phone } })

  it('is found at a receiver that answers first and refunds afterwards, for each of several', async () => {
    const here = await startWorld({ chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    const shop = await refunding(here, () => [randomUUID()])
    for (const [phone, amount] of [
      ['87000001', 5000],
      ['87000002', 5000],
      ['87000001', 6000],
      ['87000001', 5000],
    ] as const) {
      await refund(here, phone, amount)
    }
    await advance(here)
    await vi.waitFor(() => expect(shop.came()).toBe(8), 10_000)
    await shop.done()
    expect(await found(here)).toEqual([4, 0, 4])
  })

  it('is found at a receiver that names the credit of a refund, beside an equal credit that it keeps', async () => {
    const here = await startWorld({ chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    const ids: string[] = []
    const refunds: Promise<unknown>[] = []
    const base = await serve(async (request, response) => {
      const { id, amount, payer: from } = JSON.parse(await text(request)).data
      response.end()
      ids.push(id)
      const body = { to: { recipient_phone: from.phone_number }, amount: amount.value }
      if (id !== ids[0]) refunds.push(payer(here)(randomUUID(), { ...body, description: `Refund of ${id.slice(-12)}` }))
    })
    await here.client.call('webhooks.create', { body: { url: `${base}/hook`, events: ['transaction.received'] } })
    for (const _ of ['kept', 'refunded']) {
      await refund(here, '87000001', 5000)
      await advance(here)
    }
    expect(ids).toHaveLength(4)
    await Promise.all(refunds)
    expect(await found(here)).toEqual([1, 0, 1])
  })

  it('is found for each refund of a receiver whose first answer was lost', async () => {
    const here = await startWorld({ chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    const attempts: string[] = []
    const base = await serve(async (request, response) => {
      const { data } = JSON.parse(await text(request))
      const key = `refund-${attempts.push(data.id)}`
      await payer(here)(key, { to: { recipient_phone: data.payer.phone_number }, amount: data.amount.value })
      if (attempts.length > 1) response.end()
      else response.destroy()
    })
    await here.client.call('webhooks.create', { body: { url: `${base}/hook`, events: ['transaction.received'] } })
    await refund(here, '87000001', 5000)
    await advance(here, 60_000)
    expect(new Set(attempts).size).toBe(1)
    expect(attempts).toHaveLength(3)
    expect(await found(here)).toEqual([2, 0, 2])
  })

  it('is not the cause of a second refund if the answer to the first was lost', async () => {
    const here = await startWorld({ chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    const receiver = await startReceiver()
    await here.client.call('webhooks.create', { body: { url: receiver.url, events: ['transaction.received'] } })
    await refund(here, '87000001', 5000)
    await advance(here)
    expect(receiver.received).toHaveLength(2)
    await loseNext(here)
    for (const key of ['one', 'two']) await payer(here)(key, { to: { recipient_phone: '87000001' }, amount: 5000 })
    expect(await found(here)).toEqual([1, 1, 0])
  })

  it('does not accuse such a receiver that refunds once, also after a failed refund', async () => {
    // The shop may be slow: its payments must not complete before it moves them to `failed`.
    const here = await startWorld({ settle: 60_000, chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    const seen = new Set<string>()
    const shop = await refunding(here, (id) => {
      if (seen.has(id)) return []
      seen.add(id)
      return [id, `${id}-again`]
    })
    for (const amount of [5000, 5000, 6000]) await refund(here, '87000001', amount)
    await advance(here)
    await vi.waitFor(() => expect(shop.came()).toBe(6), 10_000)
    await shop.done()
    const query = "SELECT status FROM payments WHERE transfer_type = 'debit' AND status = 'failed'"
    expect((await here.steer('control.sql', { body: { query } })).rows).toHaveLength(3)
    expect(await found(here)).toEqual([0, 0, 0])
  })

  it('and is paid out once was not, nor are others that are each paid out with the same words', async () => {
    const here = await startWorld({ chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    await shop(here, { knows: true })
    expect(await found(here)).toEqual([0, 0, 0])
    await credit(here)
    await credit(here)
    await advance(here)
    await credit(here)
    await advance(here)
    expect(await found(here)).toEqual([0, 0, 0])
  })

  it('has nothing to do with a program that checks and pays the same order again and again', async () => {
    const here = await startWorld({ chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    const { client, colones: source_account_id } = here
    const receiver = await startReceiver()
    await client.call('webhooks.create', { body: { url: receiver.url, events: ['payment.created'] } })
    const [pay, body] = [payer(here), { source_account_id, recipient_phone: '87000001', ...order }]
    for (const key of ['one', 'two', 'three', 'four', 'five']) {
      await client.call('payments.validate', { body, headers: { 'X-Idempotency-Key': `${key}-checked` } })
      await pay(key)
      await advance(here, 1500)
    }
    expect(receiver.received.length).toBeGreaterThan(5)
    expect(await found(here)).toEqual([0, 0, 0])
  })
})
