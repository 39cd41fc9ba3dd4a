import type { Client } from '../client/client.ts'
import { ApiError } from '../errors/service_errors.ts'
import type { Group, PlacedRow, Sheet } from '../journal/staged_rows.ts'

/** What the service takes for one payment of a group, judged by one of its rows. */
export interface Estimate {
  /** Minor units; null when the service would not say. */
  readonly fee: number | null
  /** Rows that the service was asked about and refused, with its words. */
  readonly refused: readonly { readonly line: number; readonly reason: string }[]
}

/** Groups that are asked about: every one costs a request or a few. */
const askedGroups = 20

/** Asks about the dearest row of each account and channel, as asking about all would take a request for each. */
export async function estimateFees(
  sheet: Sheet,
  client: Client,
  keyOf: (row: PlacedRow) => string,
): Promise<ReadonlyMap<Group, Estimate>> {
  const estimates = new Map<Group, Estimate>()
  for (const group of sheet.groups().slice(0, askedGroups)) {
    estimates.set(group, await estimate(sheet.samples(group), client, keyOf))
  }
  return estimates
}

async function estimate(
  rows: readonly PlacedRow[],
  client: Client,
  keyOf: (row: PlacedRow) => string,
): Promise<Estimate> {
  const refused: { line: number; reason: string }[] = []
  for (const row of rows) {
    try {
      const request = { headers: { 'X-Idempotency-Key': keyOf(row) }, body: row.body }
      const { fee } = await client.call('payments.validate', request)
      return { fee: fee.value, refused }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 401 || error.status === 429) throw error
      if (error.status === 403) return { fee: null, refused }
      if (error.status === 400 || error.status === 422) refused.push({ line: row.line, reason: error.message })
    }
  }
  return { fee: null, refused }
}
