import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlErrors, httpErrors } from '../errors.ts'
import { PaymentStatus } from '../schemas/payment.ts'
import { nullable } from '../schemas/scalars.ts'
import { ClockState } from './clock.ts'
import { DeliveryStatus } from './deliveries.ts'
import { FxState } from './fx.ts'
import { Fees, RailStates } from './rails.ts'

export const Health = Type.Object({ status: Type.Literal('ok'), version: Type.String(), pid: Type.Integer() })

/** `problems` is empty when every movement sums to zero and every balance is the sum of its entries. */
export const LedgerCheck = Type.Object({
  balanced: Type.Boolean(),
  problems: Type.Array(Type.String()),
  payments: Type.Integer(),
  entries: Type.Integer(),
  unfinished: Type.Integer(),
})

const Count = Type.Integer({ minimum: 0 })
const counts = <Name extends string>(names: readonly Name[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Count])) as Record<Name, typeof Count>)

/**
 * A world in numbers. `world` is its id, which its answers carry as `X-Emulator-World` and a reset changes. `settle_ms` is
 * how long a usual payment takes; null when payments move only with the clock.
 */
export const WorldState = Type.Object({
  version: Type.String(),
  world: Type.String(),
  seed: Type.String(),
  settle_ms: nullable(Count),
  clock: ClockState,
  users: Count,
  accounts: Count,
  payments: counts(PaymentStatus.enum),
  unfinished: Count,
  subscriptions: counts(['active', 'suspended']),
  deliveries: counts(DeliveryStatus.enum),
  rails: RailStates,
  fees: Fees,
  fx: FxState,
  ledger_balanced: Type.Boolean(),
})
export type WorldState = Static<typeof WorldState>

export const stateEndpoints = {
  'control.health': endpoint({
    method: 'GET',
    path: '/_emulator/health',
    summary: 'Whether the emulator is up',
    access: 'public',
    success: { status: 200, message: 'Emulator is running', data: Health },
    errors: { 421: httpErrors[421] },
  }),
  'control.state': endpoint({
    method: 'GET',
    path: '/_emulator/state',
    summary: 'The world in numbers',
    access: 'control',
    success: { status: 200, message: 'State read', data: WorldState },
    errors: controlErrors,
  }),
  'control.reset': endpoint({
    method: 'POST',
    path: '/_emulator/reset',
    summary: 'Put everything back to the seed',
    access: 'control',
    success: { status: 200, message: 'World reset', data: WorldState },
    errors: controlErrors,
  }),
  'control.ledger': endpoint({
    method: 'GET',
    path: '/_emulator/ledger',
    summary: 'Check that the ledger balances',
    access: 'control',
    success: { status: 200, message: 'Ledger checked', data: LedgerCheck },
    errors: controlErrors,
  }),
} as const
