import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { backoff } from '../../src/client/retry.ts'
import { deadUrl, errorOf, failure, payment, type Reply, rig, startStub, startTcp, success } from '../support/stub.ts'

const ok: Reply = [200, success({})]
const unavailable: Reply = [503, failure('Unable to retrieve account balance')]
const limited = (headers: Readonly<Record<string, string>> = {}): Reply => [429, failure('Too Many Attempts.'), headers]
const inSeconds = (seconds: number): number => Math.round(Date.now() / 1000) + seconds

describe('what is repeated', () => {
  test.each([
    ['a 5xx', unavailable],
    ['a page instead of JSON', [502, '<html>'] satisfies Reply],
    ['a 429', limited()],
    ['a lost connection', ((response) => response.destroy()) satisfies Reply],
  ])('reads, after %s', async (_, trouble) => {
    const stub = await startStub(trouble as Reply, trouble as Reply, ok)
    const { client, delays } = rig(stub.url)

    expect(await client.call('user.get')).toEqual({})
    expect(stub.received.length).toBe(3)
    expect(delays.length).toBe(2)
  })

  test('payments, always with the same key and body', async () => {
    const stub = await startStub(unavailable, (response) => response.destroy(), limited(), [201, success({})])

    await rig(stub.url).client.call('payments.create', payment)

    expect(stub.received.map(({ headers }) => headers['x-idempotency-key'])).toEqual(Array(4).fill('key-1'))
    expect(new Set(stub.received.map(({ body }) => body)).size).toBe(1)
  })

  test('validation of payments', async () => {
    const stub = await startStub([500, failure('Payment validation failed')], ok)

    await rig(stub.url).client.call('payments.validate', payment)

    expect(stub.received.length).toBe(2)
  })

  test('raw writes with an idempotency key', async () => {
    const stub = await startStub(unavailable, ok)

    await rig(stub.url).client.request({ method: 'POST', path: '/api/x', headers: { 'x-idempotency-key': 'k' } })

    expect(stub.received.length).toBe(2)
  })

  test('connections that are refused', async () => {
    const { client, delays } = rig(await deadUrl(), { retries: 2 })

    await errorOf(client.call('user.get'))

    expect(delays.length).toBe(2)
  })
})

describe('what is not repeated', () => {
  test.each([
    ['a refusal', [422, failure('No')]],
    ['an answer against the contract', [200, '<html>']],
    ['a redirect', [302, '', { Location: '/' }]],
  ] satisfies [string, Reply][])('%s', async (_, reply) => {
    const stub = await startStub(reply)
    const { client, delays } = rig(stub.url)

    await errorOf(client.call('user.get'))

    expect(stub.received.length).toBe(1)
    expect(delays).toEqual([])
  })

  test.each([
    ['a 5xx', unavailable],
    ['a 429', limited({ 'Retry-After': '1' })],
    ['a lost connection', (response) => response.destroy()],
  ] satisfies [string, Reply][])('other writes, after %s', async (_, reply) => {
    const stub = await startStub(reply)
    const { client } = rig(stub.url)

    await errorOf(client.call('accounts.create', { body: { currency: 'USD' } }))
    await errorOf(client.request({ method: 'DELETE', path: '/api/webhooks/subscriptions/1' }))

    expect(stub.received.length).toBe(2)
  })

  test.each<[string, Parameters<typeof rig>[1], number]>([
    ['a day after its first attempt', {}, 24],
    ['an hour after its first attempt, if keys live for an hour', { keyLife: 3_600_000 }, 1],
    ['after the clock was set back', {}, -1],
  ])('a payment, %s: the service may have forgotten its key', async (_, options, hours) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const stub = await startStub((response) => {
      vi.setSystemTime(Date.now() + hours * 3_600_000)
      response.destroy()
    })
    const { client } = rig(stub.url, options)

    expect(await errorOf(client.call('payments.create', payment))).toMatchObject({
      name: 'OutcomeUnknownError',
      reason: expect.stringContaining('the request was not repeated: The service may have forgotten'),
    })
    expect(stub.received.length).toBe(1)
  })

  test('anything beyond the number of retries', async () => {
    const stub = await startStub(unavailable)
    const { client } = rig(stub.url, { retries: 1 })

    expect(await errorOf(client.call('user.get'))).toMatchObject({ name: 'ApiError', status: 503, retryable: true })
    expect(stub.received.length).toBe(2)
  })
})

describe('how long is waited', () => {
  /** Milliseconds between the given answer and the next attempt. */
  const delayAfter = async (reply: Reply): Promise<number> => {
    const stub = await startStub(reply, ok)
    const { client, delays } = rig(stub.url)
    await client.call('user.get')
    return delays[0] ?? Number.NaN
  }

  test('Retry-After in seconds', async () => {
    expect(await delayAfter(limited({ 'Retry-After': '7', 'X-RateLimit-Reset': `${inSeconds(30)}` }))).toBe(7000)
  })

  /** The three forms of an HTTP date. */
  const forms: Readonly<Record<string, (parts: readonly string[]) => string>> = {
    now: ([day, date, month, year, time]) => `${day}, ${date} ${month} ${year} ${time} GMT`,
    'of RFC 850': ([day, date, month, year, time]) =>
      `${days[day ?? '']}day, ${date}-${month}-${year?.slice(2)} ${time} GMT`,
    'of asctime': ([day, date, month, year, time]) => `${day} ${month} ${date?.replace(/^0/, ' ')} ${time} ${year}`,
  }
  const days: Readonly<Record<string, string>> = {
    ...{ Mon: 'Mon', Tue: 'Tues', Wed: 'Wednes', Thu: 'Thurs', Fri: 'Fri', Sat: 'Satur', Sun: 'Sun' },
  }

  test.each(Object.keys(forms))('Retry-After as a date, in the form %s', async (form) => {
    const parts = new Date(inSeconds(30) * 1000).toUTCString().replace(',', '').split(' ')
    const delay = await delayAfter(limited({ 'Retry-After': forms[form]?.(parts) ?? '' }))

    expect(delay).toBeGreaterThan(25_000)
    expect(delay).toBeLessThanOrEqual(31_000)
  })

  test('X-RateLimit-Reset', async () => {
    const delay = await delayAfter(limited({ 'X-RateLimit-Reset': `${inSeconds(30)}` }))

    expect(delay).toBeGreaterThan(25_000)
    expect(delay).toBeLessThanOrEqual(31_000)
  })

  test.each([
    ['Retry-After', '86400', 60_000],
    ['Retry-After', '0', 0],
    ['X-RateLimit-Reset', '9999999999', 60_000],
    ['X-RateLimit-Reset', '1', 0],
  ])('%s: %s is kept within a minute', async (name, value, delay) => {
    expect(await delayAfter(limited({ [name]: value }))).toBe(delay)
  })

  test.each([
    {},
    ...['soon', '1.5', '-5', '5 May 2001', '2001-01-01T00:00:00Z'].map((when) => ({ 'Retry-After': when })),
    { 'X-RateLimit-Reset': 'soon' },
  ])('no word from the server: %j', async (headers) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)

    expect(await delayAfter(limited(headers))).toBe(100)
  })

  test('a 5xx heeds Retry-After, not the rate limit', async () => {
    expect(await delayAfter([503, failure('No'), { 'Retry-After': '3' }])).toBe(3000)
    expect(await delayAfter([503, failure('No'), { 'X-RateLimit-Reset': '9999999999' }])).toBeLessThanOrEqual(200)
  })

  test('backoff doubles up to five seconds, with full jitter', () => {
    const most = (attempt: number) => Math.max(...Array.from({ length: 2000 }, () => backoff(attempt)))

    for (const [attempt, limit] of [200, 400, 800, 1600, 3200, 5000, 5000].entries()) {
      expect(most(attempt + 1)).toBeLessThanOrEqual(limit)
      expect(most(attempt + 1)).toBeGreaterThan(limit / 2)
    }
  })

  test('onRetry hears of it first', async () => {
    const stub = await startStub(limited({ 'Retry-After': '2' }), ok)
    const heard: unknown[] = []

    await rig(stub.url, { onRetry: (retry) => heard.push(retry) }).client.call('user.get')

    expect(heard).toEqual([{ attempt: 1, delay: 2000, reason: 'the service answered 429, too many requests' }])
  })
})

describe('abort', () => {
  test('ends the real wait at once', async () => {
    const stub = await startStub(limited({ 'Retry-After': '60' }))
    const controller = new AbortController()
    const { pause } = await import('../../src/real_time.ts')
    const { client } = rig(stub.url, {
      signal: controller.signal,
      delay: pause,
      onRetry: () => setImmediate(() => controller.abort('SIGINT')),
    })

    expect(await errorOf(client.call('user.get'))).toBe('SIGINT')
  })

  test('ends a request under way with the signal’s reason', async () => {
    const controller = new AbortController()
    const stub = await startStub(() => controller.abort('SIGINT'))
    const { client, delays } = rig(stub.url, { signal: controller.signal })

    expect(await errorOf(client.call('user.get'))).toBe('SIGINT')
    expect(delays).toEqual([])
  })

  test('before the call: nothing is sent', async () => {
    const stub = await startStub(ok)
    const { client } = rig(stub.url, { signal: AbortSignal.abort('SIGINT') })

    expect(await errorOf(client.call('user.get'))).toBe('SIGINT')
    expect(stub.received).toEqual([])
  })

  test('close ends calls under way', async () => {
    const stub = await startStub(() => client.close())
    const { client } = rig(stub.url)

    expect(await errorOf(client.call('user.get'))).toMatchObject({ name: 'AbortError' })
  })

  test('close drops a connection that is still being made', async () => {
    const dropped = Promise.withResolvers<void>()
    const url = await startTcp((socket) => {
      socket.resume().on('close', dropped.resolve)
      client.close()
    })
    const { client } = rig(url.replace('http:', 'https:'))

    await errorOf(client.call('user.get'))

    await dropped.promise
  })
})
