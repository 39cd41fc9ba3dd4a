import { incomingFrom } from './domain/credit.ts'
import { type Books, entriesOf, type Movement } from './domain/entries.ts'
import { advance } from './domain/lifecycle.ts'
import type { Payment } from './domain/payment.ts'
import type { Ids } from './ids.ts'
import type { Work } from './scheduler.ts'
import type { Database } from './store/database.ts'
import type { Store } from './store/store.ts'

interface Dependencies {
  readonly store: Store
  readonly database: Database
  readonly ids: Ids
}

/** Steps run between two looks at other work. */
const batch = 200

/** Takes payments through their life. Every step is one transaction: the new state and its ledger entries, or neither. */
export class PaymentRunner implements Work {
  readonly #store: Store
  readonly #database: Database
  readonly #ids: Ids

  constructor({ store, database, ids }: Dependencies) {
    this.#store = store
    this.#database = database
    this.#ids = ids
  }

  /** Records a new payment and holds its money. One that settles instantly goes on to its end in the same transaction. */
  begin(payment: Payment): void {
    this.#store.payments.add(payment)
    if (payment.due_at === null) return
    this.#book('hold', payment, payment.created_at)
    if (payment.settle_ms > 0) return
    for (let current = payment; current.due_at !== null; ) current = this.#step(current, payment.created_at)
  }

  nextDue(): number | null {
    return this.#store.payments.nextDue()
  }

  runDue(now: number): void {
    for (const payment of this.#store.payments.due(now, batch)) {
      this.#database.write(() => this.#step(payment, now))
    }
  }

  #step(before: Payment, now: number): Payment {
    const { payment, settlement } = advance(before, now)
    this.#store.payments.save(payment)
    if (settlement) this.#book(settlement, payment, now)
    if (settlement === 'capture') this.#creditReceiver(payment)
    return payment
  }

  #book(movement: Movement, payment: Payment, at: number): void {
    const entries = entriesOf(movement, payment, this.#booksOf(payment))
    this.#store.ledger.book({ paymentSeq: payment.seq, movement, entries, at })
  }

  #booksOf(payment: Payment): Books {
    const { accounts, ledger } = this.#store
    const source = accounts.get(payment.account_id)
    if (!source) throw new Error(`Payment ${payment.id} has no source account`)
    const receiver = payment.payee_account_id === null ? undefined : accounts.get(payment.payee_account_id)
    return {
      available: source.available_ledger,
      held: source.held_ledger,
      destination: receiver?.available_ledger ?? ledger.account(payment.channel, 'rail', payment.currency),
      fees: ledger.account('emulator', 'fees', payment.currency),
    }
  }

  #creditReceiver(payment: Payment): void {
    if (payment.payee_account_id === null) return
    const receiver = this.#store.accounts.get(payment.payee_account_id)
    if (!receiver) throw new Error(`Payment ${payment.id} has no payee account`)
    this.#store.payments.add(
      incomingFrom(payment, {
        id: this.#ids(),
        seq: this.#store.payments.nextSeq(),
        user_id: receiver.user_id,
        account_id: receiver.id,
      }),
    )
  }
}
