import { duration, fraction, instant, integer } from '../../cli/arguments.ts'
import { command } from '../../cli/command.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { answer } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import type { Received } from '../../client/received.ts'
import type { ChaosCount, FaultEndpointId } from '../../contract/control/faults.ts'
import { deliveryFaults, isDeliveryFault, requestFaults } from '../../contract/emulator_names.ts'
import { eventNames } from '../../contract/event_names.ts'
import { oauthEndpoints, provokedErrors } from '../../contract/oauth.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { nearest } from '../../errors/nearest.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, field } from '../../output/columns.ts'
import { idInWorld } from './world_id.ts'

type Rule = RowOf<'control.faults.list'>

const columns = columnsOf<Rule>(
  'id',
  { ...field('endpoint'), text: subjectOf, uncut: true },
  'status',
  { ...field('times'), text: ({ times }: Rule) => (times === null ? 'always' : `${times}`) },
  'fault',
  'error',
  { ...field('delay_ms'), text: delayOf },
  'matched',
  'fired',
  '-method',
  '-path',
  '-event',
  '-subscription',
  '-retry_after',
  '-spread_ms',
  '-after',
  '-until',
  '-probability',
  '-seed',
)

/** The requests or deliveries that a rule is for. */
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

export const faults = endpointCommand('control.faults.list', {
  summary: 'Make requests or deliveries fail on purpose',
  about:
    'Show the rules by which requests of the service are answered with an error or in a broken way, and deliveries ' +
    'of webhooks go wrong; add one, or end them all.',
  flags: { '--all': { about: 'those that have ended, too' } },
  members: ({ all }) => ({ which: all ? 'all' : 'active' }),
  columns,
  none: 'No faults.',
  examples: [
    'payctl emulator faults',
    'payctl emulator faults --all',
    'payctl emulator faults add payments.create 500',
    'payctl emulator faults add payments.create --fault lose_answer',
  ],
  commands: { add: () => add, remove: () => remove, clear: () => clear },
})

const statusCode = integer({ min: 400, max: 599 })

const add = endpointCommand('control.faults.add', {
  summary: 'Make requests end in an error or a broken answer, or deliveries fail.',
  args: {
    '[endpoint]': { about: 'its id, which payctl api lists (default: any request)' },
    '[status]': { about: 'the error to answer with; nothing else is done', parse: statusCode, as: 'code' },
  },
  flags: {
    '--method <method>': { about: 'requests with this method', choices: ['GET', 'POST', 'DELETE'] },
    '--path <pattern>': {
      about: 'requests to this path, as /api/accounts/**\n* stands for one segment, a last ** for all that follow',
    },
    '--event <event>': { about: 'deliveries of this event; * for any', choices: [...eventNames, '*'] },
    '--subscription <subscription>': {
      about: 'deliveries to it, by its id or a part of that',
      of: 'subscription',
    },
    '--status <status>': { about: 'the error status, where no endpoint is named', parse: statusCode },
    '--fault <fault>': {
      about: 'what happens: reset, lose_answer, duplicate ...\nto the connection, the answer or the delivery',
      choices: [...requestFaults, ...deliveryFaults],
    },
    '--error <error>': { about: 'OAuth error of an endpoint of the login\nwhich it answers', choices: provokedErrors },
    '--delay <duration>': {
      about: 'wait first\na request in real time, a delivery by the emulator’s clock',
      parse: duration,
    },
    '--spread <duration>': { about: 'and up to this much more', parse: duration },
    '--retry-after <seconds>': { about: 'with status 429 or 503', parse: integer({ min: 0, max: 86_400 }) },
    '--times <n>': {
      about: 'how often (default: 1)\nwith --until or --probability: always',
      parse: integer({ min: 1 }),
    },
    '--always': { about: 'until the faults are cleared', conflicts: 'times' },
    '--after <n>': { about: 'let so many matches pass first', parse: integer({ min: 0 }) },
    '--until <time>': {
      about: 'by the emulator’s clock\nISO 8601; without a zone it is Costa Rica’s',
      parse: instant,
    },
    '--probability <p>': { about: 'of each match, from 0 to 1', parse: fraction },
    '--seed <n>': {
      about: 'starts the draws\ndefault: the number of the rule',
      parse: integer({ min: 0, max: 2 ** 32 - 1 }),
    },
  },
  async members({ endpoint, code, subscription, delay, spread, retryAfter, times, always, ...given }) {
    const { method, path, event, status, fault, error, after, until, probability, seed } = given
    if (code !== undefined && status !== undefined) throw new UsageError('The status is given twice.')
    if ([code, status, error, fault, delay, spread].every((each) => each === undefined)) {
      throw new UsageError('This rule would do nothing.', 'Give a status, --fault or --delay.')
    }
    return {
      endpoint: endpoint && (await endpointId(endpoint)),
      method,
      path,
      event,
      subscription: subscription && idInWorld({ text: subscription, kind: 'subscription' }),
      status: status ?? code,
      fault,
      error,
      delay_ms: delay,
      spread_ms: spread,
      retry_after: retryAfter,
      times: always ? null : times,
      after,
      until,
      probability,
      seed,
    }
  },
  columns,
  details: 'Endpoints of the login: oauth.token, oauth.authorize, oauth.decide.',
  examples: [
    'payctl emulator faults add payments.create 500',
    'payctl emulator faults add payments.create --fault lose_answer --after 2',
    'payctl emulator faults add --event payment.completed --fault duplicate',
    'payctl emulator faults add --path "/api/accounts/**" --delay 2s --spread 1s --always',
    'payctl emulator faults add accounts.balance 503 --times 3 --retry-after 2',
    'payctl emulator faults add payments.serviceStatus 500 --always',
    'payctl emulator faults add --status 429 --retry-after 30 --probability 0.1 --seed 7',
    'payctl emulator faults add oauth.token --error invalid_grant',
  ],
  fewExamples: 4,
})

const remove = endpointCommand('control.faults.remove', {
  summary: 'End one rule.',
  args: {
    '<id>': {
      about: 'as payctl emulator faults shows it',
      of: 'fault',
      parse: (text: string) => `${integer({ min: 1, max: 999_999_999 })(text)}`,
    },
  },
  columns,
  examples: ['payctl emulator faults remove 1'],
})

const clear = endpointCommand('control.faults.clear', {
  summary: 'End all faults. Prints those that were left.',
  columns,
  none: 'There were no faults.',
  examples: ['payctl emulator faults clear'],
})

const chaosColumns = columnsOf<Received<ChaosCount>>('kind', 'fired', 'chances')

export const chaos = command({
  summary: 'Show what went wrong by chance',
  about:
    'Show what has gone wrong in the world by chance, of so many requests and deliveries that it could have happened to. ' +
    'payctl emulate --chaos and payctl emulator worlds create --chaos give a world its seed.',
  flags: controlFlags,
  prints: answer('control.chaos'),
  examples: ['payctl emulator chaos', 'payctl emulator chaos --world shop-7 --json'],
  async run(input, context) {
    const state = await steer(input, context, (control) => control.call('control.chaos'))
    const none = 'Nothing goes wrong by chance in this world.'
    await context.output.list(state.counts, chaosColumns, { none, data: state })
    if (state.seed !== null) context.output.note(`Seed ${state.seed}, profile ${state.profile}`)
  },
})

/** The id of an endpoint of the service or the login. Throws UsageError with the nearest id for another text. */
export async function endpointId(text: string): Promise<FaultEndpointId> {
  const { endpoints } = await import('../../contract/endpoints.ts')
  const ids = [...Object.keys(endpoints), ...Object.keys(oauthEndpoints)]
  if (ids.includes(text)) return text as FaultEndpointId
  const near = nearest(text, ids)
  throw new UsageError(`There is no endpoint ${text}.`, near ? `Did you mean ${near}?` : toRun(['api', '--list']))
}
