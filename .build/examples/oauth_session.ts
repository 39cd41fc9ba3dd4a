import { demo } from '../../emulator/worlds/seed.ts'
import type { FixedValues } from './fixed_values.ts'
import type { Recorder } from './recorder.ts'

const client = { client_id: demo.clientId, client_secret: demo.clientSecret }
const redirect_uri = 'http://127.0.0.1:8123/callback'
const query = {
  client_id: demo.clientId,
  redirect_uri,
  response_type: 'code',
  scope: 'read-user send-payments',
  state: 'af0ifjsldkj',
}

/** Records how an application asks for access, a user grants it, and the application fetches tokens. */
export async function useOAuth(recorder: Recorder, fixed: FixedValues): Promise<void> {
  await recorder.call('oauth.authorize', { query })
  const decision = { user: demo.user.id, grant: ['read-user', 'send-payments'], decision: 'allow' }
  const { location } = await recorder.call('oauth.decide', { query, body: decision })
  const code = new URL(location).searchParams.get('code') ?? ''
  fixed.replace(code, 'authorization-code')

  const codeGrant = { grant_type: 'authorization_code', ...client, redirect_uri, code }
  const first = (await recorder.call('oauth.token', { name: 'authorizationCode', body: codeGrant })).body
  const refreshGrant = { grant_type: 'refresh_token', ...client, refresh_token: first.refresh_token }
  const second = (await recorder.call('oauth.token', { name: 'refreshToken', body: refreshGrant })).body
  fixed.replace(first.access_token, 'first-access-token')
  fixed.replace(first.refresh_token, 'first-refresh-token')
  fixed.replace(second.access_token, 'second-access-token')
  fixed.replace(second.refresh_token, 'second-refresh-token')

  const wrong = { ...refreshGrant, refresh_token: second.refresh_token }
  await recorder.call('oauth.token', {
    name: 'invalid_client',
    body: { ...wrong, client_secret: 'guessed' },
    status: 401,
  })
  await recorder.call('oauth.token', {
    name: 'invalid_scope',
    body: { ...wrong, scope: 'manage-accounts' },
    status: 400,
  })
  await recorder.call('oauth.token', { name: 'invalid_request', body: client, status: 400 })
  await recorder.call('oauth.token', {
    name: 'unsupported_grant_type',
    body: { ...client, grant_type: 'password' },
    status: 400,
  })
  await recorder.call('oauth.token', { name: 'invalid_grant', body: { ...codeGrant, code: 'made-up' }, status: 400 })
}
