import { describe, expect, test } from 'vitest'
import { callback, credentials, redirectOf, search, startRig } from './rig.ts'

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
    const rig = await startRig()
    await rig.register({ client_id: 'other' })

    const { status, headers, body } = await rig.exchange(await rig.code(), changes)

    expect({ status, body }).toEqual({ status: 401, body: { error: 'invalid_client', message: expect.any(String) } })
    expect(headers.get('www-authenticate')).toBeNull()
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('by HTTP Basic', async () => {
    const rig = await startRig()
    const { client_id, client_secret } = credentials
    const grant = { grant_type: 'authorization_code', redirect_uri: callback }

    const answer = await rig.token({ ...grant, code: await rig.code() }, basic(client_id, client_secret))
    const same = await rig.token({ ...grant, client_id, code: await rig.code() }, basic(client_id, client_secret))

    expect([answer.status, same.status]).toEqual([200, 200])
  })

  test.each([
    ['a wrong secret', basic('payctl', 'guess')],
    ['no colon', { authorization: `Basic ${Buffer.from('payctl').toString('base64')}` }],
    ['no base64', { authorization: 'Basic ???' }],
    ['broken percent-encoding', basic('payctl', '%zz')],
    ['another scheme', { authorization: 'Bearer payctl-demo-token' }],
  ])('by HTTP Basic with %s: invalid_client, with a challenge', async (_, headers) => {
    const rig = await startRig()

    const answer = await rig.token({ grant_type: 'refresh_token', refresh_token: 'x' }, headers)

    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="OAuth client"')
  })

  test('in two ways at once: invalid_request', async () => {
    const rig = await startRig()
    const header = basic(credentials.client_id, credentials.client_secret)
    const grant = { grant_type: 'refresh_token', refresh_token: 'x' }

    for (const body of [
      { ...grant, ...credentials },
      { ...grant, client_id: 'other' },
    ]) {
      expect(await rig.token(body, header)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
  })
})

describe('a token request that is none', () => {
  test.each([
    ['no grant type', credentials, 'invalid_request'],
    ['another grant type', { ...credentials, grant_type: 'password' }, 'unsupported_grant_type'],
    ['the name of a method of all objects', { ...credentials, grant_type: 'constructor' }, 'unsupported_grant_type'],
    ['no code', { ...credentials, grant_type: 'authorization_code', redirect_uri: callback }, 'invalid_request'],
    ['a code that is no text', { ...credentials, grant_type: 'authorization_code', code: 7 }, 'invalid_request'],
    ['a secret that is a list', { ...credentials, client_secret: ['a', 'b'] }, 'invalid_request'],
    ['a scope that is an object', { ...credentials, grant_type: 'refresh_token', scope: {} }, 'invalid_request'],
    ['broken JSON', '{"grant_type":', 'invalid_request'],
  ])('%s', async (_, body, error) => {
    expect(await (await startRig()).token(body)).toMatchObject({
      status: 400,
      body: { error, message: expect.any(String) },
    })
  })

  test.each(['null', '[]', '"text"', '7', ''])('a body of %j has no client: invalid_client', async (body) => {
    expect(await (await startRig()).token(body)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })

  test('a parameter given twice in a form', async () => {
    const rig = await startRig()

    const answer = await rig.token(`${search({ ...credentials, grant_type: ['refresh_token', 'refresh_token'] })}`, {
      'content-type': 'application/x-www-form-urlencoded',
    })

    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test('what is not OAuth’s but HTTP’s comes in the envelope', async () => {
    const rig = await startRig()
    const envelope = { success: false, data: null }

    expect(await rig.token('a=b', { 'content-type': 'text/plain' })).toMatchObject({ status: 415, body: envelope })
    expect(await rig.token(`"${'x'.repeat(1024 * 1024)}"`)).toMatchObject({ status: 413, body: envelope })
    const wrong = await fetch(rig.tokenUrl)
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
    const wrongPage = await fetch(rig.link(), { method: 'DELETE' })
    expect([wrongPage.status, wrongPage.headers.get('allow')]).toEqual([405, 'GET, POST'])
  })
})

test('a form is as good as JSON', async () => {
  const rig = await startRig()
  const body = search({
    ...credentials,
    grant_type: 'authorization_code',
    redirect_uri: callback,
    code: await rig.code(),
  })

  const answer = await rig.token(`${body}`, { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' })

  expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer' } })
})

test('rate limits hold here too', async () => {
  const rig = await startRig({ rateLimit: 2 })

  const answers = [await rig.token({}), await rig.token({}), await rig.token({})]

  expect(answers.map(({ status }) => status)).toEqual([401, 401, 429])
  expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['1', '0', '0'])
  expect(answers[2]?.headers.has('retry-after')).toBe(true)
  expect(redirectOf(await rig.decide()).has('code')).toBe(true)
})
