import { formatMoney } from '../contract/money.ts'
import { type CliError, UsageError } from '../errors/cli_error.ts'
import type { BatchFilter, BatchPart } from '../journal/batches.ts'
import type { Journal } from '../journal/journal.ts'
import { grouped } from '../run/counts.ts'
import { zonedTime } from '../run/time.ts'
import { type Said, say, type Text } from '../words/text.ts'
import { endOf, ofRows, type RowEnd, statusOf } from './batch_result.ts'
import { joinedByAnd, joinedByComma, rowsSaid } from './counted.ts'

// The batches of this machine's journal, and their names.

/** Sum of a batch in one currency, in minor units. */
interface BatchTotal {
  /** Null until the service has returned the currency. */
  readonly currency: string | null
  /** Sum of all rows. */
  readonly amount: number
  /** Sum of the completed payments. */
  readonly completed: number
  /** Sum of the payments that had not ended when their statuses were last read. */
  readonly in_progress: number
}

/** Rows of one user's batch, counted by outcome. */
export interface Batch extends Readonly<Record<RowEnd, number>> {
  readonly batch: string
  readonly created_at: string
  /** Name of the file; null if it is not known. */
  readonly file: string | null
  readonly base_url: string
  readonly user: string | null
  readonly world: string | null
  readonly rows: number
  readonly totals: readonly BatchTotal[]
}

/** Reads batches, the newest first. Throws if the journal can't be read. */
export function batchesIn(journal: Journal, filter: BatchFilter = {}): readonly Batch[] {
  const byBatch = Map.groupBy(journal.batchParts(filter), ({ batch, base_url, user, world }) =>
    JSON.stringify([batch, base_url, user, world]),
  )
  return [...byBatch.values()]
    .flatMap((parts) => batchOf(parts, journal))
    .toSorted((one, other) => other.created_at.localeCompare(one.created_at))
}

function batchOf(parts: readonly BatchPart[], journal: Journal): Batch[] {
  const [first] = parts
  if (!first) return []
  const { batch, base_url, user, world } = first
  const counts = { completed: 0, in_progress: 0, unsuccessful: 0, rejected: 0, unknown: 0, not_sent: 0 }
  const totals = new Map<string | null, BatchTotal>()
  for (const part of parts) {
    const { rows, currency, amount } = part
    const end = endOf(statusOf(part))
    counts[end] += rows
    const total = totals.get(currency) ?? { currency, amount: 0, completed: 0, in_progress: 0 }
    totals.set(currency, {
      currency,
      amount: total.amount + amount,
      completed: total.completed + (end === 'completed' ? amount : 0),
      in_progress: total.in_progress + (end === 'in_progress' ? amount : 0),
    })
  }
  return [
    {
      batch,
      created_at: parts.map(({ created_at }) => created_at).toSorted()[0] ?? '',
      file: journal.batchSource({ base_url, user, world }, batch).file,
      rows: parts.reduce((sum, { rows }) => sum + rows, 0),
      ...counts,
      totals: [...totals.values()],
      base_url,
      user,
      world,
    },
  ]
}

const words: Readonly<Record<RowEnd, (count: string) => Text>> = {
  completed: (count) => say`${count} completed`,
  in_progress: (count) => say`${count} in progress`,
  unsuccessful: (count) => say`${count} failed${ofRows}`,
  rejected: (count) => say`${count} refused${ofRows}`,
  unknown: (count) => say`${count} in doubt`,
  not_sent: (count) => say`${count} not sent`,
}

/** Counts of rows by outcome, as text: `985 completed, 2 refused`. */
export const outcomesOf = (batch: Batch): Text =>
  joinedByComma(
    (Object.keys(words) as RowEnd[]).flatMap((end) => (batch[end] > 0 ? words[end](grouped(batch[end])) : [])),
  )

/**
 * The sum that is paid or in progress: `12,300,000.10 CRC`; adds `of 12,345,678.90 CRC` if the sum of all rows differs.
 */
const paidOf = ({ totals }: Batch): Text =>
  joinedByAnd(
    totals.map(({ currency, amount, completed, in_progress }) => {
      const paid = completed + in_progress
      const money = (minor: number) => formatMoney(minor, currency ?? '').trim()
      return paid === amount ? money(paid) : say`${money(paid)} of ${money(amount)}`
    }),
  )

/**
 * A batch in one line: `Batch 2026-11: 1,000 rows, 1,000 completed; 12,300,000.10 CRC paid or in progress, fees 98.00
 * CRC.`
 */
export function lineOfBatch(batch: Batch, fees?: Said): Text {
  const counts = say`Batch ${batch.batch}: ${rowsSaid(batch.rows)}, ${outcomesOf(batch)}`
  return fees === undefined
    ? say`${counts}; ${paidOf(batch)} paid or in progress.`
    : say`${counts}; ${paidOf(batch)} paid or in progress, fees ${fees}.`
}

/** Maximum number of batches to list in an error. */
const mostListed = 10

/**
 * Finds the batch that the user named by its whole name, by a unique part of its name, or by `last`. `batches`: newest
 * first. Returns the typed name if no batch matches. Throws UsageError, with a list, if several batches match, or if
 * `isWhole` is true and the text is only part of a name: then nobody can be asked.
 */
export function batchNamed(text: string, batches: readonly Batch[], { isWhole = false } = {}): string {
  const [newest] = batches
  if (batches.some(({ batch }) => batch === text)) return text
  if (text === 'last' && newest) return newest.batch
  const part = text.toLowerCase()
  const fitting = batches.filter(({ batch }) => part !== '' && batch.toLowerCase().includes(part))
  const names = new Set(fitting.map(({ batch }) => batch))
  const [only] = names
  if (only === undefined) return text
  if (names.size === 1 && !isWhole) return only
  const message =
    names.size === 1
      ? say`Batch ${text} does not exist. Nothing was sent.`
      : say`${text} is part of the names of ${names.size} batches.`
  throw namesListed(new UsageError(message, 'Give the whole name'), fitting)
}

/** The error, with a line for each of the batches. */
function namesListed<Failure extends CliError>(error: Failure, batches: readonly Batch[]): Failure {
  const shown = batches.slice(0, mostListed).map((one) => [one.batch, [aboutBatch(one)]])
  error.saidErrors = Object.fromEntries(shown)
  return error
}

const aboutBatch = (batch: Batch): Text =>
  joinedByComma([
    zonedTime(batch.created_at),
    ...(batch.file ? [batch.file] : []),
    rowsSaid(batch.rows),
    outcomesOf(batch),
  ])

/**
 * The batch to retry if none is named: the newest batch with failed rows, or else the newest batch. Throws UsageError
 * if there is none, or if there are several to choose from and nobody is asked.
 */
export function batchToRetry(batches: readonly Batch[], isAsked: boolean): string {
  const failed = batches.filter(({ unsuccessful, rejected }) => unsuccessful + rejected > 0)
  const [chosen = batches[0]] = failed
  if (!chosen)
    throw new UsageError('No batch of this user is known on this machine. Nothing was sent.', { kind: 'list_batches' })
  if (isAsked || failed.length === 1 || batches.length === 1) return chosen.batch
  throw namesListed(
    new UsageError('The batch to send again is not named. Nothing was sent.', 'Give the name of the batch'),
    failed.length > 0 ? failed : batches,
  )
}
