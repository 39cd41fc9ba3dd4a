import { integer } from '../../cli/arguments.ts'
import { type Context, command, type Input } from '../../cli/command.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { envelopeOf, noneOn, notePage, pageFlags, partOf } from '../../cli/page_note.ts'
import { answer, rows } from '../../cli/prints.ts'
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
import { grouped } from '../../run/counts.ts'
import { clockTime } from '../../run/time.ts'
import { shownPart } from '../../values/text.ts'
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

/** Number of earlier requests that --follow prints first. */
const usualLimit = 10

const flags = {
  ...controlFlags,
  ...pageFlags('requests'),
  '--endpoint <id>': { about: 'only requests to this endpoint; payctl api lists them' },
  '--status <status>': { about: 'only requests with this status, or class: 422, 4xx' },
  '--limit <n>': {
    about: 'number of newest requests, over several pages if needed',
    parse: integer({ min: 1 }),
    conflicts: ['all', 'page', 'envelope'],
  },
  '-f, --follow': {
    about: `the newest ${usualLimit}, then each as it is answered, until Ctrl-C\noldest first; --limit sets the number before; exit 130`,
    conflicts: ['all', 'page', 'perPage', 'envelope'],
  },
} as const

type Flags = Input<Record<never, never>, typeof flags>

export const requests = command({
  summary: 'List requests, with breaches of the contract',
  about:
    'List the last requests to the world, newest first, with endpoint, status, and breaches of the ' +
    'contract. Requests to control endpoints are not listed.',
  flags,
  prints: { '': rows('control.requests.list'), '--envelope': answer('control.requests.list') },
  columns: requestColumns,
  examples: [
    'payctl emulator requests',
    'payctl emulator requests --endpoint payments.create --status 4xx --limit 100',
    'payctl emulator requests --follow --output ndjson',
  ],
  commands: { show: () => showRequest },
  run(flags, context) {
    const { follow: isFollowing, all, limit } = flags
    const print = isFollowing ? follow : all || limit ? printNewest : printPage
    return print(flags, context)
  },
})

const none = 'No requests.'

const filterOf = ({ endpoint, status }: Flags): RequestsQuery => ({
  ...(endpoint && { endpoint }),
  ...(status && { status }),
})

async function printPage(flags: Flags, context: Context): Promise<void> {
  const { page, perPage, envelope } = flags
  const query = { ...filterOf(flags), ...(page && { page }), ...(perPage && { per_page: perPage }) }
  const answer = await steer(flags, context, (control) => control.call('control.requests.list', { query }))
  await context.output.list(answer.data, requestColumns, {
    ...envelopeOf(answer, envelope, context),
    none: noneOn(answer, none),
    part: partOf(answer),
  })
  notePage(answer, { items: 'requests' }, context)
  noteDropped(answer, context)
}

function noteDropped({ dropped }: Pick<Received<RequestPage>, 'dropped'>, { output }: Context): void {
  if (dropped) output.note(`${grouped(dropped)} older requests no longer fit into the log.`)
}

/** Prints the newest requests of several pages, or all. */
async function printNewest(flags: Flags, context: Context): Promise<void> {
  await steer(flags, context, async (control) => {
    const log = await newestOf(control)
    await context.output.stream(requestsBefore(log, flags, control), requestColumns, { none })
    noteDropped(log, context)
  })
}

/** End of the log: `last` is the number of its newest request. */
const newestOf = (control: ControlClient): Promise<Received<RequestPage>> =>
  control.call('control.requests.list', { query: { per_page: 1 } })

/** Yields requests up to the end of the log, newest first: later requests don't shift the pages. */
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

/** Time to wait for one answer, in milliseconds. */
const longPoll = 30_000

/** Yields the logged requests, then each new request. Continues when the world is reset. */
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
        output.note(`${grouped(dropped - since)} requests are missing: they came faster than they could be printed.`)
      }
      yield* data
      since = last ?? since
    } catch (error) {
      if (!isServiceAnswer(error, 410)) throw error
      // After a reset this succeeds; if the world has ended, it is refused too.
      await newestOf(control)
      since = 0
    }
  }
}

type RequestDetail = RowOf<'control.requests.get'>

const showRequest = endpointCommand('control.requests.get', {
  summary: 'Show a request with its body and its effects.',
  args: { '<id>': { about: 'its id: r12' } },
  columns: columnsOf<RequestDetail>(
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
  ),
  examples: ['payctl emulator requests show r1', 'payctl emulator requests show r1 --json'],
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
    'entries, events, attempts at deliveries, and moves of the clock.',
  args: {
    '<payment|request>': {
      about: 'id of a request (r12), or of a payment: a part of it, or last',
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
