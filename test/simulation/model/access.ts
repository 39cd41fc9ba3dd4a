import { hash } from 'node:crypto'
import { allScopes, type Scope } from '../../../src/contract/index.ts'
import { type Expected, Refused, type Request, refused } from './exchange.ts'
import { Free, Matcher, matching, someText, text } from './matching.ts'
import type { Start, User } from './records.ts'

/** Access that a user granted a client; all its tokens end together. */
interface Grant {
  readonly client: string
  readonly user: User
  readonly scopes: readonly Scope[]
  /** `maybe` if a used refresh token was sent again and the answer was lost. */
  revoked: boolean | 'maybe'
}

export interface Token {
  readonly user: User
  readonly scopes: readonly Scope[]
  /** Null for a dashboard token. */
  readonly grant: Grant | null
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null
}

interface Code {
  readonly grant: Grant
  readonly redirectUri: string
  readonly challenge: string | null
  readonly expiresAt: number
  used: boolean
}

interface RefreshToken {
  readonly grant: Grant
  /** `maybe` if the answer to its use was lost. */
  used: 'no' | 'maybe' | 'yes'
}

type Parameters = Readonly<Record<string, string | undefined>>

const codeLifeMs = 10 * 60_000
const windowMs = 60_000

/**
 * Authentication, scopes and rate limits. Source: interface, "Authentication" and "Limits"; docs/decisions/emulator.md,
 * rows 15 to 18 and 36 to 38.
 */
export class Access {
  readonly tokens = new Map<string, Token>()
  readonly #start: Start
  readonly #users: readonly User[]
  readonly #codes = new Map<string, Code>()
  readonly #refreshTokens = new Map<string, RefreshToken>()
  readonly #counts = new Map<string, number>()
  #window = 0
  /** Window in which the service may have counted more requests than the model. */
  #unsureWindow = -1

  constructor(start: Start, users: readonly User[]) {
    this.#start = start
    this.#users = users
    this.tokens.set(start.token, { user: users[0] as User, scopes: allScopes, grant: null, expiresAt: null })
  }

  /**
   * The token of a request, or the refusal. If the model does not know whether the grant has ended, the answer's status
   * decides.
   */
  tokenOf({ headers, at }: Request, status = 0): Token | Expected {
    const secret = /^bearer +([\x21-\x7e]+)$/i.exec(headers.authorization ?? '')?.[1]
    const token = secret === undefined ? undefined : this.tokens.get(secret)
    if (token && (token.expiresAt === null || token.expiresAt > at)) {
      const { grant } = token
      if (grant?.revoked === 'maybe' && (status === 200 || status === 201)) grant.revoked = false
      if (grant?.revoked === 'maybe' && status === 401) grant.revoked = true
      if (grant?.revoked !== true) return token
    }
    return refused(401, 'Unauthenticated.', {
      errors: { error: 'invalid_token', message: someText },
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
  }

  /** Key under which a request counts: client and user of its token, or the client's address. */
  callerOf({ from = '' }: Request, token: Token | null): string {
    return token ? `${token.user.id} ${token.grant?.client ?? 'dashboard'}` : `address ${from}`
  }

  /** Counts a request to an endpoint; returns the headers of its answer. Throws 429. */
  count(key: string, at: number): Readonly<Record<string, unknown>> {
    const { rateLimit } = this.#start
    if (rateLimit === null) return {}
    const window = Math.floor(at / windowMs)
    if (window !== this.#window) this.forgetCounts()
    this.#window = window
    const used = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, used)
    const reset = ((window + 1) * windowMs) / 1000
    const headers = {
      'x-ratelimit-limit': String(rateLimit),
      'x-ratelimit-remaining': this.#remaining(Math.max(0, rateLimit - used)),
      'x-ratelimit-reset': String(reset),
    }
    if (used <= rateLimit) return headers
    const wait = Math.max(1, reset - Math.floor(at / 1000))
    throw new Refused(refused(429, 'Too Many Attempts.', { headers: { ...headers, 'retry-after': String(wait) } }))
  }

  /** Records that the service may have counted a request, of any caller, that the model did not count. */
  countMaybe(at: number): void {
    this.#unsureWindow = Math.floor(at / windowMs)
  }

  #remaining(most: number): string | Matcher {
    if (this.#window !== this.#unsureWindow) return String(most)
    return matching(`${most} or less`, (value) => Number(value) <= most)
  }

  /** Resets the counts: another window has begun, or the service has started again. */
  forgetCounts(): void {
    this.#counts.clear()
  }

  /** Throws 403 for a token that has none of the scopes. */
  requireScope({ scopes }: Token, needed: readonly Scope[]): void {
    if (needed.length === 0 || needed.some((scope) => scopes.includes(scope))) return
    const errors = { scope: [`The ${needed.join(' or ')} scope is required.`] }
    throw new Refused(refused(403, 'Invalid scope(s) provided.', { errors }))
  }

  /**
   * Allowed answers to the user's form on the consent page. A code in a redirect is valid from the moment of the
   * redirect on.
   */
  consent({ url, body = '', at }: Request): Expected[] {
    const query = new URL(url, 'http://service').searchParams
    const form = new URLSearchParams(body)
    const redirectUri = query.get('redirect_uri') ?? ''
    const asked = scopesIn(query.get('scope'), allScopes) ?? []
    const granted = asked.filter((scope) => form.getAll('grant').includes(scope))
    const user = this.#users.find(({ id }) => id === form.get('user'))
    const client = query.get('client_id') ?? ''
    if (form.get('decision') !== 'allow' || granted.length === 0 || !user) {
      return [
        {
          status: 303,
          body: matching('nothing', () => true),
          headers: { location: matching('an error', text(/[?&]error=/)) },
        },
      ]
    }
    const location = new Matcher((actual, lessons) => {
      const code = URL.canParse(String(actual)) ? new URL(String(actual)).searchParams.get('code') : null
      if (code === null || !String(actual).startsWith(redirectUri)) return `${actual} brings no code to ${redirectUri}`
      const grant: Grant = { client, user, scopes: granted, revoked: false }
      const challenge = query.get('code_challenge')
      lessons.push(() =>
        this.#codes.set(code, { grant, redirectUri, challenge, expiresAt: at + codeLifeMs, used: false }),
      )
      return null
    })
    return [{ status: 303, body: matching('nothing', () => true), headers: { location } }]
  }

  /** The token endpoint. */
  exchange({ headers, body = '', at }: Request): Expected[] {
    const form = headers['content-type']?.includes('form')
    const parameters: Parameters = form ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body || '{}')
    const client = this.#clientOf(parameters, headers.authorization)
    if (client === undefined) return [oauthError(401, 'invalid_client')]
    if (parameters.grant_type === 'authorization_code') return this.#redeem(parameters, client, at)
    if (parameters.grant_type === 'refresh_token') return this.#refresh(parameters, client, at)
    return [oauthError(400, parameters.grant_type === undefined ? 'invalid_request' : 'unsupported_grant_type')]
  }

  /** Notes a lost answer: the request's refresh token may be used up, and a reused token may have ended its grant. */
  lose({ body = '' }: Request): void {
    const secret = body.startsWith('{')
      ? JSON.parse(body).refresh_token
      : new URLSearchParams(body).get('refresh_token')
    const token = this.#refreshTokens.get(secret ?? '')
    if (token?.used === 'no') token.used = 'maybe'
    else if (token && !token.grant.revoked) token.grant.revoked = 'maybe'
  }

  #clientOf(parameters: Parameters, authorization: string | undefined): string | undefined {
    const basic = /^basic +(.+)$/i.exec(authorization ?? '')?.[1]
    const [id = '', secret] = basic
      ? Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
      : [parameters.client_id, parameters.client_secret]
    const client = this.#start.clients[id]
    return client && client.secret === (secret ?? null) ? id : undefined
  }

  #redeem(parameters: Parameters, client: string, at: number): Expected[] {
    const { code: secret, redirect_uri: redirectUri, code_verifier: verifier } = parameters
    if (secret === undefined || redirectUri === undefined) return [oauthError(400, 'invalid_request')]
    const code = this.#codes.get(secret)
    if (code?.grant.client !== client) return [oauthError(400, 'invalid_grant')]
    if (code.used) return [oauthError(400, 'invalid_grant', () => end(code.grant))]
    const proven = code.challenge === null ? verifier === undefined : challengeOf(verifier) === code.challenge
    if (code.expiresAt <= at || code.redirectUri !== redirectUri || !proven) return [oauthError(400, 'invalid_grant')]
    const use = () => {
      code.used = true
    }
    return [this.#issue({ grant: code.grant, asked: parameters.scope, at, use })]
  }

  #refresh(parameters: Parameters, client: string, at: number): Expected[] {
    const { refresh_token: secret, scope: asked } = parameters
    if (secret === undefined) return [oauthError(400, 'invalid_request')]
    const token = this.#refreshTokens.get(secret)
    if (token?.grant.client !== client || token.grant.revoked === true) return [oauthError(400, 'invalid_grant')]
    const { grant } = token
    const use = () => {
      token.used = 'yes'
      grant.revoked = false
    }
    const again = oauthError(400, 'invalid_grant', () => end(grant))
    if (token.used === 'yes') return [again]
    const first = this.#issue({ grant, asked, at, use })
    return token.used === 'maybe' || grant.revoked === 'maybe' ? [first, again] : [first]
  }

  #issue({
    grant,
    asked,
    at,
    use,
  }: {
    grant: Grant
    asked: string | undefined
    at: number
    use: () => void
  }): Expected {
    const scopes = scopesIn(asked, grant.scopes)
    if (!scopes) return oauthError(400, 'invalid_scope')
    const { tokenTtl } = this.#start
    const fresh = (known: ReadonlyMap<string, unknown>) =>
      new Free('a new secret', (value) => text(/^.{20,}$/)(value) && !known.has(String(value)))
    const [access, refresh] = [fresh(this.tokens), fresh(this.#refreshTokens)]
    return {
      status: 200,
      body: {
        access_token: access,
        token_type: 'Bearer',
        expires_in: tokenTtl,
        refresh_token: refresh,
        scope: scopes.join(' '),
      },
      learn: () => {
        use()
        this.tokens.set(access.value ?? '', { user: grant.user, scopes, grant, expiresAt: at + tokenTtl * 1000 })
        this.#refreshTokens.set(refresh.value ?? '', { grant, used: 'no' })
      },
    }
  }
}

const end = (grant: Grant): void => {
  grant.revoked = true
}

const oauthError = (status: number, error: string, learn?: () => void): Expected => ({
  status,
  body: { error, message: someText },
  ...(learn && { learn }),
})

/** Scopes that a list names, in the interface's order; without a list, all allowed scopes. Null for unknown scopes. */
function scopesIn(list: string | null | undefined, all: readonly Scope[]): readonly Scope[] | null {
  const names = new Set((list ?? '').split(' ').filter((name) => name !== ''))
  if (names.size === 0) return all
  const scopes = all.filter((scope) => names.has(scope))
  return scopes.length === names.size ? scopes : null
}

const challengeOf = (verifier = ''): string => hash('sha256', verifier, 'base64url')
