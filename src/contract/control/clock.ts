import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { nullable, Time, Timestamp } from '../schemas/scalars.ts'

/** How many seconds pass on the emulator's clock in one second of real time. */
const Speed = Type.Number({ minimum: 0.001, maximum: 100_000 })

/**
 * `now` is the world's time (ISO 8601 UTC, milliseconds), `offset_ms` how far ahead of the machine's it is;
 * `frozen` while it stands still; `speed` is how many seconds pass in one of real time.
 */
export const ClockState = Type.Object({
  now: Type.String(),
  offset_ms: Type.Integer(),
  frozen: Type.Boolean(),
  speed: Speed,
})

/** The longest stretch of the emulator's time in one request: milliseconds. */
export const longestMove = 1000 * 60 * 60 * 24 * 366

/** The longest that a receiver of webhooks may take to answer while the clock moves: milliseconds of real time. */
const delivery_timeout_ms = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 600_000, description: 'milliseconds of real time' }),
)

export const AdvanceBody = Type.Object({
  ms: Type.Integer({ minimum: 0, maximum: longestMove, description: 'milliseconds' }),
  delivery_timeout_ms,
})

/** `ms` bounds how far the clock moves: 366 days where it is not given. */
export const RunUntilIdleBody = Type.Object({
  ms: Type.Optional(AdvanceBody.properties.ms),
  delivery_timeout_ms,
})

/** `idle`: nothing is due any more. Otherwise `next_due_at` says when the next step is, beyond the bound. */
export const IdleClockState = Type.Object({
  ...ClockState.properties,
  idle: Type.Boolean(),
  next_due_at: nullable(Timestamp),
})

/** `time` is ISO 8601 with a zone, and not in the world's past. */
export const SetClockBody = Type.Object({
  delivery_timeout_ms,
  time: Time,
})

export const clockEndpoints = {
  'control.clock.get': endpoint({
    method: 'GET',
    path: '/_emulator/clock',
    summary: 'The world’s time',
    access: 'control',
    success: { status: 200, message: 'Clock read', data: ClockState },
    errors: controlErrors,
  }),
  'control.clock.advance': endpoint({
    method: 'POST',
    path: '/_emulator/clock/advance',
    summary: 'Move the clock forward, running everything that falls due, in order',
    access: 'control',
    body: AdvanceBody,
    success: { status: 200, message: 'Clock advanced', data: ClockState },
    errors: controlBodyErrors,
  }),
  'control.clock.set': endpoint({
    method: 'POST',
    path: '/_emulator/clock/set',
    summary: 'Move the clock forward to a time, running everything that falls due, in order',
    access: 'control',
    body: SetClockBody,
    success: { status: 200, message: 'Clock set', data: ClockState },
    errors: controlBodyErrors,
  }),
  'control.clock.at': endpoint({
    method: 'POST',
    path: '/_emulator/clock/at',
    summary: 'Stop the clock and move it forward to a time, running everything that falls due, in order',
    access: 'control',
    body: SetClockBody,
    success: { status: 200, message: 'Clock frozen at that time', data: ClockState },
    errors: controlBodyErrors,
  }),
  'control.clock.runUntilIdle': endpoint({
    method: 'POST',
    path: '/_emulator/clock/run-until-idle',
    summary: 'Move the clock to each next step that is due, until nothing is',
    access: 'control',
    body: RunUntilIdleBody,
    success: { status: 200, message: 'Clock advanced', data: IdleClockState },
    errors: controlBodyErrors,
  }),
  'control.clock.speed': endpoint({
    method: 'POST',
    path: '/_emulator/clock/speed',
    summary: 'Let the clock run faster or slower than real time',
    access: 'control',
    body: Type.Object({ speed: Speed }),
    success: { status: 200, message: 'Clock speed set', data: ClockState },
    errors: controlBodyErrors,
  }),
  'control.clock.freeze': endpoint({
    method: 'POST',
    path: '/_emulator/clock/freeze',
    summary: 'Stop the clock; from then on it moves only when it is advanced or set',
    access: 'control',
    success: { status: 200, message: 'Clock frozen', data: ClockState },
    errors: controlErrors,
  }),
  'control.clock.unfreeze': endpoint({
    method: 'POST',
    path: '/_emulator/clock/unfreeze',
    summary: 'Let the clock run on from where it stands',
    access: 'control',
    success: { status: 200, message: 'Clock running', data: ClockState },
    errors: controlErrors,
  }),
} as const
