import type { DeliverySettings } from '../src/contract/index.ts'
import type { ChaosSetting } from './chaos/setting.ts'
import type { Locale } from './domain/paginator.ts'
import { timeOf } from './domain/time.ts'
import type { EmulatorOptions, OAuthClientOption } from './options.ts'
import { exposure } from './secret_strength.ts'
import { demo } from './seed.ts'
import { newSecret } from './store/secret.ts'

/** The options that every world of an emulator is made with, also after a reset; defaults filled in. */
export interface WorldOptions {
  /** Bearer token of the seeded user. */
  readonly token: string
  /** Secret of the seeded OAuth client. */
  readonly clientSecret: string
  /** The OAuth clients that were named at the start. */
  readonly oauthClients: readonly OAuthClientOption[]
  /** Whether other machines can reach it, so that its secrets must be strong. */
  readonly exposed: boolean
  /** Milliseconds from a payment's creation to its end. */
  readonly settleMs: number
  /** Whether payments move only when the clock is moved. */
  readonly manual: boolean
  /** Requests a minute for each client and endpoint; null for no limit. */
  readonly rateLimit: number | null
  /** Life of an OAuth access token, in seconds. */
  readonly tokenTtl: number
  /** How long an idempotency key is remembered, in milliseconds; null: for ever. */
  readonly keyTtl: number | null
  /** The service's share on each side of the exchange rate; undefined for the usual one. */
  readonly fxSpread: number | undefined
  /** Name of the upstream rate provider, a segment of its endpoint's path. */
  readonly fxProvider: string
  /** How webhooks are sent, unless a world has its own settings. */
  readonly deliveries: DeliverySettings
  readonly locale: Locale
  /** What random values come from instead of the machine; undefined: the machine. */
  readonly rngSeed: string | undefined
  /** The time at which a new world stands still, in epoch milliseconds; undefined: it runs with the machine's. */
  readonly startsAt: number | undefined
  /** True if the clock of a new world stands still at the time at which it was made. */
  readonly startsFrozen: boolean
  /** What goes wrong by chance, unless a world has its own; null: nothing. */
  readonly chaos: ChaosSetting | null
  readonly onFault: (error: unknown) => void
}

/** The options once the files that they name have been read. */
export interface ReadOptions extends Omit<EmulatorOptions, 'chaos' | 'seedFile'> {
  readonly chaos?: ChaosSetting
}

/** How long a usual payment takes without --settle, in milliseconds. */
const defaultSettleMs = 1000

export function worldOptions(options: ReadOptions): WorldOptions {
  const { settle = defaultSettleMs, rateLimit = 6000 } = options
  const exposed = exposure(options) !== null
  return {
    token: options.token ?? demo.token,
    clientSecret: options.clientSecret ?? (exposed ? newSecret() : demo.clientSecret),
    oauthClients: options.oauthClients ?? [],
    exposed,
    settleMs: settle === 'manual' ? defaultSettleMs : settle === 'instant' ? 0 : settle,
    manual: settle === 'manual',
    rateLimit: rateLimit === 'off' ? null : rateLimit,
    tokenTtl: options.tokenTtl ?? 3600,
    keyTtl: options.keyTtl ?? null,
    fxSpread: options.fxSpread,
    fxProvider: options.fxProvider ?? 'upstream',
    deliveries: { plain: options.plainDeliveries ?? false, signature_header: options.signDeliveries ?? null },
    locale: options.locale ?? 'es',
    rngSeed: options.rngSeed === undefined ? undefined : String(options.rngSeed),
    startsAt: options.clock === undefined || options.clock === 'running' ? undefined : timeOf(options.clock),
    startsFrozen: settle === 'manual' && options.clock === undefined,
    chaos: options.chaos ?? null,
    onFault: options.onFault ?? (() => {}),
  }
}
