import type { PaymentStatus } from '../../../src/contract/index.ts'

// Required sums of the ledger entries of each payment, whatever its movements.

/** Reads rows of the service's file. */
export type Read = <Row>(sql: string) => Row[]

interface PaymentRow {
  readonly seq: number
  readonly transfer_type: 'debit' | 'credit'
  readonly status: PaymentStatus
  readonly amount: number
  readonly fee: number
  readonly channel: string
  readonly currency: string
  /** Id of the debited or credited account, and of the account of this service that is paid. */
  readonly account: string
  readonly payee: string | null
  readonly is_receipt: 0 | 1
}

/** Describes the first payment whose money is booked wrongly. */
export function wronglyBooked(read: Read): string | undefined {
  const sums = new Map<number, Map<string, number>>()
  const entries = read<{ payment_seq: number; place: string; sum: number }>(
    `SELECT payment_seq, purpose || ' ' || owner || ' ' || currency AS place, sum(amount) AS sum
     FROM ledger_entries JOIN ledger_accounts a ON a.id = ledger_account WHERE payment_seq IS NOT NULL
     GROUP BY payment_seq, ledger_account HAVING sum <> 0`,
  )
  for (const { payment_seq, place, sum } of entries) {
    sums.set(payment_seq, (sums.get(payment_seq) ?? new Map()).set(place, sum))
  }
  for (const payment of read<PaymentRow>(paymentRows)) {
    if (payment.transfer_type === 'credit' && payment.fee !== 0) return `payment ${payment.seq}, a credit, has a fee`
    const booked = sums.get(payment.seq) ?? new Map<string, number>()
    const due = dueOf(payment)
    for (const place of new Set([...booked.keys(), ...due.keys()])) {
      const [is, must] = [booked.get(place) ?? 0, due.get(place) ?? 0]
      if (is !== must) return `payment ${payment.seq} (${payment.status}) has put ${is} into ${place}, not ${must}`
    }
  }
  return undefined
}

// Joins a receipt to the payer's payment by the reference of the rail.
const paymentRows = `SELECT p.seq, transfer_type, p.status, amount, fee, channel, p.currency, a.id AS account, b.id AS payee,
    transfer_type = 'credit' AND EXISTS (SELECT 1 FROM payments o
      WHERE o.transfer_type = 'debit' AND o.sinpe_reference = p.sinpe_reference) AS is_receipt
  FROM payments p JOIN accounts a ON a.seq = p.account LEFT JOIN accounts b ON b.seq = p.payee_account`

function dueOf(payment: PaymentRow): ReadonlyMap<string, number> {
  const { transfer_type, status, amount, fee, channel, currency, account, payee, is_receipt } = payment
  const available = (id: string) => `available ${id} ${currency}`
  const rail = `rail ${channel} ${currency}`
  const total = amount + fee
  const due = new Map<string, number>()
  if (is_receipt) return due
  if (transfer_type === 'credit') return due.set(rail, -amount).set(available(account), amount)
  if (status === 'pending' || status === 'processing') {
    return due.set(available(account), -total).set(`held ${account} ${currency}`, total)
  }
  if (status !== 'completed') return due
  due.set(available(account), -total).set(`fees emulator ${currency}`, fee)
  return due.set(payee === null ? rail : available(payee), amount)
}
