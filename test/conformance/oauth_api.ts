import { Ajv } from 'ajv'
import { expect } from 'vitest'
import {
  OAuthError,
  type OAuthErrorCode,
  oauthEndpoints,
  oauthErrors,
  TokenResponse,
} from '../../src/contract/index.ts'
import type { Reply, World } from './target.ts'

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>
type HeaderFields = Readonly<Record<string, string>>
type OAuthId = keyof typeof oauthEndpoints

const ajv = new Ajv({ strict: false, validateFormats: false })
const isTokens = ajv.compile({ ...TokenResponse, additionalProperties: false })
const isRefusal = ajv.compile({ ...OAuthError, additionalProperties: false })
/** A refusal, perhaps with more members: the interface does not exclude more members. */
const isRefusalAndMore = ajv.compile(OAuthError)

interface Rest {
  readonly headers: HeaderFields
  readonly payload?: string
}

/** Result of an authorization request: a page, or a redirect to the client. */
interface Authorized {
  readonly status: number
  readonly headers: Reply['headers']
  readonly text: string
  /** Query of the redirect to the client; null for a page. */
  readonly redirect: URLSearchParams | null
}

export interface TokenAnswer {
  readonly status: number
  readonly headers: Reply['headers']
  // biome-ignore lint/suspicious/noExplicitAny: its shape was checked
  readonly body: any
}

/** Calls the OAuth endpoints of a world; checks every answer against the contract. */
export class OAuthApi {
  readonly #world: World
  readonly #seen: Set<string>

  constructor(world: World, seen: Set<string>) {
    this.#world = world
    this.#seen = seen
  }

  page = (query: Fields, headers: HeaderFields = {}): Promise<Authorized> =>
    this.#authorize('oauth.authorize', query, { headers })

  decide = (query: Fields, form: Fields, headers: HeaderFields = {}): Promise<Authorized> => {
    const payload = encoded({ ...form, control_token: this.#world.oauth?.controlToken })
    return this.#authorize('oauth.decide', query, { payload, headers })
  }

  async token(body: unknown, headers: HeaderFields = {}): Promise<TokenAnswer> {
    const reply = await this.#send('oauth.token', '', {
      payload: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    })
    const answer = JSON.parse(reply.text)
    const { emulated } = this.#world
    const check = reply.status === 200 ? isTokens : emulated ? isRefusal : isRefusalAndMore
    check(answer)
    expect(check.errors ?? [], reply.text).toEqual([])
    if (emulated) expect(reply.headers['cache-control']).toContain('no-store')
    const code: OAuthErrorCode | undefined = answer.error
    if (code !== undefined && emulated) {
      const { errors }: { errors: Readonly<Record<string, number>> } = oauthEndpoints['oauth.token']
      expect(errors[code]).toBe(reply.status)
    }
    this.#seen.add(['oauth.token', reply.status, code].filter(Boolean).join(' '))
    return { status: reply.status, headers: reply.headers, body: answer }
  }

  async #authorize(id: 'oauth.authorize' | 'oauth.decide', query: Fields, rest: Rest): Promise<Authorized> {
    const reply = await this.#send(id, `?${encoded(query)}`, {
      ...rest,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...rest.headers },
    })
    const { status, headers, text } = reply
    const { location } = headers
    const redirect = location === undefined ? null : new URL(String(location)).searchParams
    const error = redirect?.get('error')
    if (redirect) expect(status).toBe(303)
    else expect(headers['content-type']).toContain('text/html')
    if (error) expect(Object.keys(oauthErrors)).toContain(error)
    this.#seen.add([id, status, error].filter(Boolean).join(' '))
    return { status, headers, text, redirect }
  }

  #send(id: OAuthId, query: string, rest: Rest) {
    const { method, path } = oauthEndpoints[id]
    const { oauth } = this.#world
    if (!oauth) throw new Error('The address of the OAuth server is not known')
    return oauth.exchange({ method, url: path + query, ...rest })
  }
}

function encoded(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === undefined ? [] : [[name, String(one)]])),
  )
  return new URLSearchParams(pairs).toString()
}
