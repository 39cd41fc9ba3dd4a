import { type Static, Type } from 'typebox'
import { worldNamePattern } from '../emulator_names.ts'
import { Account } from '../schemas/account.ts'
import { Page, pageQuery } from '../schemas/envelope.ts'
import { closed, described, minorUnits, nullable, Timestamp, Uuid } from '../schemas/scalars.ts'
import { SeedFile } from '../seed_file.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { ChaosBody } from './faults.ts'
import { WorldUser } from './users.ts'

const name = (what: string) =>
  Type.String({
    pattern: worldNamePattern,
    'x-messages': { pattern: `${what} is up to 63 lower case letters, digits, dots, dashes and underscores.` },
  })

export const WorldName = described(
  name('The name of a world'),
  'Names a world among those of the emulator: up to 63 lower case letters, digits, dots, dashes and underscores',
)
export const SnapshotName = described(
  name('The name of a snapshot'),
  'Names a snapshot among those of the emulator: up to 63 lower case letters, digits, dots, dashes and underscores',
)

const streamUse =
  'Seeds the random values of the world, with `--rng-seed`, and what goes wrong there by chance, with `--chaos`'

const RngStream = Type.String({ minLength: 1, maxLength: 255, description: streamUse })

/** Origin of a world, also for its resets: exactly one of the three. A seed is a built-in name or a seed file. */
export const Origin = closed({
  seed: Type.Optional(
    Type.Union([Type.Enum(['demo', 'empty']), SeedFile], {
      description: 'A seed of the emulator’s own, or one that is given',
    }),
  ),
  snapshot: Type.Optional(described(SnapshotName, 'A snapshot of any world')),
  world: Type.Optional(described(WorldName, 'Another world, as it is now: a fork')),
})
export type Origin = Static<typeof Origin>

/** Origin of an existing world. */
export const MadeFrom = Type.Object({
  ...Origin.properties,
  seed: Type.Optional(Type.String({ description: '`demo`, `empty`, or `custom` for a seed that was given' })),
  file: Type.Optional(Type.String({ description: 'SHA-256 digest, in hex, of the file that was imported' })),
})
export type MadeFrom = Static<typeof MadeFrom>

/**
 * `requests`: number of requests to the world. `idle_ms`: real time since the last one. Sizes are those of its tables.
 */
export const WorldEntry = Type.Object({
  name: WorldName,
  id: described(Uuid, 'Id of the world, as its answers carry it in `X-Emulator-World`; a reset changes it'),
  status: Type.Literal('live', { description: 'Live: it answers requests' }),
  made_from: described(MadeFrom, 'What a reset goes back to'),
  rng_stream: RngStream,
  created_at: described(Timestamp, 'When it was made, UTC'),
  ttl_seconds: described(
    nullable(Type.Integer()),
    'Seconds of real time that it may be idle before it ends; null for ever',
  ),
  idle_ms: Type.Integer({ description: 'Milliseconds of real time since its last request' }),
  requests: Type.Integer({ description: 'How many requests came to it' }),
  size_bytes: Type.Integer({ description: 'Size of its tables' }),
})
export type WorldEntry = Static<typeof WorldEntry>

/** A request to a world that had ended. Its query is omitted. */
export const LateRequest = Type.Object({
  method: Type.String({ description: 'HTTP method' }),
  path: Type.String({ description: 'Path without the query' }),
  at: described(Timestamp, 'When it came, UTC'),
})
export type LateRequest = Static<typeof LateRequest>

/** `late_requests` counts all of them, `latest` has the last ten. */
export const EndedWorld = Type.Object({
  name: WorldName,
  id: described(Uuid, 'Id that the world had'),
  status: Type.Literal('ended', { description: 'Ended: requests to it are answered with 410' }),
  ended_by: Type.Enum(['deletion', 'expiry'], { description: 'Whether it was deleted, or was idle for too long' }),
  ended_at: described(Timestamp, 'When it ended, UTC'),
  late_requests: Type.Integer({ description: 'How many requests came after its end' }),
  latest: Type.Array(LateRequest, { description: 'The last ten of them' }),
})
export type EndedWorld = Static<typeof EndedWorld>

export const WorldsQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(
    Type.Enum(['live', 'ended'], { description: 'Only worlds that live, or only those that have ended' }),
  ),
})

/** Everything that a client of the world needs. User and accounts are the token's; balances are in minor units. */
export const WorldAccess = Type.Object({
  base_url: Type.String({ description: 'Where clients find the world’s API' }),
  auth_url: Type.String({ description: 'Where clients find its OAuth endpoints' }),
  control_url: Type.String({ description: 'Where programs steer it' }),
  token: Type.String({ description: 'Access token of its user, with every scope' }),
  client_id: Type.String({ description: 'Id of an OAuth client that the world knows' }),
  client_secret: Type.String({ description: 'Secret of that client' }),
  user: described(WorldUser, 'Whose token it is'),
  accounts: Type.Array(
    Type.Object({
      id: described(Uuid, 'Id of the account'),
      iban: Account.properties.iban,
      currency: Account.properties.balance.properties.currency,
      balance: Type.Integer({ ...minorUnits, description: 'What can be spent, in minor units: 1000 is 10.00' }),
    }),
    { description: 'The user’s accounts, oldest first' },
  ),
})

export const CreatedWorld = Type.Object({ ...WorldEntry.properties, ...WorldAccess.properties })
export type CreatedWorld = Static<typeof CreatedWorld>

/**
 * Defaults: a generated name, the emulator's seed, the emulator's chaos (null: none). `ttl_seconds`: idle time in real
 * time after which the world ends; null, the default: never. `port`: port at which it also answers without its prefix;
 * 0: any free one.
 */
export const CreateWorldBody = closed({
  name: Type.Optional(described(WorldName, 'Names the new world; generated where it is left out, and given once')),
  rng_stream: Type.Optional(
    described(
      RngStream,
      `${streamUse}; the name of the world where it is left out. Worlds of one stream draw the same`,
    ),
  ),
  from: Type.Optional(described(Origin, 'What it is made from; the seed of the emulator where it is left out')),
  ttl_seconds: Type.Optional(
    described(
      nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
      'Seconds of real time that it may be idle before it ends; null or left out: for ever',
    ),
  ),
  port: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'Where it also answers without its prefix; 0 is any free port',
    }),
  ),
  chaos: Type.Optional(
    described(
      nullable(ChaosBody),
      'What goes wrong by chance; that of the emulator where it is left out; null: nothing',
    ),
  ),
})

export const Snapshot = Type.Object({
  name: SnapshotName,
  world: described(WorldName, 'The world it was taken of'),
  taken_at: described(Timestamp, 'When it was taken, UTC'),
  size_bytes: Type.Integer({ description: 'Size of its image' }),
})
export type Snapshot = Static<typeof Snapshot>

const worldParams = Type.Object({ name: WorldName })
const snapshotParams = Type.Object({ name: SnapshotName })
const noSuch = { 404: null, 422: null } as const

/** `left_out`: parts of the world that the seed lacks, in words. */
export const ExportedSeed = Type.Object({
  seed: SeedFile,
  left_out: Type.Array(Type.String({ description: 'What, and how many: `faults (2)`' }), {
    description: 'What of the world is not in the seed',
  }),
})
export type ExportedSeed = Static<typeof ExportedSeed>

/** Media type of an exported world, and limit of bytes to import. */
export const worldFile = { type: 'application/vnd.sqlite3', limit: 256 * 1024 * 1024 } as const

const Bytes = Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary', description: 'An SQLite database' })

/** Members as in `CreateWorldBody`. */
const ImportQuery = Type.Object({
  name: CreateWorldBody.properties.name,
  rng_stream: CreateWorldBody.properties.rng_stream,
  ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'Seconds of real time that it may be idle before it ends; for ever where it is left out',
    }),
  ),
  port: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'Where it also answers without its prefix; 0 is any free port',
    }),
  ),
})

export const worldEndpoints = {
  'control.worlds.create': controlEndpoint({
    method: 'POST',
    path: '/_emulator/worlds',
    summary: 'Make a world, from a seed, from a snapshot, or as a fork of another world',
    description:
      'Isolated from all others: database, clock, deliveries, limits and faults are its own. The answer has all that a client needs. The name of a world that has ended may be taken again: a request that carries the `id` of the ended world in `X-Emulator-World` is still answered with 410, and never reaches the new one.',
    body: CreateWorldBody,
    success: { status: 201, message: 'World created', data: CreatedWorld },
    errors: { 404: null, 409: null },
  }),
  'control.worlds.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/worlds',
    summary: 'The worlds, newest first, and those that have ended with the requests that came too late',
    description: 'Live ones with their size. A world that ends keeps its place in the list.',
    query: WorldsQuery,
    success: { status: 200, message: 'Worlds listed', data: Page(Type.Union([WorldEntry, EndedWorld])) },
    errors: { 422: null },
    list: 'page',
  }),
  'control.worlds.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/worlds/{name}',
    summary: 'A world, with what its clients need',
    description: 'One that has ended is told as such (410).',
    params: worldParams,
    success: { status: 200, message: 'World read', data: CreatedWorld },
    errors: noSuch,
  }),
  'control.worlds.delete': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/worlds/{name}',
    summary: 'End a world, with its timers, deliveries and connections',
    description:
      'Requests that come later are answered with 410 and counted: those to its URL until a new world has its name, and those that carry its `id` in `X-Emulator-World` always.',
    params: worldParams,
    success: { status: 200, message: 'World ended', data: EndedWorld },
    errors: { ...noSuch, 409: 'The default world ends with the emulator' },
  }),
  'control.seed': controlEndpoint({
    method: 'GET',
    path: '/_emulator/seed',
    summary: 'The world as it is now, as a seed, with digests in the place of secrets',
    description: 'A world made from it has the same users, money, payments and settings.',
    success: { status: 200, message: 'Seed written', data: ExportedSeed },
  }),
  'control.snapshots.create': controlEndpoint({
    method: 'POST',
    path: '/_emulator/snapshots',
    summary: 'Keep the world as it is now, under a name',
    description:
      'Payments under way, the clock and waiting deliveries are part of it. All worlds share the names: one that is taken is refused (409), unless `replace` is true.',
    body: closed({
      name: SnapshotName,
      replace: Type.Optional(
        Type.Boolean({ description: 'Replaces a snapshot of this name, of whatever world; false by default' }),
      ),
    }),
    success: { status: 201, message: 'Snapshot taken', data: Snapshot },
    errors: { 409: null },
  }),
  'control.snapshots.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/snapshots',
    summary: 'The snapshots, of all worlds',
    description: 'They are kept until they are deleted.',
    success: { status: 200, message: 'Snapshots listed', data: Type.Array(Snapshot) },
  }),
  'control.snapshots.restore': controlEndpoint({
    method: 'POST',
    path: '/_emulator/snapshots/{name}/restore',
    summary: 'Put the world back to a snapshot; a later reset goes back to it too',
    description: 'What happened since is gone; what was under way then goes on.',
    params: snapshotParams,
    success: { status: 200, message: 'Snapshot restored', data: WorldEntry },
    errors: noSuch,
  }),
  'control.snapshots.delete': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/snapshots/{name}',
    summary: 'Forget a snapshot; worlds that were made from it stay',
    description: 'Its name is free again.',
    params: snapshotParams,
    success: { status: 200, message: 'Snapshot deleted', data: Snapshot },
    errors: noSuch,
  }),
  'control.export': controlEndpoint({
    method: 'GET',
    path: '/_emulator/export',
    summary:
      'The world as it is now, as a file: an SQLite database with digests of tokens and secrets of webhooks in it',
    description: 'Payments under way, the clock and waiting deliveries are part of it.',
    success: { status: 200, message: 'World exported', data: Bytes, type: worldFile.type },
  }),
  'control.import': controlEndpoint({
    method: 'POST',
    path: '/_emulator/import',
    summary: 'Make a world from a file that was exported; it goes on from the moment of the export, also after a reset',
    description:
      'The file is checked before it is opened: what is foreign, newer, damaged or hostile is refused untouched.',
    query: ImportQuery,
    body: Type.Object({ file: Bytes }),
    upload: worldFile,
    success: { status: 201, message: 'World created', data: CreatedWorld },
    errors: { 409: null },
  }),
} as const
