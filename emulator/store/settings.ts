import type { Channel } from '../../src/contract/index.ts'
import type { ClockSetting } from '../clock.ts'
import type { RateSettings } from '../domain/rates.ts'
import type { Ids } from '../ids.ts'
import type { Seed } from '../options.ts'
import type { Statements } from './statements.ts'

export type Settings = ReturnType<typeof settingsIn>

/** The table of named values. */
export function settingsIn(db: Statements) {
  const read = db.prepare<[string], string>('SELECT value FROM settings WHERE name = ?').pluck()
  const write = db.prepare<[string, string]>('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
  return {
    get: (name: string): string | undefined => read.get(name),
    set: (name: string, value: string): void => {
      write.run(name, value)
    },
  }
}

/** Cost of a payment by rail, in minor units of its currency. */
export type Fees = Readonly<Record<Channel, number>>
export type Rails = Readonly<Record<Channel, boolean>>

interface Values {
  /** Id of the world; null until it has one. */
  readonly id: string | null
  /** Of the ids of its deliveries. */
  readonly series: number
  readonly seed: Seed
  readonly fees: Fees
  readonly rails: Rails
  readonly rates: RateSettings
  readonly clock: ClockSetting
  /** What its rows come from, with --rng-seed: `lineageOf` in random.ts. */
  readonly lineage: string
}

/** What is stored of a world besides its rows: its id, its seed, and what can be set while it runs. */
export class WorldSettings {
  readonly #stored: Settings
  readonly #defaults: Values
  readonly #read = new Map<keyof Values, unknown>()

  constructor(stored: Settings, { spread = 0.004 }: { spread?: number | undefined } = {}) {
    this.#stored = stored
    this.#defaults = {
      id: null,
      series: 0,
      seed: 'demo',
      fees: { pin: 100, sinpe_movil: 0 },
      rails: { pin: true, sinpe_movil: true },
      rates: { bid: null, ask: null, spread, offline: false },
      clock: { offset_ms: 0, frozen_at: null },
      lineage: '',
    }
  }

  /** The stored id of the world; makes and stores one at first. */
  id(make: Ids): string {
    const known = this.#get('id')
    if (known !== null) return known
    const id = make()
    this.set('id', id)
    return id
  }

  /** Makes what was copied another world: it will have its own id, and ids of this series for its deliveries. */
  become(series: number): void {
    this.set('id', null)
    if (series !== this.series()) this.set('series', series)
  }

  /** Which series of ids its deliveries have. Those of two worlds differ, so that a receiver of both confuses none. */
  series = (): number => this.#get('series')

  /** The seed that the world was filled with. */
  seed = (): Seed => this.#get('seed')
  fees = (): Fees => this.#get('fees')
  /** Which rails are online. */
  rails = (): Rails => this.#get('rails')
  rates = (): RateSettings => this.#get('rates')
  clock = (): ClockSetting => this.#get('clock')
  lineage = (): string => this.#get('lineage')

  set<Name extends keyof Values>(name: Name, value: Values[Name]): void {
    this.#stored.set(name, JSON.stringify(value))
    this.#read.delete(name)
  }

  /** Call after a rollback: values read since the last commit may never have been stored. */
  afterRollback(): void {
    this.#read.clear()
  }

  #get<Name extends keyof Values>(name: Name): Values[Name] {
    if (!this.#read.has(name)) {
      const stored = this.#stored.get(name)
      this.#read.set(name, stored === undefined ? this.#defaults[name] : JSON.parse(stored))
    }
    return this.#read.get(name) as Values[Name]
  }
}
