import { onTestFinished } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import {
  allScopes,
  type CreateClientBody,
  controlEndpoints,
  endpoints,
  oauthEndpoints,
} from '../../../src/contract/index.ts'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../src/testing/index.ts'

type Values = Readonly<Record<string, string | readonly string[] | undefined>>
type HeaderValues = Readonly<Record<string, string>>

export const callback = 'http://127.0.0.1:49152/callback'

export interface TokenAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tests look at what came, whatever it is
  readonly body: any
}

/** An emulator on a real port, and an OAuth client that can misbehave. */
export class OAuthApp {
  readonly emulator: Emulator

  constructor(emulator: Emulator) {
    this.emulator = emulator
  }

  /** Link to which an application sends its user; undefined leaves a parameter out. */
  link(query: Values = {}): string {
    const usual = { client_id: demo.clientId, redirect_uri: callback, response_type: 'code', state: 'xyz' }
    return `${this.emulator.authUrl}${oauthEndpoints['oauth.authorize'].path}?${search({ ...usual, ...query })}`
  }

  page(query: Values = {}, headers: HeaderValues = {}): Promise<Response> {
    return fetch(this.link(query), { headers, redirect: 'manual' })
  }

  /** Posts the consent page's form without reading the page; by default grants everything. */
  decide(query: Values = {}, form: Values = {}, headers: HeaderValues = {}): Promise<Response> {
    const usual = { user: demo.user.id, grant: allScopes, decision: 'allow' }
    return fetch(this.link(query), { method: 'POST', body: search({ ...usual, ...form }), headers, redirect: 'manual' })
  }

  async code(query: Values = {}, form: Values = {}): Promise<string> {
    const code = redirectOf(await this.decide(query, form)).get('code')
    if (!code) throw new Error('The redirect has no code')
    return code
  }

  get tokenUrl(): string {
    return `${this.emulator.authUrl}${oauthEndpoints['oauth.token'].path}`
  }

  async token(body: unknown, headers: HeaderValues = {}): Promise<TokenAnswer> {
    const response = await fetch(this.tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  exchange(code: string, changes: Record<string, unknown> = {}): Promise<TokenAnswer> {
    return this.token({ ...credentials, grant_type: 'authorization_code', redirect_uri: callback, code, ...changes })
  }

  refresh(refresh_token: string, changes: Record<string, unknown> = {}): Promise<TokenAnswer> {
    return this.token({ ...credentials, grant_type: 'refresh_token', refresh_token, ...changes })
  }

  /** Runs a whole flow; returns the body of the token answer. */
  async signIn(query: Values = {}, form: Values = {}): Promise<TokenAnswer['body']> {
    return (await this.exchange(await this.code(query, form))).body
  }

  /** The service's answer to a bearer token. */
  async asked(accessToken: string): Promise<{ status: number; why?: string; name?: string }> {
    const response = await fetch(`${this.emulator.baseUrl}${endpoints['user.get'].path}`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    const { data, errors } = (await response.json()) as { data?: { name: string }; errors?: { message: string } }
    return { status: response.status, ...(errors ? { why: errors.message } : { name: data?.name ?? '' }) }
  }

  /** Freezes the world's clock: only `advanceClock` moves it. */
  async freeze(): Promise<void> {
    const { method, path } = controlEndpoints['control.clock.freeze']
    await fetch(`${this.emulator.controlUrl}${path}`, { method })
  }

  async register(client: Partial<CreateClientBody> = {}) {
    const response = await fetch(`${this.emulator.controlUrl}${controlEndpoints['control.clients.create'].path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Another application', redirect_uris: [callback], ...client }),
    })
    const { data } = (await response.json()) as { data: { client_id: string; client_secret: string } }
    return { client_id: data.client_id, client_secret: data.client_secret }
  }
}

export const credentials = { client_id: demo.clientId, client_secret: demo.clientSecret }

export async function startOAuthApp(options: EmulatorOptions = {}): Promise<OAuthApp> {
  const emulator = await startEmulator(options)
  onTestFinished(() => emulator.close())
  return new OAuthApp(emulator)
}

/** Query of the redirect in an answer. */
export function redirectOf(response: Response): URLSearchParams {
  return new URL(response.headers.get('location') ?? 'none:').searchParams
}

export function search(values: Values): URLSearchParams {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === undefined ? [] : [[name, one as string]])),
  )
  return new URLSearchParams(pairs as [string, string][])
}
