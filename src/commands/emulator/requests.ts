import { integer } from '../../cli/arguments.ts'
import { type Context, command, type Input } from '../../cli/command.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { envelopeOf, noneOn, notePage, pageFlags, partOf } from '../../cli/page_note.ts'
import { answer, rows, text } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import type { ControlClient } from '../../client/control_client.ts'
import { largestPage } from '../../client/paging.ts'
import type { Received } from '../../client/received.ts'
import type { RequestPage, RequestsQuery } from '../../contract/control/requests.ts'
import { moneyText } from '../../contract/money.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { isServiceAnswer } from '../../errors/service_errors.ts'
import { columnsOf, detail, field, money, nested, prose, time, words } from '../../output/columns.ts'
import { counted } from '../../run/counts.ts'
import { write } from '../../run/sink.ts'
import { clockTime } from '../../run/time.ts'
import { shownPart } from '../../values/text.ts'
import { exchangesOf, type TextFormat, textFormats, textOf } from './sent_requests.ts'
import { idInWorld } from './world_id.ts'

type Logged = RowOf<'control.requests.list'>

const requestColumns = columnsOf<Logged>(
  { ...field('id'), width: 'r1000'.length, uncut: true },
  { ...time('at'), text: ({ at }: Logged) => clockTime(at ?? ''), width: '12:00:00'.length },
  {
    ...field('endpoint'),
    text: ({ endpoint, method, path }: Logged) => endpoint ?? `${method} ${path}`,
    width: 'webhooks.suspend'.length,
  },
  { ...field('status'), width: 'status'.length, uncut: true },
  words('remark', remarkOn),
  '-method',
  '-path',
  detail('query', ({ query }: Logged) => new URLSearchParams(query as Record<string, string>).toString()),
  '-answered',
  { ...field('duration_ms'), spare: true },
  '-user',
  '-client',
  '-idempotency_key',
  '-replayed',
  '-fault',
  '-payment_id',
)

/** Describes anything unusual about a request. */
export function remarkOn({ answered, status, fault, broke, message, replayed }: Logged): string {
  const breaches = broke.map(({ what }) => what)
  const parts = [
    answered === false && (status === null ? 'there was no answer' : 'the answer was lost'),
    fault && `fault: ${fault}`,
    ...breaches,
    breaches.length === 0 && message,
    replayed && breaches.length === 0 && 'its key was known',
  ]
  return parts.filter(Boolean).join('; ')
}

/** Number of earlier requests that --follow prints first, unless --limit sets it. */
const usualLimit = 10

/** Flag that prints requests for another tool. */
const asFlag = {
  '--as <format>': {
    about: 'print the request for sending it again: with curl, or as a .http file for JetBrains and VS Code',
    choices: textFormats,
  },
} as const

const flags = {
  ...controlFlags,
  ...pageFlags('requests'),
  '--endpoint <id>': { about: 'only requests to this endpoint; payctl api lists endpoints' },
  '--status <status>': { about: 'only requests with this status, or class of statuses: 422, 4xx' },
  '--limit <n>': {
    about: 'number of newest requests, over several pages if needed',
    parse: integer({ min: 1 }),
    conflicts: ['all', 'page', 'envelope'],
  },
  '-f, --follow': {
    about: `list the newest ${usualLimit} (or --limit), then each new request as it is answered\noldest first; Ctrl-C ends the command with exit 130`,
    conflicts: ['all', 'page', 'perPage', 'envelope'],
  },
  '--as <format>': {
    ...asFlag['--as <format>'],
    about:
      'print the requests for sending them again, oldest first: with curl, or as a .http file for JetBrains and VS Code',
    conflicts: ['envelope', 'follow'],
  },
} as const

type Flags = Input<Record<never, never>, typeof flags>

export const requests = command({
  summary: 'List requests, with breaches of the contract',
  about:
    'List the last requests to the world, newest first, with endpoint, status, and breaches of the ' +
    'contract. Requests to control endpoints are not listed.',
  flags,
  prints: { '': rows('control.requests.list'), '--envelope': answer('control.requests.list'), '--as': text },
  columns: requestColumns,
  examples: [
    'payctl emulator requests',
    'payctl emulator requests --endpoint payments.create --status 4xx --limit 100',
    'payctl emulator requests --follow --output ndjson',
    'payctl emulator requests --as http --all > requests.http',
  ],
  commands: { show: () => showRequest },
  run(flags, context) {
    const { follow: isFollowing, all, limit, as } = flags
    if (as) return printAs(as, flags, context)
    const print = isFollowing ? follow : all || limit ? printNewest : printPage
    return print(flags, context)
  },
})

const none = 'No requests.'

const filterOf = ({ endpoint, status }: Flags): RequestsQuery => ({
  ...(endpoint && { endpoint }),
  ...(status && { status }),
})

const pageOf = (flags: Flags, control: ControlClient): Promise<Received<RequestPage>> => {
  const { page, perPage } = flags
  const query = { ...filterOf(flags), ...(page && { page }), ...(perPage && { per_page: perPage }) }
  return control.call('control.requests.list', { query })
}

async function printPage(flags: Flags, context: Context): Promise<void> {
  const { envelope } = flags
  const answer = await steer(flags, context, (control) => pageOf(flags, control))
  await context.output.list(answer.data, requestColumns, {
    ...envelopeOf(answer, envelope, context),
    none: noneOn(answer, none),
    part: partOf(answer),
  })
  notePage(answer, { items: 'requests' }, context)
  noteDropped(answer, context)
}

function noteDropped({ dropped }: Pick<Received<RequestPage>, 'dropped'>, { output }: Context): void {
  if (dropped) output.note(`${counted(dropped, 'older request')} dropped from the log.`)
}

/** Prints the newest requests from several pages, or all requests. */
async function printNewest(flags: Flags, context: Context): Promise<void> {
  await steer(flags, context, async (control) => {
    const log = await newestOf(control)
    await context.output.stream(requestsBefore(log, flags, control), requestColumns, { none })
    noteDropped(log, context)
  })
}

/** The newest page of the log; its member `last` is the number of the newest request. */
const newestOf = (control: ControlClient): Promise<Received<RequestPage>> =>
  control.call('control.requests.list', { query: { per_page: 1 } })

/** Yields the requests, newest first. The bound `last` keeps later requests from shifting the pages. */
async function* requestsBefore(
  { last }: Received<RequestPage>,
  flags: Flags,
  control: ControlClient,
): AsyncGenerator<Logged> {
  const { limit = Number.POSITIVE_INFINITY, perPage } = flags
  const per_page = perPage ?? Math.min(limit, largestPage)
  const query = { ...filterOf(flags), per_page, ...(last && { before: last + 1 }) }
  let count = 0
  for await (const request of control.items('control.requests.list', { query })) {
    yield request
    count += 1
    if (count === limit) return
  }
}

/** Prints the chosen requests, oldest first, in a form in which another tool can send them again. */
async function printAs(format: TextFormat, flags: Flags, context: Context): Promise<void> {
  refuseFormats(context)
  const { all, limit } = flags
  await steer(flags, context, async (control) => {
    const chosen: Logged[] = []
    if (all || limit) {
      for await (const request of requestsBefore(await newestOf(control), flags, control)) chosen.push(request)
    } else {
      const page = await pageOf(flags, control)
      chosen.push(...page.data)
      notePage(page, { items: 'requests' }, context)
    }
    if (chosen.length === 0) return context.output.note(none)
    const ids = chosen.map(({ id }) => id ?? '').reverse()
    await writeText(ids, { format, control }, context)
  })
}

async function writeText(
  ids: readonly string[],
  { format, control }: { readonly format: TextFormat; readonly control: ControlClient },
  { io, signal }: Context,
): Promise<void> {
  await write(io.stdout, textOf(await exchangesOf(ids, control), format, control.baseUrl), signal)
}

function refuseFormats({ globals }: Context): void {
  if (globals.output === undefined && !globals.json && globals.jq === undefined) return
  throw new UsageError(
    '--as prints text for another tool, so it can’t be combined with an output format.',
    'Leave one of them out',
  )
}

async function follow(flags: Flags, context: Context): Promise<void> {
  const { output, signal } = context
  if (output.format === 'json') {
    throw new UsageError(
      '--follow has no end, so it can’t print one JSON document.',
      'Print one document per line: --output ndjson',
    )
  }
  try {
    await steer(flags, context, (control) => output.stream(feed(flags, control, context), requestColumns))
  } catch (error) {
    if (!signal.aborted) throw error
  }
  context.exitWith(exits.interrupted.code)
}

/** Longest time that the emulator waits for a new request before it answers, in milliseconds. */
const longPoll = 30_000

/** Yields the newest logged requests, oldest first, then each new request. Continues when the world is reset. */
async function* feed(flags: Flags, control: ControlClient, { output }: Context): AsyncGenerator<Logged> {
  const log = await newestOf(control)
  const before: Logged[] = []
  for await (const request of requestsBefore(log, { ...flags, limit: flags.limit ?? usualLimit }, control))
    before.push(request)
  yield* before.reverse()
  let since = log.last ?? 0
  for (;;) {
    try {
      const query = { ...filterOf(flags), per_page: largestPage, since, wait_ms: longPoll }
      const { data, last, dropped } = await control.call('control.requests.list', { query })
      if (dropped && dropped > since) {
        output.note(`${counted(dropped - since, 'request')} missing: requests came faster than they could be printed.`)
      }
      yield* data
      since = last ?? since
    } catch (error) {
      if (!isServiceAnswer(error, 410)) throw error
      // This request succeeds after a reset. If the world has ended, the emulator refuses this request too.
      await newestOf(control)
      since = 0
    }
  }
}

type RequestDetail = RowOf<'control.requests.get'>

const detailColumns = columnsOf<RequestDetail>(
  ...requestColumns,
  nested('body'),
  nested('errors'),
  field('payments', ({ caused }: RequestDetail) =>
    caused.payments.map(({ id, status }) => `${id} ${status}`).join(', '),
  ),
  field('entries', ({ caused }: RequestDetail) =>
    caused.entries
      .map(({ movement, owner, purpose, amount }) => `${movement} ${moneyText(amount)} ${purpose} of ${owner}`)
      .join(', '),
  ),
  field('deliveries', ({ caused }: RequestDetail) =>
    caused.deliveries.map(({ id, event, status }) => `${id} ${event} ${status}`).join(', '),
  ),
)

const showRequest = command({
  summary: 'Show a request with its body and its effects.',
  args: { '<id>': { about: 'id of the request: r12' } },
  flags: { ...controlFlags, ...asFlag },
  prints: { '': answer('control.requests.get'), '--as': text },
  examples: [
    'payctl emulator requests show r1',
    'payctl emulator requests show r1 --json',
    'payctl emulator requests show r1 --as curl',
  ],
  async run({ id, as: format, ...steering }, context) {
    if (format) refuseFormats(context)
    await steer(steering, context, async (control) => {
      const request = await control.call('control.requests.get', { params: { id } })
      if (format) return writeText([id], { format, control }, context)
      await context.output.record(request, detailColumns)
    })
  },
})

type Entry = RowOf<'control.timeline'>

const timelineColumns = columnsOf<Entry>(
  { ...time('at'), text: ({ at }: Entry) => clockTime(at ?? '') },
  'kind',
  {
    ...prose('what'),
    text: ({ id, what, kind, status }: Entry) =>
      withShortIds(kind === 'request' ? [id, status, what].filter(Boolean).join(' ') : (what ?? '')),
  },
  money('amount'),
  '-status',
  '-id',
  '-duration_ms',
)

/** Shortens ids as other lists do: `...88f6b`. */
export const withShortIds = (text: string): string =>
  text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, shownPart)

export const show = endpointCommand('control.timeline', {
  summary: 'Show the timeline of a payment or request',
  about:
    'Show everything that happened to a payment, or because of a request, oldest first: requests, statuses, ledger ' +
    'entries, events, delivery attempts, and moves of the clock.',
  args: {
    '<payment|request>': {
      about: 'id of a request (r12); id of a payment, part of the id, or last',
      of: 'payment',
      as: 'text',
    },
  },
  members: ({ text }) => ({ id: /^r\d+$/i.test(text) ? text : idInWorld({ text, kind: 'payment' }) }),
  columns: timelineColumns,
  none: 'Nothing has happened.',
  examples: [
    'payctl emulator show 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    'payctl emulator show last',
    'payctl emulator show r12 --output csv',
  ],
})
