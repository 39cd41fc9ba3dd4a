import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { type EndpointId, endpoints } from '../endpoints.ts'
import { controlBodyErrors, controlErrors, errorStatuses } from '../errors.ts'
import { eventNames } from '../event_names.ts'
import { deliveryFaults, requestFaults } from '../fault_names.ts'
import { nullable, Uuid } from '../schemas/scalars.ts'
import { SetClockBody } from './clock.ts'

const longestDelayMs = 3_600_000
const Delay = Type.Integer({ minimum: 0, maximum: longestDelayMs })
const Times = Type.Integer({ minimum: 1, maximum: 1_000_000 })

/** Which requests or deliveries a rule is for. */
const which = {
  endpoint: Type.Optional(Type.Enum(Object.keys(endpoints) as EndpointId[])),
  method: Type.Optional(Type.Enum(['GET', 'POST', 'DELETE'])),
  path: Type.Optional(
    Type.String({
      pattern: '^/',
      maxLength: 255,
      description: '`*` stands for one segment, a last `**` for all that follow',
    }),
  ),
  event: Type.Optional(Type.Enum([...eventNames, '*'], { description: 'the rule is for deliveries of this event' })),
  subscription: Type.Optional(Uuid),
}

const what = {
  status: Type.Optional(Type.Integer({ minimum: 400, maximum: Math.max(...Object.keys(errorStatuses).map(Number)) })),
  retry_after: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 86_400, description: 'seconds, with status 429 or 503' }),
  ),
  delay_ms: Type.Optional(Delay),
  spread_ms: Type.Optional(Delay),
  fault: Type.Optional(Type.Enum([...requestFaults, ...deliveryFaults])),
}

const when = {
  after: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  until: Type.Optional(SetClockBody.properties.time),
  probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 })),
}

/**
 * A rule for requests: those of an endpoint, those with a method and a path, or all. They are answered with `status`, one
 * of the endpoint's own, in its own words, and nothing is done; or `fault` happens to the connection or the answer. A
 * request waits `delay_ms` first, and up to `spread_ms` more, in real time.
 * With `event` or `subscription`, or a fault that only deliveries have, it is a rule for deliveries of webhooks; they wait
 * in the world's time.
 * It lets `after` matches pass, and then fires `times` times (once where that is not given; null, and the default with
 * `until` or `probability`: without end), until the world's time is `until`, each time with `probability`. `seed` starts
 * the draws; without it, they are the same in each world for its first rule, its second, and so on.
 */
export const FaultBody = Type.Object({ ...which, ...what, ...when, times: Type.Optional(nullable(Times)) })
export type FaultBody = Static<typeof FaultBody>

/**
 * A rule as it stands: `times` is how often it still fires; null: until the rules are cleared. `matched` counts what it
 * was for and no older rule had taken, `fired` how often it did something.
 */
export const FaultRule = Type.Object({
  ...which,
  ...what,
  ...when,
  times: nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  matched: Type.Integer({ minimum: 0 }),
  fired: Type.Integer({ minimum: 0 }),
})
export type FaultRule = Static<typeof FaultRule>

/** `all` has those that have ended, too: the last hundred. */
const FaultQuery = Type.Object({ which: Type.Optional(Type.Enum(['active', 'all'])) })

export const faultEndpoints = {
  'control.faults.list': endpoint({
    method: 'GET',
    path: '/_emulator/faults',
    summary: 'The rules for faults of requests and of deliveries, in the order they come, and how often each fired',
    access: 'control',
    query: FaultQuery,
    success: { status: 200, message: 'Faults listed', data: Type.Array(FaultRule) },
    errors: { ...controlErrors, 422: null },
  }),
  'control.faults.add': endpoint({
    method: 'POST',
    path: '/_emulator/faults',
    summary: 'Have requests of the service end in an error or a broken answer, or deliveries of webhooks go wrong',
    access: 'control',
    body: FaultBody,
    success: { status: 201, message: 'Fault added', data: FaultRule },
    errors: controlBodyErrors,
  }),
  'control.faults.clear': endpoint({
    method: 'DELETE',
    path: '/_emulator/faults',
    summary: 'End all faults; the answer lists those that were left',
    access: 'control',
    success: { status: 200, message: 'Faults cleared', data: Type.Array(FaultRule) },
    errors: controlErrors,
  }),
} as const
