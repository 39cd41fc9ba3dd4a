import type { Payment } from '../../../contract/index.ts'
import { decimal } from '../../../money/decimal.ts'
import { amountWidth, id, status, time, words } from '../../../output/columns.ts'
import type { Column } from '../../../output/output.ts'

const paymentId = id<Payment>('id', (payment) => payment.id)
const createdAt = time<Payment>('created_at', (payment) => payment.created_at)
const state = status<Payment>('status', (payment) => payment.status)

const signed = ({ transfer_type }: Payment, amount: string): string =>
  amount && transfer_type !== 'credit' ? `-${amount}` : amount

/** Short of a column for the direction: what went out is negative. */
const signedAmount: Column<Payment> = {
  name: 'amount',
  data: (payment) => signed(payment, decimal(payment.amount.value)),
  text: (payment) => signed(payment, payment.amount.formatted),
  align: 'right',
  width: amountWidth,
  uncut: true,
}

/** A heading short enough for what 80 columns leave of a line. */
const counterparty = words<Payment>('name', ({ transfer_type, payer, payee }) =>
  transfer_type === 'credit' ? payer.name : payee.name,
)

/** A line for each payment, on a terminal of 80 columns too. */
export const followColumns = (width: number): readonly Column<Payment>[] =>
  width < 100
    ? [paymentId, state, signedAmount, counterparty]
    : [createdAt, paymentId, state, signedAmount, counterparty]
