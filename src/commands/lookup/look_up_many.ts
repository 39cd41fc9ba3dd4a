import { RequestGate } from '../../client/request_gate.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { ApiError } from '../../errors/service_errors.ts'
import { inOrder } from '../../lookups/lookups.ts'
import { Recent } from '../../lookups/recent.ts'
import { Tally } from '../../lookups/tally.ts'
import type { Context } from '../context.ts'
import { listColumns } from './columns.ts'
import type { Row } from './lookup.ts'
import { startProgress } from './progress.ts'
import { type LookupRequest, missing } from './request.ts'

interface Many extends LookupRequest {
  /** Whether there must be a value: nobody said where they would come from. */
  readonly required?: boolean
}

/** Results that are kept for values that come again. */
const mostKept = 10_000

/** A row for each value, in order. What ends the run early does so after the rows before it are printed. */
export async function lookUpMany(values: AsyncIterable<string>, request: Many, context: Context): Promise<void> {
  const { key, noun, concurrency } = request
  const { output, signal } = context
  const tally = new Tally(noun)
  const source = await opened(values, request)
  const progress = await startProgress(context)
  const look = await lookerOf(request, context)
  let failure: unknown
  const rows = async function* () {
    try {
      for await (const row of inOrder(source, look, { concurrency, signal })) {
        tally.add(row)
        progress.show(tally.text)
        yield row
      }
    } catch (error) {
      failure = error ?? new Error('It failed without an error.')
    }
  }
  try {
    await output.stream(rows(), listColumns(key))
  } finally {
    progress.stop()
  }
  if (failure !== undefined) {
    if (tally.total > 0) output.note(`Stopped after ${tally.text}.`)
    throw failure
  }
  if (tally.total === 0) output.note(`No ${noun}s to look up.`)
  requireAllFound(tally, noun)
}

/** The same values. What is wrong with their source comes up here, before anything is printed. */
async function opened(
  values: AsyncIterable<string>,
  { required, noun, example }: Many,
): Promise<AsyncIterable<string>> {
  const source = values[Symbol.asyncIterator]()
  const first = await source.next()
  if (first.done && required) throw missing(noun, example)
  return (async function* () {
    for (let next = first; !next.done; next = await source.next()) yield next.value
  })()
}

async function lookerOf(
  { key, normalize, find }: LookupRequest,
  context: Context,
): Promise<(text: string) => Promise<Row>> {
  const client = await context.client()
  const gate = new RequestGate(context.signal)
  context.onRetry((delay) => gate.hold(delay))
  const recent = new Recent<Row>(mostKept)
  const ask = async (value: string): Promise<Row> => {
    await gate.released()
    try {
      return await find(value, client)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
      return { [key]: value, status: 'not_found', reason: error.message }
    }
  }
  return async (text) => {
    const value = valid(text, normalize)
    if ('reason' in value) return { [key]: text, status: 'invalid', reason: value.reason }
    return recent.get(value.value, () => ask(value.value))
  }
}

function valid(text: string, normalize: (text: string) => string): { value: string } | { reason: string } {
  try {
    return { value: normalize(text) }
  } catch (error) {
    if (error instanceof UsageError) return { reason: error.message }
    throw error
  }
}

function requireAllFound({ total, notFound, invalid }: Tally, noun: string): void {
  if (invalid > 0) {
    const others = notFound > 0 ? ` ${notFound} not found.` : ''
    throw new CliError(
      'usage',
      `${invalid} of ${total} invalid.${others}`,
      `Correct the ${noun}s whose status is invalid; with --output csv the reasons are not cut short.`,
    )
  }
  if (notFound > 0) {
    throw new CliError(
      'not_found',
      `${notFound} of ${total} not found.`,
      `Check those ${noun}s with who gave them to you.`,
    )
  }
}
