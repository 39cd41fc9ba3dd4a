import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { aKey } from '../fixture.ts'
import { Undecided } from '../not_applicable.ts'
import type { Suite } from '../suite.ts'

const mebibyte = 1024 * 1024

/** Longest time without a byte of an answer, in milliseconds. */
const longestSilence = 10_000

export function httpCases(suite: Suite): void {
  /** Sends any bytes; returns the status and the body of the answer. */
  async function raw(bytes: string): Promise<{ status: number; body: Record<string, unknown> }> {
    const { host, port } = suite.world.address ?? { host: '', port: 0 }
    const socket = connect(port, host)
    socket.setTimeout(longestSilence, () => socket.destroy(new Undecided('No answer to the bytes of a request')))
    socket.write(bytes)
    const answer = await text(socket)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    return { status: Number(head.split(' ')[1]), body: JSON.parse(body) }
  }

  describe('HTTP', () => {
    test.each([
      '/',
      '/api',
      '/api/nothing',
      '/api/user/',
      '/api/payments/',
      '/api/accounts//balance',
      '//api/user',
      '/API/USER',
      '/api/payments/1/2',
      '/oauth',
      '/..%2fapi%2fuser',
    ])('%s gets 404', async (path) => {
      const answer = await suite.api.get(path)

      expect(answer.status).toBe(404)
      expect(answer.body).toEqual({ success: false, message: 'Not Found.', data: null, errors: {} })
    })

    test.each([
      ['a body that is not JSON', 'application/json', '{'],
      ['another media type', 'text/plain', 'hello'],
    ])('an unknown path is 404 whatever comes with it: %s', async (_, type, body) => {
      expect((await suite.api.post('/api/nothing', body, { headers: { 'Content-Type': type } })).status).toBe(404)
    })

    test.each([
      ['DELETE', '/api/user', 'GET'],
      ['POST', '/api/user', 'GET'],
      ['PUT', '/api/accounts', 'GET, POST'],
      ['PATCH', '/api/accounts/0', 'GET'],
      ['GET', '/api/payments', 'POST'],
      ['POST', '/api/payments/history', 'GET'],
      ['PUT', '/api/payments/validate', 'GET, POST'],
      ['OPTIONS', '/api/user', 'GET'],
    ])('%s %s gets 405 and the allowed methods', async (method, path, allowed) => {
      const answer = await suite.api.request(method, path)

      expect(answer.status).toBe(405)
      // A path that answers GET also answers HEAD, even if the server does not list HEAD.
      const named = String(answer.headers.allow).split(', ')
      expect(
        named
          .filter((each) => each !== 'HEAD')
          .toSorted()
          .join(', '),
      ).toBe(allowed)
    })

    test.each(['%E0%A4%A', '%', '%zz', '%c0%af'])('a path with %s in it is 400', async (junk) => {
      expect((await suite.api.get(`/api/accounts/${junk}`)).status).toBe(400)
    })

    test('an id of three thousand characters is refused as any other invalid one', async () => {
      expect((await suite.api.get(`/api/accounts/${'x'.repeat(3000)}`)).status).toBe(422)
    })

    test.each([
      ['nothing that ends', '{'],
      ['a word', 'hello'],
      ['a trailing comma', '{"currency": "CRC",}'],
      ['single quotes', "{'currency': 'CRC'}"],
      ['two documents', '{"currency": "CRC"}{"currency": "CRC"}'],
      ['a byte order mark', '\ufeff{"currency": "CRC"}'],
      ['a hundred thousand brackets', '['.repeat(100_000)],
      ['a hundred thousand objects', '{"a":'.repeat(100_000)],
      ['NaN', '{"currency": NaN}'],
      ['bytes that are not text', Buffer.from([0xff, 0xfe, 0x00, 0x80])],
    ])('a body of %s gets 400 and changes nothing', async (_, body) => {
      const before = await suite.state()

      expect((await suite.api.post('/api/accounts', body)).status).toBe(400)
      expect((await suite.api.pay(body, aKey())).status).toBe(400)
      expect((await suite.api.validate(body, aKey())).status).toBe(400)
      expect(await suite.state()).toEqual(before)
    })

    test('deep nesting that is JSON is refused for what it is', async () => {
      const deep = `{"currency": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`

      expect((await suite.api.post('/api/accounts', deep)).status).toBe(422)
    })

    test.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/json-patch+json',
    ])('%s gets 415', async (type) => {
      const answer = await suite.api.post('/api/accounts', '{"currency":"CRC"}', { headers: { 'Content-Type': type } })

      expect(answer.status).toBe(415)
      expect(answer.body.message).toBe('Unsupported Media Type.')
    })

    test('a charset beside the media type is fine', async () => {
      const headers = { 'Content-Type': 'Application/JSON; charset=UTF-8' }

      expect((await suite.api.post('/api/accounts', '{"currency":"CRC"}', { headers })).status).toBe(201)
    })

    test('a body of up to 1 MiB is taken', async () => {
      const body = '{"currency":"CRC"}'.padEnd(mebibyte, ' ')

      expect((await suite.api.post('/api/accounts', body)).status).toBe(201)
    })

    suite.within('a body over 1 MiB gets 413', async () => {
      const answer = await suite.api.post('/api/accounts', '{"currency":"CRC"}'.padEnd(mebibyte + 1, ' '))

      expect(answer.status).toBe(413)
      expect(answer.body.message).toBe('The request body is too large.')
    })

    suite.listening('a body that says it is over 1 MiB is 413 before it has come in', async () => {
      const { token, address } = suite.world
      const head = `Host: ${address?.host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nConnection: close`

      const answer = await raw(
        `POST ${address?.path}/api/accounts HTTP/1.1\r\n${head}\r\nContent-Length: ${mebibyte + 1}\r\n\r\n`,
      )

      expect(answer.status).toBe(413)
      expect(answer.body).toEqual({ success: false, message: 'The request body is too large.', data: null, errors: {} })
    })

    suite.listening.each([
      ['a header of 20 KB', `GET /api/user HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      ['two thousand headers', `GET /api/user HTTP/1.1\r\nHost: x\r\n${'X-Many: 1\r\n'.repeat(2000)}\r\n`, 431],
      ['something else than HTTP', 'HELO example.com\r\n\r\n', 400],
      ['a method there is not', 'EAT /api/user HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      [
        'two different lengths',
        'POST /api/accounts HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
        400,
      ],
    ])('%s is answered in the envelope', async (_, bytes, status) => {
      const answer = await raw(bytes)

      expect(answer.status).toBe(status)
      expect(answer.body).toMatchObject({ success: false, data: null, errors: {} })
      expect((await suite.api.get('/api/user')).status).toBe(200)
    })

    suite.listening('a whole URL, as a proxy is sent, is read as its path', async () => {
      const { token, address } = suite.world
      const head = `Host: ${address?.host}\r\nAuthorization: Bearer ${token}\r\nConnection: close`

      const answer = await raw(
        `GET http://${address?.host}${address?.path}/api/accounts?per_page=1 HTTP/1.1\r\n${head}\r\n\r\n`,
      )

      expect(answer.status).toBe(200)
      expect(answer.body.data).toMatchObject({ per_page: 1 })
    })

    suite.listening('two hundred connections at once are all answered', async () => {
      const { token, address } = suite.world
      const bytes = `GET ${address?.path}/api/user HTTP/1.1\r\nHost: ${address?.host}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`

      const answers = await Promise.all(Array.from({ length: 200 }, () => raw(bytes)))

      expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200))
    })

    test('a Host that is not a host does not get into the links', async () => {
      const answer = await suite.api.get('/api/accounts', { headers: { Host: 'evil"><script>' } })

      expect([200, 400, 421]).toContain(answer.status)
      expect(JSON.stringify(answer.body)).not.toContain('<script>')
    })
  })
}
