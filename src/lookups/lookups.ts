import type { Client } from '../client/client.ts'
import type { RequestGate } from '../client/request_gate.ts'
import { UsageError } from '../errors/cli_error.ts'
import { isServiceAnswer } from '../errors/service_errors.ts'
import { RecentMap } from '../run/recent.ts'
import { inOrder } from './in_order.ts'

/** Members that both lookups return for a holder. */
interface Holder {
  readonly status: string | null | undefined
  readonly name?: string | null | undefined
  readonly document_number?: string | null | undefined
  readonly currency?: string | null | undefined
  readonly country_code?: string | null | undefined
  readonly entity_name?: string | null | undefined
}

/** A holder, or a value without one and the reason. */
export interface LookupRow extends Holder {
  readonly phone_number?: string | null | undefined
  readonly iban?: string | null | undefined
  readonly reason?: string
}

/** A lookup of holders by phone or IBAN. */
export interface Lookup {
  /** Member of a row with the value. */
  readonly key: 'phone_number' | 'iban'
  /** The value in the service's form. Throws UsageError. */
  readonly normalize: (text: string) => string
  /** Throws ApiError 404 if the value has no holder. */
  readonly find: (value: string, client: Client) => Promise<LookupRow>
}

interface LookupRun {
  readonly client: Client
  /** Delays requests while the service asks for it. */
  readonly gate: RequestGate
  /** Concurrent requests. */
  readonly concurrency: number
  readonly signal: AbortSignal
}

/** Maximum number of cached rows for repeated values. */
const mostKept = 10_000

/** Yields a row for each value, in order. The first failure other than a 404 ends it, after the rows before it. */
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

/** The row of a value without a holder (404); undefined for other errors. */
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
