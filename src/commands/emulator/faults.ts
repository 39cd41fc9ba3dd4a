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

/** Describes the requests or deliveries that a rule affects, for people. */
function subjectOf({ endpoint, method, path, event, subscription, fault }: Rule): string {
  if (endpoint !== undefined) return `${endpoint}`
  if (method !== undefined || path !== undefined) return `${method ?? 'any'} ${path ?? 'request'}`
  const forDeliveries = event !== undefined || subscription !== undefined || isDeliveryFault(fault)
  if (!forDeliveries) return 'any request'
  return event === undefined || event === '*' ? 'any delivery' : `${event}`
}

/** Text of the delay, or of its range, in milliseconds. */
function delayOf({ delay_ms, spread_ms }: Rule): string {
  if (delay_ms == null && spread_ms == null) return ''
  const least = delay_ms ?? 0
  return spread_ms ? `${least} to ${least + spread_ms}` : `${least}`
}

export const faults = endpointCommand('control.faults.list', {
  summary: 'Make requests or deliveries fail on purpose',
  about:
    'Show the rules that make requests to the service end in an error or a broken answer, or make webhook deliveries ' +
    'fail. Add a rule, or end all of them.',
  flags: { '--all': { about: 'also list rules that have ended' } },
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
    '[endpoint]': { about: 'id of the endpoint, as payctl api lists it (default: any request)' },
    '[status]': { about: 'error status of the answer; the endpoint does nothing else', parse: statusCode, as: 'code' },
  },
  flags: {
    '--method <method>': { about: 'only requests with this method', choices: ['GET', 'POST', 'DELETE'] },
    '--path <pattern>': {
      about:
        'only requests to this path, such as /api/accounts/**\n* is one segment, a final ** all segments that follow',
    },
    '--event <event>': { about: 'only deliveries of this event; * for any event', choices: [...eventNames, '*'] },
    '--subscription <subscription>': {
      about: 'only deliveries to this subscription: id or part of the id',
      of: 'subscription',
    },
    '--status <status>': { about: 'error status of the answer, if no endpoint is named', parse: statusCode },
    '--fault <fault>': {
      about: 'fault: reset, lose_answer, duplicate ...\nin the connection, the answer or the delivery',
      choices: [...requestFaults, ...deliveryFaults],
    },
    '--error <error>': {
      about: 'OAuth error of the answer\nfor OAuth endpoints only',
      choices: provokedErrors,
    },
    '--delay <duration>': {
      about: 'delay before the answer or delivery\nin real time for a request, by the emulator’s clock for a delivery',
      parse: duration,
    },
    '--spread <duration>': { about: 'largest random addition to the delay', parse: duration },
    '--retry-after <seconds>': { about: 'Retry-After of status 429 or 503', parse: integer({ min: 0, max: 86_400 }) },
    '--times <n>': {
      about: 'number of times (default: 1)\nwith --until or --probability: no limit',
      parse: integer({ min: 1 }),
    },
    '--always': { about: 'no limit: until you end the rule', conflicts: 'times' },
    '--after <n>': { about: 'number of matches to let pass first', parse: integer({ min: 0 }) },
    '--until <time>': {
      about: 'end of the rule by the emulator’s clock\nISO 8601; without a zone, Costa Rica time',
      parse: instant,
    },
    '--probability <p>': { about: 'probability of firing on a match, from 0 to 1', parse: fraction },
    '--seed <n>': {
      about: 'seed of the random draws\ndefault: the number of the rule',
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
  details: 'OAuth endpoints: oauth.token, oauth.authorize, oauth.decide.',
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
      about: 'id of the rule, as payctl emulator faults shows it',
      of: 'fault',
      parse: (text: string) => `${integer({ min: 1, max: 999_999_999 })(text)}`,
    },
  },
  columns,
  examples: ['payctl emulator faults remove 1'],
})

const clear = endpointCommand('control.faults.clear', {
  summary: 'End all rules. Prints the rules that were still active.',
  columns,
  none: 'No rule was still active.',
  examples: ['payctl emulator faults clear'],
})

const chaosColumns = columnsOf<Received<ChaosCount>>('kind', 'fired', 'chances')

export const chaos = command({
  summary: 'Show the chaos of a world, and the faults so far',
  about:
    'Show how often each fault of chaos happened in the world, and how often it could have happened. ' +
    'payctl emulate --chaos and payctl emulator worlds create --chaos give a world its seed.',
  flags: controlFlags,
  prints: answer('control.chaos'),
  examples: ['payctl emulator chaos', 'payctl emulator chaos --world shop-7 --json'],
  async run(input, context) {
    const state = await steer(input, context, (control) => control.call('control.chaos'))
    const none = 'This world has no chaos.'
    await context.output.list(state.counts, chaosColumns, { none, data: state })
    if (state.seed !== null) context.output.note(`Seed ${state.seed}, profile ${state.profile}`)
  },
})

/**
 * Parses the id of an endpoint of the service or of OAuth. Throws a UsageError with the nearest id for any other text.
 */
export async function endpointId(text: string): Promise<FaultEndpointId> {
  const { endpoints } = await import('../../contract/endpoints.ts')
  const ids = [...Object.keys(endpoints), ...Object.keys(oauthEndpoints)]
  if (ids.includes(text)) return text as FaultEndpointId
  const near = nearest(text, ids)
  throw new UsageError(`Endpoint ${text} does not exist.`, near ? `Did you mean ${near}?` : toRun(['api', '--list']))
}
