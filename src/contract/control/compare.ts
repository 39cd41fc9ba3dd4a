import { type Static, Type } from 'typebox'
import { described, Money, nullable, Uuid } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { LedgerEntry, TimelineEntry } from './requests.ts'
import { WorldName } from './worlds.ts'

const Happening = Type.Object(
  {
    ...TimelineEntry.properties,
    details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]), {
      description: 'Facts that `what` describes, by name',
    }),
    payment_id: Type.Union([Uuid, Type.Null()], { description: 'Id of the payment that the item is about, if any' }),
  },
  { description: 'A request, status, ledger entry, event or delivery of one world' },
)

const Value = Type.Union([Type.String(), Type.Number(), Type.Null()])

export const ComparedHappening = Type.Object(
  {
    change: Type.Enum(['same', 'added', 'removed', 'changed'], {
      description: '`added`: only in the second world; `removed`: only in the first',
    }),
    first: described(nullable(Happening), 'Item in the first world; null if the item is added'),
    second: described(nullable(Happening), 'Item in the second world; null if the item is removed'),
    differences: Type.Array(
      Type.Object({
        field: Type.String({ description: 'Name of the fact, such as `status`, `amount` or `idempotency_key`' }),
        first: described(Value, 'Value in the first world'),
        second: described(Value, 'Value in the second world'),
      }),
      { description: 'Facts that differ, if the item is changed' },
    ),
  },
  { description: 'An item that has the same cause in both worlds, or an item of only one world' },
)
export type ComparedHappening = Static<typeof ComparedHappening>

const { owner, purpose } = LedgerEntry.properties

export const Comparison = Type.Object({
  worlds: Type.Array(WorldName, { minItems: 2, maxItems: 2, description: 'Names of the first and the second world' }),
  ancestor: described(nullable(WorldName), 'Name of the world that both come from; null if none is known'),
  same: Type.Boolean({ description: 'True if the worlds have no differences' }),
  counts: Type.Object(
    {
      same: Type.Integer({ minimum: 0, description: 'Number of items that are equal in both worlds' }),
      added: Type.Integer({ minimum: 0, description: 'Number of items only in the second world' }),
      removed: Type.Integer({ minimum: 0, description: 'Number of items only in the first world' }),
      changed: Type.Integer({ minimum: 0, description: 'Number that differs' }),
    },
    { description: 'Number of items with each change' },
  ),
  items: Type.Array(ComparedHappening, {
    description: 'Items by cause; only items that differ, unless `all` is `true`',
  }),
  balances: Type.Array(
    Type.Object({
      owner,
      purpose,
      first: described(Money, 'Balance in the first world'),
      second: described(Money, 'Balance in the second world'),
    }),
    { description: 'Ledger balances that differ' },
  ),
})
export type Comparison = Static<typeof Comparison>

export const compareEndpoints = {
  'control.compare': controlEndpoint({
    method: 'GET',
    path: '/_emulator/compare',
    summary: 'Compare what happened in two worlds, matched by cause',
    description:
      'Aligns requests, statuses, ledger entries, events and deliveries by their causes. Requests before the fork are left out if one world is a fork of the other. Times do not count as differences, nor do ids, references and keys that correspond.',
    query: Type.Object({
      world: Type.Array(WorldName, {
        minItems: 2,
        maxItems: 2,
        description: 'Names of two worlds: give the parameter twice',
      }),
      all: Type.Optional(
        Type.Enum(['true', 'false'], { description: '`true`: also list equal items. Default: `false`' }),
      ),
    }),
    success: { status: 200, message: 'Worlds compared', data: Comparison },
    errors: { 404: null, 422: null },
    ofEmulator: true,
  }),
} as const
