import { Clock } from './clock.ts'
import { type Ids, idsOn } from './ids.ts'
import type { EmulatorOptions } from './options.ts'
import { PaymentRunner } from './payment_runner.ts'
import { RateLimits } from './rate_limits.ts'
import { Scheduler } from './scheduler.ts'
import { demo, fill, grantToken } from './seed.ts'
import { openDataFile } from './store/data_file.ts'
import { Database } from './store/database.ts'
import { type Store, storeIn } from './store/store.ts'

/** What a usual payment takes unless --settle says otherwise. */
const defaultSettle = 1000
const defaultRateLimit = 6000

/** One emulated world: its database, its clock and everything that moves by itself. */
export class Sandbox {
  readonly database: Database
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly runner: PaymentRunner
  readonly scheduler: Scheduler
  readonly rateLimits: RateLimits | null
  readonly locale: 'es' | 'en'
  readonly token: string
  /** Milliseconds from a payment's creation to its end. */
  readonly settleMs: number
  /** Cost of a payment, in minor units of its currency. */
  readonly fees = { pin: 100, sinpe_movil: 0 } as const
  readonly rails = { pin: true, sinpe_movil: true }
  readonly fault: (error: unknown) => void

  constructor(options: EmulatorOptions) {
    const { seed = 'demo', settle = defaultSettle, rateLimit = defaultRateLimit } = options
    this.database = new Database(openDataFile(options.data ?? null, (connection) => fill(connection, seed)))
    this.store = storeIn(this.database.connection)
    this.clock = new Clock(Number(this.store.settings.get('clock_offset_ms') ?? 0))
    this.ids = idsOn(this.clock)
    this.runner = new PaymentRunner({ store: this.store, database: this.database, ids: this.ids })
    this.fault = options.onFault ?? (() => {})
    this.scheduler = new Scheduler({
      clock: this.clock,
      work: this.runner,
      automatic: settle !== 'manual',
      onFault: this.fault,
    })
    this.rateLimits = rateLimit === null ? null : new RateLimits(rateLimit)
    this.locale = options.locale ?? 'es'
    this.settleMs = settle === 'manual' ? defaultSettle : settle
    this.token = options.token ?? demo.token
    grantToken(this.store, this.token)
    this.scheduler.start()
  }

  /** Moves time forward; everything that falls due on the way has happened when this returns. */
  advanceClock(ms: number): void {
    this.scheduler.advance(ms)
    this.database.write(() => this.store.settings.set('clock_offset_ms', String(this.clock.offset)))
  }

  close(): void {
    this.scheduler.stop()
    this.database.close()
  }
}
