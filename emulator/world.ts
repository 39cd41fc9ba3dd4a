import { Clock } from './clock.ts'
import { Faults } from './faults.ts'
import { type Ids, idsOn } from './ids.ts'
import type { EmulatorOptions } from './options.ts'
import type { OwnAddress } from './own_address.ts'
import { PaymentRunner } from './payment_runner.ts'
import { RateLimits } from './rate_limits.ts'
import { Scheduler, type Work } from './scheduler.ts'
import type { Database } from './store/database.ts'
import type { Store } from './store/store.ts'
import { Dispatcher } from './webhooks/dispatcher.ts'
import { Sender } from './webhooks/send.ts'
import { WorldSettings } from './world_settings.ts'

const defaultRateLimit = 6000

interface Surroundings {
  readonly store: Store
  readonly database: Database
  readonly options: EmulatorOptions
  readonly own: OwnAddress
  readonly onFault: (error: unknown) => void
}

/** Everything over a sandbox's tables that a reset makes anew: its time, its counters and what moves by itself. */
export class World {
  readonly id: string
  readonly store: Store
  readonly settings: WorldSettings
  readonly clock: Clock
  readonly ids: Ids
  readonly runner: PaymentRunner
  readonly scheduler: Scheduler
  readonly dispatcher: Dispatcher
  /** A hint that a payment's next step is due at some time. */
  readonly wakePayments: (at: number | null) => void
  readonly rateLimits: RateLimits | null
  readonly faults = new Faults()
  readonly #sender: Sender
  #ended = false

  constructor({ store, database, options, own, onFault }: Surroundings) {
    const { rateLimit = defaultRateLimit } = options
    this.store = store
    database.onUndone = () => store.payments.undone()
    this.settings = new WorldSettings(store.settings, { spread: options.fxSpread })
    const clock = new Clock(this.settings.clock())
    this.clock = clock
    this.ids = idsOn(clock)
    this.id = this.settings.id(this.ids)
    this.rateLimits = rateLimit === null || rateLimit === 'off' ? null : new RateLimits(rateLimit)
    this.scheduler = new Scheduler({ clock, onFault })
    this.#sender = new Sender(own)
    let wakeDispatcher: (at: number | null) => void = () => {}
    this.dispatcher = new Dispatcher({
      store,
      database,
      clock,
      sender: this.#sender,
      onFault,
      wake: (at) => wakeDispatcher(at),
    })
    const onEvent = (subscriptions: readonly number[]) => this.dispatcher.poke(subscriptions)
    this.runner = new PaymentRunner({ store, database, ids: this.ids, onEvent })
    this.dispatcher.start()
    wakeDispatcher = this.scheduler.add(this.#mortal(this.dispatcher), { automatic: true })
    this.wakePayments = this.scheduler.add(this.#mortal(this.runner), { automatic: options.settle !== 'manual' })
  }

  /** Stops what moves; what is under way comes to nothing. */
  async end(): Promise<void> {
    this.#ended = true
    this.scheduler.stop()
    this.dispatcher.close()
    await this.#sender.close()
  }

  /** Work that ends with its world: the clock may be on its way forward when a reset puts another in its place. */
  #mortal(work: Work): Work {
    const ended = () => this.#ended
    return {
      nextDue: () => (ended() ? null : work.nextDue()),
      runDue: (now) => {
        if (!ended()) work.runDue(now)
      },
      get settled() {
        return ended() ? null : work.settled
      },
      idle: async () => {
        if (!ended()) await work.idle?.()
      },
    }
  }
}
