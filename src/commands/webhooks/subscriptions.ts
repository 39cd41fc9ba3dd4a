import { isUuid } from '../../cli/arguments.ts'
import { type Context, command } from '../../cli/command.ts'
import { withHint } from '../../cli/next_step.ts'
import { envelopeOf, noneOn, notePage, pageFlags, partOf } from '../../cli/page_note.ts'
import { answer, array, rows } from '../../cli/prints.ts'
import { type EventName, eventNames, eventSummaries } from '../../contract/event_names.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, prose } from '../../output/columns.ts'
import { deletedColumns, listColumns, resumedColumns, subscriptionColumns, suspendedColumns } from './columns.ts'

const headersFlag = { '--show-headers': { about: 'show the values of headers' } } as const

export const list = command({
  summary: 'List your subscriptions',
  about:
    'List your webhook subscriptions, newest first. Values of headers are masked, as they can be secrets; --json, ' +
    'ndjson and yaml print them as the service sends them.',
  flags: { ...pageFlags('subscriptions'), ...headersFlag },
  prints: { '': rows('webhooks.list'), '--envelope': answer('webhooks.list') },
  columns: listColumns(),
  examples: [
    'payctl webhooks list',
    'payctl webhooks list --all --json',
    'payctl webhooks list --show-headers --output csv',
  ],
  async run({ all, page, perPage, showHeaders, envelope }, context) {
    const { needingScope, subscriptionsOf } = await import('../../webhooks/subscriptions.ts')
    const client = await context.client()
    const { output } = context
    const columns = listColumns(showHeaders)
    const none = withHint('No subscriptions.', toRun(['webhooks', 'tail'], 'Receive events here'), context.globals)
    if (all) return output.stream(subscriptionsOf(client, perPage), columns, { none })
    const answer = await needingScope(client.call('webhooks.list', { query: { page, per_page: perPage } }))
    await output.list(answer.data, columns, {
      ...envelopeOf(answer, envelope, context),
      none: noneOn(answer, none),
      part: partOf(answer),
    })
    notePage(answer, { items: 'subscriptions' }, context)
  },
})

const idArgument = {
  '<id>': { about: 'its id, or five characters of it or more', of: 'subscription', as: 'text' },
} as const

export const get = command({
  summary: 'Show one subscription',
  about: 'Show one webhook subscription. Values of its headers are masked but for --json, ndjson and yaml.',
  args: idArgument,
  flags: headersFlag,
  prints: answer('webhooks.get'),
  examples: [
    'payctl webhooks get 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
    'payctl webhooks get 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --json',
  ],
  async run({ text, showHeaders }, context) {
    const { needingScope } = await import('../../webhooks/subscriptions.ts')
    const client = await context.client()
    const id = await subscriptionId(text, context)
    const subscription = await needingScope(client.call('webhooks.get', { params: { id } }))
    await context.output.record(subscription, subscriptionColumns(showHeaders))
  },
})

export const suspend = command({
  summary: 'Stop deliveries for a while',
  about: 'Stop deliveries to a subscription until it is resumed. Exit 6 if it is suspended already.',
  args: idArgument,
  flags: { '--reason <text>': { about: 'why, as the subscription will show it' } },
  prints: answer('webhooks.suspend'),
  examples: [
    'payctl webhooks suspend 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --reason "Moving the receiver"',
    'payctl webhooks resume 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
  ],
  async run({ text, reason }, context) {
    const { needingScope } = await import('../../webhooks/subscriptions.ts')
    const client = await context.client()
    const id = await subscriptionId(text, context)
    const body = reason === undefined ? {} : { reason }
    const answer = await needingScope(client.call('webhooks.suspend', { params: { id }, body }))
    // Some services answer with nothing.
    await context.output.record(answer.id ? answer : { ...answer, id }, suspendedColumns)
  },
})

export const resume = command({
  summary: 'Resume deliveries',
  about: 'Resume deliveries to a suspended subscription. Exit 6 if it is not suspended.',
  args: idArgument,
  prints: answer('webhooks.resume'),
  examples: ['payctl webhooks resume 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c'],
  async run({ text }, context) {
    const { needingScope } = await import('../../webhooks/subscriptions.ts')
    const client = await context.client()
    const id = await subscriptionId(text, context)
    const answer = await needingScope(client.call('webhooks.resume', { params: { id } }))
    // Some services answer with nothing.
    await context.output.record(answer.id ? answer : { ...answer, id }, resumedColumns)
  },
})

export const remove = command({
  summary: 'Remove a subscription',
  about: 'Remove a webhook subscription for good, after asking. What it still had to deliver is lost.',
  args: idArgument,
  flags: { '-y, --yes': { about: 'do not ask' } },
  prints: answer('webhooks.delete'),
  examples: [
    'payctl webhooks delete 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c',
    'payctl webhooks delete 019a2e5c-7b1d-7c3e-9f4a-2b6d8e0f1a3c --yes',
  ],
  async run({ text, yes }, context) {
    const { needingScope } = await import('../../webhooks/subscriptions.ts')
    if (!yes) (await import('../../cli/prompts.ts')).requireAskable('remove', 'the subscription', context)
    const id = await subscriptionId(text, context)
    if (!yes) await ask(id, context)
    const client = await context.client()
    const removed = await needingScope(client.call('webhooks.delete', { params: { id } }))
    await context.output.record(removed, deletedColumns)
  },
})

/** A whole id does not load what reads the list. */
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

const eventColumns = columnsOf<{ readonly event: EventName; readonly meaning: string }>('event', prose('meaning'))

export const events = command({
  summary: 'List what can be subscribed to',
  about: 'List the events that can be subscribed to. Sends no request.',
  prints: array(async () => (await import('../schema/machine_shapes.ts')).eventRow),
  columns: eventColumns,
  examples: ['payctl webhooks events', 'payctl webhooks create --url https://example.com/hook --events all'],
  async run(_, { output }) {
    await output.list(
      eventNames.map((event) => ({ event, meaning: eventSummaries[event] })),
      eventColumns,
    )
  },
})
