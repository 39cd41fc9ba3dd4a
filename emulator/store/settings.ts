import {
  type Channel,
  type DeliverySettings,
  type Fees,
  type ForkedFrom,
  type Limits,
  type MadeFrom,
  maintenancePattern,
  maximumSettle,
  ownHeaderPattern,
  type SettleTimes,
  type UnderWay,
} from '../../src/contract/index.ts'
import { Clock, type ClockSetting, endOfTime } from '../clock.ts'
import { bandFault, defaultFees } from '../domain/fees.ts'
import { noLimits } from '../domain/initiate.ts'
import { rangeFault } from '../domain/lifecycle.ts'
import { isEndless, type Maintenance, maintenanceEnd, noMaintenance } from '../domain/maintenance.ts'
import type { RateSettings } from '../domain/rates.ts'
import type { Seed } from '../options.ts'
import type { Ids } from '../random.ts'
import type { Statement, Statements } from './database.ts'

export type Rails = Readonly<Record<Channel, boolean>>
/** Fate of payments under way while their rail is offline. */
type RailFailures = Readonly<Record<Channel, UnderWay>>

const usualSpread = 0.004

/** `spread` is the value of the emulator's option `fxSpread`. */
export const defaultRates = (spread = usualSpread): RateSettings => ({ bid: null, ask: null, spread, offline: false })

/** Metadata of a world that is stored in a file. */
export interface FileMetadata {
  readonly made_from: MadeFrom
  /** Undefined if the world is not a fork. */
  readonly forked_from?: ForkedFrom | undefined
  /** Idle time after which the world ends, in milliseconds; null: never. */
  readonly ttl: number | null
  readonly created_at: number
  /** Digest of the image that a reset restores; null: a reset uses the seed. */
  readonly origin: string | null
  /**
   * Name that, together with `--rng-seed`, seeds the world's random values and, together with `--chaos`, its chaos;
   * undefined: the world's name.
   */
  readonly rng_stream?: string | undefined
}

/** Secrets that open one world, and the id of its OAuth client. */
export interface WorldAccess {
  readonly token: string
  readonly client_id: string
  readonly client_secret: string
}

/** Settings by the name under which they are stored. */
export interface StoredSettings {
  /** Null until the world is opened for the first time. */
  readonly id: string | null
  /** Series of the world's delivery ids. */
  readonly series: number
  readonly seed: Seed
  readonly fees: Fees
  readonly limits: Limits
  /** The emulator's time applies to a rail that is missing here. */
  readonly settle: Partial<SettleTimes>
  /** True if wrong check digits of IBANs are accepted. */
  readonly lenientIban: boolean
  readonly rails: Rails
  readonly underWay: RailFailures
  readonly maintenance: Maintenance
  readonly rates: RateSettings
  /** Spread of the rates when the world was made; a reset restores it. */
  readonly spread: number
  /** Null: the emulator's limit applies. */
  readonly rateLimit: { readonly perMinute: number | null } | null
  /** The emulator's value applies to a setting that is missing here. */
  readonly deliveries: Partial<DeliverySettings>
  readonly clock: ClockSetting
  /** Lineage of the world's rows, with --rng-seed: see `lineageOf` in random.ts. */
  readonly lineage: string
  /** In an exported file: the machine's time that `clock` is relative to; null elsewhere. */
  readonly exported_at: number | null
  /** Metadata of the file; null: the world is in memory. */
  readonly kept: FileMetadata | null
  /**
   * The world's own secrets, if the emulator has teams. Null: the secrets from the options. Copies of a world never
   * have them.
   */
  readonly access: WorldAccess | null
}

type Check = (value: unknown) => boolean

const isOne: (...values: readonly unknown[]) => Check =
  (...values) =>
  (value) =>
    values.includes(value)
const isFlag = isOne(true, false)
const isText: Check = (value) => typeof value === 'string'
const isNumber =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === 'number' && value >= least && value <= most
const isInteger =
  (least: number, most: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && isNumber(least, most)(value)
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value)
const orNone =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const hasMembers =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(members).every(([name, check]) => check((value as Readonly<Record<string, unknown>>)[name]))

const isAmount = isInteger(0, Number.MAX_SAFE_INTEGER)
const isList =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const isFee: Check = (value) => isAmount(value) || isList(hasMembers({ up_to: orNull(isAmount), fee: isAmount }))(value)
const isHeaderName: Check = (value) => typeof value === 'string' && new RegExp(ownHeaderPattern).test(value)
const isTime = isInteger(0, endOfTime)
const isSettleTime: Check = (value) =>
  value === 'manual' ||
  isInteger(0, maximumSettle)(value) ||
  hasMembers({ from: isInteger(0, maximumSettle), to: isInteger(0, maximumSettle) })(value)
const isUnderWay = isOne('complete', 'hang', 'timeout')
const isTimetable: Check = (value) => {
  const isWindow: Check = (window) => typeof window === 'string' && new RegExp(maintenancePattern).test(window)
  return isList(isWindow)(value) && !isEndless(value as readonly string[])
}

/** Each check is true for a value that the emulator writes; a file from elsewhere may contain other values. */
const checks: Readonly<Record<keyof StoredSettings, Check>> = {
  id: orNull(isText),
  series: isInteger(0, 999_999_999),
  seed: (value) => isOne('demo', 'empty')(value) || hasMembers({})(value),
  fees: (value) =>
    hasMembers({ pin: isFee, pin_usd: isFee, sinpe_movil: isFee, own_accounts: isOne('same', 'free') })(value) &&
    bandFault(value as Fees) === null,
  limits: hasMembers({
    sinpe_movil: hasMembers({ payment: orNull(isAmount), day: orNull(isAmount) }),
    answer: isOne('refuse', 'late'),
  }),
  settle: (value) =>
    hasMembers({ pin: orNone(isSettleTime), sinpe_movil: orNone(isSettleTime) })(value) &&
    rangeFault(value as Partial<SettleTimes>) === null,
  lenientIban: isFlag,
  rails: hasMembers({ pin: isFlag, sinpe_movil: isFlag }),
  underWay: hasMembers({ pin: isUnderWay, sinpe_movil: isUnderWay }),
  maintenance: hasMembers({ pin: isTimetable, sinpe_movil: isTimetable }),
  rates: hasMembers({
    bid: orNull(isNumber(0, Number.MAX_SAFE_INTEGER)),
    ask: orNull(isNumber(0, Number.MAX_SAFE_INTEGER)),
    spread: isNumber(0, 1),
    offline: isFlag,
  }),
  spread: isNumber(0, 1),
  rateLimit: orNull(hasMembers({ perMinute: orNull(isInteger(1, 1_000_000_000)) })),
  deliveries: hasMembers({ plain: orNone(isFlag), signature_header: orNone(orNull(isHeaderName)) }),
  clock: hasMembers({
    offset_ms: isInteger(-endOfTime, endOfTime),
    frozen_at: orNull(isTime),
    speed: orNone(isNumber(0.001, 100_000)),
    since: orNone(isTime),
  }),
  lineage: isText,
  exported_at: orNull(isTime),
  kept: orNull(
    hasMembers({
      made_from: hasMembers({}),
      forked_from: orNone(
        hasMembers({ world: isText, id: isText, moment: orNull(isText), at: isText, request: orNone(isText) }),
      ),
      ttl: orNull(isInteger(1, Number.MAX_SAFE_INTEGER)),
      created_at: isTime,
      origin: orNull((value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)),
      rng_stream: orNone(isText),
    }),
  ),
  access: orNull(hasMembers({ token: isText, client_id: isText, client_secret: isText })),
}

/** Values of settings that are not stored. */
const defaults: StoredSettings = {
  id: null,
  series: 0,
  seed: 'demo',
  fees: defaultFees,
  limits: noLimits,
  settle: {},
  lenientIban: false,
  rails: { pin: true, sinpe_movil: true },
  underWay: { pin: 'complete', sinpe_movil: 'complete' },
  maintenance: noMaintenance,
  rates: defaultRates(),
  spread: usualSpread,
  rateLimit: null,
  deliveries: {},
  clock: { offset_ms: 0, frozen_at: null },
  lineage: '',
  exported_at: null,
  kept: null,
  access: null,
}

/** Stored state of a world besides its rows: its id, its seed, and settings that can change while it runs. */
export class WorldSettings {
  readonly #select: Statement<[string], string>
  readonly #replace: Statement<[string, string], unknown>
  readonly #read = new Map<keyof StoredSettings, unknown>()

  constructor(db: Statements) {
    this.#select = db.prepare<[string], string>('SELECT value FROM settings WHERE name = ?').pluck()
    this.#replace = db.prepare<[string, string]>('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
  }

  /** The stored value, or else the default. */
  get<Name extends keyof StoredSettings>(name: Name): StoredSettings[Name] {
    if (!this.#read.has(name)) {
      const stored = this.#select.get(name)
      this.#read.set(name, stored === undefined ? defaults[name] : JSON.parse(stored))
    }
    return this.#read.get(name) as StoredSettings[Name]
  }

  /** False if the setting has its default because no value is stored. */
  isStored(name: keyof StoredSettings): boolean {
    return this.#select.get(name) !== undefined
  }

  set<Name extends keyof StoredSettings>(name: Name, value: StoredSettings[Name]): void {
    this.#replace.run(name, JSON.stringify(value))
    this.#read.delete(name)
  }

  /** Call after a rollback: values read since the last commit may be outdated. */
  afterRollback(): void {
    this.#read.clear()
  }

  /** The stored id of the world; the first call makes and stores an id. */
  id(make: Ids): string {
    const known = this.get('id')
    if (known !== null) return known
    const id = make()
    this.set('id', id)
    return id
  }

  /** True if a rail is online at a time: neither put offline nor in maintenance. */
  isOnline(rail: Channel, now: number): boolean {
    return this.onlineFrom(rail, now) === now
  }

  /** Result of a payment's step that is due now: `complete` while the payment's rail is online. */
  underWayAt(rail: Channel, now: number): UnderWay {
    return this.isOnline(rail, now) ? 'complete' : this.get('underWay')[rail]
  }

  /**
   * The first time at or after `time` at which a rail is online; null if the rail was put offline, which has no end.
   */
  onlineFrom(rail: Channel, time: number): number | null {
    if (!this.get('rails')[rail]) return null
    const windows = this.get('maintenance')[rail]
    return windows.length === 0 ? time : (maintenanceEnd(windows, time) ?? time)
  }

  /**
   * Turns a copy into a new world: it gets a new id, and delivery ids of this series. `now` is the machine's time;
   * `metadata` is null unless the world is a file.
   */
  become(series: number, now: number, metadata: FileMetadata | null): void {
    if (metadata !== null || this.get('kept') !== null) this.set('kept', metadata)
    this.#dropAccess()
    this.set('id', null)
    if (series !== this.get('series')) this.set('series', series)
    this.goOn(now)
  }

  /** Continues the clock of an exported world from the time of the export. `now` is the machine's time. */
  goOn(now: number): void {
    const exported = this.get('exported_at')
    if (exported === null) return
    const clock = this.get('clock')
    this.set('clock', { ...clock, offset_ms: clock.offset_ms + exported - now, since: now })
    this.set('exported_at', null)
  }

  /**
   * Turns this copy into the content of an exported file. `now` is the machine's time, `clock` the setting of the
   * world's clock at that time.
   */
  becomeFile(clock: ClockSetting, now: number): void {
    if (this.get('kept') !== null) this.set('kept', null)
    this.#dropAccess()
    this.set('clock', clock)
    this.set('exported_at', clock.since ?? now)
  }

  /** Turns this copy into the content of an exported snapshot, whose clock runs on. */
  becomeSnapshot(metadata: FileMetadata): void {
    this.set('kept', metadata)
    this.#dropAccess()
  }

  #dropAccess(): void {
    if (this.get('access') !== null) this.set('access', null)
  }

  /** Name of the first setting with a value that no emulator writes; null: all values are valid. */
  fault(): string | null {
    const names = Object.keys(checks) as (keyof StoredSettings)[]
    const wrong = names.find((name) => !this.#isRight(name))
    if (wrong !== undefined) return wrong
    const [exported, clock] = [this.get('exported_at'), this.get('clock')]
    // A clock stops at the end of time, so only a time before 1970 can be out of range.
    const now = exported === null ? new Clock(clock).now() : exported + clock.offset_ms
    return now >= 0 ? null : 'clock'
  }

  #isRight(name: keyof StoredSettings): boolean {
    try {
      return checks[name](this.get(name))
    } catch {
      return false // not JSON
    }
  }
}
