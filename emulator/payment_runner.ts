import type { EventName, PaymentStatus } from '../src/contract/index.ts'
import { incomingFrom } from './domain/credit.ts'
import { type Books, capture, credit, hold, release, type SourceBooks } from './domain/entries.ts'
import { advance } from './domain/lifecycle.ts'
import type { Payment } from './domain/payment.ts'
import type { Ids } from './ids.ts'
import type { Scheduler, Work } from './scheduler.ts'
import { booksOf } from './store/accounts.ts'
import type { Database } from './store/database.ts'
import type { Booking } from './store/ledger.ts'
import type { Store } from './store/store.ts'
import type { Outbox } from './webhooks/outbox.ts'

interface Dependencies {
  readonly store: Store
  readonly database: Database
  readonly ids: Ids
  readonly scheduler: Scheduler
  readonly outbox: Outbox
}

/** Steps run between two looks at other work. */
const batch = 200

/** Takes payments through their life. Every step is one transaction: the new state and its ledger entries, or neither. */
export class PaymentRunner implements Work {
  readonly #store: Store
  readonly #database: Database
  readonly #ids: Ids
  readonly #scheduler: Scheduler
  readonly #outbox: Outbox

  constructor({ store, database, ids, scheduler, outbox }: Dependencies) {
    this.#store = store
    this.#database = database
    this.#ids = ids
    this.#scheduler = scheduler
    this.#outbox = outbox
  }

  /** Records a new payment and holds its money. One that settles instantly goes on to its end in the same transaction. */
  begin(payment: Payment, source: SourceBooks): void {
    this.#store.payments.add(payment)
    if (payment.due_at === null) return
    this.#tell(payment, payment.created_at)
    this.#book({ movement: 'hold', payment, entries: hold(payment, source), at: payment.created_at })
    if (payment.settle_ms > 0) this.#scheduler.wake(payment.due_at)
    else for (let current = payment; current.due_at !== null; ) current = this.#step(current, payment.created_at)
  }

  /** Records money from another bank: it is there at once. */
  receive(payment: Payment): void {
    const { accounts, ledger } = this.#store
    this.#store.payments.add(payment)
    const books = {
      rail: ledger.account(payment.channel, 'rail', payment.currency),
      available: booksOf(accounts.bySeq(payment.account)).available,
    }
    this.#book({ movement: 'credit', payment, entries: credit(payment, books), at: payment.created_at })
    this.#tell(payment, payment.created_at)
  }

  nextDue(): number | null {
    return this.#store.payments.nextDue()
  }

  runDue(now: number): void {
    let fault: unknown
    for (const payment of this.#store.payments.due(now, batch)) {
      try {
        this.#database.write(() => this.#step(payment, now))
      } catch (error) {
        fault ??= error // one payment that can't go on must not hold up those after it
      }
    }
    if (fault !== undefined) throw fault
  }

  get settled(): Promise<void> | null {
    return this.#database.settled
  }

  #step(before: Payment, now: number): Payment {
    const { payment, settlement } = advance(before, now)
    this.#store.payments.save(payment)
    this.#tell(payment, now)
    if (settlement === 'release') {
      this.#book({ movement: 'release', payment, entries: release(payment, this.#sourceBooks(payment)), at: now })
    }
    if (settlement === 'capture') {
      this.#book({ movement: 'capture', payment, entries: capture(payment, this.#books(payment)), at: now })
      if (payment.payee_account !== null) this.#credit(payment.payee_account, payment)
    }
    return payment
  }

  #book({ payment, ...booking }: { payment: Payment } & Omit<Booking, 'paymentSeq'>): void {
    this.#store.ledger.book({ paymentSeq: payment.seq, ...booking })
  }

  #sourceBooks(payment: Payment): SourceBooks {
    return booksOf(this.#store.accounts.bySeq(payment.account))
  }

  #books(payment: Payment): Books {
    const { accounts, ledger } = this.#store
    const { payee_account, channel, currency } = payment
    return {
      ...this.#sourceBooks(payment),
      destination:
        payee_account === null
          ? ledger.account(channel, 'rail', currency)
          : booksOf(accounts.bySeq(payee_account)).available,
      fees: ledger.account('emulator', 'fees', currency),
    }
  }

  /** The receiver's own record of what arrived. */
  #credit(account: number, payment: Payment): void {
    const { user, iban } = this.#store.accounts.bySeq(account)
    const receipt = { id: this.#ids(), seq: this.#store.payments.nextSeq(), user, account, iban }
    const incoming = incomingFrom(payment, receipt)
    this.#store.payments.add(incoming)
    this.#tell(incoming, incoming.created_at)
  }

  #tell(payment: Payment, now: number): void {
    const event = eventOf(payment)
    if (event !== undefined) this.#outbox.publish(event, payment, now)
  }
}

/** The states of a payment sent from here that are told of. The others show only to those who ask. */
const eventOfStatus: Partial<Record<PaymentStatus, EventName>> = {
  pending: 'payment.created',
  processing: 'payment.processing',
  completed: 'payment.completed',
  failed: 'payment.failed',
}

const eventOf = ({ transfer_type, status }: Payment): EventName | undefined =>
  transfer_type === 'credit' ? 'transaction.received' : eventOfStatus[status]
