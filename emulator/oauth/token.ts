import { json } from '../http/envelope.ts'
import type { Reply, Request } from '../http/message.ts'
import { refuseToken } from '../http/request_faults.ts'
import { causeOf } from '../observation/observed_requests.ts'
import type { OAuthClient, OAuthClients } from '../store/oauth.ts'
import { matchesDigest } from '../store/secret.ts'
import type { OAuthOptions } from './authorize.ts'
import { grantFor } from './grants.ts'
import { malformed, type Parameters, parametersOf, text } from './parameters.ts'
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
  refuseToken(request)
  const world = worldOf(request)
  const body = parametersOf(request.body)
  const bad = malformed(body, known)
  if (bad) throw new OAuthRefusal('invalid_request', `${bad} must be a single string.`)
  const now = world.clock.now()
  const client = authenticateClient(request.headers.authorization, body, world.store.clients)
  const grant = grantFor(body)
  const answer = world.database.write(
    () => grant(body, { world, client, now }),
    () => causeOf(request),
  )
  await world.database.settled
  if (answer instanceof OAuthRefusal) throw answer
  reply.send(json, JSON.stringify(answer))
}

interface Credentials {
  readonly id: string
  /** Undefined for a client that sends no secret. */
  readonly secret: string | undefined
}

/**
 * Authenticates the client by HTTP Basic or by the body (RFC 6749, 2.3.1), but not both. Ignores any other
 * Authorization header: some clients send a bearer token, or an empty header, with every request. Throws an
 * OAuthRefusal.
 */
function authenticateClient(authorization: string | undefined, body: Parameters, clients: OAuthClients): OAuthClient {
  const basic = authorization !== undefined && /^basic( |$)/i.test(authorization)
  if (basic && text(body, 'client_secret') !== undefined) {
    throw new OAuthRefusal(
      'invalid_request',
      'The client secret is given twice, in the Authorization header and the body.',
    )
  }
  const given = basic ? readBasic(authorization) : fromBody(body)
  const client = given && clients.get(given.id)
  if (!client || !isProven(client, given)) {
    throw new OAuthRefusal(
      'invalid_client',
      'The client id or secret is wrong or missing.',
      authorization ? { 'WWW-Authenticate': 'Basic realm="OAuth client"' } : {},
    )
  }
  if (basic && (text(body, 'client_id') ?? client.id) !== client.id) {
    throw new OAuthRefusal('invalid_request', 'The client_id differs from that of the Authorization header.')
  }
  return client
}

/** A public client has no secret, so a request with a secret can't be from the registered client. */
function isProven({ isPublic, secret_hash }: OAuthClient, { secret }: Credentials): boolean {
  return isPublic ? secret === undefined : secret !== undefined && matchesDigest(secret, secret_hash)
}

/** Id of the client that a request for a token names. */
export const namedClient = ({ headers: { authorization = '' }, body }: Request): string | undefined =>
  (/^basic /i.test(authorization) ? readBasic(authorization) : fromBody(parametersOf(body)))?.id

const fromBody = (body: Parameters): Credentials => ({
  id: text(body, 'client_id') ?? '',
  secret: text(body, 'client_secret'),
})

/** The client form-encodes the id and the secret before it joins them. */
function readBasic(authorization: string): Credentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1]
  const parts = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString())
  if (!parts) return undefined
  try {
    return { id: formDecoded(parts[1] as string), secret: formDecoded(parts[2] as string) }
  } catch {
    return undefined
  }
}

const formDecoded = (value: string): string => decodeURIComponent(value.replaceAll('+', ' '))
