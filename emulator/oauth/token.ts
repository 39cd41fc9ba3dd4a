import type { Reply, Request } from '../http_server.ts'
import { json } from '../json_body.ts'
import type { OAuthOptions } from './authorize.ts'
import { authenticateClient } from './client_authentication.ts'
import { grantFor } from './grants.ts'
import { malformed, parametersOf } from './parameters.ts'
import { OAuthRefusal } from './refusals.ts'

const known = [
  'grant_type',
  'client_id',
  'client_secret',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
]

/** Exchanges a code or a refresh token for an access token. */
export async function answerToken(request: Request, reply: Reply, { worldOf }: OAuthOptions) {
  const world = worldOf(request)
  const body = parametersOf(request.body)
  const bad = malformed(body, known)
  if (bad) throw new OAuthRefusal('invalid_request', `${bad} has to be a single text.`)
  const now = world.clock.now()
  const client = authenticateClient(request.headers.authorization, body, world.store.clients)
  const grant = grantFor(body)
  const answer = world.database.write(() => grant(body, { world, client, now }))
  await world.database.settled
  if (answer instanceof OAuthRefusal) throw answer
  reply.send(json, JSON.stringify(answer))
}
