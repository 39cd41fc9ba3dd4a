import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Payment } from '../../client/received.ts'
import type { Channel, HistoryQuery, TransferType } from '../../contract/index.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { duration, integer } from '../arguments.ts'
import type { CommandModule, Context } from '../context.ts'
import { examples } from '../examples.ts'
import { noneOn, notePage } from '../page_note.ts'
import { followColumns, listColumns, paymentColumns } from './columns.ts'

interface HistoryFlags {
  readonly channel?: Channel
  readonly type?: TransferType
  readonly document?: string
  readonly page?: number
  readonly perPage?: number
  readonly all?: boolean
  readonly limit?: number
  readonly follow?: boolean
  /** Milliseconds. */
  readonly interval: number
}

/** Shortest interval, in milliseconds: shorter ones meet the rate limit. */
const shortestInterval = 100

/** Milliseconds. */
function interval(text: string): number {
  const ms = duration(text)
  if (ms >= shortestInterval) return ms
  throw new InvalidArgumentError('Give 100ms or more.')
}

export const history: CommandModule = (command, context) => {
  filters(command)
    .description('List payments, newest first.')
    .option('--all', 'every page, as one list')
    .addOption(new Option('--limit <n>', 'the newest n, from as many pages as it takes').argParser(integer({ min: 0 })))
    .addOption(
      new Option('--page <n>', 'which page (default: 1)').argParser(integer({ min: 1 })).conflicts(['all', 'limit']),
    )
    .option('--per-page <n>', 'payments on a page, 1 to 1000', integer({ min: 1, max: 1000 }))
    .addOption(
      new Option(
        '-f, --follow',
        'print the newest 10 (--limit), oldest first; then each new payment as it comes, and again when its status ' +
          'changes, until Ctrl-C (exit 130)',
      ).conflicts(['all', 'page', 'perPage']),
    )
    .addOption(
      new Option('--interval <duration>', 'between two looks for new payments; implies --follow')
        .argParser(interval)
        .default(2000, '2s')
        .implies({ follow: true }),
    )
    .action((flags: HistoryFlags) => printHistory(flags, context))
  examples(command, [
    'payctl payments history',
    'payctl payments history --type credit --limit 20',
    'payctl payments history --channel pin --all --output csv > pin.csv',
    'payctl payments history --follow --type credit',
    'payctl payments history --document 3918734189 --page 2 --per-page 50 --json',
  ])
}

/** Most payments that --follow holds back to print them oldest first. */
const mostFollowed = 1000

async function printHistory(flags: HistoryFlags, context: Context): Promise<void> {
  const { limit, all } = flags
  if (!flags.follow) {
    if (limit === 0)
      throw new UsageError('--limit 0 leaves nothing to list.', 'With --follow it lists new payments only')
    return all || limit ? printAll(flags, context) : printPage(flags, context)
  }
  if (limit !== undefined && limit > mostFollowed) {
    throw new UsageError(`--follow begins with ${mostFollowed} payments at most.`, 'List older ones without it')
  }
  await follow(flags, context)
}

/** Prints payments as they come until it is interrupted, its usual end. */
async function follow(flags: HistoryFlags, context: Context): Promise<void> {
  const { limit = 10, interval } = flags
  const { output, signal, io } = context
  if (output.format === 'json') {
    throw new UsageError('--follow has no end, so it makes no JSON document.', 'Take a line for each: --output ndjson')
  }
  const { paymentFeed } = await import('../../payments/follow.ts')
  const note = (text: string) => output.note(text)
  const payments = paymentFeed({ client: await context.client(), query: queryOf(flags), limit, interval, signal, note })
  const columns =
    output.format === 'table' ? followColumns(io.stdout.columns || Number.POSITIVE_INFINITY) : paymentColumns
  await output.stream(payments, columns)
  context.exitWith(exits.interrupted.code)
}

const filters = (command: Command): Command =>
  command
    .addOption(new Option('--channel <channel>', 'only payments of one channel').choices(['pin', 'sinpe_movil']))
    .addOption(new Option('--type <type>', 'only money that went out, or came in').choices(['debit', 'credit']))
    .option('--document <number>', 'only payments to the holder of this identity document')

const queryOf = ({ channel, type, document }: HistoryFlags): HistoryQuery => ({
  ...(channel && { channel }),
  ...(type && { transfer_type: type }),
  ...(document !== undefined && { recipient_document_number: document }),
})

const none = 'No payments.'

/** Fewer requests than pages of the service's own size would take. */
const largePage = 100

async function printAll(flags: HistoryFlags, context: Context): Promise<void> {
  const { limit = Number.POSITIVE_INFINITY, perPage = Math.min(limit, largePage) } = flags
  const client = await context.client()
  const payments = client.items('payments.history', { query: { ...queryOf(flags), per_page: perPage } })
  await context.output.stream(firstOf(limit, payments), listColumns(context.output.format), { none })
}

async function* firstOf(limit: number, payments: AsyncIterable<Payment>): AsyncGenerator<Payment, void> {
  let count = 0
  for await (const payment of payments) {
    yield payment
    count += 1
    if (count === limit) return
  }
}

async function printPage(flags: HistoryFlags, context: Context): Promise<void> {
  const { page, perPage } = flags
  const query = { ...queryOf(flags), page, per_page: perPage }
  const client = await context.client()
  const answer = await client.call('payments.history', { query })
  await context.output.list(answer.data, listColumns(context.output.format), {
    data: answer,
    none: noneOn(answer, none),
  })
  notePage(answer, 'payments', context)
}
