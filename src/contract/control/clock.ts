import { Type } from 'typebox'
import { closed, described, nullable, Time, Timestamp } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'

const Speed = Type.Number({
  minimum: 0.001,
  maximum: 100_000,
  description: 'Seconds of the world’s time per second of real time',
})

export const ClockState = Type.Object({
  now: Type.String({ description: 'Time of the world: ISO 8601 in UTC, to the millisecond' }),
  offset_ms: Type.Integer({ description: 'Lead over the machine’s clock, in milliseconds' }),
  frozen: Type.Boolean({ description: 'True if the clock is stopped: it moves only when it is advanced or set' }),
  speed: Speed,
})

/** Longest move of the emulator's clock in one request, in milliseconds. */
export const longestMove = 1000 * 60 * 60 * 24 * 366

const delivery_timeout_ms = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 600_000,
    description: 'Time limit for a receiver’s answer, in milliseconds of real time',
  }),
)

export const AdvanceBody = closed({
  ms: Type.Integer({ minimum: 0, maximum: longestMove, description: 'Milliseconds to move by, at most 366 days' }),
  delivery_timeout_ms,
})

export const RunUntilIdleBody = closed({
  ms: Type.Optional(described(AdvanceBody.properties.ms, 'Largest move in milliseconds. Default: 366 days')),
  delivery_timeout_ms,
})

export const IdleClockState = Type.Object({
  ...ClockState.properties,
  idle: Type.Boolean({ description: 'True if nothing more is due' }),
  next_due_at: described(
    nullable(Timestamp),
    'Time of the next due step, UTC, beyond the limit; null if there is none',
  ),
})

export const SetClockBody = closed({
  delivery_timeout_ms,
  time: described(Time, 'New time: ISO 8601 with a zone, not in the world’s past and before the year 9999'),
})

export const clockEndpoints = {
  'control.clock.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/clock',
    summary: 'Time of the world',
    description: 'Payments, retries of webhooks, tokens and rate limits follow this time.',
    success: { status: 200, message: 'Clock read', data: ClockState },
  }),
  'control.clock.advance': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/advance',
    summary: 'Move the clock forward, running everything that falls due, in order',
    description:
      'Answers when everything that fell due on the way has happened, with all its effects, and receivers have answered.',
    body: AdvanceBody,
    success: { status: 200, message: 'Clock advanced', data: ClockState },
  }),
  'control.clock.set': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/set',
    summary: 'Move the clock forward to a time, running everything that falls due, in order',
    description: 'Like advancing, but to a time instead of by a duration. The clock can’t be set to the past.',
    body: SetClockBody,
    success: { status: 200, message: 'Clock set', data: ClockState },
  }),
  'control.clock.at': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/at',
    summary: 'Stop the clock and move it forward to a time, running everything that falls due, in order',
    description: 'Freezes and sets the clock in one step.',
    body: SetClockBody,
    success: { status: 200, message: 'Clock frozen at that time', data: ClockState },
  }),
  'control.clock.runUntilIdle': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/run-until-idle',
    summary: 'Move the clock to each next due step, until nothing is due',
    description: 'Answers when nothing more is due, or at the limit.',
    body: RunUntilIdleBody,
    success: { status: 200, message: 'Clock advanced', data: IdleClockState },
  }),
  'control.clock.speed': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/speed',
    summary: 'Let the clock run faster or slower than real time',
    description: '1 is real time. A frozen clock keeps the speed until it runs again.',
    body: closed({ speed: Speed }),
    success: { status: 200, message: 'Clock speed set', data: ClockState },
  }),
  'control.clock.freeze': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/freeze',
    summary: 'Stop the clock; from then on it moves only when it is advanced or set',
    description: 'Nothing falls due by itself while the clock stands still.',
    success: { status: 200, message: 'Clock frozen', data: ClockState },
  }),
  'control.clock.unfreeze': controlEndpoint({
    method: 'POST',
    path: '/_emulator/clock/unfreeze',
    summary: 'Let the clock continue from its current time',
    description: 'The clock does not make up for the time during which it stood still.',
    success: { status: 200, message: 'Clock running', data: ClockState },
  }),
} as const
