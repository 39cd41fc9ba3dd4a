import { CliError, reasonOf } from '../errors/cli_error.ts'
import type { Intent, Order } from '../journal/intent.ts'
import type { Guard } from '../limits/guard.ts'
import type { Counted } from '../limits/used.ts'

// Limits are judged before a person is asked or informed, and again when a payment is sent, because other processes may
// have paid in the meantime.

/** Maximum number of lines in the message; the error's data has all. */
const named = 10

type Row = Pick<Intent, 'line' | 'body' | 'idempotency_key'>

/** Throws if limits forbid any row when all are paid today. Call before the first row is sent. */
export function requireWithinLimits(rows: Iterable<Row>, guard: Guard | undefined, counted: Counted): void {
  if (!guard) return
  const refused = [...guard.refused(rows, counted)].map(({ row, error }) => ({ line: row.line, error }))
  const [first] = refused
  if (!first) return
  const lines = refused.slice(0, named).map(({ line }) => line)
  const which =
    refused.length === 1
      ? `1 row does not fit (line ${lines}): ${reasonOf(first.error)}`
      : `${refused.length} rows do not fit (line ${lines.join(', ')}${refused.length > named ? ', ...' : ''})`
  const error = new CliError('forbidden', `${which}. Nothing was sent.`, first.error.next)
  error.errors = Object.fromEntries(refused.map((row) => [`line ${row.line}`, [reasonOf(row.error)]]))
  throw error
}

/** Throws if limits forbid this payment. */
export function requireAllowed(order: Order, guard: Guard | undefined, counted: Counted): void {
  for (const { error } of guard?.refused([order], counted) ?? []) throw error
}

/** Note that says why nothing in doubt is sent again, if limits make the profile read-only. */
export function whyUnasked(guard: Guard | undefined): string | undefined {
  const readOnly = guard?.inForce().find(({ read_only }) => read_only)
  return (
    readOnly &&
    `The limits of profile ${readOnly.profile} allow reading only: the history is read, and nothing is sent again.`
  )
}
