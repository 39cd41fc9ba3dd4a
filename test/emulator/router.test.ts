import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Emulator, startEmulator } from '../../emulator/index.ts'
import { type Endpoint, endpoints } from '../../src/contract/index.ts'

let emulator: Emulator

beforeAll(async () => {
  emulator = await startEmulator({ settle: 'manual', rateLimit: 'off' })
  await emulator.control.worlds.create({ name: 'shop' })
})
afterAll(() => emulator.close())

interface Answer {
  readonly status: number
  readonly allow: string | undefined
  readonly length: number
  /** The raw body. */
  readonly content: string
  // biome-ignore lint/suspicious/noExplicitAny: the data of any endpoint
  readonly data: any
  readonly message: string | undefined
}

/** Sends the target unchanged: fetch would normalise it. */
async function send(method: string, target: string, headers: readonly string[] = []): Promise<Answer> {
  const { hostname, port } = new URL(emulator.baseUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  const head = [`Host: ${hostname}:${port}`, `Authorization: Bearer ${emulator.token}`, 'Connection: close', ...headers]
  socket.write(`${method} ${target} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`, 'latin1')
  const [answer = '', content = ''] = (await text(socket)).split('\r\n\r\n')
  const headerOf = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(answer)?.[1]
  const { data, message } = content === '' ? {} : JSON.parse(content)
  return {
    status: Number(answer.split(' ')[1]),
    allow: headerOf('allow'),
    length: Number(headerOf('content-length')),
    content,
    data,
    message,
  }
}

const account = () => emulator.accounts()[0]?.id as string

describe('a literal segment', () => {
  test.each([
    ['another case', '/api/User'],
    ['another case in the middle', '/API/user'],
    ['a final slash', '/api/user/'],
    ['two final slashes', '/api/user//'],
    ['a double slash', '/api//user'],
    ['a double slash at the beginning', '//api/user'],
    ['a segment before it', '/v1/api/user'],
    ['a segment after it', '/api/user/x'],
    ['a dot segment', '/api/./user'],
    ['a dot-dot segment', '/api/accounts/../user'],
    ['an encoded dot-dot segment', '/api/accounts/%2e%2e/user'],
    ['an encoded slash', '/api%2fuser'],
    ['a matrix parameter', '/api/user;v=1'],
    ['a space at its end', '/api/user%20'],
    ['a NUL at its end', '/api/user%00'],
    ['a backslash', '/api\\user'],
  ])('does not match with %s: %s', async (_, path) => {
    expect(await send('GET', path)).toMatchObject({ status: 404, message: 'Not Found.' })
  })

  test.each(['/api/%75ser', '/%61pi/user', '/api/us%65r'])('matches percent-encoded: %s', async (path) => {
    expect(await send('GET', path)).toMatchObject({ status: 200, data: { email: expect.any(String) } })
  })

  test('takes precedence over a parameter', async () => {
    expect(await send('GET', '/api/payments/history')).toMatchObject({ status: 200, data: { total: 0 } })
    expect(await send('GET', '/api/payments/service-status')).toMatchObject({ status: 200 })
    expect(await send('GET', '/api/payments/histor')).toMatchObject({
      status: 422,
      message: 'Payment ID must be a valid UUID',
    })
  })

  test('of another method leaves the path to the parameter', async () => {
    // In a POST, `validate` is a literal segment; in a GET, it is a payment id.
    expect(await send('GET', '/api/payments/validate')).toMatchObject({
      status: 422,
      message: 'Payment ID must be a valid UUID',
    })
  })
})

describe('a parameter', () => {
  test.each([
    ['as it is', (id: string) => id],
    ['in upper case', (id: string) => id.toUpperCase()],
    ['percent-encoded', (id: string) => id.replaceAll('-', '%2D')],
  ])('matches %s', async (_, written) => {
    expect(await send('GET', `/api/accounts/${written(account())}/balance`)).toMatchObject({
      status: 200,
      data: { currency: 'CRC' },
    })
  })

  test('may have dots, and is one segment', async () => {
    expect((await send('GET', '/api/accounts/a.b.c')).status).toBe(422)
    expect((await send('GET', '/api/accounts/..')).status).toBe(422)
    expect((await send('GET', `/api/accounts/${account()}/balance/x`)).status).toBe(404)
    expect((await send('GET', `/api/accounts/x/${account()}`)).status).toBe(404)
  })

  test('is not empty', async () => {
    expect((await send('GET', '/api/accounts//balance')).status).toBe(404)
    expect((await send('GET', '/api/accounts/')).status).toBe(404)
  })

  test('may contain an encoded slash, percent sign and question mark', async () => {
    for (const id of ['a%2Fbalance', '100%25', 'a%3Fb']) {
      expect(await send('GET', `/api/accounts/${id}`)).toMatchObject({
        status: 422,
        message: 'Account ID must be a valid UUID',
      })
    }
  })

  test('is decoded once', async () => {
    await emulator.control.registry.add({ phone: '70001112', name: 'Eva', document_number: '0109990888' })
    expect((await send('GET', '/api/phone/information/50670001112')).status).toBe(200)
    expect((await send('GET', '/api/phone/information/%35%30670001112')).status).toBe(200)
    expect((await send('GET', '/api/phone/information/%2535%2530670001112')).status).toBe(422)
  })

  test('with a suffix matches the suffix, and is not empty', async () => {
    expect(await send('GET', '/api/fx/upstream-rates')).toMatchObject({ status: 200 })
    expect((await send('GET', '/api/fx/other-rates')).status).toBe(404)
    expect((await send('GET', '/api/fx/-rates')).status).toBe(404)
    expect((await send('GET', '/api/fx/upstream-rates-x')).status).toBe(404)
    expect((await send('GET', '/api/fx/%75pstream%2Drates')).status).toBe(200)
  })

  test.each(['%', '%z', '%zz', '%e', '%E0%A4%A', '%ff', '%c0%af', '%ed%a0%80'])(
    'that is not percent-encoded UTF-8 is 400: %s',
    async (junk) => {
      expect((await send('GET', `/api/accounts/${junk}`)).status).toBe(400)
      expect((await send('GET', `/api/accounts/${junk}/balance`)).status).toBe(400)
    },
  )

  test('of thousands of characters is refused like any other', async () => {
    expect((await send('GET', `/api/accounts/${'x'.repeat(10_000)}`)).status).toBe(422)
    expect((await send('GET', `/api/accounts/${'%41'.repeat(4000)}`)).status).toBe(422)
  })
})

describe('an unknown path', () => {
  test.each(['/%', '/api/%zz/x', '/%ff'])('that is not percent-encoded UTF-8 is 400: %s', async (path) => {
    expect((await send('GET', path)).status).toBe(400)
  })

  test.each([
    ['of slashes', '/'.repeat(5000)],
    ['of segments', '/a'.repeat(5000)],
    ['of escapes', `/${'%61'.repeat(4000)}`],
    ['of one segment', `/${'a'.repeat(14_000)}`],
  ])('of thousands %s is 404', async (_, path) => {
    expect((await send('GET', path)).status).toBe(404)
  })

  test('that is longer than headers may be is 431', async () => {
    expect((await send('GET', `/${'a'.repeat(40_000)}`)).status).toBe(431)
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is not a path', async (name) => {
    expect((await send('GET', `/${name}`)).status).toBe(404)
    expect((await send('GET', `/api/${name}`)).status).toBe(404)
  })

  test.each(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND'])(
    'is 404 for %s',
    async (method) => {
      expect(await send(method, '/api/nothing')).toMatchObject({ status: 404, allow: undefined })
    },
  )
})

describe('a method', () => {
  const rows = Object.values<Endpoint>(endpoints)

  test.each([...new Set(rows.map(({ path }) => path))])(
    'that %s does not have is 405 with the methods that it has',
    async (path) => {
      const sample = path.replace(/\{(\w+)\}/g, (_, name) => (name === 'provider' ? 'upstream' : account()))
      // `validate` is also an ID for GET /api/payments/{id}.
      const templates = path === '/api/payments/validate' ? [path, '/api/payments/{id}'] : [path]
      const methods = rows.filter((row) => templates.includes(row.path)).map(({ method }) => method)
      const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).sort()
      for (const method of ['PUT', 'OPTIONS', 'PATCH']) {
        expect(await send(method, sample)).toMatchObject({
          status: 405,
          allow: allowed.join(', '),
          message: 'Method Not Allowed.',
        })
      }
    },
  )

  test('HEAD has status and headers of GET, without the body', async () => {
    const get = await send('GET', '/api/user')
    const head = await send('HEAD', '/api/user')
    expect(head).toMatchObject({ status: 200, length: Buffer.byteLength(get.content), content: '' })
    expect(await send('HEAD', '/api/nothing')).toMatchObject({ status: 404, content: '' })
    expect(await send('HEAD', `/api/accounts/${account()}/balance?x=1`)).toMatchObject({ status: 200, content: '' })
  })

  test('HEAD of a path without GET is 405', async () => {
    expect(await send('HEAD', '/api/payments')).toMatchObject({ status: 405, allow: 'POST', content: '' })
  })

  test('OPTIONS * is 404: it names no path', async () => {
    expect((await send('OPTIONS', '*')).status).toBe(404)
  })

  test('in lower case is not HTTP', async () => {
    expect((await send('get', '/api/user')).status).toBe(400)
  })
})

describe('the target', () => {
  test('ends with its path at the first question mark', async () => {
    expect((await send('GET', '/api/user?')).status).toBe(200)
    expect((await send('GET', '/api/user?a=b?c=/api/nothing')).status).toBe(200)
    expect((await send('GET', '/api/accounts?page=1&per_page=1')).data.per_page).toBe(1)
    expect((await send('GET', '/?/api/user')).status).toBe(404)
    expect((await send('GET', '/api/user%3Fx=1')).status).toBe(404)
  })

  test('may have a query that is not percent-encoded UTF-8', async () => {
    expect((await send('GET', '/api/user?x=%zz&y=%ff')).status).toBe(200)
  })

  test('may be a whole URL, as a proxy gets it', async () => {
    expect((await send('GET', `${emulator.baseUrl}/api/user`)).status).toBe(200)
    expect((await send('GET', 'HTTP://pay.example/api/user?x=1')).status).toBe(200)
    expect((await send('GET', 'http://pay.example')).status).toBe(404)
    expect((await send('GET', 'http://pay.example?x')).status).toBe(404)
  })
})

describe('the prefix of a world', () => {
  const worldOf = async (path: string) => (await send('GET', `${path}/_emulator/state`)).data?.world

  test('selects it for any path, and is not part of the path', async () => {
    expect(await send('GET', '/w/shop/api/user')).toMatchObject({ status: 200 })
    expect(await worldOf('/w/shop')).toBe((await emulator.control.worlds.get({ name: 'shop' })).id)
    expect(await worldOf('/w/default')).toBe(emulator.worldId)
    expect(await worldOf('')).toBe(emulator.worldId)
    expect((await send('GET', '/w/shop/api/nothing')).status).toBe(404)
    expect(await send('POST', '/w/shop/api/user')).toMatchObject({ status: 405, allow: 'GET, HEAD' })
    expect((await send('GET', '/w/shop/api/accounts/%zz')).status).toBe(400)
    expect((await send('GET', '/w/shop/api/payments/history?page=1')).status).toBe(200)
  })

  test('keeps itself in the links of a page', async () => {
    const { data } = await send('GET', '/w/shop/api/accounts?page=1')
    expect(data.first_page_url).toBe(`${emulator.baseUrl}/w/shop/api/accounts?page=1`)
  })

  test.each([
    ['without a path', '/w/shop'],
    ['without a path, with a query', '/w/shop?x=/api/user'],
    ['with a slash alone', '/w/shop/'],
    ['twice', '/w/shop/w/shop/api/user'],
    ['of an unknown world', '/w/nowhere/api/user'],
    ['without a name', '/w//api/user'],
    ['without a name or path', '/w/'],
    ['alone', '/w'],
    ['in another case', '/W/shop/api/user'],
    ['with a name in another case', '/w/Shop/api/user'],
    ['with an encoded name', '/w/%73hop/api/user'],
    ['with an encoded slash', '/w/shop%2Fapi/user'],
    ['with a name like a member of objects', '/w/__proto__/api/user'],
  ])('%s is 404: %s', async (_, path) => {
    expect((await send('GET', path)).status).toBe(404)
  })
})
