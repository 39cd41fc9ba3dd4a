import type { ControlClient } from '../../client/control_client.ts'
import type { Received } from '../../client/received.ts'
import type { LoggedRequest, RequestDetail, RequestsQuery } from '../../contract/control/requests.ts'
import { moneyText } from '../../contract/money.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { ApiError } from '../../errors/service_errors.ts'
import { detail, field, nested, time, words } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { clockTime } from '../../run/time.ts'
import { integer } from '../arguments.ts'
import type { CommandModule, Context } from '../context.ts'
import { examples } from '../examples.ts'
import { listOptions } from '../list_options.ts'
import { controlled, steer } from './steer.ts'

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

interface Flags {
  readonly endpoint?: string
  readonly status?: string
  readonly limit?: number
  readonly follow?: true
}

/** What the emulator lists where it is not told. */
const usualLimit = 20

export const requests: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'List the last requests that the world got, oldest first: which endpoint, what it was answered, and what broke the ' +
        'contract. Requests to the emulator itself are not among them.',
    )
    .usage('[options] [command]')
    .option('--endpoint <id>', 'only of this endpoint; payctl api lists them')
    .option('--status <status>', 'only with this status, or of this class: 422, 4xx')
    .option('--limit <n>', `how many, 1 to 10000 (default: ${usualLimit})`, integer({ min: 1, max: 10_000 }))
    .option('-f, --follow', 'go on with each request as it is answered, until Ctrl-C (exit 130)')
    .action(async (flags: Flags) => {
      const { endpoint, status, limit } = flags
      const query = { ...(endpoint && { endpoint }), ...(status && { status }), ...(limit && { limit }) }
      if (flags.follow) return follow(query, (work) => steer(command, context, work), context)
      const { requests, dropped } = await steer(command, context, (control) =>
        control.call('control.requests.list', { query }),
      )
      await context.output.list(requests, columns, { none: 'No requests.' })
      if (dropped) context.output.note(`${dropped} older ones are not kept.`)
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

async function follow(query: RequestsQuery, steered: Steer, { output, signal, exitWith }: Context): Promise<void> {
  if (output.format === 'json') {
    throw new UsageError('--follow has no end, so it makes no JSON document.', 'Take a line for each: --output ndjson')
  }
  try {
    await steered((control) => output.stream(feed(query, control), columns))
  } catch (error) {
    if (!signal.aborted) throw error
  }
  exitWith(exits.interrupted.code)
}

/** How long one answer is waited for, in milliseconds. */
const longPoll = 30_000

/** What is there, and then each request as it comes, also when the world is reset in between. */
async function* feed(query: RequestsQuery, control: ControlClient): AsyncGenerator<Logged> {
  const first = await control.call('control.requests.list', { query })
  yield* first.requests
  let since = first.last ?? 0
  for (;;) {
    try {
      const input = { query: { ...query, limit: 1000, since, wait_ms: longPoll } }
      const { requests, last } = await control.call('control.requests.list', input)
      yield* requests
      since = last ?? since
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 410) throw error
      // It was reset, or has ended: then this is refused too.
      await control.call('control.requests.list', { query: { limit: 1 } })
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
