import type { HistoryQuery } from '../../../contract/index.ts'
import { UsageError } from '../../../errors/cli_error.ts'
import { exits } from '../../../errors/exit_codes.ts'
import { paymentFeed } from '../../../payments/follow.ts'
import type { Context } from '../../context.ts'
import { paymentColumns } from '../columns.ts'
import { followColumns } from './follow_columns.ts'

export interface FollowFlags {
  readonly limit?: number
  /** Milliseconds. */
  readonly interval: number
}

/** Prints payments as they come until it is interrupted, which is how it is meant to end. */
export async function followHistory(query: HistoryQuery, flags: FollowFlags, context: Context): Promise<void> {
  const { limit = 10, interval } = flags
  const { output, signal, io } = context
  if (output.format === 'json') {
    throw new UsageError('--follow has no end, so it makes no JSON document.', 'Take a line for each: --output ndjson')
  }
  const note = (text: string) => output.note(text)
  const payments = paymentFeed({ client: await context.client(), query, limit, interval, signal, note })
  const columns =
    output.format === 'table' ? followColumns(io.stdout.columns || Number.POSITIVE_INFINITY) : paymentColumns
  await output.stream(payments, columns)
  context.exitWith(exits.interrupted.code)
}
