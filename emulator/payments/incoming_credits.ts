import { Channel } from '../../src/contract/index.ts'
import type { Clock } from '../clock.ts'
import { creditFromOutside, type IncomingCredit } from '../domain/credit.ts'
import type { Payment } from '../domain/payment.ts'
import { earliest, type Scheduler, type Work } from '../scheduler.ts'
import type { Database } from '../store/database.ts'
import type { ScheduledCredit } from '../store/scheduled_credits.ts'
import type { WorldSettings } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import type { PaymentRunner } from './payment_runner.ts'

interface Dependencies {
  readonly store: Store
  readonly database: Database
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly settings: WorldSettings
  readonly payments: PaymentRunner
}

/** Maximum number of credits on each rail that one run receives, so that other work can run in between. */
const batch = 200

/** Receives money from other banks: at once, or as soon as a scheduled credit is due and its rail is online. */
export class IncomingCredits implements Work {
  readonly #store: Store
  readonly #database: Database
  readonly #clock: Clock
  readonly #scheduler: Scheduler
  readonly #settings: WorldSettings
  readonly #payments: PaymentRunner

  constructor({ store, database, clock, scheduler, settings, payments }: Dependencies) {
    this.#store = store
    this.#database = database
    this.#clock = clock
    this.#scheduler = scheduler
    this.#settings = settings
    this.#payments = payments
  }

  /** Credits the account, in the caller's transaction. */
  receive(
    { id, account: seq, channel, amount, payer, description, sinpe_reference }: IncomingCredit,
    now: number,
  ): Payment {
    const { accounts, users, payments } = this.#store
    const account = accounts.bySeq(seq)
    const { name, document_number, document_type, phone } = users.get(account.user)
    const credit = creditFromOutside({
      id,
      channel,
      amount,
      payer,
      description,
      sinpe_reference,
      seq: payments.nextSeq(),
      user: account.user,
      account: seq,
      now,
      currency: account.currency,
      payee: { name, document_number, document_type, iban: account.iban, phone: channel === 'pin' ? null : phone },
    })
    this.#payments.begin(credit)
    return credit.payment
  }

  /** Stores a credit that is due later, in the caller's transaction. */
  schedule(credit: ScheduledCredit): void {
    this.#store.scheduledCredits.add(credit)
    this.wake()
  }

  /** Call when rails are online again. */
  wake(): void {
    this.#scheduler.wake(this.nextDue())
  }

  nextDue(): number | null {
    const now = this.#clock.now()
    const nextOver = (rail: Channel) => {
      const due = this.#store.scheduledCredits.nextDue(rail)
      return due === null ? null : this.#settings.onlineFrom(rail, Math.max(due, now))
    }
    return earliest(Channel.enum.map(nextOver))
  }

  runDue(now: number): void {
    const due = Channel.enum
      .filter((rail) => this.#settings.isOnline(rail, now))
      .flatMap((rail) => this.#store.scheduledCredits.due(rail, now, batch))
      .sort((one, other) => one.due_at - other.due_at)
    let fault: unknown
    for (const credit of due) {
      try {
        this.#database.write(
          () => this.#take(credit, now),
          () => ({ kind: 'credit', what: 'scheduled credit', id: null, payment: credit.id }),
        )
      } catch (error) {
        fault ??= error // a failing credit must not delay the others
      }
    }
    if (fault !== undefined) throw fault
  }

  get settled(): Promise<void> | null {
    return this.#database.settled
  }

  /** Receives a credit, or returns it to its sender if the account can't be credited. */
  #take(credit: ScheduledCredit, now: number): void {
    const { scheduledCredits, accounts } = this.#store
    const { status } = accounts.bySeq(credit.account)
    if (status !== 'active') {
      scheduledCredits.end(credit, 'returned', status === 'closed' ? 'account_closed' : 'account_blocked')
      return
    }
    this.receive(credit, now)
    scheduledCredits.end(credit, 'received')
  }
}
