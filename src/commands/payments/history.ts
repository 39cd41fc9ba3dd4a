import { InvalidArgumentError } from 'commander'
import { duration, integer } from '../../cli/arguments.ts'
import type { CommandRecord, Context, Input } from '../../cli/command.ts'
import { command } from '../../cli/command.ts'
import { envelopeOf, noneOn, notePage, partOf } from '../../cli/page_note.ts'
import { answer, rows } from '../../cli/prints.ts'
import type { Payment } from '../../client/received.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { type Said, say } from '../../words/text.ts'
import { emulatorSeen, paymentLayout, paymentLayoutOf, worldSeen } from './columns.ts'
import { noteEarlierWorlds } from './earlier_world.ts'
import { filterFlags, type LocalFilter, localFilterOf, queryOf } from './history_filters.ts'
import { rememberEnds } from './remember_ends.ts'

/** Shortest interval, in milliseconds: shorter intervals would exceed the rate limit. */
const shortestInterval = 100

/** Parses an interval; returns milliseconds. */
function interval(text: string): number {
  const ms = duration(text)
  if (ms >= shortestInterval) return ms
  throw new InvalidArgumentError('Give 100ms or more.')
}

const historyFlags = {
  ...filterFlags,
  '--all': { about: 'every page, as one list' },
  '--limit <n>': { about: 'the newest n payments, over several pages if needed', parse: integer({ min: 0 }) },
  '--page <n>': { about: 'page to list (default: 1)', parse: integer({ min: 1 }), conflicts: ['all', 'limit'] },
  '--per-page <n>': { about: 'payments on a page, 1 to 1000', parse: integer({ min: 1, max: 1000 }) },
  '--envelope': {
    about: "print the service's own page object, in JSON or YAML",
    conflicts: ['all', 'limit', 'follow'],
  },
  '-f, --follow': {
    about:
      'list the newest 10 (or --limit), then each new payment\noldest first; a payment is listed again ' +
      'when its status changes; Ctrl-C ends the command with exit 130',
    conflicts: ['all', 'page', 'perPage', 'until'],
  },
  '--interval <duration>': {
    about: 'time between two requests; implies --follow',
    parse: interval,
    default: 2000,
    defaultText: '2s',
    implies: { follow: true },
  },
} as const satisfies CommandRecord['flags']

type HistoryFlags = Input<Record<never, never>, typeof historyFlags>

const details = `
Times without a zone are in the zone of this machine, and a day includes its
end: --since 2026-11-01 --until 2026-11-30 is all of November. The service
applies --channel, --direction and --document; payctl applies the other filters
to all pages of the history, up to --limit matches. With --since nothing older
is read, if the service lists the newest payments first.

Below a table are the sums of its payments by currency: out is money that left
or is on its way, in is money that arrived. Payments that did not arrive are not
counted.`

export const history = command({
  summary: 'List payments, newest first',
  about: 'List payments, newest first.',
  flags: historyFlags,
  prints: { '': rows('payments.history'), '--envelope': answer('payments.history') },
  columns: paymentLayout,
  details,
  examples: [
    'payctl payments history',
    'payctl payments history --account CRC --since 7d',
    'payctl payments history --since 7d --status failed,timeout',
    'payctl payments history --since 2026-11-01 --until 2026-11-30 --direction in -o csv > november.csv',
    'payctl payments history --payee "carlos jimenez" --amount 1000..2000',
    'payctl payments history --follow --direction in',
    'payctl payments history --channel pin --all --output csv > pin.csv',
    'payctl payments history --document 3918734189 --page 2 --per-page 50 --json',
  ],
  fewExamples: 6,
  run: (flags, context) => printHistory(flags, context),
})

/** Maximum number of payments that --follow holds back in order to print the oldest first. */
const mostFollowed = 1000

async function printHistory(flags: HistoryFlags, context: Context): Promise<void> {
  const { limit, all, page, envelope } = flags
  const local = await localFilterOf(flags, context)
  if (!flags.follow) {
    if (limit === 0)
      throw new UsageError('--limit 0 leaves nothing to list.', 'With --follow, --limit 0 lists only new payments')
    if (local && (page !== undefined || envelope)) throw pagesAreOfTheService(local)
    return all || limit || local ? search(flags, local, context) : printPage(flags, context)
  }
  if (limit !== undefined && limit > mostFollowed) {
    throw new UsageError(
      say`--follow begins with ${mostFollowed} payments at most.`,
      'List older payments without --follow',
    )
  }
  await follow(flags, local, context)
}

const pagesAreOfTheService = ({ flags }: LocalFilter): UsageError =>
  new UsageError(
    say`--page and --envelope show one page of the service’s list, and the service can’t filter by ${flags.join(', ')}: matching payments can be on any page.`,
    'Leave --page and --envelope out; --limit <n> ends sooner.',
  )

/** Prints payments as they arrive, until the user interrupts the run. The interruption is not a failure. */
async function follow(flags: HistoryFlags, local: LocalFilter | undefined, context: Context): Promise<void> {
  const { limit = 10, interval } = flags
  const { output, signal } = context
  if (output.format === 'json') {
    throw new UsageError(
      '--follow has no end, so it can’t print one JSON document.',
      'Print one document per line: --output ndjson',
    )
  }
  const { paymentFeed } = await import('../../payments/follow.ts')
  const note = (text: Said) => output.note(text)
  const since = local?.period.since ?? Number.NEGATIVE_INFINITY
  const fits = local && ((payment: Payment) => !(Date.parse(payment.created_at ?? '') < since) && local.fits(payment))
  const client = await context.client()
  const layout = paymentLayoutOf(emulatorSeen(client))
  const payments = paymentFeed({ client, query: queryOf(flags), fits, limit, interval, signal, note })
  await output.stream(payments, layout)
  context.exitWith(exits.interrupted.code)
}

/** Prints matching payments from as many pages as needed. */
async function search(flags: HistoryFlags, local: LocalFilter | undefined, context: Context): Promise<void> {
  const { printSearch } = await import('./print_search.ts')
  const { limit, perPage } = flags
  await printSearch({ query: queryOf(flags), local, limit, perPage }, context)
}

async function printPage(flags: HistoryFlags, context: Context): Promise<void> {
  const { page, perPage } = flags
  const query = { ...queryOf(flags), page, per_page: perPage }
  const client = await context.client()
  const world = worldSeen(client)
  const isEmulator = () => world() !== undefined
  const answer = await client.call('payments.history', { query })
  await context.output.list(answer.data, paymentLayoutOf(isEmulator), {
    ...envelopeOf(answer, flags.envelope, context),
    none: noneOn(answer, 'No payments.'),
    part: partOf(answer),
  })
  await rememberEnds(answer.data, { client, world }, context)
  notePage(answer, { items: 'payments' }, context)
  if (answer.total === 0) await noteEarlierWorlds({ client, world }, context)
  if (context.output.format !== 'table') return
  const { noteTotals, totalsOf } = await import('./totals.ts')
  noteTotals(totalsOf(answer.data), isEmulator(), context)
}
