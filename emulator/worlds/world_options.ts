import type { DeliverySettings, SettleTime, SettleTimes } from '../../src/contract/index.ts'
import { Kills } from '../chaos/kills.ts'
import type { ChaosSetting } from '../chaos/setting.ts'
import type { MachineTime } from '../clock.ts'
import { usualSettle } from '../domain/lifecycle.ts'
import type { Maintenance } from '../domain/maintenance.ts'
import type { Locale } from '../domain/paginator.ts'
import { timeOf } from '../domain/time.ts'
import { Counters } from '../observation/counters.ts'
import type { EmulatorOptions, OAuthClientOption, RailSettle, Settle, WorldChange } from '../options.ts'
import { exposure } from '../secret_strength.ts'
import { newClientSecret, newToken } from '../store/secret.ts'
import { demo } from './seed.ts'

/** Options of every world of an emulator, with defaults filled in; a reset keeps them. */
export interface WorldOptions {
  /**
   * Returns the team that owns the world of this name; null: the administrator. If the emulator has no teams, the
   * function itself is null.
   */
  readonly owner: ((name: string) => string | null) | null
  /** Maximum number of live worlds besides the default world; undefined: no limit. */
  readonly maxWorlds: number | undefined
  /** Bearer token of the seeded user. */
  readonly token: string
  /** Secret of the seeded OAuth client. */
  readonly clientSecret: string
  /** OAuth clients from the options, which every world has. */
  readonly oauthClients: readonly OAuthClientOption[]
  /** True if other machines can reach the emulator: the emulator's secrets must then be strong. */
  readonly exposed: boolean
  /** Duration of a usual payment, unless a world has its own settings. */
  readonly settle: SettleTimes
  /** Accepts IBANs with wrong check digits. */
  readonly lenientIban: boolean
  /** True if breaches of the contract fail the test that uses a world, unless the world has its own setting. */
  readonly strict: boolean
  /** Requests per minute for each client and endpoint; null: no limit. */
  readonly rateLimit: number | null
  /** Lifetime of an OAuth access token, in seconds. */
  readonly tokenTtl: number
  /** Lifetime of an idempotency key, in milliseconds of the world's time; null: unlimited. */
  readonly keyTtl: number | null
  /** The service's margin on each side of the exchange rate; undefined: the default. */
  readonly fxSpread: number | undefined
  /** Name of the upstream rate provider; it is a segment of the path of the provider's endpoint. */
  readonly fxProvider: string
  /** Maintenance windows by rail, for new worlds whose seed has no windows for the rail, and for worlds in files. */
  readonly maintenance: Partial<Maintenance>
  /** Settings of webhooks, unless a world has its own. */
  readonly deliveries: DeliverySettings
  readonly locale: Locale
  /** Seed of random values; undefined: the machine's randomness. */
  readonly rngSeed: string | undefined
  /**
   * Time at which the clock of a new world stands still, in epoch milliseconds; undefined: the clock runs with the
   * machine's clock.
   */
  readonly startsAt: number | undefined
  /** True if the clock of new worlds was chosen in the options, not derived from `settle`. */
  readonly clockIsGiven: boolean
  /** Random faults for worlds without their own chaos setting; null: no chaos. */
  readonly chaos: ChaosSetting | null
  /** Draws the requests at which the program under test is killed; null: none. */
  readonly kills: Kills | null
  /** Memory for the moments of a world, in bytes; null: no moments are kept. */
  readonly momentLimit: number | null
  /** Maximum number of world files in the folder that are open at the same time. */
  readonly openWorlds: number
  readonly machineTime: MachineTime | undefined
  readonly onFault: (error: unknown) => void
  readonly onNotice: (text: string) => void
  readonly onWorld: (change: WorldChange) => void
  readonly counters: Counters
  /** Returns the team that owns the world of this name; an empty string if no team does. */
  readonly teamOf: (world: string) => string
}

/** Options, with the content of the files that they name. */
export interface ReadOptions extends Omit<EmulatorOptions, 'chaos' | 'seedFile'> {
  readonly owner?: WorldOptions['owner']
  readonly chaos?: ChaosSetting
  /** Time that the worlds' clocks follow; undefined: the machine's time. */
  readonly machineTime?: MachineTime
}

export const mebibyte = 1024 * 1024

export function worldOptions(options: ReadOptions): WorldOptions {
  const { rateLimit = 6000, owner = null } = options
  const exposed = exposure(options) !== null
  return {
    owner,
    maxWorlds: options.maxWorlds,
    token: options.token ?? (owner ? newToken() : demo.token),
    clientSecret: options.clientSecret ?? (exposed || owner ? newClientSecret() : demo.clientSecret),
    oauthClients: options.oauthClients ?? [],
    exposed,
    settle: settleTimes(options.settle),
    lenientIban: options.lenientIban ?? false,
    strict: options.strict ?? false,
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
    kills: options.chaos && options.killProgram ? new Kills(options.chaos.seed, options.killProgram) : null,
    momentLimit: options.moments === undefined ? null : options.moments * mebibyte,
    openWorlds: options.openWorlds ?? 1000,
    machineTime: options.machineTime,
    onFault: options.onFault ?? (() => {}),
    onNotice: options.onNotice ?? (() => {}),
    onWorld: options.onWorld ?? (() => {}),
    counters: new Counters(),
    teamOf: (world) => owner?.(world) ?? '',
  }
}

function settleTimes(settle: Settle = {}): SettleTimes {
  const isByRail = typeof settle === 'object' && !('from' in settle)
  const { pin, sinpe_movil } = isByRail ? settle : { pin: settle, sinpe_movil: settle }
  return { pin: settleTime(pin), sinpe_movil: settleTime(sinpe_movil) }
}

const settleTime = (settle: RailSettle = usualSettle): SettleTime => (settle === 'instant' ? 0 : settle)
