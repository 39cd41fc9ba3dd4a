import { capture, credit, type Entry, hold, release } from '../domain/entries.ts'
import type { Movement, Payment } from '../domain/payment.ts'
import { booksOf } from '../store/accounts.ts'
import type { Store } from '../store/store.ts'

/** Books a movement of a payment's money, in the caller's transaction. */
export function bookMovement(
  store: Store,
  movement: Movement,
  { payment, at }: { payment: Payment; at: number },
): void {
  store.ledger.book({ paymentSeq: payment.seq, movement, entries: entriesOf(store, movement, payment), at })
}

function entriesOf({ accounts, ledger }: Store, movement: Movement, payment: Payment): readonly Entry[] {
  const { account, payee_account, channel, currency } = payment
  const books = booksOf(accounts.bySeq(account))
  const rail = () => ledger.account(channel, 'rail', currency)
  switch (movement) {
    case 'hold':
      return hold(payment, books)
    case 'release':
      return release(payment, books)
    case 'credit':
      return credit(payment, { rail: rail(), available: books.available })
    case 'capture': {
      const destination = payee_account === null ? rail() : booksOf(accounts.bySeq(payee_account)).available
      return capture(payment, { ...books, destination, fees: ledger.account('emulator', 'fees', currency) })
    }
  }
}
