import { isUuid } from '../../cli/arguments.ts'
import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { withHint } from '../../cli/next_step.ts'
import { envelopeOf, noneOn, notePage, type PageFlags, pageOptions, partOf } from '../../cli/page_note.ts'
import { type EventName, eventNames, eventSummaries } from '../../contract/event_names.ts'
import { toRun } from '../../errors/next_step.ts'
import { field, prose } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { deletedColumns, listColumns, resumedColumns, subscriptionColumns, suspendedColumns } from './columns.ts'

interface ListFlags extends PageFlags {
  readonly showHeaders?: boolean
}

export const list: CommandModule = (command, context) => {
  pageOptions(command, 'subscriptions')
    .description(
      'List your webhook subscriptions, newest first. Values of headers are masked, as they can be secrets; --json, ' +
        'ndjson and yaml print them as the service sends them.',
    )
    .option('--show-headers', 'show the values of headers')
    .action((flags: ListFlags) => printList(flags, context))
  listOptions(command, { columns: listColumns(), schema: 'WebhookSubscription' }, context)
  examples(command, [
    'payctl webhooks list',
    'payctl webhooks list --all --json',
    'payctl webhooks list --show-headers --output csv',
  ])
}

const noneIn = ({ globals }: Context): string =>
  withHint('No subscriptions.', toRun(['webhooks', 'tail'], 'Receive events here'), globals)

async function printList({ all, page, perPage, showHeaders, envelope }: ListFlags, context: Context): Promise<void> {
  const { needingScope, subscriptionsOf } = await import('../../webhooks/subscriptions.ts')
  const client = await context.client()
  const { output } = context
  const columns = listColumns(showHeaders)
  const none = noneIn(context)
  if (all) return output.stream(subscriptionsOf(client, perPage), columns, { none })
  const answer = await needingScope(client.call('webhooks.list', { query: { page, per_page: perPage } }))
  await output.list(answer.data, columns, {
    ...envelopeOf(answer, envelope, context),
    none: noneOn(answer, none),
    part: partOf(answer),
  })
  notePage(answer, { items: 'subscriptions' }, context)
}

export const get: CommandModule = (command, context) => {
  command
    .description('Show one webhook subscription. Values of its headers are masked but for --json, ndjson and yaml.')
    .argument('<id>', 'its id, or five characters of it or more')
    .option('--show-headers', 'show the values of headers')
    .action(async (text: string, { showHeaders }: { readonly showHeaders?: boolean }) => {
      const { needingScope } = await import('../../webhooks/subscriptions.ts')
      const client = await context.client()
      const id = await subscriptionId(text, context)
      const subscription = await needingScope(client.call('webhooks.get', { params: { id } }))
      await context.output.record(subscription, subscriptionColumns(showHeaders))
    })
  examples(command, [
    'payctl webhooks get 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
    'payctl webhooks get 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --json',
  ])
}

export const suspend: CommandModule = (command, context) => {
  command
    .description('Stop deliveries to a subscription until it is resumed. Exit 6 if it is suspended already.')
    .argument('<id>', 'its id, or five characters of it or more')
    .option('--reason <text>', 'why, as the subscription will show it')
    .action(async (text: string, { reason }: { readonly reason?: string }) => {
      const { needingScope } = await import('../../webhooks/subscriptions.ts')
      const client = await context.client()
      const id = await subscriptionId(text, context)
      const body = reason === undefined ? {} : { reason }
      const answer = await needingScope(client.call('webhooks.suspend', { params: { id }, body }))
      // Some services answer with nothing.
      await context.output.record(answer.id ? answer : { ...answer, id }, suspendedColumns)
    })
  examples(command, [
    'payctl webhooks suspend 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --reason "Moving the receiver"',
    'payctl webhooks resume 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
  ])
}

export const resume: CommandModule = (command, context) => {
  command
    .description('Take deliveries to a suspended subscription up again. Exit 6 if it is not suspended.')
    .argument('<id>', 'its id, or five characters of it or more')
    .action(async (text: string) => {
      const { needingScope } = await import('../../webhooks/subscriptions.ts')
      const client = await context.client()
      const id = await subscriptionId(text, context)
      const answer = await needingScope(client.call('webhooks.resume', { params: { id } }))
      // Some services answer with nothing.
      await context.output.record(answer.id ? answer : { ...answer, id }, resumedColumns)
    })
  examples(command, ['payctl webhooks resume 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c'])
}

export const remove: CommandModule = (command, context) => {
  command
    .description('Remove a webhook subscription for good, after asking. What it still had to deliver is lost.')
    .argument('<id>', 'its id, or five characters of it or more')
    .option('-y, --yes', 'do not ask')
    .action(async (text: string, { yes }: { readonly yes?: boolean }) => {
      const { needingScope } = await import('../../webhooks/subscriptions.ts')
      if (!yes) (await import('../../cli/prompts.ts')).requireAskable('remove', 'the subscription', context)
      const id = await subscriptionId(text, context)
      if (!yes) await ask(id, context)
      const client = await context.client()
      await context.output.record(
        await needingScope(client.call('webhooks.delete', { params: { id } })),
        deletedColumns,
      )
    })
  examples(command, [
    'payctl webhooks delete 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
    'payctl webhooks delete 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --yes',
  ])
}

/** Found out without loading what reads the list. */
async function subscriptionId(text: string, context: Context): Promise<string> {
  if (isUuid(text)) return text
  const named = await import('./subscription_id.ts')
  return named.subscriptionId(text, context)
}

async function ask(id: string, context: Context): Promise<void> {
  const [{ requireYes }, { needingScope }] = await Promise.all([
    import('../../cli/prompts.ts'),
    import('../../webhooks/subscriptions.ts'),
  ])
  const client = await context.client()
  const { url, events } = await needingScope(client.call('webhooks.get', { params: { id } }))
  const question = `Remove the subscription of ${url} to ${[events].flat().join(', ')}?`
  await requireYes(question, context, 'nothing was removed')
}

const eventColumns: readonly Column<{ readonly event: EventName; readonly meaning: string }>[] = [
  field('event', ({ event }) => event),
  prose('meaning', ({ meaning }) => meaning),
]

export const events: CommandModule = (command, context) => {
  command.description('List the events that can be subscribed to. Asks nobody.').action(() =>
    context.output.list(
      eventNames.map((event) => ({ event, meaning: eventSummaries[event] })),
      eventColumns,
    ),
  )
  listOptions(command, eventColumns, context)
  examples(command, ['payctl webhooks events', 'payctl webhooks create --url https://example.com/hook --events all'])
}
