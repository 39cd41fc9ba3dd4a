import type { Context } from '../../cli/command.ts'
import { decimal, formatMoney } from '../../contract/money.ts'
import { UsageError } from '../../errors/cli_error.ts'
import {
  hasFailed,
  type Intent,
  type IntentFilter,
  type IntentStatus,
  isOpen,
  moneyOfIntent,
  unknownIntent,
  unsettledStatuses,
} from '../../journal/intent.ts'
import { existingJournal, type Journal } from '../../journal/journal.ts'
import { amountWidth, clock, columnsOf, field, id, time, words } from '../../output/columns.ts'
import type { Column, Layout } from '../../output/output.ts'
import { batchesIn, batchNamed } from '../../payments/batches.ts'
import { grouped } from '../../run/counts.ts'
import type { Tone } from '../../run/style.ts'
import { dayOf } from '../../run/time.ts'
import { knownMoney } from '../../values/money_outcome.ts'
import { foreign, type Said, say } from '../../words/text.ts'
import { type PeriodFlags, periodOf } from '../period.ts'
import { IntentWorlds, type PlacedIntent, placeNamed } from './intent_worlds.ts'

interface IntentFlags extends PeriodFlags {
  readonly status?: IntentStatus | undefined
  readonly unsettled?: true | undefined
  readonly batch?: string | undefined
  readonly limit?: number | undefined
  readonly all?: true | undefined
}

/** Number of intents that a table on a terminal shows without --limit, --all or --sort. */
const shownToPeople = 100

export async function listIntents(flags: IntentFlags, context: Context): Promise<void> {
  const { output, stateDir, io, globals } = context
  const isSorted = globals.sort !== undefined
  if (isSorted && flags.limit !== undefined) {
    throw new UsageError('--sort needs the whole list, but --limit selects a part.', 'Leave one of them out')
  }
  const isForPerson = io.stdout.isTTY === true && output.format === 'table'
  const isLookedThrough = isForPerson && !flags.all && !isSorted
  const limit = flags.limit ?? (isLookedThrough ? shownToPeople : Number.POSITIVE_INFINITY)
  const journal = existingJournal(stateDir)
  try {
    const filter = filterOf(flags, journal)
    const found = new Outbox(journal, filter, { limit, showsGone: !isForPerson || flags.all === true }, context)
    const layout = output.format === 'table' && !(await found.areInOnePlace()) ? placedLayout : samePlaceLayout
    await output.stream(found.rows(), layout, { none: 'No intents.', sortable: true })
    const { shown, gone } = found
    const total = journal && shown === limit ? journal.count(filter) : shown
    if (total > shown)
      output.note(say`${grouped(shown)} of ${grouped(total)} intents, the newest. More: --limit <n>, --all`)
    else if (gone > 0)
      output.note(
        gone === 1
          ? say`Left out: 1 intent of a world that is gone. To see it: --all`
          : say`Left out: ${grouped(gone)} intents of worlds that are gone. To see them: --all`,
      )
  } finally {
    journal?.close()
  }
}

interface OutboxOptions {
  readonly limit: number
  /** True: also shows the intents of ended worlds. */
  readonly showsGone: boolean
}

/** Selects the intents to list, and counts them. */
class Outbox {
  shown = 0
  /** Count of intents that were left out, because their world has ended. */
  gone = 0
  readonly #journal: Journal | undefined
  readonly #filter: IntentFilter
  readonly #options: OutboxOptions
  readonly #worlds: IntentWorlds

  constructor(journal: Journal | undefined, filter: IntentFilter, options: OutboxOptions, context: Context) {
    this.#journal = journal
    this.#filter = filter
    this.#options = options
    this.#worlds = new IntentWorlds(context)
  }

  async *rows(): AsyncGenerator<PlacedIntent, void> {
    const { limit, showsGone } = this.#options
    this.shown = 0
    this.gone = 0
    for (const intent of this.#journal?.list(this.#filter) ?? []) {
      if (this.shown === limit) return
      const placed = await this.#worlds.placed(intent)
      if (placed.world_status === 'gone' && !showsGone) {
        this.gone += 1
        continue
      }
      this.shown += 1
      yield placed
    }
  }

  /** True if all rows were sent to one service and world. */
  async areInOnePlace(): Promise<boolean> {
    let first: string | undefined
    for await (const row of this.rows()) {
      const place = String(placeNamed(row))
      first ??= place
      if (place !== first) return false
    }
    return true
  }
}

function filterOf(
  { status, unsettled, batch: text, limit, all, ...period }: IntentFlags,
  journal: Journal | undefined,
): IntentFilter {
  if (status !== undefined && unsettled) {
    throw new UsageError('--status and --unsettled both choose by status.', 'Give one of them')
  }
  if (limit !== undefined && all) throw new UsageError('--limit and --all can’t be combined.', 'Give one of them')
  const statuses = unsettled ? unsettledStatuses : status === undefined ? undefined : [status]
  const { since, until } = periodOf(period)
  const batch = text === undefined || !journal ? text : batchNamed(text, batchesIn(journal))
  return { statuses, batch, since: iso(since), until: iso(until) }
}

const iso = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString())

export async function showIntent(id: string, context: Context): Promise<void> {
  const { output, stateDir } = context
  const journal = existingJournal(stateDir)
  try {
    const intent = journal?.find(id)
    if (!intent) throw unknownIntent(id)
    await output.record(await new IntentWorlds(context).placed(intent), placedLayout)
  } finally {
    journal?.close()
  }
}

const tones: Readonly<Record<IntentStatus, Tone>> = {
  prepared: 'dim',
  sent: 'busy',
  settled: 'good',
  rejected: 'bad',
  unknown: 'bad',
}

/** The status of the payment, if it is known; otherwise the status of the intent. */
function shownStatus({ status, payment_status }: Intent): string {
  return status === 'settled' ? (payment_status ?? status) : status
}

const intentId: Column<Intent> = {
  ...field('id'),
  width: 'int_4k7qz2m9x1ab'.length,
  uncut: true,
}
const state: Column<Intent> = {
  name: 'status',
  data: ({ status }) => status,
  text: (intent) => foreign(shownStatus(intent)),
  tone: (intent) => (hasFailed(intent) ? 'bad' : isOpen(intent) ? 'busy' : tones[intent.status]),
  uncut: true,
}
const amount: Column<Intent> = {
  name: 'amount',
  meaning: 'Amount of the payment',
  data: ({ body }) => decimal(body.amount),
  text: ({ body, currency }) => formatMoney(body.amount, currency ?? '').trim(),
  isMoney: true,
  align: 'right',
  width: amountWidth,
  uncut: true,
}
const recipient: Column<Intent> = {
  ...field('recipient', ({ body }) => body.recipient_iban ?? body.recipient_phone),
  meaning: 'IBAN or phone of the payee',
  width: 22,
  uncut: true,
}
const paymentId = id('payment_id')
const batch = field('batch')

const allColumns = columnsOf<Intent>(
  intentId,
  time('created_at'),
  state,
  amount,
  'currency',
  recipient,
  paymentId,
  { ...words<Intent>('error', ({ error }) => error), text: ({ error }) => foreign(error ?? '') },
  batch,
  'line',
  'reference',
  'payment_status',
  { ...field('source_account_id', ({ body }: Intent) => body.source_account_id), meaning: 'Account that pays' },
  { ...field('description', ({ body }: Intent) => body.description), meaning: 'Description of the payment' },
  'idempotency_key',
  'profile',
  'base_url',
  'user',
  'world',
  time('updated_at'),
)

const shownColumns = columnsOf<Intent>(
  { ...clock('time', (intent: Intent) => intent.created_at), meaning: 'Time at which the intent was recorded' },
  { ...amount, least: amountWidth },
  state,
  recipient,
  { ...intentId, shortened: true },
  { ...paymentId, heading: 'payment', shortened: true, dispensable: true },
  { ...batch, dispensable: true },
)

export const intentLayout: Layout<Intent> = {
  columns: allColumns,
  table: shownColumns,
  group: { over: 'time', of: ({ created_at }) => dayOf(created_at) },
  below: belowIntent,
}

/** Reason for the failure, and the outcome of the money if it is known. */
function belowIntent(intent: Intent): Said | null {
  const { error, status } = intent
  const money = status === 'rejected' || hasFailed(intent) ? knownMoney(moneyOfIntent(intent)) : undefined
  const reason = error === null ? null : foreign(error)
  return reason && money ? say`${reason}: ${money}` : (reason ?? money ?? null)
}

const worldStatus: Column<PlacedIntent> = {
  ...field<PlacedIntent>('world_status', ({ world_status }) => world_status),
  text: ({ world_status }) => (world_status === null ? '' : worldWords[world_status]),
}

const worldWords = { live: say`running`, gone: say`gone`, not_running: say`not running` } as const

/** Layout without the service, which is the same for all rows. */
const samePlaceLayout: Layout<PlacedIntent> = {
  ...intentLayout,
  columns: columnsOf<PlacedIntent>(...allColumns, worldStatus),
}

/** Layout with the service of each intent, and with the state of the world that the intent was sent to. */
const placedLayout: Layout<PlacedIntent> = {
  columns: columnsOf<PlacedIntent>(...allColumns, worldStatus),
  table: [
    ...shownColumns,
    { ...words<PlacedIntent>('where', (intent) => String(placeNamed(intent))), text: placeNamed, wraps: true },
  ],
  group: { over: 'time', of: ({ created_at }) => dayOf(created_at) },
  below: belowIntent,
}
