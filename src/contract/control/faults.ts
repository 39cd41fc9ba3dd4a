import { type Static, Type } from 'typebox'
import { ChaosFault, ChaosProfile } from '../chaos_profile.ts'
import {
  chaosKindNames,
  chaosProfileNames,
  deliveryFaults,
  largestChaosSeed,
  requestFaults,
} from '../emulator_names.ts'
import { type EndpointId, endpoints } from '../endpoints.ts'
import { errorStatuses } from '../errors.ts'
import { eventNames } from '../event_names.ts'
import { oauthEndpoints, provokedErrors } from '../oauth.ts'
import { closed, described, nullable, Uuid } from '../schemas/scalars.ts'
import { SetClockBody } from './clock.ts'
import { controlEndpoint } from './control_endpoint.ts'

const longestDelayMs = 3_600_000
const Delay = Type.Integer({ minimum: 0, maximum: longestDelayMs })
const Times = Type.Integer({ minimum: 1, maximum: 1_000_000 })

export type FaultEndpointId = EndpointId | keyof typeof oauthEndpoints

/** Ids of the endpoints that a fault rule can name: the service's endpoints and the OAuth endpoints. */
export const faultEndpointIds = [...Object.keys(endpoints), ...Object.keys(oauthEndpoints)] as FaultEndpointId[]

const which = {
  endpoint: Type.Optional(Type.Enum(faultEndpointIds, { description: 'Matches only requests to this endpoint' })),
  method: Type.Optional(
    Type.Enum(['GET', 'POST', 'DELETE'], { description: 'Matches only requests with this HTTP method' }),
  ),
  path: Type.Optional(
    Type.String({
      pattern: '^/',
      maxLength: 255,
      description: 'Matches only requests to this path; `*` matches one segment, a final `**` all segments that follow',
    }),
  ),
  event: Type.Optional(
    Type.Enum([...eventNames, '*'], { description: 'Matches deliveries of this event; `*` matches any event' }),
  ),
  subscription: Type.Optional(described(Uuid, 'Matches only deliveries to this subscription')),
}

const what = {
  status: Type.Optional(
    Type.Integer({
      minimum: 400,
      maximum: Math.max(...Object.keys(errorStatuses).map(Number)),
      description:
        'Error status of the answer: a status that the endpoint documents, with the message for it. The request has no other effect',
    }),
  ),
  error: Type.Optional(
    Type.Enum(provokedErrors, {
      description:
        'OAuth error of an OAuth endpoint: in the body of the token endpoint’s answer, or in another endpoint’s redirect to the client. No code or token is used up',
    }),
  ),
  retry_after: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 86_400, description: 'Retry-After in seconds, with status 429 or 503' }),
  ),
  delay_ms: Type.Optional(
    described(
      Delay,
      'Delay of each match in milliseconds: real time for requests, the world’s time for deliveries. A request is delayed before it is processed or, with `hold_answer`, afterwards',
    ),
  ),
  spread_ms: Type.Optional(
    described(Delay, 'Upper limit, in milliseconds, of a random addition to the delay, drawn for each match'),
  ),
  fault: Type.Optional(
    Type.Enum([...requestFaults, ...deliveryFaults], {
      description: 'Fault of the connection, the answer or the delivery',
    }),
  ),
}

const when = {
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Number of matching requests or deliveries to let pass first',
    }),
  ),
  until: Type.Optional(described(SetClockBody.properties.time, 'End of the rule, by the clock of the world')),
  probability: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Probability that a match fires, from 0 to 1' }),
  ),
  seed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2 ** 32 - 1,
      description:
        'Seed of the draws: the same value gives the same draws. Default: the number of the rule in its world; with `--rng-seed`, a number drawn from that seed',
    }),
  ),
}

export const FaultBody = closed({
  ...which,
  ...what,
  ...when,
  times: Type.Optional(
    described(
      nullable(Times),
      'Number of times that the rule fires; null for no limit. Default: 1, or no limit with `until` or `probability`',
    ),
  ),
})
export type FaultBody = Static<typeof FaultBody>

export const FaultRule = Type.Object({
  id: Type.Integer({ minimum: 1, description: 'Number of the rule in its world, from 1' }),
  ...which,
  ...what,
  ...when,
  times: described(
    nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    'Number of times that the rule can still fire; null for no limit',
  ),
  matched: Type.Integer({
    minimum: 0,
    description: 'Number of matching requests or deliveries that no older rule used',
  }),
  fired: Type.Integer({ minimum: 0, description: 'Number of times that the rule has fired' }),
})
export type FaultRule = Static<typeof FaultRule>

const FaultQuery = Type.Object({
  which: Type.Optional(
    Type.Enum(['active', 'all'], {
      description: '`active`: rules that can still fire; `all`: also the last hundred that have ended',
    }),
  ),
})

const Seed = Type.Integer({
  minimum: 0,
  maximum: largestChaosSeed,
  description: 'Seed of the draws: the same value gives the same faults for the same requests in the same order',
})

export const ChaosBody = closed({
  seed: Seed,
  profile: Type.Optional(
    Type.Union([Type.Enum(chaosProfileNames), ChaosProfile], {
      description: 'Probability of each fault: a built-in profile by its name, or a custom profile. Default: `mild`',
    }),
  ),
})
export type ChaosBody = Static<typeof ChaosBody>

const ChaosCount = Type.Object({
  kind: Type.Enum(chaosKindNames, { description: 'Kind of fault' }),
  chances: Type.Integer({
    minimum: 0,
    description: 'Number of requests or deliveries that the fault could have happened to',
  }),
  fired: Type.Integer({ minimum: 0, description: 'Number of times that the fault happened' }),
})
export type ChaosCount = Static<typeof ChaosCount>

/** Maximum number of listed faults of a world; further faults are only counted. */
export const listedChaosFaults = 1000

export const ChaosState = Type.Object({
  seed: described(nullable(Seed), 'Seed of the random faults; null without chaos'),
  profile: described(
    nullable(Type.Enum([...chaosProfileNames, 'custom'])),
    'Name of the profile, `custom` for a custom profile; null without chaos',
  ),
  counts: Type.Array(ChaosCount, { description: 'Counts of each kind in the profile' }),
  faults: Type.Array(ChaosFault, {
    description: 'First thousand faults that happened, in order. A profile with this list repeats the faults',
  }),
})
export type ChaosState = Static<typeof ChaosState>

export const faultEndpoints = {
  'control.faults.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/faults',
    summary: 'Fault rules, in order of precedence, with their counts',
    description: 'An older rule takes precedence over a newer rule.',
    query: FaultQuery,
    success: { status: 200, message: 'Faults listed', data: Type.Array(FaultRule) },
    errors: { 422: null },
  }),
  'control.faults.add': controlEndpoint({
    method: 'POST',
    path: '/_emulator/faults',
    summary: 'Make requests or webhook deliveries fail on purpose',
    description:
      'Adds a rule for requests, or, with `event`, `subscription` or a fault of deliveries, for deliveries. Without `times`, `until` and `probability`, the rule fires once.',
    body: FaultBody,
    success: { status: 201, message: 'Fault added', data: FaultRule },
  }),
  'control.faults.remove': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/faults/{id}',
    summary: 'End one rule, and return it',
    description:
      'Other rules stay active. The list of all rules still has the latest hundred ended rules, with their counts.',
    params: Type.Object({ id: Type.String({ pattern: '^\\d{1,9}$', description: 'Id of a rule' }) }),
    success: { status: 200, message: 'Fault removed', data: FaultRule },
    errors: { 404: 'The rule does not exist, or has ended', 422: null },
  }),
  'control.faults.clear': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/faults',
    summary: 'End all rules, and return the rules that could still fire',
    description: 'A reset ends all rules too.',
    success: { status: 200, message: 'Faults cleared', data: Type.Array(FaultRule) },
  }),
  'control.chaos': controlEndpoint({
    method: 'GET',
    path: '/_emulator/chaos',
    summary: 'Chaos of the world, and the faults so far',
    description:
      'A world gets its chaos when it is made, or from its emulator. The emulator’s report shows how callers coped: payments made twice, lost answers that nobody looked up.',
    success: { status: 200, message: 'Chaos read', data: ChaosState },
  }),
} as const
