import type { DeliverySettings, SettleTime, SettleTimes } from '../src/contract/index.ts'
import type { ChaosSetting } from './chaos/setting.ts'
import type { Maintenance } from './domain/maintenance.ts'
import type { Locale } from './domain/paginator.ts'
import { usualSettle } from './domain/settle.ts'
import { timeOf } from './domain/time.ts'
import type { EmulatorOptions, OAuthClientOption, RailSettle, Settle } from './options.ts'
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
  /** How long a usual payment takes, unless a world has its own settings. */
  readonly settle: SettleTimes
  /** Makes its worlds accept wrong check digits of IBANs. */
  readonly lenientIban: boolean
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
  /** Windows of maintenance by rail that new worlds and those of files get, unless their seed has its own. */
  readonly maintenance: Partial<Maintenance>
  /** How webhooks are sent, unless a world has its own settings. */
  readonly deliveries: DeliverySettings
  readonly locale: Locale
  /** What random values come from instead of the machine; undefined: the machine. */
  readonly rngSeed: string | undefined
  /** The time at which a new world stands still, in epoch milliseconds; undefined: it runs with the machine's. */
  readonly startsAt: number | undefined
  /** True if the clock of new worlds was chosen, and does not follow from `settle`. */
  readonly clockIsGiven: boolean
  /** What goes wrong by chance, unless a world has its own; null: nothing. */
  readonly chaos: ChaosSetting | null
  readonly onFault: (error: unknown) => void
}

/** The options once the files that they name have been read. */
export interface ReadOptions extends Omit<EmulatorOptions, 'chaos' | 'seedFile'> {
  readonly chaos?: ChaosSetting
}

export function worldOptions(options: ReadOptions): WorldOptions {
  const { rateLimit = 6000 } = options
  const exposed = exposure(options) !== null
  return {
    token: options.token ?? demo.token,
    clientSecret: options.clientSecret ?? (exposed ? newSecret() : demo.clientSecret),
    oauthClients: options.oauthClients ?? [],
    exposed,
    settle: settleTimes(options.settle),
    lenientIban: options.lenientIban ?? false,
    rateLimit: rateLimit === 'off' ? null : rateLimit,
    tokenTtl: options.tokenTtl ?? 3600,
    keyTtl: options.keyTtl ?? null,
    fxSpread: options.fxSpread,
    fxProvider: options.fxProvider ?? 'upstream',
    maintenance: options.maintenance ?? {},
    deliveries: { plain: options.plainDeliveries ?? false, signature_header: options.signDeliveries ?? null },
    locale: options.locale ?? 'es',
    rngSeed: options.rngSeed === undefined ? undefined : String(options.rngSeed),
    startsAt: options.clock === undefined || options.clock === 'running' ? undefined : timeOf(options.clock),
    clockIsGiven: options.clock !== undefined,
    chaos: options.chaos ?? null,
    onFault: options.onFault ?? (() => {}),
  }
}

function settleTimes(settle: Settle = {}): SettleTimes {
  const isByRail = typeof settle === 'object' && !('from' in settle)
  const { pin, sinpe_movil } = isByRail ? settle : { pin: settle, sinpe_movil: settle }
  return { pin: settleTime(pin), sinpe_movil: settleTime(sinpe_movil) }
}

const settleTime = (settle: RailSettle = usualSettle): SettleTime => (settle === 'instant' ? 0 : settle)
