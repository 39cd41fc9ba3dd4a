import type { Payment } from '../../client/received.ts'
import { PaymentTotals, type Totals } from '../../payments/totals.ts'
import { grouped } from '../../run/counts.ts'

/** The sums of payments in words, a line for each currency. */
export function totalsLine(payments: Iterable<Payment>): readonly string[] {
  const totals = new PaymentTotals()
  for (const payment of payments) totals.add(payment)
  return linesOf(totals)
}

export function linesOf({ totals, leftOut }: PaymentTotals): readonly string[] {
  const lines = totals.map(lineOf)
  const last = lines.pop()
  if (last === undefined) return []
  return [...lines, leftOut === 0 ? last : `${last}, without ${grouped(leftOut)} that did not arrive`]
}

/** `out 1,580.25 (80.00 on its way), fees 1.00, in 25,000.00 CRC`. */
function lineOf({ currency, out, pending, fees, in: received }: Totals): string {
  const parts = [
    out > 0n && `out ${major(out)}${pending > 0n ? ` (${major(pending)} on its way)` : ''}`,
    fees > 0n && `fees ${major(fees)}`,
    received > 0n && `in ${major(received)}`,
  ]
  return `${parts.filter((part) => part).join(', ')} ${currency}`
}

/** Minor units as `1,580.25`. */
const major = (minor: bigint): string => `${grouped(minor / 100n)}.${String(minor % 100n).padStart(2, '0')}`
