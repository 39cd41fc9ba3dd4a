import { type Command, Option } from 'commander'
import type { Channel, HistoryQuery, Page, Payment, TransferType } from '../../contract/index.ts'
import type { CommandModule, Context } from '../context.ts'
import { examples } from '../examples.ts'
import { integer } from '../integer.ts'
import { listColumns } from './columns.ts'

interface HistoryFlags {
  readonly channel?: Channel
  readonly type?: TransferType
  readonly document?: string
  readonly page?: number
  readonly perPage?: number
  readonly all?: boolean
  readonly limit?: number
}

export const history: CommandModule = (command, context) => {
  filters(command)
    .description('List payments, newest first.')
    .option('--all', 'every page, as one list')
    .addOption(new Option('--limit <n>', 'the newest n, from as many pages as it takes').argParser(integer({ min: 1 })))
    .addOption(
      new Option('--page <n>', 'which page (default: 1)').argParser(integer({ min: 1 })).conflicts(['all', 'limit']),
    )
    .option('--per-page <n>', 'payments on a page, 1 to 1000', integer({ min: 1, max: 1000 }))
    .action((flags: HistoryFlags) => (flags.all || flags.limit ? printAll(flags, context) : printPage(flags, context)))
  examples(command, [
    'payctl payments history',
    'payctl payments history --type credit --limit 20',
    'payctl payments history --channel pin --all --output csv > pin.csv',
    'payctl payments history --document 3918734189 --page 2 --per-page 50 --json',
  ])
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

/** Fewer requests than pages of the service's own size would take. */
const largePage = 100

async function printAll(flags: HistoryFlags, context: Context): Promise<void> {
  const { limit = Number.POSITIVE_INFINITY, perPage = Math.min(limit, largePage) } = flags
  const client = await context.client()
  const payments = client.items('payments.history', { query: { ...queryOf(flags), per_page: perPage } })
  await context.output.stream(firstOf(limit, payments), listColumns(context.output.format))
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
  await context.output.list(answer.data, listColumns(context.output.format), answer)
  const remark = remarkOn(answer)
  if (remark) context.output.note(remark)
}

function remarkOn({ current_page: current, last_page: last, total }: Page<Payment>): string | undefined {
  if (total === 0) return 'No payments.'
  if (current < last)
    return `Page ${current} of ${last}, ${total} payments. Next: --page ${current + 1}. Everything: --all`
  return undefined
}
