import { describe, expect, it, test } from 'vitest'
import { requestToken } from '../../src/auth/token_endpoint.ts'
import { type Reply, startStub } from '../support/stub.ts'

const body = {
  grant_type: 'refresh_token',
  refresh_token: 's3cret-refresh',
  client_id: 'me',
  client_secret: 's3cret-client',
} as const

/** Requests tokens from a server that gives these replies, with at most one retry. */
async function ask(...replies: readonly Reply[]) {
  const { url, received } = await startStub(...replies)
  const granted = requestToken(body, { authUrl: url, signal: new AbortController().signal, retries: 1 })
  return { granted, received }
}

const soon = { 'Retry-After': '0' }

describe('a token answer', () => {
  test.each([
    [{ access_token: 'a' }, { accessToken: 'a' }],
    [
      { access_token: 'a', token_type: 'BEARER', expires_in: '3600' },
      { accessToken: 'a', expiresIn: 3600 },
    ],
    [
      { access_token: 'a', scope: ' x  y ' },
      { accessToken: 'a', scopes: ['x', 'y'] },
    ],
    [
      { access_token: 'a', scope: null },
      { accessToken: 'a', scopes: null },
    ],
    [
      { access_token: 'a', scope: ['x'] },
      { accessToken: 'a', scopes: null },
    ],
    [{ access_token: 'a', scope: '', refresh_token: '', expires_in: 0 }, { accessToken: 'a' }],
    [
      { access_token: 'a', refresh_token: 'r', expires_in: -5 },
      { accessToken: 'a', refreshToken: 'r' },
    ],
  ])('of %j is understood', async (answer, grant) => {
    const { granted } = await ask([200, answer])

    expect(await granted).toEqual(grant)
  })

  test.each([
    [{}, 'without an access token'],
    [{ access_token: 7 }, 'without an access token'],
    [{ access_token: 'a b' }, 'without an access token'],
    [{ access_token: 'a', token_type: 'mac' }, 'a token of a type'],
    [{ access_token: 'a', token_type: 7 }, 'a token of a type'],
  ])('of %j is refused', async (answer, why) => {
    const { granted } = await ask([200, answer])

    await expect(granted).rejects.toThrow(why)
  })
})

describe('a token request', () => {
  it.each([429, 503])('that %i says was not acted on is tried again', async (status) => {
    const { granted, received } = await ask([status, {}, soon], [200, { access_token: 'a' }])

    expect(await granted).toEqual({ accessToken: 'a' })
    expect(received).toHaveLength(2)
  })

  it.each([
    ['a fault', [500, {}, soon]],
    ['a gateway’s timeout', [504, {}, soon]],
    ['a lost answer', (response) => void response.destroy()],
  ] satisfies [string, Reply][])('that may have been acted on is not: %s', async (_, reply) => {
    const { granted, received } = await ask(reply, [200, { access_token: 'a' }])

    await expect(granted).rejects.toMatchObject({ name: 'CliError' })
    expect(received).toHaveLength(1)
  })

  it('does not leave for another machine in the clear', async () => {
    const endpoint = { authUrl: 'http://auth.example', signal: new AbortController().signal, retries: 0 }

    await expect(requestToken(body, endpoint)).rejects.toMatchObject({ name: 'InvalidRequestError' })
  })

  it('is refused without its secrets in the words of the refusal', async () => {
    const message = `No client has s3cret-client, no token is ${encodeURIComponent('s3cret-refresh')}`
    const { granted } = await ask([401, { error: 'invalid_client', message }])

    await expect(granted).rejects.toThrow('No client has ***, no token is ***')
  })
})
