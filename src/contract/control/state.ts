import { type Static, Type } from 'typebox'
import { sqlTime } from '../emulator_names.ts'
import { PaymentStatus } from '../schemas/payment.ts'
import { closed, described, Uuid } from '../schemas/scalars.ts'
import { identityPath } from '../signatures.ts'
import { ClockState } from './clock.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { DeliveryStatus } from './deliveries.ts'
import { Fees, FxState, RailStates, SettleTimes } from './settings.ts'

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

/** Random, so that no earlier answer fits. */
const Challenge = Type.String({
  pattern: '^[0-9A-Za-z_-]{16,128}$',
  description: 'Random, so that no earlier answer fits',
})

/**
 * `proof`: HMAC-SHA256 of the challenge, in hex, with the secret in the emulator's private state file. `world`: id of
 * its current world.
 */
export const IdentityProof = Type.Object({
  proof: Type.String({
    description: 'HMAC-SHA256 of the challenge, in hex, with the secret in the emulator’s private state file',
  }),
  world: Type.String({ description: 'Id of its present default world' }),
})
export type IdentityProof = Static<typeof IdentityProof>

/** Most ids that a part finds. */
export const mostIds = 10

export const IdQuery = Type.Object({
  kind: Type.Enum(['payment', 'account', 'subscription', 'user', 'scheduled_credit'], {
    description: 'Kind of thing that has the id',
  }),
  part: Type.String({
    pattern: '^(last|[0-9A-Fa-f-]{4,36}|CR[0-9]{20})$',
    'x-messages': { pattern: 'The part field must be at least 4 characters of an id, an IBAN, or last.' },
    description:
      'At least four characters of the id. An account also goes by its IBAN or the end of it; `last` is the newest payment',
  }),
})

export const FoundId = Type.Object({
  id: described(Uuid, 'Whole id'),
  about: Type.String({ description: 'Facts that distinguish it, for people: amount, status and time of a payment' }),
})
export type FoundId = Static<typeof FoundId>

/** `query`: one SELECT of SQLite over the tables of `sqlTables`. `limit`: maximum number of rows in the answer. */
export const SqlBody = closed({
  query: Type.String({
    minLength: 1,
    maxLength: 100_000,
    description: 'One SELECT of SQLite over the documented tables',
  }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: '1000 where it is not given' })),
  timeout_ms: Type.Optional(
    Type.Integer({ minimum: 1, maximum: sqlTime.most, description: 'Real time; 5000 where it is not given' }),
  ),
})

/** `rows`: values in the order of `columns`. `more`: true if there were more rows than `limit`. */
export const SqlResult = Type.Object({
  columns: Type.Array(Type.String(), { description: 'Names of the columns' }),
  rows: Type.Array(Type.Array(Type.Unknown()), { description: 'Values in the order of the columns' }),
  more: Type.Boolean({ description: 'Whether there were more rows than `limit`' }),
})

export const stateEndpoints = {
  'control.health': controlEndpoint({
    method: 'GET',
    path: '/_emulator/health',
    summary: 'Whether the emulator is up',
    description: 'Anybody may ask, without a token: for health checks of containers.',
    access: 'public',
    success: { status: 200, message: 'Emulator is running', data: Health },
  }),
  'control.state': controlEndpoint({
    method: 'GET',
    path: '/_emulator/state',
    summary: 'The world in numbers',
    description: 'What it has, how it is set, and the time in it. Nothing changes by asking.',
    success: { status: 200, message: 'State read', data: WorldState },
  }),
  'control.reset': controlEndpoint({
    method: 'POST',
    path: '/_emulator/reset',
    summary: 'Put everything back to the seed',
    description:
      'The world is what it was made from again: its seed, a snapshot or another world. Its id changes; timers, deliveries and open waits of the old one end.',
    success: { status: 200, message: 'World reset', data: WorldState },
  }),
  'control.ledger': controlEndpoint({
    method: 'GET',
    path: '/_emulator/ledger',
    summary: 'Check that the ledger balances',
    description:
      'For the end of a test: whether every movement of money sums to zero in each currency and every balance is the sum of its entries.',
    success: { status: 200, message: 'Ledger checked', data: LedgerCheck },
  }),
  'control.identity': controlEndpoint({
    method: 'GET',
    path: identityPath,
    summary: 'Prove to who started it which emulator it is',
    description:
      'Who can read the emulator’s private state file knows by the answer that no other program has taken its port.',
    access: 'public',
    query: Type.Object({ challenge: Challenge }),
    success: { status: 200, message: 'Identity proven', data: IdentityProof },
    errors: { 422: null },
  }),
  'control.ids.find': controlEndpoint({
    method: 'GET',
    path: '/_emulator/ids',
    summary: 'Ids that a part of one fits',
    description: `At most ${mostIds}, of every user. Payments and scheduled credits come newest first, the others oldest first.`,
    query: IdQuery,
    success: { status: 200, message: 'Ids found', data: Type.Array(FoundId) },
    errors: { 422: null },
  }),
  'control.sql': controlEndpoint({
    method: 'POST',
    path: '/_emulator/sql',
    summary: 'Read the world by one SELECT; nothing can be changed, and no secret be read',
    description: 'For questions that no endpoint answers. Amounts are minor units, times ISO 8601 in UTC.',
    body: SqlBody,
    success: { status: 200, message: 'Query answered', data: SqlResult },
    checksOnly: true,
  }),
} as const
