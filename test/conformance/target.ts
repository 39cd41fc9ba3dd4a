import type { AccountStatus, Channel, EndpointId, Scope } from '../../src/contract/index.ts'

/** A server that claims to be the service: the same suite runs against each. */
export interface Target {
  readonly name: string
  /**
   * How much of the server a test can get at: `inside` the process; `control`, by the emulator's own endpoints; or
   * `none`, with nothing but the API of the service.
   */
  readonly reach: 'inside' | 'control' | 'none'
  /** Whether there are sockets to connect to. */
  readonly listens: boolean
  start(options?: WorldOptions): Promise<World>
}

export interface WorldOptions {
  /** Requests a minute for each client and endpoint. */
  readonly rateLimit?: number
}

/** One running server with its own data. Payments move when the clock is advanced and at no other time. */
export interface World {
  readonly token: string
  /** Id of the account that payments leave from, where that does matter. */
  readonly payer?: string | undefined
  /** Whether it is an emulator of payctl's: no real money, and the project's own decisions hold. */
  readonly emulated: boolean
  /** Where the target listens; `path` is what paths of the API begin with. */
  readonly address: { readonly host: string; readonly port: number; readonly path: string } | null
  /** Null if its address is not known. */
  readonly oauth: OAuthServer | null
  exchange(request: WireRequest): Promise<Reply>
  readonly control: Control | null
  readonly inside: Inside | null
  close(): Promise<void>
}

export interface OAuthServer {
  readonly exchange: World['exchange']
  /** A client that is registered there. */
  readonly client: { readonly id: string; readonly secret: string } | null
  /** Control token of an emulator that has one: its consent form asks for it. */
  readonly controlToken?: string | undefined
}

/** A request as it goes out: nothing is added to it. */
export interface WireRequest {
  readonly method: string
  /** Path and query, as they are. */
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
  /** The time of the world: epoch milliseconds. */
  now(): Promise<number>
  setAccountStatus(id: string, status: AccountStatus): Promise<void>
  /** Has the next request to an endpoint end with one of its errors. */
  fault(endpoint: EndpointId, status: number): Promise<void>
  ledger(): Promise<{ readonly balanced: boolean; readonly problems: readonly string[] }>
  setRail(channel: Channel, online: boolean): Promise<void>
  setRates(rates: { readonly bid?: number; readonly ask?: number; readonly offline?: boolean }): Promise<void>
  /** A token of the seeded user, or of another; `expiresIn` is in seconds. */
  mint(
    scopes: readonly Scope[],
    options?: { readonly expiresIn?: number; readonly user?: string | undefined },
  ): Promise<string>
  /** Somebody else, without an account. */
  stranger(): Promise<{ readonly user: string; readonly token: string }>
}

/** What no endpoint offers. */
export interface Inside {
  /** A token of the seeded user that opens nothing. */
  mintBare(): string
  /** Makes every statement on payments fail until the function it returns is called. */
  breakPayments(): () => void
  readonly faults: readonly unknown[]
}
