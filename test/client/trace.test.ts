import { describe, expect, test } from 'vitest'
import { createTrace, redactBody, redactHeader, redactText } from '../../src/client/trace.ts'
import { growth, linear, longTexts } from '../output/growth.ts'
import { errorOf, payment, type Reply, rig, startStub, success } from '../support/stub.ts'

const traceOf = async (reply: Reply, call: (client: ReturnType<typeof rig>['client']) => Promise<unknown>) => {
  const stub = await startStub(reply)
  const lines: string[] = []
  await call(rig(stub.url, { trace: (line) => lines.push(line), retries: 0 }).client)
  return { lines, stub }
}

describe('trace', () => {
  test('shows requests and answers', async () => {
    const { lines, stub } = await traceOf([201, success({ id: 'p1' })], (client) =>
      client.call('payments.create', payment),
    )

    expect(lines[0]).toBe(`> POST ${stub.url}/api/payments`)
    expect(lines).toContain('> Authorization: Bearer ***')
    expect(lines).toContain('> X-Idempotency-Key: key-1')
    expect(lines).toContain(`> ${JSON.stringify(payment.body)}`)
    expect(lines.find((line) => /^< 201 \d+ms$/.test(line))).toBeDefined()
    expect(lines).toContain('< content-type: application/json')
    expect(lines.at(-1)).toBe('< {"success":true,"message":"Done","data":{"id":"p1"}}')
  })

  test('shows that no answer came', async () => {
    const { lines } = await traceOf(
      (response) => response.destroy(),
      (client) => errorOf(client.call('user.get')),
    )

    expect(lines.at(-1)).toMatch(/^< no answer after \d+ms: the connection was closed$/)
  })

  test('shows every attempt', async () => {
    const stub = await startStub([503, ''], [200, success({})])
    const lines: string[] = []

    await rig(stub.url, { trace: (line) => lines.push(line) }).client.call('user.get')

    expect(lines.filter((line) => line.startsWith('> GET '))).toHaveLength(2)
  })

  test('cuts long bodies, on one line each', async () => {
    const { lines } = await traceOf([200, `${'x\n'.repeat(10_000)}`], (client) => errorOf(client.call('user.get')))

    expect(lines.at(-1)).toMatch(/^< x x x .*\.\.\. \(20000 characters\)$/)
    expect(lines.at(-1)?.length).toBeLessThan(4200)
  })

  test('shows only the length of a body that is too long to be searched for secrets', async () => {
    const { lines } = await traceOf([200, success({ note: 'x'.repeat(2 ** 20) })], (client) => client.call('user.get'))

    expect(lines.at(-1)).toMatch(/^< \(10\d{5} characters, too long to show\)$/)
  })

  test.each(longTexts)('takes no longer than its answer is long: %s', async (_, make) => {
    const trace = createTrace(() => {}, 'token-of-the-test')
    const show = (size: number) => {
      const text = make(size)
      trace.reply({ status: 200, headers: { location: text }, text }, 1)
      trace.reply({ status: 200, headers: {}, text: JSON.stringify({ url: `https://${text}` }) }, 1)
    }

    expect(await growth(show, 8_000)).toBeLessThan(linear)
  })

  test('shows no secrets', async () => {
    const data = { access_token: 's3cret-1', nested: [{ Client_Secret: 's3cret-2', code: 123456 }] }
    const headers = { 'Set-Cookie': 'sid=s3cret-3', Location: 'https://host/cb?code=s3cret-4&state=ok' }
    const { lines } = await traceOf([200, success({ ...data, echo: 'token-of-the-test' }), headers], (client) =>
      client.request({
        method: 'POST',
        path: '/oauth/token?refresh_token=s3cret-5&x=1',
        headers: { cookie: 'sid=s3cret-6', 'X-Copy': 'token-of-the-test' },
        body: { password: 's3cret-7', kept: 'yes' },
      }),
    )
    const text = lines.join('\n')

    expect(text).not.toMatch(/s3cret|123456|token-of-the-test/)
    expect(text).toContain('/oauth/token?refresh_token=***&x=1')
    expect(text).toContain('?code=***&state=ok')
    expect(text).toContain('"kept":"yes"')
  })

  test('hides the authorization that the caller gave', async () => {
    const { lines } = await traceOf([200, success(1)], (client) =>
      client.request({ method: 'GET', path: '/api/user', headers: { authorization: 'Basic s3cret' } }),
    )

    expect(lines).toContain('> authorization: Basic ***')
    expect(lines.join()).not.toContain('s3cret')
  })
})

describe('redaction', () => {
  test.each([
    ['{"token":"s3cret", broken', '{"token":"***", broken'],
    ["token='s3cret'", "token='***'"],
    ['grant_type=x&client_secret=s3cret&y=1', 'grant_type=x&client_secret=***&y=1'],
    ['<a href="/cb?code=s3cret">', '<a href="/cb?code=***">'],
    ['zipcode=10101', 'zipcode=10101'],
  ])('of a body that is not JSON: %s', (text, redacted) => {
    expect(redactBody(text, undefined)).toBe(redacted)
  })

  test.each([
    ['https://ana:s3cret@host/x', 'https://***@host/x'],
    ['see git+ssh://s3cret@host and a.b.c', 'see git+ssh://***@host and a.b.c'],
    ['mail ana@example.com', 'mail ana@example.com'],
  ])('of a URL: %s', (text, redacted) => {
    expect(redactText(text, undefined)).toBe(redacted)
    expect(redactHeader('Location', text, undefined)).toBe(redacted)
    expect(redactBody(JSON.stringify({ text }), undefined)).toBe(JSON.stringify({ text: redacted }))
  })

  test.each([
    [
      { headers: null, password: 'two words' },
      { headers: null, password: '***' },
    ],
    [{ headers: { 'X-A': 'a', 'X-B': 'b' } }, { headers: { 'X-A': '***', 'X-B': '***' } }],
    [{ headers: ['X-A'] }, { headers: ['X-A'] }],
  ])('of a body in JSON is exact: %j', (body, redacted) => {
    expect(redactBody(JSON.stringify(body), undefined)).toBe(JSON.stringify(redacted))
  })

  test('finds the token in any form', () => {
    expect(redactText('/x?a=1%7Cabcdef&b=1|abcdef', '1|abcdef')).toBe('/x?a=***&b=***')
    expect(redactBody('{"a":"1|abcdef"}', '1|abcdef')).toBe('{"a":"***"}')
    expect(redactText('a%c3%b1o nuevo, a\\u00f1o nuevo', 'año nuevo')).toBe('***, ***')
  })
})
