import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'

/**
 * `now` is the world's time (ISO 8601 UTC, milliseconds), `offset_ms` how far ahead of the machine's it is;
 * `frozen` while it stands still.
 */
export const ClockState = Type.Object({ now: Type.String(), offset_ms: Type.Integer(), frozen: Type.Boolean() })

export const AdvanceBody = Type.Object({
  ms: Type.Integer({ minimum: 0, maximum: 1000 * 60 * 60 * 24 * 366, description: 'milliseconds' }),
})

/** `time` is ISO 8601 with a zone, and not in the world's past. */
export const SetClockBody = Type.Object({
  time: Type.String({
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$',
    'x-messages': { pattern: 'The time field must be an ISO 8601 time with its zone, like 2026-01-05T18:00:00Z.' },
  }),
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
