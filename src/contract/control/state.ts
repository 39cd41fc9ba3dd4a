import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlErrors, httpErrors } from '../errors.ts'
import { PaymentStatus } from '../schemas/payment.ts'
import { described } from '../schemas/scalars.ts'
import { ClockState } from './clock.ts'
import { DeliveryStatus } from './deliveries.ts'
import { Fees } from './fees.ts'
import { FxState } from './fx.ts'
import { RailStates } from './rails.ts'
import { SettleTimes } from './settle.ts'

export const Health = Type.Object({
  status: Type.Literal('ok', { description: 'Always `ok`: who answers is up' }),
  version: Type.String({ description: 'Version of payctl' }),
  pid: Type.Integer({ description: 'Process id of the emulator' }),
})

/** `problems` is empty if every movement sums to zero in each currency and every balance is the sum of its entries. */
export const LedgerCheck = Type.Object({
  balanced: Type.Boolean({
    description: 'Whether every movement sums to zero in each currency and every balance is the sum of its entries',
  }),
  problems: Type.Array(Type.String(), { description: 'What does not, in words; empty while it balances' }),
  payments: Type.Integer({ description: 'How many there are' }),
  entries: Type.Integer({ description: 'How many there are, over all accounts' }),
  unfinished: Type.Integer({ description: 'Payments that are still under way' }),
})

const Count = Type.Integer({ minimum: 0, description: 'How many there are' })
const counts = <Name extends string>(names: readonly Name[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Count])) as Record<Name, typeof Count>)

/** Figures of a world. `world`: its id, which its answers carry as `X-Emulator-World` and a reset changes. */
export const WorldState = Type.Object({
  version: Type.String({ description: 'Version of payctl' }),
  world: Type.String({
    description: 'Id of the world, as its answers carry it in `X-Emulator-World`; a reset changes it',
  }),
  seed: Type.String({ description: 'What it was filled with' }),
  settle_ms: described(SettleTimes, 'How long a usual payment takes, by rail'),
  lenient_iban: Type.Boolean({ description: 'True if IBANs may have wrong check digits' }),
  clock: described(ClockState, 'The world’s time'),
  users: described(Count, 'How many it has'),
  accounts: described(Count, 'How many it has, of all users'),
  payments: described(counts(PaymentStatus.enum), 'How many are in each status'),
  unfinished: described(Count, 'How many payments are still under way'),
  subscriptions: described(counts(['active', 'suspended']), 'How many are active and suspended'),
  deliveries: described(counts(DeliveryStatus.enum), 'How many are in each status'),
  rails: described(RailStates, 'Which rails take payments'),
  fees: described(Fees, 'What a payment costs'),
  fx: described(FxState, 'How exchange rates are made'),
  ledger_balanced: Type.Boolean({ description: 'Whether every movement sums to zero in each currency' }),
})
export type WorldState = Static<typeof WorldState>

export const stateEndpoints = {
  'control.health': endpoint({
    method: 'GET',
    path: '/_emulator/health',
    summary: 'Whether the emulator is up',
    description: 'Anybody may ask, without a token: for health checks of containers.',
    access: 'public',
    success: { status: 200, message: 'Emulator is running', data: Health },
    errors: { 421: httpErrors[421] },
  }),
  'control.state': endpoint({
    method: 'GET',
    path: '/_emulator/state',
    summary: 'The world in numbers',
    description: 'What it has, how it is set, and the time in it. Nothing changes by asking.',
    access: 'control',
    success: { status: 200, message: 'State read', data: WorldState },
    errors: controlErrors,
  }),
  'control.reset': endpoint({
    method: 'POST',
    path: '/_emulator/reset',
    summary: 'Put everything back to the seed',
    description:
      'The world is what it was made from again: its seed, a snapshot or another world. Its id changes; timers, deliveries and open waits of the old one end.',
    access: 'control',
    success: { status: 200, message: 'World reset', data: WorldState },
    errors: controlErrors,
  }),
  'control.ledger': endpoint({
    method: 'GET',
    path: '/_emulator/ledger',
    summary: 'Check that the ledger balances',
    description:
      'For the end of a test: whether every movement of money sums to zero in each currency and every balance is the sum of its entries.',
    access: 'control',
    success: { status: 200, message: 'Ledger checked', data: LedgerCheck },
    errors: controlErrors,
  }),
} as const
