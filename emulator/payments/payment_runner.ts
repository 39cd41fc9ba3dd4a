import { Channel } from '../../src/contract/index.ts'
import type { Clock } from '../clock.ts'
import { incomingFrom } from '../domain/credit.ts'
import { type Books, entriesOf } from '../domain/entries.ts'
import { advance, type Move, redirect, withoutRail } from '../domain/lifecycle.ts'
import type { Movement, Payment, Step } from '../domain/payment.ts'
import type { EventFeed } from '../observation/event_feed.ts'
import type { Ids } from '../random.ts'
import { earliest, type Scheduler, type Work } from '../scheduler.ts'
import { booksOf } from '../store/accounts.ts'
import type { Cause, Database } from '../store/database.ts'
import type { WorldSettings } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import type { Outbox } from '../webhooks/outbox.ts'

interface Dependencies {
  readonly store: Store
  readonly database: Database
  readonly ids: Ids
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly outbox: Outbox
  readonly events: EventFeed
  readonly settings: WorldSettings
}

/** Maximum number of payments advanced in one run, so that other work can run in between. */
const batch = 200

/** Advances payments. Each step stores the new state, the ledger entries and the event in one transaction. */
export class PaymentRunner implements Work {
  readonly #store: Store
  readonly #database: Database
  readonly #ids: Ids
  readonly #clock: Clock
  readonly #scheduler: Scheduler
  readonly #outbox: Outbox
  readonly #events: EventFeed
  readonly #settings: WorldSettings

  constructor({ store, database, ids, clock, scheduler, outbox, events, settings }: Dependencies) {
    this.#store = store
    this.#database = database
    this.#ids = ids
    this.#clock = clock
    this.#scheduler = scheduler
    this.#outbox = outbox
    this.#events = events
    this.#settings = settings
  }

  /**
   * Stores a new payment with its first step, in the caller's transaction. A payment that settles instantly also ends
   * in that transaction.
   */
  begin(first: Step): void {
    const { payment } = first
    this.#store.payments.add(payment)
    this.#events.payment(payment, null)
    this.#storeEffects(first, payment.created_at)
    if (payment.settle_ms > 0) this.#scheduler.wake(payment.due_at)
    else for (let current = payment; current.due_at !== null; ) current = this.#step(current, payment.created_at)
  }

  /** Moves a payment to a reachable status, now or at a later time, in the caller's transaction. */
  move(payment: Payment, move: Move, now: number): Payment {
    let current = redirect(payment, move, now)
    this.#store.payments.redirect(current)
    if (move.at <= now) while (current.status !== move.to) current = this.#step(current, now)
    this.#scheduler.wake(current.due_at)
    return current
  }

  nextDue(rail?: Channel): number | null {
    return earliest([this.#store.payments.nextDue(rail), this.#nextResumption(this.#clock.now(), rail)])
  }

  runDue(now: number, rail?: Channel): void {
    if (this.#nextResumption(now, rail) === now) this.#database.write(() => this.resumeHung(now))
    let fault: unknown
    for (const payment of this.#store.payments.due(now, batch, rail)) {
      try {
        this.#database.write(
          () => this.#take(payment, now),
          () => this.#stepOf(payment.id),
        )
      } catch (error) {
        fault ??= error // a failing payment must not delay the others
      }
    }
    if (fault !== undefined) throw fault
  }

  get settled(): Promise<void> | null {
    return this.#database.settled
  }

  /** Work that advances only the payments over one rail. */
  over(rail: Channel): Work {
    const database = this.#database
    return {
      nextDue: () => this.nextDue(rail),
      runDue: (now) => this.runDue(now, rail),
      get settled() {
        return database.settled
      },
    }
  }

  /**
   * In the caller's transaction, resumes the payments that hang on a rail if the rail is online again, or if its
   * payments are no longer set to hang.
   */
  resumeHung(now: number): void {
    for (const channel of Channel.enum) {
      if (this.#settings.underWayAt(channel, now) !== 'hang') this.#store.payments.resumeHung(channel, now)
    }
    this.#scheduler.wake(this.nextDue())
  }

  /** The step that a payment has just taken, as the cause of a write. */
  #stepOf(id: string): Cause {
    return { kind: 'status', what: this.#store.payments.get(id)?.status ?? '', id: null, payment: id }
  }

  /** Takes the step that is due, or applies the rail's outage. */
  #take(payment: Payment, now: number): void {
    const failure = this.#settings.underWayAt(payment.channel, now)
    if (failure === 'hang') this.#store.payments.hang(payment)
    else if (failure === 'timeout') this.move(payment, { ...withoutRail(payment), at: now }, now)
    else this.#step(payment, now)
  }

  /**
   * Time at which the first payment that hangs can resume, on one rail or on all: now, or at the end of maintenance;
   * null: no payment can.
   */
  #nextResumption(now: number, rail?: Channel): number | null {
    const underWay = this.#settings.get('underWay')
    const rails = rail === undefined ? Channel.enum : [rail]
    const hanging = rails.filter((channel) => underWay[channel] === 'hang' && this.#store.payments.hangs(channel))
    return earliest(hanging.map((channel) => this.#settings.onlineFrom(channel, now)))
  }

  #step(before: Payment, now: number): Payment {
    const step = advance(before, now)
    const { payment, movement } = step
    this.#store.payments.save(payment)
    this.#events.payment(payment, before.status)
    this.#storeEffects(step, now)
    if (movement === 'capture' && payment.payee_account !== null) this.#recordReceipt(payment, payment.payee_account)
    return payment
  }

  /** Stores the receiver's own record of the payment. */
  #recordReceipt(payment: Payment, account: number): void {
    const { accounts, payments } = this.#store
    const { user, iban } = accounts.bySeq(account)
    const receipt = { id: this.#ids(), seq: payments.nextSeq(), user, account, iban }
    this.begin(incomingFrom(payment, receipt))
  }

  #storeEffects({ payment, movement, event }: Step, at: number): void {
    if (event !== null) this.#outbox.publish(event, payment, at)
    if (movement === null) return
    bookMovement(this.#store, movement, { payment, at })
    this.#events.movement(payment, movement)
  }
}

/** Books a movement of a payment's money, in the caller's transaction. */
export function bookMovement(
  store: Store,
  movement: Movement,
  { payment, at }: { payment: Payment; at: number },
): void {
  const entries = entriesOf(movement, payment, booksFor(payment, store))
  store.ledger.book({ paymentSeq: payment.seq, movement, entries, at })
}

function booksFor({ account, payee_account, channel, currency }: Payment, { accounts, ledger }: Store): Books {
  return {
    ...booksOf(accounts.bySeq(account)),
    get rail() {
      return ledger.account(channel, 'rail', currency)
    },
    get destination() {
      return payee_account === null ? this.rail : booksOf(accounts.bySeq(payee_account)).available
    },
    get fees() {
      return ledger.account('emulator', 'fees', currency)
    },
  }
}
