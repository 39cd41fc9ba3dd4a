import { type Command, Option } from 'commander'
import { duration, fraction, instant, integer } from '../../cli/arguments.ts'
import type { CommandModule } from '../../cli/command.ts'
import { details, examples } from '../../cli/examples.ts'
import { listOptions } from '../../cli/list_options.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { Received } from '../../client/received.ts'
import type { FaultBody, FaultRule } from '../../contract/control/faults.ts'
import { eventNames } from '../../contract/event_names.ts'
import { deliveryFaults, isDeliveryFault, requestFaults } from '../../contract/fault_names.ts'
import { provokedErrors } from '../../contract/oauth.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { detail, field } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { endpointId } from './endpoint_id.ts'
import { worldId } from './world_id.ts'

type Rule = Received<FaultRule>

const columns: readonly Column<Rule>[] = [
  field('id', ({ id }) => id),
  { ...field<Rule>('endpoint', ({ endpoint }) => endpoint), text: subjectOf, uncut: true },
  field('status', ({ status }) => status),
  {
    ...field<Rule>('times', ({ times }) => times),
    text: ({ times }) => (times === null ? 'always' : `${times}`),
  },
  field('fault', ({ fault }) => fault),
  field('error', ({ error }) => error),
  { ...field<Rule>('delay_ms', ({ delay_ms }) => delay_ms), text: delayOf },
  field('matched', ({ matched }) => matched),
  field('fired', ({ fired }) => fired),
  detail('method', ({ method }) => method),
  detail('path', ({ path }) => path),
  detail('event', ({ event }) => event),
  detail('subscription', ({ subscription }) => subscription),
  detail('retry_after', ({ retry_after }) => retry_after),
  detail('spread_ms', ({ spread_ms }) => spread_ms),
  detail('after', ({ after }) => after),
  detail('until', ({ until }) => until),
  detail('probability', ({ probability }) => probability),
  detail('seed', ({ seed }) => seed),
]

/** Which requests or deliveries a rule is for. */
function subjectOf({ endpoint, method, path, event, subscription, fault }: Rule): string {
  if (endpoint !== undefined) return `${endpoint}`
  if (method !== undefined || path !== undefined) return `${method ?? 'any'} ${path ?? 'request'}`
  const forDeliveries = event !== undefined || subscription !== undefined || isDeliveryFault(fault)
  if (!forDeliveries) return 'any request'
  return event === undefined || event === '*' ? 'any delivery' : `${event}`
}

/** Milliseconds, from the least to the most. */
function delayOf({ delay_ms, spread_ms }: Rule): string {
  if (delay_ms == null && spread_ms == null) return ''
  const least = delay_ms ?? 0
  return spread_ms ? `${least} to ${least + spread_ms}` : `${least}`
}

export const faults: CommandModule = (command, context) => {
  controlled(command)
    .description(
      'Show the rules by which requests of the service are answered with an error or in a broken way, and deliveries ' +
        'of webhooks go wrong; add one, or end them all.',
    )
    .usage('[options] [command]')
    .option('--all', 'those that have ended, too')
    .action(async () => {
      const which = command.opts().all ? 'all' : 'active'
      const all = await steer(command, context, (control) => control.call('control.faults.list', { query: { which } }))
      await context.output.list(all, columns, { none: 'No faults.' })
    })
  listOptions(command, { columns, schema: 'FaultRule' }, context)
  examples(command, [
    'payctl emulator faults',
    'payctl emulator faults --all',
    'payctl emulator faults add payments.create 500',
    'payctl emulator faults add payments.create --fault lose_answer',
  ])
  return {
    add: {
      summary: 'Have requests end in an error or a broken answer, or deliveries go wrong.',
      usage: '[endpoint] [status]',
      load: () => add,
    },
    remove: { summary: 'End one rule.', usage: '<id>', load: () => remove },
    clear: { summary: 'End all faults. Prints those that were left.', load: () => clear },
  }
}

interface Flags {
  readonly status?: number
  readonly fault?: FaultBody['fault']
  readonly error?: FaultBody['error']
  readonly delay?: number
  readonly spread?: number
  readonly retryAfter?: number
  readonly method?: FaultBody['method']
  readonly path?: string
  readonly event?: FaultBody['event']
  readonly subscription?: string
  readonly times?: number
  readonly always?: boolean
  readonly after?: number
  readonly until?: string
  readonly probability?: number
  readonly seed?: number
}

const statusCode = integer({ min: 400, max: 599 })

const add: CommandModule = (command, context) => {
  controlled(command)
    .argument('[endpoint]', 'its id, which payctl api lists (default: any request)')
    .argument('[status]', 'the error to answer with; nothing else is done', statusCode)
  addMatching(command)
  addEffects(command)
  addTiming(command)
  command.action(async (id: string | undefined, status: number | undefined, flags: Flags) => {
    const body = { ...bodyOf(flags), ...(status !== undefined && { status }) }
    if (status !== undefined && flags.status !== undefined) throw new UsageError('The status is given twice.')
    const { error, fault, delay_ms, spread_ms } = body
    if ([body.status, error, fault, delay_ms, spread_ms].every((each) => each === undefined)) {
      throw new UsageError('This rule would do nothing.', 'Give a status, --fault or --delay.')
    }
    const whole: FaultBody = id === undefined ? body : { ...body, endpoint: await endpointId(id) }
    const rule = await steer(command, context, async (control) => {
      const { subscription: text } = whole
      const subscription = text && (await worldId({ text, kind: 'subscription' }, control, context))
      return control.call('control.faults.add', { body: { ...whole, ...(subscription && { subscription }) } })
    })
    await context.output.record(rule, columns)
  })
  details(command, 'Endpoints of the login: oauth.token, oauth.authorize, oauth.decide.')
  examples(
    command,
    [
      'payctl emulator faults add payments.create 500',
      'payctl emulator faults add payments.create --fault lose_answer --after 2',
      'payctl emulator faults add --event payment.completed --fault duplicate',
      'payctl emulator faults add --path "/api/accounts/**" --delay 2s --spread 1s --always',
      'payctl emulator faults add accounts.balance 503 --times 3 --retry-after 2',
      'payctl emulator faults add payments.serviceStatus 500 --always',
      'payctl emulator faults add --status 429 --retry-after 30 --probability 0.1 --seed 7',
      'payctl emulator faults add oauth.token --error invalid_grant',
    ],
    4,
  )
}

/** Which requests and deliveries the rule is for. */
function addMatching(command: Command): void {
  command
    .addOption(new Option('--method <method>', 'requests with this method').choices(['GET', 'POST', 'DELETE']))
    .option(
      '--path <pattern>',
      'requests to this path, as /api/accounts/**\n* stands for one segment, a last ** for all that follow',
    )
    .addOption(new Option('--event <event>', 'deliveries of this event; * for any').choices([...eventNames, '*']))
    .option('--subscription <subscription>', 'deliveries to it, by its id or a part of that')
}

/** What happens to them. */
function addEffects(command: Command): void {
  command
    .option('--status <status>', 'the error status, where no endpoint is named', statusCode)
    .addOption(
      new Option(
        '--fault <fault>',
        'what happens: reset, lose_answer, duplicate ...\nto the connection, the answer or the delivery',
      ).choices([...requestFaults, ...deliveryFaults]),
    )
    .addOption(
      new Option('--error <error>', 'OAuth error of an endpoint of the login\nwhich it answers').choices(
        provokedErrors,
      ),
    )
    .option('--delay <duration>', 'wait first\na request in real time, a delivery by the emulator’s clock', duration)
    .option('--spread <duration>', 'and up to this much more', duration)
    .option('--retry-after <seconds>', 'with status 429 or 503', integer({ min: 0, max: 86_400 }))
}

/** When, and how often. */
function addTiming(command: Command): void {
  command
    .option('--times <n>', 'how often (default: 1)\nwith --until or --probability: always', integer({ min: 1 }))
    .addOption(new Option('--always', 'until the faults are cleared').conflicts('times'))
    .option('--after <n>', 'let so many matches pass first', integer({ min: 0 }))
    .option('--until <time>', 'by the emulator’s clock\nISO 8601; without a zone it is Costa Rica’s', instant)
    .option('--probability <p>', 'of each match, from 0 to 1', fraction)
    .option('--seed <n>', 'starts the draws\ndefault: the number of the rule', integer({ min: 0, max: 2 ** 32 - 1 }))
}

/** Without what was not given. */
function bodyOf(flags: Flags): FaultBody {
  const { status, error, fault, method, path, event, subscription, after, until, probability, seed } = flags
  const body = {
    ...{ status, error, fault, method, path, event, subscription, after, until, probability, seed },
    delay_ms: flags.delay,
    spread_ms: flags.spread,
    retry_after: flags.retryAfter,
    times: flags.always ? null : flags.times,
  }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}

const remove: CommandModule = (command, context) => {
  controlled(command)
    .argument('<id>', 'as payctl emulator faults shows it', integer({ min: 1, max: 999_999_999 }))
    .action(async (id: number) => {
      const params = { id: `${id}` }
      const removed = await steer(command, context, (control) => control.call('control.faults.remove', { params }))
      await context.output.record(removed, columns)
    })
  examples(command, ['payctl emulator faults remove 1'])
}

const clear: CommandModule = (command, context) => {
  controlled(command).action(async () => {
    const left = await steer(command, context, (control) => control.call('control.faults.clear'))
    await context.output.list(left, columns, { none: 'There were no faults.' })
  })
  examples(command, ['payctl emulator faults clear'])
}
