import { Option } from 'commander'
import { integer } from '../../cli/arguments.ts'
import type { CommandModule, Context } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { envelopeOf, noneOn, notePage, type PageFlags, pageOptions, partOf } from '../../cli/page_note.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { ControlClient } from '../../client/control_client.ts'
import type { Received } from '../../client/received.ts'
import type { LoggedRequest, RequestDetail, RequestPage, RequestsQuery } from '../../contract/control/requests.ts'
import { moneyText } from '../../contract/money.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { isServiceAnswer } from '../../errors/service_errors.ts'
import { detail, field, nested, time, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { grouped } from '../../run/counts.ts'
import { clockTime } from '../../run/time.ts'

type Logged = Received<LoggedRequest>

const columns: readonly Column<Logged>[] = [
  { ...field<Logged>('id', ({ id }) => id), width: 'r1000'.length, uncut: true },
  { ...time<Logged>('at', ({ at }) => at), text: ({ at }) => clockTime(at ?? ''), width: '12:00:00'.length },
  {
    ...field<Logged>('endpoint', ({ endpoint }) => endpoint),
    text: ({ endpoint, method, path }) => endpoint ?? `${method} ${path}`,
    width: 'webhooks.suspend'.length,
  },
  { ...field<Logged>('status', ({ status }) => status), width: 'status'.length, uncut: true },
  words('remark', remarkOn),
  detail('method', ({ method }) => method),
  detail('path', ({ path }) => path),
  detail('query', ({ query }) => new URLSearchParams(query as Record<string, string>).toString()),
  detail('answered', ({ answered }) => answered),
  detail('duration_ms', ({ duration_ms }) => duration_ms),
  detail('user', ({ user }) => user),
  detail('client', ({ client }) => client),
  detail('idempotency_key', ({ idempotency_key }) => idempotency_key),
  detail('replayed', ({ replayed }) => replayed),
  detail('fault', ({ fault }) => fault),
  detail('payment_id', ({ payment_id }) => payment_id),
]

/** What is out of the ordinary. */
function remarkOn({ answered, status, fault, broke, message, replayed }: Logged): string {
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

interface Flags extends PageFlags {
  readonly endpoint?: string
  readonly status?: string
  readonly limit?: number
  readonly follow?: true
}

/** What --follow begins with. */
const usualLimit = 10

export const requests: CommandModule = (command, context) => {
  pageOptions(controlled(command), 'requests')
    .description(
      'List the last requests that the world got, newest first: which endpoint, what it was answered, and what broke the ' +
        'contract. Requests to the emulator itself are not among them.',
    )
    .usage('[options] [command]')
    .option('--endpoint <id>', 'only of this endpoint; payctl api lists them')
    .option('--status <status>', 'only with this status, or of this class: 422, 4xx')
    .addOption(
      new Option('--limit <n>', 'the newest n, from as many pages as it takes')
        .argParser(integer({ min: 1 }))
        .conflicts(['all', 'page', 'envelope']),
    )
    .addOption(
      new Option(
        '-f, --follow',
        `the newest ${usualLimit}, then each as it is answered, till Ctrl-C\noldest first, as many as --limit says; exit 130`,
      ).conflicts(['all', 'page', 'perPage', 'envelope']),
    )
    .action((flags: Flags) => {
      const { follow: isFollowing, all, limit } = flags
      const print = isFollowing ? follow : all || limit ? printNewest : printPage
      return print(flags, (work) => steer(command, context, work), context)
    })
  listOptions(command, { columns, schema: 'LoggedRequest' }, context)
  examples(command, [
    'payctl emulator requests',
    'payctl emulator requests --endpoint payments.create --status 4xx --limit 100',
    'payctl emulator requests --follow --output ndjson',
  ])
  return {
    show: { summary: 'Show a request with its body, and what it caused.', usage: '<id>', load: () => show },
  }
}

type Steer = <T>(work: (control: ControlClient) => Promise<T>) => Promise<T>

const none = 'No requests.'

const filterOf = ({ endpoint, status }: Flags): RequestsQuery => ({
  ...(endpoint && { endpoint }),
  ...(status && { status }),
})

async function printPage(flags: Flags, steered: Steer, context: Context): Promise<void> {
  const { page, perPage, envelope } = flags
  const query = { ...filterOf(flags), page, per_page: perPage }
  const answer = await steered((control) => control.call('control.requests.list', { query }))
  await context.output.list(answer.data, columns, {
    ...envelopeOf(answer, envelope, context),
    none: noneOn(answer, none),
    part: partOf(answer),
  })
  notePage(answer, { items: 'requests' }, context)
  noteDropped(answer, context)
}

function noteDropped({ dropped }: Pick<Received<RequestPage>, 'dropped'>, { output }: Context): void {
  if (dropped) output.note(`${grouped(dropped)} older ones are not kept.`)
}

/** Prints the newest requests from as many pages as it takes, or all. */
async function printNewest(flags: Flags, steered: Steer, context: Context): Promise<void> {
  await steered(async (control) => {
    const log = await newestOf(control)
    await context.output.stream(requestsBefore(log, flags, control), columns, { none })
    noteDropped(log, context)
  })
}

/** The end of the log: `last` is the number of its newest request. */
const newestOf = (control: ControlClient): Promise<Received<RequestPage>> =>
  control.call('control.requests.list', { query: { per_page: 1 } })

/** Those up to the end of the log, newest first: requests that come meanwhile move no page. */
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

async function follow(flags: Flags, steered: Steer, context: Context): Promise<void> {
  const { output, signal } = context
  if (output.format === 'json') {
    throw new UsageError('--follow has no end, so it makes no JSON document.', 'Take a line for each: --output ndjson')
  }
  try {
    await steered((control) => output.stream(feed(flags, control, context), columns))
  } catch (error) {
    if (!signal.aborted) throw error
  }
  context.exitWith(exits.interrupted.code)
}

/** How long one answer is waited for, in milliseconds. */
const longPoll = 30_000

const largestPage = 1000

/** What is there, and then each request as it comes, also when the world is reset in between. */
async function* feed(flags: Flags, control: ControlClient, { output }: Context): AsyncGenerator<Logged> {
  const log = await newestOf(control)
  const before: Logged[] = []
  for await (const request of requestsBefore(log, { limit: usualLimit, ...flags }, control)) before.push(request)
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
      // It was reset, or has ended: then this is refused too.
      await newestOf(control)
      since = 0
    }
  }
}

const detailColumns: readonly Column<Received<RequestDetail>>[] = [
  ...columns,
  nested('body', ({ body }) => body),
  nested('errors', ({ errors }) => errors),
  field('payments', ({ caused }) => caused.payments.map(({ id, status }) => `${id} ${status}`).join(', ')),
  field('entries', ({ caused }) =>
    caused.entries
      .map(({ movement, owner, purpose, amount }) => `${movement} ${moneyText(amount)} ${purpose} of ${owner}`)
      .join(', '),
  ),
  field('deliveries', ({ caused }) =>
    caused.deliveries.map(({ id, event, status }) => `${id} ${event} ${status}`).join(', '),
  ),
]

const show: CommandModule = (command, context) => {
  controlled(command)
    .argument('<id>', 'its id: r12')
    .action(async (id: string) => {
      const input = { params: { id } }
      const request = await steer(command, context, (control) => control.call('control.requests.get', input))
      await context.output.record(request, detailColumns)
    })
  examples(command, ['payctl emulator requests show r1', 'payctl emulator requests show r1 --json'])
}
