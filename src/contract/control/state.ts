import { type Static, Type } from 'typebox'
import { sqlTime } from '../emulator_names.ts'
import { PaymentStatus } from '../schemas/payment.ts'
import { closed, described, nullable, Uuid } from '../schemas/scalars.ts'
import { identityPath } from '../signatures.ts'
import { ClockState } from './clock.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { DeliveryStatus } from './deliveries.ts'
import { Fees, FxState, RailStates, SettleTimes } from './settings.ts'

export const Health = Type.Object({
  status: Type.Literal('ok', { description: 'Always `ok`' }),
  version: Type.String({ description: 'Version of payctl' }),
  pid: Type.Integer({ description: 'Process id of the emulator' }),
  shard: described(
    nullable(Type.String()),
    'Name of the shard, with which the names of its worlds begin; null without `--shard`',
  ),
  worlds: Type.Optional(
    Type.Object(
      {
        open: Type.Integer({ description: 'Worlds in memory, or whose files are open' }),
        closed: Type.Integer({ description: 'Worlds whose files are closed until they are needed' }),
        broken: Type.Integer({ description: 'Worlds whose files can’t be opened' }),
      },
      {
        description:
          'Number of worlds. If the emulator has teams: number of worlds to which the request’s key gives access; omitted without a key',
      },
    ),
  ),
})

/** Media type of Prometheus' text format. */
const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

const Metrics = Type.Unsafe<Uint8Array>({ type: 'string', description: 'Metrics in Prometheus’ text format' })

const balanced =
  'True if the ledger has no error: movements sum to zero in each currency, balances are the sums of their entries, and holds and entries fit the payments'

export const LedgerCheck = Type.Object({
  balanced: Type.Boolean({
    description: balanced,
  }),
  problems: Type.Array(Type.String(), { description: 'Descriptions of the errors in the ledger' }),
  payments: Type.Integer({ description: 'Number of payments' }),
  entries: Type.Integer({ description: 'Number of ledger entries, over all accounts' }),
  unfinished: Type.Integer({ description: 'Number of payments in progress' }),
})

const Count = Type.Integer({ minimum: 0, description: 'Count' })
const counts = <Name extends string>(names: readonly Name[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Count])) as Record<Name, typeof Count>)

export const WorldState = Type.Object({
  version: Type.String({ description: 'Version of payctl' }),
  world: Type.String({
    description: 'Id of the world, the value of `X-Emulator-World` in its answers; a reset changes the id',
  }),
  seed: Type.String({ description: 'Seed of the world: `demo`, `empty` or `custom`' }),
  settle_ms: described(SettleTimes, 'Duration of a normal payment, by rail'),
  lenient_iban: Type.Boolean({ description: 'True if IBANs with wrong check digits are accepted' }),
  clock: described(ClockState, 'Time of the world'),
  users: described(Count, 'Number of users'),
  accounts: described(Count, 'Number of accounts, of all users'),
  payments: described(counts(PaymentStatus.enum), 'Number of payments in each status'),
  unfinished: described(Count, 'Number of payments in progress'),
  subscriptions: described(counts(['active', 'suspended']), 'Number of active and suspended subscriptions'),
  deliveries: described(counts(DeliveryStatus.enum), 'Number of deliveries in each status'),
  rails: described(RailStates, 'State and timetable of the rails'),
  fees: described(Fees, 'Fees of payments'),
  fx: described(FxState, 'Settings of exchange rates'),
  ledger_balanced: Type.Boolean({ description: balanced }),
})
export type WorldState = Static<typeof WorldState>

const Challenge = Type.String({
  pattern: '^[0-9A-Za-z_-]{16,128}$',
  description: 'Random value, so that no earlier answer is valid',
})

export const IdentityProof = Type.Object({
  proof: Type.String({
    description: 'HMAC-SHA256 of the challenge, in hex, with the secret in the emulator’s private state file',
  }),
  world: Type.String({ description: 'Id of the default world' }),
})
export type IdentityProof = Static<typeof IdentityProof>

/** Maximum number of ids in the answer to a search for part of an id. */
export const mostIds = 10

export const IdQuery = Type.Object({
  kind: Type.Enum(['payment', 'account', 'subscription', 'user', 'scheduled_credit'], {
    description: 'Kind of resource',
  }),
  part: Type.String({
    pattern: '^(last|[0-9A-Fa-f-]{4,36}|CR[0-9]{20})$',
    'x-messages': {
      pattern:
        'The part field must be at least 4 characters of an id, an IBAN or at least its last 4 digits, or `last`.',
    },
    description:
      'Part of the id, at least four characters. For an account also its IBAN or the end of its IBAN; for a payment also `last`, the newest payment',
  }),
})

export const FoundId = Type.Object({
  id: described(Uuid, 'Complete id'),
  about: Type.String({
    description: 'Facts that distinguish the match, for people, such as amount, status and time of a payment',
  }),
})
export type FoundId = Static<typeof FoundId>

export const SqlBody = closed({
  query: Type.String({
    minLength: 1,
    maxLength: 100_000,
    description: 'One SELECT statement of SQLite over the documented tables',
  }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: 'Maximum number of rows. Default: 1000' }),
  ),
  timeout_ms: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: sqlTime.most,
      description: 'Time limit in milliseconds of real time. Default: 5000',
    }),
  ),
})

export const SqlResult = Type.Object({
  columns: Type.Array(Type.String(), { description: 'Names of the columns' }),
  rows: Type.Array(Type.Array(Type.Unknown()), { description: 'Values in the order of the columns' }),
  more: Type.Boolean({ description: 'True if there were more rows than `limit`' }),
})

export const stateEndpoints = {
  'control.health': controlEndpoint({
    method: 'GET',
    path: '/_emulator/health',
    summary: 'Health of the emulator',
    description:
      'Needs no token: for health checks of containers. The emulator answers as long as the process works; with `ready=true` it answers with 503 while the emulator is about to stop.',
    access: 'public',
    query: Type.Object({
      ready: Type.Optional(
        Type.Enum(['true', 'false'], { description: '`true`: also require that the emulator takes new requests' }),
      ),
    }),
    success: { status: 200, message: 'Emulator is running', data: Health },
    errors: { 422: null, 503: 'The emulator is about to stop.' },
    ofEmulator: true,
  }),
  'control.metrics': controlEndpoint({
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics of the emulator, for Prometheus',
    description:
      'The metrics of all worlds together, in Prometheus’ text format. Give Prometheus the control token as its bearer token.',
    success: { status: 200, message: 'Metrics read', data: Metrics, type: metricsType },
    ofAdmin: true,
  }),
  'control.state': controlEndpoint({
    method: 'GET',
    path: '/_emulator/state',
    summary: 'Figures and settings of the world',
    description: 'Counts, settings and time. Reading them changes nothing.',
    success: { status: 200, message: 'State read', data: WorldState },
  }),
  'control.reset': controlEndpoint({
    method: 'POST',
    path: '/_emulator/reset',
    summary: 'Put the world back to its origin',
    description:
      'Returns the world to its origin: the seed, snapshot, world or file from which it was created, or the snapshot that was last restored. The id of the world changes; timers, deliveries and open waits of the old world end.',
    success: { status: 200, message: 'World reset', data: WorldState },
  }),
  'control.ledger': controlEndpoint({
    method: 'GET',
    path: '/_emulator/ledger',
    summary: 'Check that the ledger balances',
    description:
      'Use this check at the end of a test. The ledger balances if every movement of money sums to zero in each currency, every balance is the sum of its entries, and holds and entries fit the payments.',
    success: { status: 200, message: 'Ledger checked', data: LedgerCheck },
  }),
  'control.identity': controlEndpoint({
    method: 'GET',
    path: identityPath,
    summary: 'Prove the emulator’s identity to the process that started it',
    description:
      'The answer proves, to a caller who can read the emulator’s private state file, that no other program has taken the emulator’s port.',
    access: 'public',
    query: Type.Object({ challenge: Challenge }),
    success: { status: 200, message: 'Identity proven', data: IdentityProof },
    errors: { 422: null },
  }),
  'control.ids.find': controlEndpoint({
    method: 'GET',
    path: '/_emulator/ids',
    summary: 'Find ids by a part of an id',
    description: `Returns at most ${mostIds} ids, of every user. Payments and scheduled credits are listed newest first, all other ids oldest first.`,
    query: IdQuery,
    success: { status: 200, message: 'Ids found', data: Type.Array(FoundId) },
    errors: { 422: null },
  }),
  'control.sql': controlEndpoint({
    method: 'POST',
    path: '/_emulator/sql',
    summary: 'Read the world with one SELECT statement',
    description:
      'For questions that no endpoint answers. The query cannot change anything or read a secret. Amounts are in minor units, times ISO 8601 in UTC.',
    body: SqlBody,
    success: { status: 200, message: 'Query answered', data: SqlResult },
    checksOnly: true,
  }),
} as const
