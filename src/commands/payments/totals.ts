import type { Context } from '../../cli/command.ts'
import { withHint } from '../../cli/next_step.ts'
import type { Money, Payment } from '../../client/received.ts'
import { endedUnpaid, isUnderWay } from '../../contract/payment_names.ts'
import { toRun } from '../../errors/next_step.ts'
import { grouped } from '../../run/counts.ts'
import { say, type Text } from '../../words/text.ts'

/** Sums of one currency, in minor units, without failed payments. */
interface CurrencyTotals {
  readonly currency: string
  /** Money that was sent, including payments in progress. */
  readonly out: bigint
  /** Part of `out` that is in progress. */
  readonly pending: bigint
  /** Fees that the service has returned for these payments, in addition to `out`. */
  readonly fees: bigint
  /** Money that arrived. */
  readonly in: bigint
}

type SumName = keyof Omit<CurrencyTotals, 'currency'>

/** Adds up payments in a stream. Amounts of different currencies are never added together. */
export class PaymentTotals {
  /** Count of outgoing payments that ended without paying. */
  unpaid = 0
  readonly #sums = new Map<string, Record<SumName, bigint>>()
  #left = 0

  /** Count of payments, outgoing and incoming, that are neither completed nor in progress: the sums leave them out. */
  get leftOut(): number {
    return this.#left
  }

  add({ transfer_type, status, amount, fee }: Payment): void {
    const isPending = isUnderWay(status)
    if (!isPending && status !== 'completed') {
      this.#left += 1
      if (transfer_type !== 'credit' && endedUnpaid(status)) this.unpaid += 1
      return
    }
    if (transfer_type === 'credit') {
      if (!isPending) this.#add('in', amount)
      return
    }
    this.#add('out', amount)
    if (isPending) this.#add('pending', amount)
    if (fee) this.#add('fees', fee)
  }

  /** Sorted by currency. */
  get totals(): readonly CurrencyTotals[] {
    return [...this.#sums]
      .map(([currency, sums]) => ({ currency, ...sums }))
      .sort((one, other) => (one.currency < other.currency ? -1 : 1))
  }

  /** Skips an amount that is not a whole number of minor units. */
  #add(sum: SumName, { value, currency }: Money): void {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || !currency) return
    const sums = this.#sums.get(currency) ?? { out: 0n, pending: 0n, fees: 0n, in: 0n }
    sums[sum] += BigInt(value)
    this.#sums.set(currency, sums)
  }
}

export function totalsOf(payments: Iterable<Payment>): PaymentTotals {
  const totals = new PaymentTotals()
  for (const payment of payments) totals.add(payment)
  return totals
}

/**
 * Prints the sums below a table, a line for each currency. Only an emulator says whether a failed payment took money;
 * for another service, a last line says that this is not known.
 */
export function noteTotals(totals: PaymentTotals, isEmulator: boolean, { output, globals, translate }: Context): void {
  for (const line of linesOf(totals)) output.note(line)
  if (totals.unpaid === 0 || isEmulator) return
  const step = toRun(['accounts', 'list'], 'See the balance')
  const what =
    totals.unpaid === 1 ? say`the payment that failed` : say`the ${grouped(totals.unpaid)} payments that failed`
  output.note(withHint(say`It is not known whether money was taken for ${what}.`, step, globals, translate))
}

function linesOf({ totals, leftOut }: PaymentTotals): readonly Text[] {
  const lines = totals.map(lineOf)
  const last = lines.pop()
  if (last === undefined) return []
  return [...lines, leftOut === 0 ? last : say`${last}, without ${grouped(leftOut)} that did not arrive`]
}

/** Sums of one currency as text: `out 1,580.25 (80.00 on its way), fees 1.00, in 25,000.00 CRC`. */
function lineOf({ currency, out, pending, fees, in: received }: CurrencyTotals): Text {
  const parts = [
    ...(pending > 0n ? [say`out ${major(out)} (${major(pending)} on its way)`] : []),
    ...(out > 0n && pending === 0n ? [say`out ${major(out)}`] : []),
    ...(fees > 0n ? [say`fees ${major(fees)}`] : []),
    ...(received > 0n ? [say`in ${major(received)}`] : []),
  ]
  return say`${parts.length === 0 ? '' : parts.reduce((one, other) => say`${one}, ${other}`)} ${currency}`
}

/** Minor units as `1,580.25`. */
const major = (minor: bigint): string => `${grouped(minor / 100n)}.${String(minor % 100n).padStart(2, '0')}`
