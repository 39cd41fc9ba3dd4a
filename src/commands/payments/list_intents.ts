import { UsageError } from '../../errors/cli_error.ts'
import {
  type Intent,
  type IntentFilter,
  type IntentStatus,
  unknownIntent,
  unsettledStatuses,
} from '../../journal/intent.ts'
import { existingJournal } from '../../journal/journal.ts'
import type { Context } from '../context.ts'
import { intentColumns } from './intent_columns.ts'

export interface IntentFlags {
  readonly status?: IntentStatus
  readonly unsettled?: boolean
  readonly batch?: string
  /** An ISO time. */
  readonly since?: string
  readonly limit?: number
  readonly all?: boolean
}

/** What a person can look through. */
const shownToPeople = 100

export async function listIntents(flags: IntentFlags, { output, stateDir, io }: Context): Promise<void> {
  const filter = filterOf(flags)
  const isLookedThrough = io.stdout.isTTY === true && output.format === 'table' && !flags.all
  const limit = flags.limit ?? (isLookedThrough ? shownToPeople : Number.POSITIVE_INFINITY)
  const journal = existingJournal(stateDir)
  try {
    let shown = 0
    const found = async function* (): AsyncGenerator<Intent, void> {
      for (const intent of journal?.list(filter) ?? []) {
        if (shown === limit) return
        shown += 1
        yield intent
      }
    }
    await output.stream(found(), intentColumns(output.format), { none: 'No intents.' })
    const total = journal && shown === limit ? journal.count(filter) : shown
    if (total > shown) output.note(`The newest ${shown} of ${total}. More: --limit <n>, or --all`)
  } finally {
    journal?.close()
  }
}

function filterOf({ status, unsettled, batch, since, limit, all }: IntentFlags): IntentFilter {
  if (status !== undefined && unsettled) {
    throw new UsageError('--status and --unsettled both choose by status.', 'Give one of them')
  }
  if (limit !== undefined && all) throw new UsageError('--limit and --all contradict each other.', 'Give one of them')
  const statuses = unsettled ? unsettledStatuses : status === undefined ? undefined : [status]
  return { statuses, batch, since }
}

export async function showIntent(id: string, { output, stateDir }: Context): Promise<void> {
  const journal = existingJournal(stateDir)
  try {
    const intent = journal?.find(id)
    if (!intent) throw unknownIntent(id)
    await output.record(intent, intentColumns('csv'))
  } finally {
    journal?.close()
  }
}
