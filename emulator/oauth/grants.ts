import { hash } from 'node:crypto'
import { codeVerifierPattern, type Scope, type TokenResponse } from '../../src/contract/index.ts'
import type { Authorization, OAuthClient } from '../store/oauth.ts'
import { newSecret, sameSecret } from '../store/secret.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../worlds/world.ts'
import { type Parameters, readScopes, text } from './parameters.ts'
import { OAuthRefusal } from './refusals.ts'

interface GrantContext {
  readonly world: World
  readonly client: OAuthClient
  readonly now: number
}

/**
 * Returns tokens for a code or refresh token, or a refusal. Throws the refusal if nothing was written; returns it if a
 * family of tokens was revoked, because the revocation must be committed.
 */
type Grant = (body: Parameters, context: GrantContext) => TokenResponse | OAuthRefusal

export function grantFor(body: Parameters): Grant {
  switch (required(body, 'grant_type')) {
    case 'authorization_code':
      return redeemCode
    case 'refresh_token':
      return refresh
    default:
      throw new OAuthRefusal('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
  }
}

function redeemCode(body: Parameters, context: GrantContext): TokenResponse | OAuthRefusal {
  const { world, client, now } = context
  const { authorizations } = world.store
  const code = required(body, 'code')
  const redirectUri = required(body, 'redirect_uri')
  const authorization = authorizations.byCode(code)
  if (authorization?.client !== client.seq) throw invalidGrant('The code is invalid.')
  if (authorization.redeemed_at !== null) {
    revokeFamily(world.store, authorization.seq, now)
    return invalidGrant('The code was used before; the tokens issued for it are revoked.')
  }
  if (authorization.code_expires_at <= now) throw invalidGrant('The code has expired.')
  if (authorization.redirect_uri !== redirectUri) {
    throw invalidGrant('The redirect_uri differs from that of the authorization request.')
  }
  const fault = codeVerifierFault(authorization.code_challenge, text(body, 'code_verifier'))
  if (fault) throw invalidGrant(fault)
  const scopes = narrowedScopes(body, authorization)
  authorizations.redeem(authorization.seq, now)
  return issueTokens(authorization, scopes, context)
}

function refresh(body: Parameters, context: GrantContext): TokenResponse | OAuthRefusal {
  const { world, client, now } = context
  const { authorizations, refreshTokens } = world.store
  const token = refreshTokens.find(required(body, 'refresh_token'))
  const authorization = token && authorizations.bySeq(token.authorization)
  if (!authorization || authorization.client !== client.seq) throw invalidGrant('The refresh token is invalid.')
  if (authorization.revoked_at !== null) throw invalidGrant('The refresh token was revoked.')
  if (token.used_at !== null) {
    revokeFamily(world.store, authorization.seq, now)
    return invalidGrant('The refresh token was used before; all tokens of its family are revoked.')
  }
  const scopes = narrowedScopes(body, authorization)
  refreshTokens.use(token.id, now)
  return issueTokens(authorization, scopes, context)
}

/**
 * A second use of a code or refresh token may mean theft: all tokens of its authorization are revoked (RFC 9700, 4.14).
 */
function revokeFamily({ authorizations, tokens }: Store, authorization: number, now: number): void {
  authorizations.revoke(authorization, now)
  tokens.revokeIssued(authorization, now)
}

function issueTokens(
  { seq, user }: Authorization,
  scopes: readonly Scope[],
  { world, now }: GrantContext,
): TokenResponse {
  const {
    store,
    random: { secrets },
    options: { tokenTtl },
  } = world
  const accessToken = newSecret(secrets)
  const refreshToken = newSecret(secrets)
  const expires_at = now + tokenTtl * 1000
  store.tokens.put({ secret: accessToken, user, scopes, expires_at, created_at: now, authorization: seq })
  store.refreshTokens.add(refreshToken, { seq, created_at: now })
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: tokenTtl,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  }
}

/** Scopes of this access token: the requested scopes; default: all granted scopes. */
function narrowedScopes(body: Parameters, { scopes }: Authorization): readonly Scope[] {
  const asked = readScopes(text(body, 'scope'), scopes)
  if (!asked) throw new OAuthRefusal('invalid_scope', 'A requested scope was not granted.')
  return asked
}

function required(body: Parameters, name: string): string {
  const value = text(body, name)
  if (value === undefined) throw new OAuthRefusal('invalid_request', `${name} is missing.`)
  return value
}

const invalidGrant = (message: string): OAuthRefusal => new OAuthRefusal('invalid_grant', message)

/** Reason why a code verifier does not match the challenge of the authorization request; null if it does. */
function codeVerifierFault(challenge: string | null, verifier: string | undefined): string | null {
  if (challenge === null) {
    // An attacker may have removed the challenge from the authorization request (RFC 9700, 2.1.1).
    return verifier === undefined
      ? null
      : 'code_verifier is given, but the authorization request had no code_challenge.'
  }
  if (verifier === undefined) return 'code_verifier is missing.'
  if (!new RegExp(codeVerifierPattern).test(verifier)) return 'code_verifier is malformed.'
  return sameSecret(hash('sha256', verifier, 'base64url'), challenge) ? null : 'code_verifier does not match.'
}
