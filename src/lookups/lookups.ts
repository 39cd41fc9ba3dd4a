import type { Client } from '../client/client.ts'
import type { RequestGate } from '../client/request_gate.ts'
import { UsageError } from '../errors/cli_error.ts'
import { isServiceAnswer } from '../errors/service_errors.ts'
import { RecentMap } from '../run/recent.ts'
import { inOrder } from './in_order.ts'

/** What both lookups tell of a holder. */
interface Holder {
  readonly status: string | null | undefined
  readonly name?: string | null | undefined
  readonly document_number?: string | null | undefined
  readonly currency?: string | null | undefined
  readonly country_code?: string | null | undefined
  readonly entity_name?: string | null | undefined
}

/** A holder, or a value that has none and why. */
export interface LookupRow extends Holder {
  readonly phone_number?: string | null | undefined
  readonly iban?: string | null | undefined
  readonly reason?: string
}

/** One kind of value that holders are looked up by. */
export interface Lookup {
  /** The member of a row that has the value. */
  readonly key: 'phone_number' | 'iban'
  /** The value as the service wants it. Throws UsageError. */
  readonly normalize: (text: string) => string
  /** Throws ApiError 404 when nobody holds it. */
  readonly find: (value: string, client: Client) => Promise<LookupRow>
}

interface LookupRun {
  readonly client: Client
  /** Holds requests back while the service asks for that. */
  readonly gate: RequestGate
  /** Requests at a time. */
  readonly concurrency: number
  readonly signal: AbortSignal
}

/** Rows that are kept for values that come again. */
const mostKept = 10_000

/** A row for each value, in order. The first failure other than a 404 ends it, after the rows before it. */
export function lookUpMany(
  values: AsyncIterable<string>,
  { key, normalize, find }: Lookup,
  { client, gate, concurrency, signal }: LookupRun,
): AsyncGenerator<LookupRow, void, undefined> {
  const known = new RecentMap<string, Promise<LookupRow>>(mostKept)
  const ask = async (value: string): Promise<LookupRow> => {
    await gate.released()
    try {
      return await find(value, client)
    } catch (error) {
      const row = rowOfNobody(error, key, value)
      if (row) return row
      throw error
    }
  }
  const lookUp = async (text: string): Promise<LookupRow> => {
    const value = normalized(text, normalize)
    if (value instanceof UsageError) return { [key]: text, status: 'invalid', reason: value.message }
    const row = known.get(value) ?? ask(value)
    known.set(value, row)
    return row
  }
  return inOrder(values, lookUp, { concurrency, signal })
}

/** The row of a value that nobody holds, if that is what the error says. */
export const rowOfNobody = (error: unknown, key: Lookup['key'], value: string): LookupRow | undefined =>
  isServiceAnswer(error, 404) ? { [key]: value, status: 'not_found', reason: error.message } : undefined

function normalized(text: string, normalize: Lookup['normalize']): string | UsageError {
  try {
    return normalize(text)
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
}
