import type { SendPaymentBody } from '../contract/index.ts'
import { CliError } from '../errors/cli_error.ts'
import type { PaymentSession } from './payment_session.ts'

/** Rows that are named; data has all. */
const named = 10

interface Row {
  readonly line: number | null
  readonly body: SendPaymentBody
}

/**
 * Throws for rows that limits would keep if all were paid today, before the first one leaves. Each is judged once more
 * when it leaves, as other processes may have paid meanwhile.
 */
export function requireWithinLimits(rows: Iterable<Row>, { guard, journal }: PaymentSession): void {
  if (!guard) return
  const refused = [...guard.refused(rows, journal.counted)].map(({ row, error }) => ({ line: row.line, error }))
  const [first] = refused
  if (!first) return
  const lines = refused.slice(0, named).map(({ line }) => line)
  const which = `${refused.length === 1 ? '1 row does' : `${refused.length} rows do`} not fit (line ${lines.join(', ')}${refused.length > named ? ', ...' : ''})`
  const error = new CliError('forbidden', `${which}: ${first.error.message}`, first.error.next)
  error.errors = Object.fromEntries(refused.map(({ line, error: { message } }) => [`line ${line}`, [message]]))
  throw error
}
