import type { DeliverySettings, SettleTimes } from '../../src/contract/index.ts'
import type { Chaos } from '../chaos/chaos.ts'
import { Clock } from '../clock.ts'
import { Faults } from '../faults.ts'
import { RateLimits } from '../http/rate_limits.ts'
import { EventFeed } from '../observation/event_feed.ts'
import { Evidence } from '../observation/evidence.ts'
import { RequestLog } from '../observation/request_log.ts'
import { Waits, worldEnded } from '../observation/waits.ts'
import { IncomingCredits } from '../payments/incoming_credits.ts'
import { PaymentRunner } from '../payments/payment_runner.ts'
import { type Ids, idsOn, machineRandom, type Random, seededRandom } from '../random.ts'
import { Scheduler } from '../scheduler.ts'
import { type Cause, Database, type Statements } from '../store/database.ts'
import type { WorldAccess, WorldSettings } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { DeliveryFaults } from '../webhooks/delivery_faults.ts'
import { Outbox } from '../webhooks/outbox.ts'
import { Receivers } from '../webhooks/receivers.ts'
import { DeliverySender } from '../webhooks/send.ts'
import type { Transport } from '../webhooks/transport.ts'
import { Moments } from './moments.ts'
import { demo } from './seed.ts'
import type { WorldOptions } from './world_options.ts'

interface Parts {
  readonly statements: Statements
  readonly store: Store
  readonly options: WorldOptions
  readonly transport: Transport
  readonly name: string
  /** Id of the previous world of this name, such as the world before a reset; empty if there was none. */
  readonly after: string
  readonly chaos: Chaos | null
  /** Size limit of the world's moments, in bytes; null: no moments are kept. */
  readonly momentLimit: number | null
}

/** Options of a move of the clock. */
interface Move {
  /** Time limit for receivers of webhooks during the move, in milliseconds of real time. */
  readonly deliveryTimeout?: number | undefined
}

/** Returns the time to move the clock to, in epoch milliseconds. Throws a refusal. */
type Target = (now: number) => number

/** One emulated world: its tables, clock, counters and scheduled work. */
export class World {
  /** The id is stored with the tables: a restart with the same data file keeps the id, and a reset makes a new id. */
  readonly id: string
  readonly options: WorldOptions
  readonly ownAddress: Transport['ownAddress']
  readonly database: Database
  readonly store: Store
  readonly settings: WorldSettings
  /** Duration of a usual payment, by rail. */
  readonly settle: SettleTimes
  readonly clock: Clock
  /** Time of the world's clock when the world was opened, in epoch milliseconds. */
  readonly startedAt: number
  readonly random: Random
  readonly ids: Ids
  readonly rateLimits: RateLimits
  readonly faults: Faults
  readonly deliveryFaults: DeliveryFaults
  /** Source of random faults; null: the world has no chaos. */
  readonly chaos: Chaos | null
  readonly scheduler: Scheduler
  readonly outbox: Outbox
  readonly receivers: Receivers
  readonly waits: Waits
  readonly requests: RequestLog
  readonly evidence: Evidence
  readonly events: EventFeed
  readonly moments: Moments
  readonly payments: PaymentRunner
  readonly credits: IncomingCredits
  readonly sender: DeliverySender
  #ended = false
  /** Milliseconds by which callers had moved the clock forward when it was last saved. */
  #jumpedAtSave = 0

  /** Resumes the work that an earlier process left unfinished: payments, scheduled credits and deliveries. */
  constructor({ statements, store, options, transport, name, after, chaos, momentLimit }: Parts) {
    const { onFault, rngSeed } = options
    const { settings } = store
    const clock = new Clock(settings.get('clock'), options.machineTime)
    const lineage = settings.get('lineage')
    const random = rngSeed === undefined ? machineRandom : seededRandom({ rngSeed, lineage, name, after })
    const ids = idsOn(clock, random.ids)
    const rateLimit = settings.get('rateLimit')
    const scheduler = new Scheduler({ clock, onFault, onPause: () => this.#saveClock(null) })
    const waits = new Waits(clock)
    const events = new EventFeed(clock)
    const moments = new Moments({ connection: () => database.connection, clock, machine: options.machineTime })
    const database = new Database(statements, {
      onWrite: moments.written,
      onRefusal: moments.refused,
      onRollback() {
        options.counters.rollbacks += 1
        store.payments.afterRollback()
        settings.afterRollback()
        events.rolledBack()
        moments.rolledBack()
      },
      onCommit() {
        options.counters.commits += 1
        moments.committed()
        waits.wake()
        events.committed()
      },
    })
    const requests = new RequestLog(clock)
    const evidence = new Evidence({ store, log: requests })
    const rules = new Faults(clock, rngSeed === undefined ? undefined : () => random.faults(4).readUInt32BE())
    const deliveryFaults = new DeliveryFaults({ rules, chaos, store, evidence, requests })
    const receivers = new Receivers(clock)
    const functionAt = (url: URL) => transport.functionAt(name, url)
    const target = { transport, receivers, functionAt }
    const sender = new DeliverySender({ clock, ...target, defaults: options.deliveries, settings })
    const onAttempt = (accepted: boolean) => {
      options.counters.attempts[accepted ? 'accepted' : 'failed'] += 1
    }
    const sending = { sender, faults: deliveryFaults, ordered: rngSeed !== undefined, onAttempt, onIdle: waits.wake }
    const outbox = new Outbox({ store, database, clock, scheduler, transport, events, onFault, ...sending })
    const payments = new PaymentRunner({ store, database, ids, clock, scheduler, outbox, events, settings })
    this.options = options
    this.ownAddress = transport.ownAddress
    this.database = database
    this.store = store
    this.settings = settings
    this.settle = { ...options.settle, ...settings.get('settle') }
    this.clock = clock
    this.startedAt = clock.now()
    this.random = random
    this.ids = ids
    this.id = settings.id(idsOn(clock, random.worldId))
    this.rateLimits = new RateLimits(rateLimit ? rateLimit.perMinute : options.rateLimit)
    this.faults = rules
    this.deliveryFaults = deliveryFaults
    this.chaos = chaos
    this.scheduler = scheduler
    this.outbox = outbox
    this.receivers = receivers
    this.waits = waits
    this.requests = requests
    this.evidence = evidence
    this.events = events
    this.moments = moments
    this.payments = payments
    this.credits = new IncomingCredits({ store, database, clock, scheduler, settings, payments })
    this.sender = sender
    if (momentLimit !== null) moments.keep(momentLimit)
    scheduler.add(outbox, { automatic: true })
    scheduler.add(this.credits, { automatic: true })
    // Payments over a manual rail advance only when the clock is moved.
    const [pin, sinpeMovil] = [this.settle.pin !== 'manual', this.settle.sinpe_movil !== 'manual']
    if (pin === sinpeMovil) scheduler.add(payments, { automatic: pin })
    else {
      scheduler.add(payments.over('pin'), { automatic: pin })
      scheduler.add(payments.over('sinpe_movil'), { automatic: sinpeMovil })
    }
  }

  /** Secrets that give access to the world. */
  get access(): WorldAccess {
    const own = this.options.owner && this.settings.get('access')
    return own ?? { token: this.options.token, client_id: demo.clientId, client_secret: this.options.clientSecret }
  }

  /** Settings of webhook deliveries: the emulator's settings, overridden by the world's own. */
  get deliverySettings(): DeliverySettings {
    return { ...this.options.deliveries, ...this.settings.get('deliveries') }
  }

  /** Moves the clock forward; resolves when all work due on the way is done. */
  async advanceClock(ms: number, { deliveryTimeout }: Move = {}): Promise<void> {
    await this.advanceClockTo((now) => now + ms, { deliveryTimeout })
  }

  /**
   * Waits for earlier moves to end, then moves the clock to the time that `target` returns when it gets the current
   * time.
   */
  async advanceClockTo(target: Target, { deliveryTimeout }: Move = {}): Promise<void> {
    await this.#moveClock({ target, deliveryTimeout }, (time) => this.scheduler.advanceTo(time))
  }

  /** Freezes the clock and moves it forward, like `advanceClockTo`. */
  async freezeClockAt(target: Target, { deliveryTimeout }: Move = {}): Promise<void> {
    const frozen: Target = (now) => {
      const time = target(now)
      this.clock.freeze()
      return time
    }
    await this.advanceClockTo(frozen, { deliveryTimeout })
  }

  /**
   * Moves the clock from step to step until no step is due, but not beyond the time that `bound` returns. Resolves with
   * the time of the next step, which is later than this bound, or with null if there is none.
   */
  async runUntilIdle(bound: Target, { deliveryTimeout }: Move = {}): Promise<number | null> {
    return this.#moveClock({ target: bound, deliveryTimeout }, (time) => this.scheduler.advanceUntilIdle(time))
  }

  /** Sets the speed of the clock, in seconds of the clock per second of real time. */
  async setClockSpeed(speed: number): Promise<void> {
    this.clock.setSpeed(speed)
    this.scheduler.resetTimer()
    await this.#keepClock()
  }

  /** Freezes the clock; from then on it changes only when it is moved. */
  async freezeClock(): Promise<void> {
    this.clock.freeze()
    await this.#keepClock()
  }

  /** Resumes the clock from the time at which it was frozen. */
  async unfreezeClock(): Promise<void> {
    this.clock.unfreeze()
    // Sets the timers again, because no timer ran while the clock was frozen.
    await this.advanceClock(0)
  }

  /** Stops timers and drops deliveries under way. Nothing uses the tables afterwards. */
  async end(): Promise<void> {
    this.#stop()
  }

  #stop(): void {
    this.#ended = true
    this.faults.stop()
    this.scheduler.stop()
    this.outbox.stop()
    this.waits.end()
    this.requests.end()
    this.sender.close()
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Rejects with a refusal (410) if the world ends during the move. */
  async #moveClock<T>(
    { target, deliveryTimeout }: Move & { readonly target: Target },
    move: (time: () => number) => Promise<T>,
  ): Promise<T> {
    const { clock } = this
    let begun: { readonly from: number; readonly jumped: number } | undefined
    const begin = (): number => {
      if (this.#ended) throw worldEnded('move of its clock')
      const [from, jumped] = [clock.now(), clock.jumped]
      const time = target(from)
      begun = { from, jumped }
      return time
    }
    const [moved] = await Promise.allSettled([this.sender.within(deliveryTimeout, () => move(begin))])
    if (this.#ended) throw worldEnded('move of its clock')
    if (begun) {
      const movedMs = clock.jumped - begun.jumped
      if (movedMs > 0) this.requests.clockMoved({ from: begun.from, to: clock.now() })
      const kept = this.#keepClock(movedMs)
      await (moved.status === 'rejected' ? kept.catch(this.options.onFault) : kept)
    }
    if (moved.status === 'rejected') throw moved.reason
    return moved.value
  }

  /** Ends the world and closes its database. */
  async close(): Promise<void> {
    this.#saveUnsavedClock()
    await this.end()
    this.database.close()
  }

  /** Like `close`, but at once; only for a world without requests or deliveries under way. */
  closeNow(): void {
    this.#saveUnsavedClock()
    this.#stop()
    this.database.close()
  }

  /** Saves the time that a move of the clock has reached if the move is under way, or if the time could not be saved. */
  #saveUnsavedClock(): void {
    if (this.clock.jumped === this.#jumpedAtSave) return
    try {
      this.#saveClock(null)
    } catch (error) {
      this.options.onFault(error)
    }
  }

  async #keepClock(movedMs = 0): Promise<void> {
    if (this.#ended) return
    const moved: Cause = { kind: 'clock', what: 'clock', id: null, payment: null }
    this.#saveClock(() => moved)
    await this.database.settled
    this.events.clock(movedMs)
  }

  #saveClock(cause: (() => Cause) | null): void {
    if (this.#ended) return
    const { database, settings, clock } = this
    const { jumped } = clock
    const onSaved = () => {
      this.#jumpedAtSave = jumped
    }
    database.write(() => settings.set('clock', clock.setting), cause)
    database.settled?.then(onSaved, () => {})
  }
}
