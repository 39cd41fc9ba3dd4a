import { Type } from 'typebox'
import { closed, described, nullable, Time, Timestamp } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'

/** Seconds that pass on the emulator's clock in one second of real time. */
const Speed = Type.Number({
  minimum: 0.001,
  maximum: 100_000,
  description: 'Seconds of the world’s time that pass in one of real time',
})

/**
 * `now`: the world's time (ISO 8601 UTC, milliseconds). `offset_ms`: its lead over the machine's time. `frozen`: time
 * stands still. `speed`: seconds of the world per second of real time.
 */
export const ClockState = Type.Object({
  now: Type.String({ description: 'The world’s time: ISO 8601 in UTC, to the millisecond' }),
  offset_ms: Type.Integer({ description: 'Milliseconds that the world is ahead of the machine’s clock' }),
  frozen: Type.Boolean({ description: 'Whether time stands still until it is moved' }),
  speed: Speed,
})

/** Longest move of the emulator's clock in one request, in milliseconds. */
export const longestMove = 1000 * 60 * 60 * 24 * 366

/** Limit for the answer of a webhook receiver while the clock moves, in milliseconds of real time. */
const delivery_timeout_ms = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 600_000, description: 'Milliseconds of real time' }),
)

export const AdvanceBody = closed({
  ms: Type.Integer({ minimum: 0, maximum: longestMove, description: 'Milliseconds to move by, 366 days at most' }),
  delivery_timeout_ms,
})

/** `ms` limits the move of the clock; default: 366 days. */
export const RunUntilIdleBody = closed({
  ms: Type.Optional(AdvanceBody.properties.ms),
  delivery_timeout_ms,
})

/** `idle`: no timer is pending. Otherwise `next_due_at` is the time of the next timer, beyond the limit. */
export const IdleClockState = Type.Object({
  ...ClockState.properties,
  idle: Type.Boolean({ description: 'Whether nothing is due any more' }),
  next_due_at: described(nullable(Timestamp), 'When the next step is due, UTC, beyond the bound; null if none is'),
})

/** `time` is ISO 8601 with a zone, and not in the world's past. */
export const SetClockBody = closed({
  delivery_timeout_ms,
  time: described(Time, 'ISO 8601 with a zone, not in the world’s past and at most 366 days ahead'),
})

export const clockEndpoints = {
  'control.clock.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/clock',
    summary: 'The world’s time',
    description: 'Everything that waits goes by this time: payments, retries of webhooks, tokens, rate limits.',
    success: { status: 200, message: 'Clock read', data: ClockState },
  }),
  'control.clock.advance': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/advance',
    summary: 'Move the clock forward, running everything that falls due, in order',
    description:
      'The answer comes when everything that fell due on the way has happened, with all it caused, and webhooks were answered.',
    body: AdvanceBody,
    success: { status: 200, message: 'Clock advanced', data: ClockState },
  }),
  'control.clock.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/set',
    summary: 'Move the clock forward to a time, running everything that falls due, in order',
    description: 'Like advancing, to a time instead of by a distance. The past can’t be set.',
    body: SetClockBody,
    success: { status: 200, message: 'Clock set', data: ClockState },
  }),
  'control.clock.at': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/at',
    summary: 'Stop the clock and move it forward to a time, running everything that falls due, in order',
    description: 'Like freezing and setting in one.',
    body: SetClockBody,
    success: { status: 200, message: 'Clock frozen at that time', data: ClockState },
  }),
  'control.clock.runUntilIdle': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/run-until-idle',
    summary: 'Move the clock to each next step that is due, until nothing is',
    description: 'The answer comes when nothing is due any more, or at the bound.',
    body: RunUntilIdleBody,
    success: { status: 200, message: 'Clock advanced', data: IdleClockState },
  }),
  'control.clock.speed': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/speed',
    summary: 'Let the clock run faster or slower than real time',
    description: '1 is real time. A frozen clock keeps the speed for when it runs again.',
    body: closed({ speed: Speed }),
    success: { status: 200, message: 'Clock speed set', data: ClockState },
  }),
  'control.clock.freeze': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/freeze',
    summary: 'Stop the clock; from then on it moves only when it is advanced or set',
    description: 'Nothing falls due by itself while it stands.',
    success: { status: 200, message: 'Clock frozen', data: ClockState },
  }),
  'control.clock.unfreeze': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/unfreeze',
    summary: 'Let the clock run on from where it stands',
    description: 'It does not catch up with the time it stood.',
    success: { status: 200, message: 'Clock running', data: ClockState },
  }),
} as const
