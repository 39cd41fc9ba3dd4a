import { describe, expect, test } from 'vitest'
import { callback, credentials, redirectOf, search, startOAuthApp } from './oauth_app.ts'

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const anonymous = { client_id: undefined, client_secret: undefined }

describe('the client says who it is', () => {
  test.each([
    ['nothing', anonymous],
    ['an unknown id', { client_id: 'nobody' }],
    ['a wrong secret', { client_secret: 'guess' }],
    ['no secret', { client_secret: undefined }],
    ['an empty secret', { client_secret: '' }],
    ['the secret of another client', { client_id: 'other' }],
  ])('with %s in the body: invalid_client', async (_, changes) => {
    const app = await startOAuthApp()
    await app.register({ client_id: 'other' })

    const { status, headers, body } = await app.exchange(await app.code(), changes)

    expect({ status, body }).toEqual({ status: 401, body: { error: 'invalid_client', message: expect.any(String) } })
    expect(headers.get('www-authenticate')).toBeNull()
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('by HTTP Basic', async () => {
    const app = await startOAuthApp()
    const { client_id, client_secret } = credentials
    const grant = { grant_type: 'authorization_code', redirect_uri: callback }

    const answer = await app.token({ ...grant, code: await app.code() }, basic(client_id, client_secret))
    const same = await app.token({ ...grant, client_id, code: await app.code() }, basic(client_id, client_secret))

    expect([answer.status, same.status]).toEqual([200, 200])
  })

  test.each([
    ['a wrong secret', basic('payctl', 'guess')],
    ['no colon', { authorization: `Basic ${Buffer.from('payctl').toString('base64')}` }],
    ['no base64', { authorization: 'Basic ???' }],
    ['broken percent-encoding', basic('payctl', '%zz')],
    ['another scheme', { authorization: 'Bearer payctl-demo-token' }],
  ])('by HTTP Basic with %s: invalid_client, with a challenge', async (_, headers) => {
    const app = await startOAuthApp()

    const answer = await app.token({ grant_type: 'refresh_token', refresh_token: 'x' }, headers)

    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="OAuth client"')
  })

  test.each(['Bearer payctl-demo-token', 'Bearer', '', 'Digest username="x"'])(
    'is identified by the body, whatever the header %j says',
    async (authorization) => {
      const app = await startOAuthApp()
      const grant = { grant_type: 'authorization_code', redirect_uri: callback, ...credentials }

      const answer = await app.token({ ...grant, code: await app.code() }, { authorization })

      expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer' } })
    },
  )

  test('in two ways at once: invalid_request', async () => {
    const app = await startOAuthApp()
    const header = basic(credentials.client_id, credentials.client_secret)
    const grant = { grant_type: 'refresh_token', refresh_token: 'x' }

    for (const body of [
      { ...grant, ...credentials },
      { ...grant, client_id: 'other' },
    ]) {
      expect(await app.token(body, header)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
  })
})

describe('a token request that is none', () => {
  test.each([
    ['no grant type', credentials, 'invalid_request'],
    ['another grant type', { ...credentials, grant_type: 'password' }, 'unsupported_grant_type'],
    ['the name of a method of all objects', { ...credentials, grant_type: 'constructor' }, 'unsupported_grant_type'],
    ['no code', { ...credentials, grant_type: 'authorization_code', redirect_uri: callback }, 'invalid_request'],
    ['a code that is not a string', { ...credentials, grant_type: 'authorization_code', code: 7 }, 'invalid_request'],
    ['a secret that is a list', { ...credentials, client_secret: ['a', 'b'] }, 'invalid_request'],
    ['a scope that is an object', { ...credentials, grant_type: 'refresh_token', scope: {} }, 'invalid_request'],
    ['broken JSON', '{"grant_type":', 'invalid_request'],
  ])('%s', async (_, body, error) => {
    expect(await (await startOAuthApp()).token(body)).toMatchObject({
      status: 400,
      body: { error, message: expect.any(String) },
    })
  })

  test.each(['null', '[]', '"text"', '7', ''])('a body of %j has no client: invalid_client', async (body) => {
    expect(await (await startOAuthApp()).token(body)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })

  test('a parameter given twice in a form', async () => {
    const app = await startOAuthApp()

    const answer = await app.token(`${search({ ...credentials, grant_type: ['refresh_token', 'refresh_token'] })}`, {
      'content-type': 'application/x-www-form-urlencoded',
    })

    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test('what is not OAuth’s but HTTP’s comes in the envelope', async () => {
    const app = await startOAuthApp()
    const envelope = { success: false, data: null }

    expect(await app.token('a=b', { 'content-type': 'text/plain' })).toMatchObject({ status: 415, body: envelope })
    expect(await app.token(`"${'x'.repeat(1024 * 1024)}"`)).toMatchObject({ status: 413, body: envelope })
    const wrong = await fetch(app.tokenUrl)
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
    const wrongPage = await fetch(app.link(), { method: 'DELETE' })
    expect([wrongPage.status, wrongPage.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })
})

test('a form is accepted like JSON', async () => {
  const app = await startOAuthApp()
  const body = search({
    ...credentials,
    grant_type: 'authorization_code',
    redirect_uri: callback,
    code: await app.code(),
  })

  const answer = await app.token(`${body}`, { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' })

  expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer' } })
})

test('rate limits hold here too', async () => {
  const app = await startOAuthApp({ rateLimit: 2, clock: '2040-01-05T12:00:00Z' })

  const answers = [await app.token({}), await app.token({}), await app.token({})]

  expect(answers.map(({ status }) => status)).toEqual([401, 401, 429])
  expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['1', '0', '0'])
  expect(answers[2]?.headers.has('retry-after')).toBe(true)
  expect(redirectOf(await app.decide()).has('code')).toBe(true)
})
