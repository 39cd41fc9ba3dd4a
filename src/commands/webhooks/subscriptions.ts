import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { integer, isUuid } from '../../cli/arguments.ts'
import { type Context, command } from '../../cli/command.ts'
import { withHint } from '../../cli/next_step.ts'
import { envelopeOf, noneOn, notePage, pageFlags, partOf } from '../../cli/page_note.ts'
import { answer, array, rows } from '../../cli/prints.ts'
import { standardInput } from '../../cli/standard_input.ts'
import { type EventName, eventNames, eventSummaries } from '../../contract/event_names.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, prose } from '../../output/columns.ts'
import { idPart, isPartOf, shortestIdPart } from '../../values/text.ts'
import {
  createdColumns,
  deletedColumns,
  listColumns,
  resumedColumns,
  subscriptionColumns,
  suspendedColumns,
} from './columns.ts'
import { eventList, receiverUrl, warnOfPlainHttp } from './flags.ts'

const headersFlag = { '--show-headers': { about: 'show the values of headers' } } as const

export const list = command({
  summary: 'List your subscriptions',
  about:
    'List your webhook subscriptions, newest first. The values of headers are masked, because they can be secrets; --json, ' +
    'ndjson and yaml print them unmasked.',
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
  '<id>': { about: 'id, or at least five characters of the id', of: 'subscription', as: 'text' },
} as const

export const get = command({
  summary: 'Show one subscription',
  about: 'Show one webhook subscription. Values of its headers are masked, except with --json, ndjson and yaml.',
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
  about: 'Stop deliveries to a subscription until it is resumed. Exit 6 if it is already suspended.',
  args: idArgument,
  flags: { '--reason <text>': { about: 'reason, which is shown with the subscription' } },
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
    // Some services answer without data.
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
    // Some services answer without data.
    await context.output.record(answer.id ? answer : { ...answer, id }, resumedColumns)
  },
})

export const remove = command({
  summary: 'Remove a subscription',
  about: 'Remove a webhook subscription for good, after asking. Waiting deliveries are lost.',
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
  summary: 'List the events of webhooks',
  about: 'List the events that webhooks can subscribe to. Sends no request.',
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

/** `value` is the value itself; `file` is the path of a file that contains the value, `-` for stdin. */
interface HeaderFlag {
  readonly name: string
  readonly value?: string
  readonly file?: string
}

export const create = command({
  summary: 'Subscribe a URL to events',
  about:
    'Subscribe a URL to events. Deliveries are usually not signed: set a secret header, and make the receiver refuse ' +
    'deliveries without it. --json, ndjson and yaml print the header’s value. If the service gives the subscription a ' +
    'secret, every output format shows the secret, which is not shown again.',
  flags: {
    '--url <url>': { about: 'receiver of the events, http or https', required: true, parse: receiverUrl },
    '--events <names>': {
      about: 'names of events (a,b), or all: see payctl webhooks events',
      required: true,
      parse: eventList,
    },
    '--max-attempts <n>': { about: 'maximum number of attempts for a delivery', parse: integer({ min: 1 }) },
    '--delivery-timeout <seconds>': {
      about: 'seconds in which the receiver must answer',
      parse: integer({ min: 1 }),
    },
    '--header <header>': {
      about:
        "header of every delivery, repeatable: 'Name: value'; Name=@file and Name=@- (stdin) keep a secret out of the " +
        'list of processes',
      parse: headerFlag,
    },
  },
  prints: answer('webhooks.create'),
  examples: [
    'payctl webhooks create --url https://example.com/hook --events all',
    'payctl webhooks create --url https://example.com/hook --events payment.completed,payment.failed --header X-Secret=@secret.txt',
    'pass show hook | payctl webhooks create --url https://example.com/hook --events all --header X-Secret=@-',
  ],
  async run({ url, events, maxAttempts, deliveryTimeout, header }, context) {
    const { needingScope } = await import('../../webhooks/subscriptions.ts')
    const body = {
      url,
      events: [...events],
      ...(maxAttempts !== undefined && { max_attempts: maxAttempts }),
      ...(deliveryTimeout !== undefined && { timeout: deliveryTimeout }),
      ...(header && { headers: await readHeaders(header, context) }),
    }
    warnOfPlainHttp([url], context)
    const client = await context.client()
    const created = await needingScope(client.call('webhooks.create', { body }))
    await context.output.record(created, createdColumns)
    if (created?.secret) context.output.note('Save the secret now: it will not be shown again.')
  },
})

/** Parses `Name: value` and `Name=@file`. A repeated flag adds a header. Errors never repeat a value. */
function headerFlag(text: string, before: readonly HeaderFlag[] = []): readonly HeaderFlag[] {
  const [, name = '', mark, rest = ''] = /^([\w!#$%&'*+.^`|~-]+)\s*(:|=@)\s*(.*)$/s.exec(text) ?? []
  if (!name)
    throw new UsageError('The header has the wrong form.', "Give it as --header 'Name: value', or --header Name=@file")
  if (mark === '=@' && rest === '')
    throw new UsageError(`The file of ${name} is missing.`, 'Name it: Name=@file, or Name=@- for stdin')
  const flag: HeaderFlag = mark === ':' ? { name, value: checked(name, rest.trim()) } : { name, file: rest }
  const other = before.find((known) => known.name.toLowerCase() === name.toLowerCase())
  if (other === undefined) return [...before, flag]
  // An exact repetition changes nothing.
  if (other.value === flag.value && other.file === flag.file) return before
  throw new UsageError(`The header ${name} is given twice.`, 'Leave one of them out.')
}

/** Reads the values of headers; a file's last line end is not part of the value. */
async function readHeaders(flags: readonly HeaderFlag[], context: Context): Promise<Record<string, string>> {
  if (flags.filter(({ file }) => file === '-').length > 1) {
    throw new UsageError('Only one header can be read from stdin.', 'Put one of them in a file: Name=@file')
  }
  const headers: [string, string][] = []
  for (const { name, value, file } of flags) {
    const text =
      value ??
      (file === '-' ? await readAll(standardInput(context)) : await readFile(file ?? '', 'utf8').catch(readError(name)))
    headers.push([name, checked(name, text.replace(/\r?\n$/, ''))])
  }
  return Object.fromEntries(headers)
}

function checked(name: string, value: string): string {
  if (!/\p{Cc}/u.test(value)) return value
  throw new UsageError(`The value of ${name} has characters that a header cannot carry.`, 'It must be one line.')
}

const readError = (name: string) => (error: Error) => {
  throw new UsageError(`The value of ${name} could not be read: ${error.message}`, 'Give a file that you can read.')
}

/** Form of a part of a UUID. Other ids are sent to the service unchanged. */
const partForm = new RegExp(`^[0-9a-f-]{${shortestIdPart},35}$`)

/**
 * Returns the id of the subscription for a complete id, or for at least five characters of an id; a part needs one
 * request for the list. Throws a CliError if no id or several ids match.
 */
async function subscriptionId(text: string, context: Context): Promise<string> {
  const part = idPart(text)
  if (isUuid(part) || !partForm.test(part)) return text
  const { subscriptionsOf } = await import('../../webhooks/subscriptions.ts')
  const found: { readonly id: string; readonly url: string }[] = []
  for await (const { id, url } of subscriptionsOf(await context.client())) {
    if (id?.toLowerCase() === part) return id
    if (id && isPartOf(part, id)) found.push({ id, url: url ?? '' })
  }
  const [first] = found
  if (!first) {
    throw new CliError(
      'not_found',
      `None of your subscriptions has an id that contains ${part}.`,
      toRun(['webhooks', 'list']),
    )
  }
  if (found.length > 1) {
    const all = found.map(({ id, url }) => `${id} (${url})`).join(', ')
    throw new UsageError(`'${text}' matches ${found.length} subscriptions.`, `Give more of the id: ${all}`)
  }
  context.output.note(`Subscription ${first.id}`)
  return first.id
}
