import { type Static, Type } from 'typebox'
import { ChaosProfile } from '../chaos_profile.ts'
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

/** Endpoints of the service and of the login. */
export const faultEndpointIds = [...Object.keys(endpoints), ...Object.keys(oauthEndpoints)] as FaultEndpointId[]

/** Selects the requests or deliveries of a rule. */
const which = {
  endpoint: Type.Optional(Type.Enum(faultEndpointIds, { description: 'Requests of this endpoint alone' })),
  method: Type.Optional(Type.Enum(['GET', 'POST', 'DELETE'], { description: 'Requests with this HTTP method alone' })),
  path: Type.Optional(
    Type.String({
      pattern: '^/',
      maxLength: 255,
      description: '`*` stands for one segment, a last `**` for all that follow',
    }),
  ),
  event: Type.Optional(Type.Enum([...eventNames, '*'], { description: 'The rule is for deliveries of this event' })),
  subscription: Type.Optional(described(Uuid, 'Deliveries to this subscription alone')),
}

const what = {
  status: Type.Optional(
    Type.Integer({
      minimum: 400,
      maximum: Math.max(...Object.keys(errorStatuses).map(Number)),
      description:
        'What matching requests are answered with: a status of their endpoint, in its own words; nothing is done',
    }),
  ),
  error: Type.Optional(
    Type.Enum(provokedErrors, {
      description: 'The OAuth error that an endpoint of the login answers; nothing is used up',
    }),
  ),
  retry_after: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 86_400, description: 'Seconds, with status 429 or 503' }),
  ),
  delay_ms: Type.Optional(
    described(Delay, 'Milliseconds that a match waits first: real time for requests, the world’s for deliveries'),
  ),
  spread_ms: Type.Optional(described(Delay, 'Milliseconds that may be added to the delay, drawn for each match')),
  fault: Type.Optional(
    Type.Enum([...requestFaults, ...deliveryFaults], {
      description: 'What happens to the connection, the answer or the delivery',
    }),
  ),
}

const when = {
  after: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'How many matches pass before the first fires' }),
  ),
  until: Type.Optional(described(SetClockBody.properties.time, 'When the rule ends, by the clock of the world')),
  probability: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Share of matches that fire, from 0 to 1' }),
  ),
  seed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2 ** 32 - 1,
      description: 'Where the draws of the probability start; the same draws in every run',
    }),
  ),
}

/**
 * A rule for requests: of an endpoint, with a method and a path, or all. The answer has `status`, one of the endpoint's
 * own, with its message, and nothing is done; or `fault` happens to the connection or the answer. A request first waits
 * `delay_ms`, and up to `spread_ms` more, in real time. Endpoints of the login (`oauth.*`) also answer with `error`, an
 * OAuth error: the token endpoint in its body, the others in a redirect to the client.
 * With `event` or `subscription`, or a fault that only deliveries have, it is a rule for webhook deliveries; they wait
 * in the world's time.
 * It skips the first `after` matches, and then fires `times` times until the world's time is `until`, each time with
 * `probability`. `times` defaults to once, or to no limit (null) with `until` or `probability`. `seed` starts the
 * draws; by default, they are equal in every world for its first rule, its second, and so on.
 */
export const FaultBody = closed({
  ...which,
  ...what,
  ...when,
  times: Type.Optional(described(nullable(Times), 'How often it fires: once where it is left out; null without end')),
})
export type FaultBody = Static<typeof FaultBody>

/**
 * State of a rule. `times`: remaining fires; null: no limit. `matched`: number of its requests that no older rule took.
 * `fired`: number of times it took effect.
 */
export const FaultRule = Type.Object({
  id: Type.Integer({ minimum: 1, description: 'The first rule of a world has 1, the second 2' }),
  ...which,
  ...what,
  ...when,
  times: described(
    nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    'How often it still fires; null until the rules are cleared',
  ),
  matched: Type.Integer({
    minimum: 0,
    description: 'How many requests or deliveries it was for and no older rule had taken',
  }),
  fired: Type.Integer({ minimum: 0, description: 'How often it did something' }),
})
export type FaultRule = Static<typeof FaultRule>

/** `all` includes the last hundred rules that have ended. */
const FaultQuery = Type.Object({
  which: Type.Optional(
    Type.Enum(['active', 'all'], {
      description: 'Rules that still can fire, or all: with them the last hundred that have ended',
    }),
  ),
})

const Seed = Type.Integer({
  minimum: 0,
  maximum: largestChaosSeed,
  description: 'Where the draws start: the same faults for the same requests in the same order',
})

/** `profile` defaults to `mild`. */
export const ChaosBody = closed({
  seed: Seed,
  profile: Type.Optional(
    Type.Union([Type.Enum(chaosProfileNames), ChaosProfile], {
      description: 'How often what goes wrong: a profile that has a name, or one’s own. `mild` where it is left out',
    }),
  ),
})
export type ChaosBody = Static<typeof ChaosBody>

const ChaosCount = Type.Object({
  kind: Type.Enum(chaosKindNames, { description: 'What can happen' }),
  chances: Type.Integer({ minimum: 0, description: 'Requests or deliveries that it could have happened to' }),
  fired: Type.Integer({ minimum: 0, description: 'How often it happened' }),
})
export type ChaosCount = Static<typeof ChaosCount>

/** `seed` and `profile` are null without chaos. */
export const ChaosState = Type.Object({
  seed: described(nullable(Seed), 'Where the draws started; null without chaos'),
  profile: described(
    nullable(Type.Enum([...chaosProfileNames, 'custom'])),
    'The profile’s name, `custom` for one’s own; null without chaos',
  ),
  counts: Type.Array(ChaosCount, { description: 'Every kind that the profile has' }),
})
export type ChaosState = Static<typeof ChaosState>

export const faultEndpoints = {
  'control.faults.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/faults',
    summary: 'The rules for faults of requests and of deliveries, in the order they come, and how often each fired',
    description: 'An older rule takes a match before a newer one.',
    query: FaultQuery,
    success: { status: 200, message: 'Faults listed', data: Type.Array(FaultRule) },
    errors: { 422: null },
  }),
  'control.faults.add': controlEndpoint({
    method: 'POST',
    path: '/_emulator/faults',
    summary: 'Have requests of the service end in an error or a broken answer, or deliveries of webhooks go wrong',
    description:
      'A rule for requests, or with `event` or `subscription` for deliveries. It fires once unless it says otherwise.',
    body: FaultBody,
    success: { status: 201, message: 'Fault added', data: FaultRule },
  }),
  'control.faults.remove': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/faults/{id}',
    summary: 'End one rule; the answer is what it was',
    description: 'The others go on. It stays in the list of all rules, with how often it fired.',
    params: Type.Object({ id: Type.String({ pattern: '^\\d{1,9}$', description: 'The id of the rule' }) }),
    success: { status: 200, message: 'Fault removed', data: FaultRule },
    errors: { 404: 'There is no such rule, or it has ended', 422: null },
  }),
  'control.faults.clear': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/faults',
    summary: 'End all faults; the answer lists those that were left',
    description: 'A reset ends them, too.',
    success: { status: 200, message: 'Faults cleared', data: Type.Array(FaultRule) },
  }),
  'control.chaos': controlEndpoint({
    method: 'GET',
    path: '/_emulator/chaos',
    summary: 'The chaos that the world was made with, and what has come of it',
    description:
      'A world gets it when it is made, or from its emulator. What callers made of it is in the report: payments made twice, lost answers that nobody asked about.',
    success: { status: 200, message: 'Chaos read', data: ChaosState },
  }),
} as const
