import { Option } from 'commander'
import type { CommandModule, Context } from '../context.ts'
import { examples } from '../examples.ts'
import { integer } from '../integer.ts'
import { noneOn, notePage } from '../page_note.ts'
import { listColumns } from './columns.ts'

interface ListFlags {
  readonly all?: boolean
  readonly page?: number
  readonly perPage?: number
  readonly showHeaders?: boolean
}

export const list: CommandModule = (command, context) => {
  command
    .description(
      'List your webhook subscriptions, newest first. Values of headers are masked, as they can be secrets; --json, ' +
        'ndjson and yaml print them as the service sends them.',
    )
    .option('--all', 'every page, as one list')
    .addOption(new Option('--page <n>', 'which page (default: 1)').argParser(integer({ min: 1 })).conflicts('all'))
    .option('--per-page <n>', 'subscriptions on a page, 1 to 1000', integer({ min: 1, max: 1000 }))
    .option('--show-headers', 'show the values of headers')
    .action((flags: ListFlags) => printList(flags, context))
  examples(command, [
    'payctl webhooks list',
    'payctl webhooks list --all --json',
    'payctl webhooks list --show-headers --output csv',
  ])
}

const none = 'No subscriptions. Receive events here: payctl webhooks tail'

async function printList({ all, page, perPage, showHeaders }: ListFlags, context: Context): Promise<void> {
  const { needingScope, subscriptionsOf } = await import('../../webhooks/subscriptions.ts')
  const client = await context.client()
  const { output } = context
  const columns = listColumns(showHeaders)
  if (all) return output.stream(subscriptionsOf(client, perPage), columns, { none })
  const answer = await needingScope(client.call('webhooks.list', { query: { page, per_page: perPage } }))
  await output.list(answer.data, columns, { none: noneOn(answer, none) })
  notePage(answer, 'subscriptions', context)
}
