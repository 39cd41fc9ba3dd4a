import { describe, expect, it, vi } from 'vitest'
import { startWorld, type World } from '../control/world.ts'
import { announced, rawRequest, requestText } from './raw_request.ts'

type Rule = NonNullable<Parameters<World['emulator']['control']['addFault']>[0]>

async function start(rule: Rule) {
  const world = await startWorld()
  await world.steer('control.faults.add', { body: rule })
  const { baseUrl, token } = world.emulator
  const raw = (path = '/api/user') => rawRequest(baseUrl, requestText({ path, token }))
  const pay = (key: string) =>
    rawRequest(
      baseUrl,
      requestText({
        method: 'POST',
        path: '/api/payments',
        token,
        headers: { 'X-Idempotency-Key': key },
        body: { source_account_id: world.colones, amount: 2500, recipient_phone: '87000001' },
      }),
    )
  const payments = async () => (await world.client.call('payments.history', { query: {} })).data
  return { ...world, raw, pay, payments }
}

/** Head and body of an answer. */
function parts(bytes: string): readonly [head: string, body: string] {
  const [head = '', body = ''] = bytes.split('\r\n\r\n', 2)
  return [head, body]
}

describe('the connection of a request', () => {
  it('is reset before anything is done', async () => {
    const { pay, payments } = await start({ endpoint: 'payments.create', fault: 'reset' })
    expect(await pay('key-1')).toEqual({ bytes: '', pieces: [], error: 'ECONNRESET' })
    expect(await payments()).toEqual([])
    expect((await pay('key-1')).bytes).toMatch(/^HTTP\/1.1 201 /)
    expect(await payments()).toHaveLength(1)
  })

  it('that was reset had no answer, and so no status: neither in the log nor in the report', async () => {
    const { raw, steer } = await start({ endpoint: 'user.get', fault: 'reset' })
    await raw()
    const { data } = await steer('control.requests.list')
    expect(data).toMatchObject([{ status: null, answered: false, fault: 'reset', message: null }])
    expect((await steer('control.requests.list', { query: { status: '2xx' } })).data).toEqual([])
    const { endpoints, unanswered } = await steer('control.report')
    expect(unanswered).toBe(1)
    expect(endpoints.find(({ endpoint }) => endpoint === 'user.get')).toMatchObject({
      requests: 1,
      statuses: [],
      never: expect.arrayContaining([200]),
    })
    const { rows } = await steer('control.sql', { body: { query: 'SELECT status FROM requests' } })
    expect(rows).toEqual([[null]])
    expect(await steer('control.timeline', { params: { id: 'r1' } })).toMatchObject([{ kind: 'request', status: null }])
  })

  it('is closed after the work is committed: the payment exists, and its key finds it', async () => {
    const { pay, payments, client, colones } = await start({ endpoint: 'payments.create', fault: 'lose_answer' })
    expect((await pay('key-1')).bytes).toBe('')
    const [payment] = await payments()
    expect(await payments()).toHaveLength(1)
    const balance = await client.call('accounts.balance', { params: { id: colones } })

    const [head, body] = parts((await pay('key-1')).bytes)

    expect(head).toMatch(/^HTTP\/1.1 201 /)
    expect(head.toLowerCase()).toContain('idempotent-replayed: true')
    expect(JSON.parse(body).data.id).toBe(payment?.id)
    expect(await payments()).toHaveLength(1)
    expect(await client.call('accounts.balance', { params: { id: colones } })).toEqual(balance)
  })
})

describe('an answer', () => {
  it('is held back after the work, which others see at once', async () => {
    const { pay, payments, steer } = await start({
      endpoint: 'payments.create',
      fault: 'hold_answer',
      delay_ms: 600_000,
    })
    const held = pay('key-1')
    await vi.waitFor(async () => expect(await payments()).toHaveLength(1), 10_000)
    expect((await pay('key-1')).bytes).toContain('idempotent-replayed: true')
    await steer('control.reset')
    expect((await held).bytes).toBe('')
  })

  it('is cut in the middle of its body, its whole length announced', async () => {
    const { raw, pay, payments } = await start({ fault: 'truncate', times: 2 })
    const [head, body] = parts((await raw()).bytes)
    const whole = parts((await raw('/nowhere')).bytes)
    expect(head).toMatch(/^HTTP\/1.1 200 /)
    expect(body).toMatch(/^{"success":true/)
    expect(Buffer.byteLength(body)).toBe(Math.floor(announced(head) / 2))
    expect(JSON.parse(whole[1])).toMatchObject({ message: 'Not Found.' })
    await pay('key-1')
    expect(await payments()).toHaveLength(1)
  })

  it('comes a few bytes at a time, whole', async () => {
    const { raw, client } = await start({ endpoint: 'user.get', fault: 'drip' })
    const { pieces, bytes } = await raw()
    expect(pieces.length).toBeGreaterThan(5)
    expect(JSON.parse(parts(bytes)[1]).data).toEqual(await client.call('user.get'))
  })

  it('that is on its way when its world ends takes nothing else down', async () => {
    const { make, steer, client } = await startWorld()
    const other = await make({ name: 'other' })
    await other.steer('control.faults.add', { body: { endpoint: 'payments.create', fault: 'drip' } })
    const answer = other.pay({ recipient_phone: '87000001' })
    await expect.poll(async () => (await other.client.call('payments.history')).data).toHaveLength(1)

    await steer('control.worlds.delete', { params: { name: 'other' } })

    await expect(answer).rejects.toMatchObject({ name: 'OutcomeUnknownError' })
    expect((await client.call('accounts.list')).data.length).toBeGreaterThan(0)
  })

  it('is not JSON, with the status and the length of what is sent', async () => {
    const { raw } = await start({ endpoint: 'user.get', fault: 'malformed' })
    const [head, body] = parts((await raw()).bytes)
    expect(head).toMatch(/^HTTP\/1.1 200 /)
    expect(head.toLowerCase()).toContain('content-type: application/json')
    expect(Buffer.byteLength(body)).toBe(announced(head))
    expect(() => JSON.parse(body)).toThrow(SyntaxError)
  })

  it('has a content type that it is not', async () => {
    const { raw } = await start({ endpoint: 'user.get', fault: 'content_type' })
    const [head, body] = parts((await raw()).bytes)
    expect(head.toLowerCase()).toContain('content-type: text/html; charset=utf-8')
    expect(JSON.parse(body).success).toBe(true)
  })

  it.each([
    ['without a time of its own', {}, '1'],
    ['with one', { retry_after: 120 }, '120'],
  ])('of 429 says when to come again, %s', async (_, more, seconds) => {
    const { raw } = await start({ endpoint: 'user.get', status: 429, ...more })
    const [head, body] = parts((await raw()).bytes)
    expect(head).toMatch(/^HTTP\/1.1 429 /)
    expect(head.toLowerCase()).toContain(`retry-after: ${seconds}\r\n`)
    expect(JSON.parse(body)).toMatchObject({ success: false, data: null })
  })
})

describe('a delay', () => {
  it('is over before anything is done, also before an error', async () => {
    const { raw, payments, pay } = await start({
      endpoint: 'payments.create',
      status: 500,
      delay_ms: 60,
      spread_ms: 20,
    })
    const started = performance.now()
    const [head, body] = parts((await pay('key-1')).bytes)
    expect(performance.now() - started).toBeGreaterThan(55)
    expect(head).toMatch(/^HTTP\/1.1 500 /)
    expect(JSON.parse(body).message).toBe('Payment processing failed')
    expect(await payments()).toEqual([])
    expect((await raw()).bytes).toMatch(/^HTTP\/1.1 200 /)
  })

  it('does not move the world’s clock', async () => {
    const { raw, steer } = await start({ endpoint: 'user.get', delay_ms: 30 })
    await steer('control.clock.freeze')
    const { now } = await steer('control.clock.get')
    expect((await raw()).bytes).toMatch(/^HTTP\/1.1 200 /)
    expect((await steer('control.clock.get')).now).toBe(now)
  })

  it.each(['reset', 'end'] as const)('ends with its world (%s), and nothing of it reaches another', async (how) => {
    const { make, steer } = await startWorld()
    const shop = await make({ name: 'shop' })
    await shop.steer('control.faults.add', { body: { endpoint: 'payments.create', delay_ms: 3_600_000 } })
    const payment = shop.pay({ recipient_phone: '87000001' }).catch((error) => error)
    await expect
      .poll(async () => (await shop.steer('control.faults.list', { query: { which: 'all' } }))[0]?.fired)
      .toBe(1)

    if (how === 'reset') await shop.steer('control.reset')
    else await steer('control.worlds.delete', { params: { name: 'shop' } })

    expect(await payment).toBeInstanceOf(Error)
    if (how === 'reset') expect((await shop.client.call('payments.history', { query: {} })).data).toEqual([])
  })
})
