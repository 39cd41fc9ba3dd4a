import { createHash } from 'node:crypto'
import { fingerprint } from '../../journal/intent.ts'
import type { PlacedRow } from '../../journal/staged_rows.ts'
import { madeUp } from './batch_id.ts'

/** The name of a file's rows, whatever their order: for listing and resuming. */
export const batchNameOf = (fingerprint: string): string => `${madeUp}${fingerprint.slice(0, 12)}`

/**
 * The idempotency key of a row: the same whenever the same payment is asked for under the same `scope` (the given
 * batch id, or nothing), in whatever file, place and order. Of rows that ask for the same, each has its own.
 */
export const rowKey = (
  scope: string | undefined,
  { body, occurrence }: Pick<PlacedRow, 'body' | 'occurrence'>,
): string =>
  `batch-${createHash('sha256')
    .update(JSON.stringify([1, scope ?? null, fingerprint(body), occurrence]))
    .digest('hex')}`
