import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startWorld, type World } from '../control/world.ts'

/** Pays with a key; the id of the payment, or null without an answer. */
const payer =
  ({ client, colones }: World) =>
  (key: string, { amount = 2500, description = 'The rent of January' } = {}) =>
    client
      .call('payments.create', {
        headers: { 'X-Idempotency-Key': key.replaceAll(' ', '-') },
        body: { source_account_id: colones, amount, recipient_phone: '87000001', description },
      })
      .then(
        ({ id }) => id,
        () => null,
      )

const loseNext = (here: World) =>
  here.steer('control.faults.add', { body: { endpoint: 'payments.create', fault: 'lose_answer' } })

/** What a world whose answers are lost says of it, in numbers. */
async function found(here: World) {
  const { paid_twice, unresolved, handled_twice } = await here.steer('control.report')
  return [paid_twice.count, unresolved.count, handled_twice.count]
}

describe('a lost answer', () => {
  it('and the same order with another key is paid twice, and stays unresolved', async () => {
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
    await client.call('payments.history', { query: { per_page: 1 } }) // shows the newest alone
    expect(await found(here)).toEqual([0, 1, 0])
    await client.call('payments.history', { query: { channel: 'pin' } })
    expect(await found(here)).toEqual([0, 1, 0])
    await client.call('payments.history', { query: {} })
    expect(await found(here)).toEqual([0, 0, 0])
  })

  it.each([
    ['another amount', { amount: 2501 }],
    ['another description', { description: 'The rent of February' }],
  ])('and an order with %s is two orders', async (_, changes) => {
    const here = await startWorld()
    const pay = payer(here)
    await loseNext(here)
    await pay('one')
    await pay('two', changes)
    expect(await found(here)).toEqual([0, 1, 0])
  })

  it('is no reason to doubt a payment of the same order once its caller knew of the first, or ten minutes later', async () => {
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
    await here.steer('control.clock.advance', { body: { ms: 601_000 } })
    await pay('six')
    expect(await found(here)).toEqual([0, 1, 0])
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

describe('an event that comes twice', () => {
  /** A shop that pays whenever it hears of money that came in; `knows`: once for each event. */
  async function shop(here: World, { knows }: { readonly knows: boolean }) {
    const pay = payer(here)
    const seen = new Set<unknown>()
    let payments = 0
    const server = createServer(async (request, response) => {
      const id = request.headers['x-webhook-id']
      payments += 1
      if (!(knows && seen.has(id))) await pay(`payout-${payments}`)
      seen.add(id)
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
    await here.client.call('webhooks.create', { body: { url, events: ['transaction.received'] } })
    await here.steer('control.credits.create', { body: { to: here.colones, amount: 5000 } })
    await here.steer('control.clock.advance', { body: { ms: 10_000 } })
    return url
  }

  it('and is paid out each time was handled twice, and paid twice', async () => {
    const here = await startWorld({ chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    const url = await shop(here, { knows: false })
    const { handled_twice, paid_twice } = await here.steer('control.report')
    expect(handled_twice).toMatchObject({
      count: 1,
      first: [{ url, event: 'transaction.received', method: 'POST', path: '/api/payments', requests: ['r2', 'r3'] }],
    })
    expect(paid_twice).toMatchObject({ count: 1, first: [{ because: 'delivered_twice', requests: ['r2', 'r3'] }] })
  })

  it('and is paid out once was not', async () => {
    const here = await startWorld({ chaos: { seed: 1, profile: { duplicate_deliveries: 1 } } })
    await shop(here, { knows: true })
    expect(await found(here)).toEqual([0, 0, 0])
  })
})
