import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { Account } from '../schemas/account.ts'
import { nullable, Timestamp, Uuid } from '../schemas/scalars.ts'
import { SeedFile } from '../seed_file.ts'
import { WorldUser } from './users.ts'

const name = (what: string) =>
  Type.String({
    pattern: '^[a-z0-9][a-z0-9._-]{0,62}$',
    'x-messages': { pattern: `${what} is up to 63 lower case letters, digits, dots, dashes and underscores.` },
  })

export const WorldName = name('The name of a world')
export const SnapshotName = name('The name of a snapshot')

/** What a world is made from, and what a reset of it goes back to: one of the three. A seed has a name, or is one's own. */
export const Origin = Type.Object({
  seed: Type.Optional(Type.Union([Type.Enum(['demo', 'empty']), SeedFile])),
  snapshot: Type.Optional(SnapshotName),
  world: Type.Optional(WorldName),
})
export type Origin = Static<typeof Origin>

/** The same of a world that there is: `custom` is a seed that was given, `file` the SHA-256 digest, in hex, of an imported file. */
export const MadeFrom = Type.Object({
  ...Origin.properties,
  seed: Type.Optional(Type.String()),
  file: Type.Optional(Type.String()),
})
export type MadeFrom = Static<typeof MadeFrom>

/** `requests` counts those that came to the world; `idle_ms` is real time since the last; sizes are those of its tables. */
export const WorldEntry = Type.Object({
  name: WorldName,
  id: Uuid,
  status: Type.Literal('live'),
  made_from: MadeFrom,
  created_at: Timestamp,
  ttl_seconds: nullable(Type.Integer()),
  idle_ms: Type.Integer(),
  requests: Type.Integer(),
  size_bytes: Type.Integer(),
})
export type WorldEntry = Static<typeof WorldEntry>

/** A request that came when its world had ended. Its query is left out. */
export const LateRequest = Type.Object({ method: Type.String(), path: Type.String(), at: Timestamp })
export type LateRequest = Static<typeof LateRequest>

/** `late_requests` counts all of them, `latest` has the last ten. */
export const EndedWorld = Type.Object({
  name: WorldName,
  id: Uuid,
  status: Type.Literal('ended'),
  ended_by: Type.Enum(['deletion', 'expiry']),
  ended_at: Timestamp,
  late_requests: Type.Integer(),
  latest: Type.Array(LateRequest),
})
export type EndedWorld = Static<typeof EndedWorld>

/** All that a client of the world needs. User and accounts are those of the token; balances are in minor units. */
export const WorldAccess = Type.Object({
  base_url: Type.String(),
  auth_url: Type.String(),
  control_url: Type.String(),
  token: Type.String(),
  client_id: Type.String(),
  client_secret: Type.String(),
  user: WorldUser,
  accounts: Type.Array(
    Type.Object({
      id: Uuid,
      iban: Account.properties.iban,
      currency: Account.properties.balance.properties.currency,
      balance: Type.Integer(),
    }),
  ),
})

export const CreatedWorld = Type.Object({ ...WorldEntry.properties, ...WorldAccess.properties })
export type CreatedWorld = Static<typeof CreatedWorld>

/**
 * Without a name one is made up. Without `from` it is made from the seed of the emulator. `ttl_seconds` is how long it may
 * be idle in real time before it ends; null, and left out: for ever. With `port` it also answers without its prefix there;
 * 0 is any free one.
 */
export const CreateWorldBody = Type.Object({
  name: Type.Optional(WorldName),
  from: Type.Optional(Origin),
  ttl_seconds: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }))),
  port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
})

export const Snapshot = Type.Object({
  name: SnapshotName,
  world: WorldName,
  taken_at: Timestamp,
  size_bytes: Type.Integer(),
})
export type Snapshot = Static<typeof Snapshot>

const worldParams = Type.Object({ name: WorldName })
const snapshotParams = Type.Object({ name: SnapshotName })
const noSuch = { ...controlErrors, 404: null, 422: null } as const

export const worldEndpoints = {
  'control.worlds.create': endpoint({
    method: 'POST',
    path: '/_emulator/worlds',
    summary: 'Make a world, from a seed, from a snapshot, or as a fork of another world',
    access: 'control',
    body: CreateWorldBody,
    success: { status: 201, message: 'World created', data: CreatedWorld },
    errors: { ...controlBodyErrors, 404: null, 409: null },
  }),
  'control.worlds.list': endpoint({
    method: 'GET',
    path: '/_emulator/worlds',
    summary: 'The worlds, and those that have ended with the requests that came too late',
    access: 'control',
    success: { status: 200, message: 'Worlds listed', data: Type.Array(Type.Union([WorldEntry, EndedWorld])) },
    errors: controlErrors,
  }),
  'control.worlds.get': endpoint({
    method: 'GET',
    path: '/_emulator/worlds/{name}',
    summary: 'A world, with what its clients need',
    access: 'control',
    params: worldParams,
    success: { status: 200, message: 'World read', data: CreatedWorld },
    errors: { ...noSuch, 410: null },
  }),
  'control.worlds.delete': endpoint({
    method: 'DELETE',
    path: '/_emulator/worlds/{name}',
    summary: 'End a world, with its timers, deliveries and connections',
    access: 'control',
    params: worldParams,
    success: { status: 200, message: 'World ended', data: EndedWorld },
    errors: { ...noSuch, 409: 'The default world ends with the emulator', 410: null },
  }),
  'control.snapshots.create': endpoint({
    method: 'POST',
    path: '/_emulator/snapshots',
    summary: 'Keep the world as it is now, under a name; a snapshot of that name is replaced',
    access: 'control',
    body: Type.Object({ name: SnapshotName }),
    success: { status: 201, message: 'Snapshot taken', data: Snapshot },
    errors: controlBodyErrors,
  }),
  'control.snapshots.list': endpoint({
    method: 'GET',
    path: '/_emulator/snapshots',
    summary: 'The snapshots, of all worlds',
    access: 'control',
    success: { status: 200, message: 'Snapshots listed', data: Type.Array(Snapshot) },
    errors: controlErrors,
  }),
  'control.snapshots.restore': endpoint({
    method: 'POST',
    path: '/_emulator/snapshots/{name}/restore',
    summary: 'Put the world back to a snapshot; a later reset goes back to it too',
    access: 'control',
    params: snapshotParams,
    success: { status: 200, message: 'Snapshot restored', data: WorldEntry },
    errors: noSuch,
  }),
  'control.snapshots.delete': endpoint({
    method: 'DELETE',
    path: '/_emulator/snapshots/{name}',
    summary: 'Forget a snapshot; worlds that were made from it stay',
    access: 'control',
    params: snapshotParams,
    success: { status: 200, message: 'Snapshot deleted', data: Snapshot },
    errors: noSuch,
  }),
} as const
