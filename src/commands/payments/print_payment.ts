import type { InitiatedPayment, Payment } from '../../contract/index.ts'
import { CliError } from '../../errors/cli_error.ts'
import { reasonOf } from '../../errors/reason.ts'
import { flush, isBrokenPipe } from '../../run/sink.ts'
import type { Context } from '../context.ts'
import { sentColumns } from './columns.ts'
import { repeatFlags } from './repeat_flags.ts'

/** Prints a payment that was made. That it can't be printed must not look as if there were none. */
export async function tellPayment(payment: InitiatedPayment | Payment, context: Context): Promise<void> {
  try {
    await context.output.record(payment, sentColumns)
    await flush(context.io.stdout, context.signal)
  } catch (error) {
    if (isBrokenPipe(error)) return
    if (error instanceof CliError || context.signal.aborted) throw error
    throw new CliError(
      'outcome_unknown',
      `Payment ${payment.id} has been sent, but its result could not be written: ${reasonOf(error)}.`,
      `payctl payments get ${payment.id}${repeatFlags(context.globals)}`,
    )
  }
}

/**
 * Has rows written as they become known. They are treated whether or not anybody reads of it: when the reader goes away
 * or the disk is full so are the rest, and then what went wrong is returned, if it was more than a reader who had enough.
 */
export async function tellRows<Row>(
  rows: AsyncIterable<Row>,
  write: (rows: AsyncIterable<Row>) => Promise<void>,
): Promise<unknown> {
  const source = rows[Symbol.asyncIterator]()
  const kept: AsyncIterable<Row> = { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) }
  try {
    await write(kept)
    return undefined
  } catch (error) {
    for await (const _ of kept); // what is left
    return isBrokenPipe(error) ? undefined : error
  }
}
