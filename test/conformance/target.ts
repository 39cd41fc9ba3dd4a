import type { AccountStatus, Channel, EndpointId, Scope } from '../../src/contract/index.ts'

/** A server that claims to be the service. The suite runs against each target. */
export interface Target {
  readonly name: string
  /**
   * Access of tests to the server: `inside` the process; `control`, by the emulator's own endpoints; or `none`, only by
   * the API of the service.
   */
  readonly reach: 'inside' | 'control' | 'none'
  /** True if the server accepts socket connections. */
  readonly listens: boolean
  /**
   * True if programs reach the server under any host name, because the server has no address that a name could resolve
   * to.
   */
  readonly takesAnyHost?: boolean
  start(options?: WorldOptions): Promise<World>
}

export interface WorldOptions {
  /** Requests per minute for each client and endpoint. */
  readonly rateLimit?: number
}

/**
 * One running server with its own data. If `control` is not null, payments usually move only when the clock is
 * advanced.
 */
export interface World {
  readonly token: string
  /** Id of the account to debit; undefined: the cases debit the account with the highest balance. */
  readonly payer?: string | undefined
  /** True for payctl's emulator: no real money, and the project's own decisions apply. */
  readonly emulated: boolean
  /** Address of the target; paths of the API begin with `path`. */
  readonly address: { readonly host: string; readonly port: number; readonly path: string } | null
  /** The OAuth server of the target; null if its address is not known. */
  readonly oauth: OAuthServer | null
  exchange(request: WireRequest): Promise<Reply>
  readonly control: Control | null
  readonly inside: Inside | null
  close(): Promise<void>
}

export interface OAuthServer {
  readonly exchange: World['exchange']
  /** A registered client. */
  readonly client: { readonly id: string; readonly secret: string } | null
  /** Control token of the emulator, if it has one: the consent form asks for the token. */
  readonly controlToken?: string | undefined
}

/** A request that is sent unchanged. */
export interface WireRequest {
  readonly method: string
  /** Path and query, unchanged. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: string | Buffer
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  readonly text: string
}

export interface Control {
  advanceClock(ms: number): Promise<void>
  /** The world's time in epoch milliseconds. */
  now(): Promise<number>
  setAccountStatus(id: string, status: AccountStatus): Promise<void>
  /** Makes the next request to an endpoint end with one of the endpoint's errors. */
  fault(endpoint: EndpointId, status: number): Promise<void>
  ledger(): Promise<{ readonly balanced: boolean; readonly problems: readonly string[] }>
  setRail(channel: Channel, online: boolean): Promise<void>
  setRates(rates: { readonly bid?: number; readonly ask?: number; readonly offline?: boolean }): Promise<void>
  /** Mints a token of the seeded user, or of another user; `expiresIn` is in seconds. */
  mint(
    scopes: readonly Scope[],
    options?: { readonly expiresIn?: number; readonly user?: string | undefined },
  ): Promise<string>
  /** Adds another user, without an account. */
  stranger(): Promise<{ readonly user: string; readonly token: string }>
}

/** Operations that no endpoint offers. */
export interface Inside {
  /** A token without scopes, of the seeded user. */
  mintBare(): string
  /** Makes every statement on payments fail; returns a function that stops the failures. */
  breakPayments(): () => void
  readonly faults: readonly unknown[]
}
