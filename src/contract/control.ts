import { Type } from 'typebox'
import { type Endpoint, endpoint, type Input, type Output } from './endpoint.ts'

export const Health = Type.Object({ status: Type.Literal('ok'), version: Type.String(), pid: Type.Integer() })

/** `now` is the sandbox's time (ISO 8601 UTC, milliseconds), `offset_ms` how far ahead of the machine's it is. */
export const ClockState = Type.Object({ now: Type.String(), offset_ms: Type.Integer() })

export const AdvanceBody = Type.Object({
  ms: Type.Integer({ minimum: 0, maximum: 1000 * 60 * 60 * 24 * 366, description: 'milliseconds' }),
})

/** `problems` is empty when every movement sums to zero and every balance is the sum of its entries. */
export const LedgerCheck = Type.Object({
  balanced: Type.Boolean(),
  problems: Type.Array(Type.String()),
  payments: Type.Integer(),
  entries: Type.Integer(),
  unfinished: Type.Integer(),
})

/** The emulator's own endpoints: steering and inspecting a sandbox. Same vocabulary as the service's table. */
export const controlEndpoints = {
  'control.health': endpoint({
    method: 'GET',
    path: '/_emulator/health',
    summary: 'Whether the emulator is up',
    access: 'public',
    success: { status: 200, message: 'Emulator is running', data: Health },
    errors: {},
  }),
  'control.ledger': endpoint({
    method: 'GET',
    path: '/_emulator/ledger',
    summary: 'Check that the ledger balances',
    access: 'control',
    success: { status: 200, message: 'Ledger checked', data: LedgerCheck },
    errors: { 401: 'Unauthenticated.', 403: 'Forbidden.' },
  }),
  'control.clock.get': endpoint({
    method: 'GET',
    path: '/_emulator/clock',
    summary: 'The sandbox’s time',
    access: 'control',
    success: { status: 200, message: 'Clock read', data: ClockState },
    errors: { 401: 'Unauthenticated.', 403: 'Forbidden.' },
  }),
  'control.clock.advance': endpoint({
    method: 'POST',
    path: '/_emulator/clock/advance',
    summary: 'Move the clock forward, running everything that falls due, in order',
    access: 'control',
    body: AdvanceBody,
    success: { status: 200, message: 'Clock advanced', data: ClockState },
    errors: { 401: 'Unauthenticated.', 403: 'Forbidden.', 422: null },
  }),
} as const satisfies Record<string, Endpoint>

export type ControlEndpoints = typeof controlEndpoints
export type ControlInputOf<Id extends keyof ControlEndpoints> = Input<ControlEndpoints[Id]>
export type ControlOutputOf<Id extends keyof ControlEndpoints> = Output<ControlEndpoints[Id]>
