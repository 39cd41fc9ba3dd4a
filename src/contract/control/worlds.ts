import { type Static, Type } from 'typebox'
import { worldNamePattern } from '../emulator_names.ts'
import { Account } from '../schemas/account.ts'
import { Page, pageQuery } from '../schemas/envelope.ts'
import { closed, described, inJson, minorUnits, nullable, Timestamp, Uuid } from '../schemas/scalars.ts'
import { SeedFile } from '../seed_file.ts'
import { controlEndpoint } from './control_endpoint.ts'
import { ChaosBody } from './faults.ts'
import { MomentId } from './moments.ts'
import { RequestId } from './requests.ts'
import { WorldUser } from './users.ts'

const name = (what: string) =>
  Type.String({
    pattern: worldNamePattern,
    'x-messages': {
      pattern: `${what} must have 1 to 63 characters: lower case letters, digits, dots, dashes and underscores, beginning with a letter or digit.`,
    },
  })

export const WorldName = described(
  name('The name of a world'),
  'Name of a world, unique in the emulator, 1 to 63 characters: lower case letters, digits, dots, dashes and underscores',
)
export const SnapshotName = described(
  name('The name of a snapshot'),
  'Name of a snapshot, unique in the emulator, 1 to 63 characters: lower case letters, digits, dots, dashes and underscores',
)

const streamUse =
  'Together with `--rng-seed`, seeds the random values of the world. Together with `--chaos`, seeds the chaos of the world'

const RngStream = Type.String({ minLength: 1, maxLength: 255, description: streamUse })

/** Origin of a new world: a seed, a snapshot, or a world to fork, possibly at one of its saved moments. */
export const Origin = closed({
  seed: Type.Optional(
    Type.Union([Type.Enum(['demo', 'empty']), SeedFile], {
      description: 'Built-in seed, or the content of a seed file',
    }),
  ),
  snapshot: Type.Optional(described(SnapshotName, 'Name of a snapshot, of any world')),
  world: Type.Optional(described(WorldName, 'Name of another world: makes a fork of its current state')),
  moment: Type.Optional(
    described(
      MomentId,
      'Saved moment from which to fork, like `m12`. It belongs to `world`, or by default to the world that gets the request',
    ),
  ),
})
export type Origin = Static<typeof Origin>

/** Origin of an existing world, as the control endpoints show it. */
export const MadeFrom = Type.Object({
  ...Origin.properties,
  seed: Type.Optional(Type.String({ description: 'Seed of the world: `demo`, `empty`, or `custom` for a seed file' })),
  file: Type.Optional(Type.String({ description: 'SHA-256 digest, in hex, of the imported file' })),
})
export type MadeFrom = Static<typeof MadeFrom>

/** Point in the history of a world at which a fork was made. */
export const ForkedFrom = Type.Object({
  world: described(WorldName, 'Name of the forked world'),
  id: described(Uuid, 'Id of that world at the time of the fork'),
  moment: described(nullable(MomentId), 'Moment of that world, such as `m12`; null if the world saved no moments'),
  at: described(Timestamp, 'Time of that world’s clock, UTC'),
  request: Type.Optional(
    described(RequestId, 'Last request that the world had answered by then; omitted if the request is not known'),
  ),
})
export type ForkedFrom = Static<typeof ForkedFrom>

export const WorldEntry = Type.Object({
  name: WorldName,
  id: described(Uuid, 'Id of the world, the value of `X-Emulator-World` in its answers; a reset changes the id'),
  status: Type.Literal('live', { description: 'Always `live`: the world answers requests' }),
  made_from: described(MadeFrom, 'Origin of the world, to which a reset goes back'),
  forked_from: described(
    nullable(ForkedFrom),
    'Point in the history of another world at which this world was forked; null if this world is not a fork',
  ),
  rng_stream: RngStream,
  created_at: described(Timestamp, 'Time of creation, UTC'),
  ttl_seconds: described(
    nullable(Type.Integer()),
    'Seconds of real time without requests after which the world ends; null for never',
  ),
  strict: Type.Boolean({
    description: 'True if a request that breaks the contract fails the test that uses the world',
  }),
  idle_ms: Type.Integer({ description: 'Milliseconds of real time since the last request' }),
  requests: Type.Integer({ description: 'Number of requests to the world' }),
  size_bytes: Type.Integer({ description: 'Size of the world’s tables in bytes' }),
  open: Type.Boolean({
    description:
      'False while the world’s file is closed, with `--worlds`: the next request, or work that is due, opens the file',
  }),
  revision: described(
    nullable(Type.String()),
    'Changes whenever the world’s tables change: a world with the same `id` and revision has the same content. Null if the revision is not known',
  ),
})
export type WorldEntry = Static<typeof WorldEntry>

/** A request to a world that had ended. The query of the URL is omitted. */
export const LateRequest = Type.Object({
  method: Type.String({ description: 'HTTP method' }),
  path: Type.String({ description: 'Path without the query' }),
  at: described(Timestamp, 'Time of the request, UTC'),
})
export type LateRequest = Static<typeof LateRequest>

export const EndedWorld = Type.Object({
  name: WorldName,
  id: described(Uuid, 'Last id of the world'),
  status: Type.Literal('ended', { description: 'Always `ended`: requests to the world are answered with 410' }),
  ended_by: Type.Enum(['deletion', 'expiry'], {
    description: 'Cause of the end: the world was deleted, or idle for too long',
  }),
  ended_at: described(Timestamp, 'Time of the world’s end, UTC'),
  late_requests: Type.Integer({ description: 'Number of requests after the end' }),
  latest: Type.Array(LateRequest, { description: 'Last ten requests after the end' }),
})
export type EndedWorld = Static<typeof EndedWorld>

export const MovedWorld = Type.Object({
  name: WorldName,
  base_url: Type.String({ description: 'Base URL of the world at the emulator that has it now' }),
  moved_at: described(Timestamp, 'Time when the world ended at this emulator, UTC'),
})
export type MovedWorld = Static<typeof MovedWorld>

/** A world whose content is unknown, because its file has not been opened or can't be opened. */
export const UnopenedWorld = Type.Object({
  name: WorldName,
  id: Type.Null({ description: 'Always null: the id is in the file' }),
  status: Type.Enum(['unread', 'broken'], {
    description: '`unread`: the file is opened soon; `broken`: the file can’t be opened, and requests get a 503',
  }),
  problem: described(nullable(Type.String()), 'Reason why the file can’t be opened; null for an unread file'),
  remedy: described(nullable(Type.String()), 'Way to fix the problem'),
})
export type UnopenedWorld = Static<typeof UnopenedWorld>

export const WorldsQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(Type.Enum(['live', 'ended'], { description: 'Only live worlds, or only ended worlds' })),
})

export const WorldAccess = Type.Object({
  base_url: Type.String({ description: 'Base URL of the world’s API' }),
  auth_url: Type.String({ description: 'Base URL of the world’s OAuth endpoints' }),
  control_url: Type.String({ description: 'Base URL of the world’s control endpoints' }),
  token: Type.String({ description: 'Access token of the world’s user, with every scope' }),
  client_id: Type.String({ description: 'Id of an OAuth client of the world' }),
  client_secret: Type.String({ description: 'Secret of that OAuth client' }),
  user: described(WorldUser, 'User of the token'),
  accounts: Type.Array(
    Type.Object({
      id: described(Uuid, 'Id of the account'),
      iban: Account.properties.iban,
      currency: Account.properties.balance.properties.currency,
      balance: Type.Integer({ ...minorUnits, description: 'Available money in minor units: 1000 is 10.00' }),
    }),
    { description: 'Accounts of the user, oldest first' },
  ),
})

export const CreatedWorld = Type.Object({ ...WorldEntry.properties, ...WorldAccess.properties })
export type CreatedWorld = Static<typeof CreatedWorld>

export const CreateWorldBody = closed({
  name: Type.Optional(
    described(WorldName, 'Name of the new world. Default: a generated name that is never used again'),
  ),
  rng_stream: Type.Optional(
    described(RngStream, `${streamUse}. Worlds of one stream draw the same values. Default: the name of the world`),
  ),
  from: Type.Optional(described(Origin, 'Origin of the world. Default: the seed of the emulator')),
  ttl_seconds: Type.Optional(
    described(
      nullable(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
      'Seconds of real time without requests after which the world ends; null, the default, for never',
    ),
  ),
  port: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      description: 'Port on which the world also answers, without its prefix; 0 is any free port',
    }),
  ),
  strict: Type.Optional(
    Type.Boolean({
      description:
        'True if a request that breaks the contract fails the test that uses the world. Default: the setting of the emulator',
    }),
  ),
  chaos: Type.Optional(
    described(nullable(ChaosBody), 'Chaos of the world; null for none. Default: the chaos of the emulator'),
  ),
})

const worldParams = Type.Object({ name: WorldName })
const noSuch = { 404: null, 422: null } as const

export const ExportedSeed = Type.Object({
  seed: SeedFile,
  left_out: Type.Array(Type.String({ description: 'Kind and count, such as `faults (2)`' }), {
    description: 'Parts of the world that are not in the seed',
  }),
})
export type ExportedSeed = Static<typeof ExportedSeed>

/** Media type of an exported world, and maximum number of bytes of a world to import. */
export const worldFile = { type: 'application/vnd.sqlite3', limit: 256 * 1024 * 1024 } as const

/** The file of a world. */
export const WorldBytes = Type.Unsafe<Uint8Array>({
  type: 'string',
  format: 'binary',
  description: 'An SQLite database',
})

const { name: nameOfNew, rng_stream, port, strict } = CreateWorldBody.properties

const ImportQuery = Type.Object({
  name: nameOfNew,
  rng_stream,
  ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: 'Seconds of real time without requests after which the world ends. Default: never',
    }),
  ),
  port,
  strict,
  chaos: Type.Optional(
    described(
      inJson(nullable(ChaosBody)),
      'Chaos of the world, as JSON text; null for none. Default: the chaos of the emulator. The URL and headers of a request must not exceed 16 KiB together',
    ),
  ),
})

export const worldEndpoints = {
  'control.worlds.create': controlEndpoint({
    method: 'POST',
    path: '/_emulator/worlds',
    summary: 'Make a world from a seed or a snapshot, or fork another world from its current state or a saved moment',
    description:
      'The world is isolated from all others: it has its own database, clock, deliveries, limits and faults. The answer has everything that a client needs. The name of an ended world can be used again. A request with the `id` of the ended world in `X-Emulator-World` is still answered with 410, and never reaches the new world.',
    body: CreateWorldBody,
    success: { status: 201, message: 'World created', data: CreatedWorld },
    errors: { 404: null, 409: null },
    ofEmulator: true,
  }),
  'control.worlds.list': controlEndpoint({
    method: 'GET',
    path: '/_emulator/worlds',
    summary: 'Live and ended worlds, newest first',
    description:
      'The entry of a live world has the size of the world. The entry of an ended world has the requests that came after its end. A world that ends keeps its place in the list. With `--worlds`, a world whose file is unread or can’t be opened has only a name and a problem; it counts as live.',
    query: WorldsQuery,
    success: { status: 200, message: 'Worlds listed', data: Page(Type.Union([WorldEntry, UnopenedWorld, EndedWorld])) },
    errors: { 422: null },
    list: 'page',
    ofEmulator: true,
  }),
  'control.worlds.get': controlEndpoint({
    method: 'GET',
    path: '/_emulator/worlds/{name}',
    summary: 'One world, with everything that its clients need',
    description: 'The answer is 410 if the world has ended.',
    params: worldParams,
    success: { status: 200, message: 'World read', data: CreatedWorld },
    errors: noSuch,
    ofEmulator: true,
  }),
  'control.worlds.delete': controlEndpoint({
    method: 'DELETE',
    path: '/_emulator/worlds/{name}',
    summary: 'End a world, with its timers, deliveries and connections',
    description:
      'Later requests are answered with 410 and counted. Once a new world has the name, requests to the URL reach the new world. Requests with the `id` of the ended world in `X-Emulator-World` always get 410.',
    params: worldParams,
    success: { status: 200, message: 'World ended', data: EndedWorld },
    errors: { ...noSuch, 409: 'The default world ends with the emulator' },
    ofEmulator: true,
  }),
  'control.worlds.moved': controlEndpoint({
    method: 'POST',
    path: '/_emulator/worlds/{name}/moved',
    summary: 'End a world that another emulator has imported',
    description:
      'Later requests are answered with 421 and the new base URL, until a new world has the name. The answer is 409 if the world has changed, been exported again or been closed since `file` was exported: export and import it again. `payctl emulator worlds move` does all these steps.',
    params: worldParams,
    body: closed({
      base_url: Type.String({
        pattern: '^https?://[^ ]{1,2000}$',
        description: 'Base URL of the world at the other emulator, as the import returned it',
        'x-messages': { pattern: 'The base URL must be an http or https URL.' },
      }),
      file: Type.String({
        pattern: '^[0-9a-f]{64}$',
        description: 'SHA-256 digest, in hex, of the exported file: `made_from.file` of the import',
        'x-messages': { pattern: 'The digest of the file must be 64 hexadecimal digits.' },
      }),
    }),
    success: { status: 200, message: 'World moved', data: MovedWorld },
    errors: { ...noSuch, 409: null },
  }),
  'control.seed': controlEndpoint({
    method: 'GET',
    path: '/_emulator/seed',
    summary: 'Current state of the world as a seed',
    description:
      'A world made from the seed has the same users, money, payments and settings. The seed has digests instead of secrets.',
    success: { status: 200, message: 'Seed written', data: ExportedSeed },
  }),
  'control.export': controlEndpoint({
    method: 'GET',
    path: '/_emulator/export',
    summary: 'Current state of the world as a file',
    description:
      'An SQLite database with payments in progress, the clock and waiting deliveries, with digests of tokens and with webhook secrets: keep the file private.',
    success: { status: 200, message: 'World exported', data: WorldBytes, type: worldFile.type },
  }),
  'control.import': controlEndpoint({
    method: 'POST',
    path: '/_emulator/import',
    summary: 'Make a world from an exported file',
    description:
      'The world continues from its state at the export; a reset returns to that state. The file is checked before it is opened: a foreign, newer, damaged or hostile file is refused.',
    query: ImportQuery,
    body: Type.Object({ file: WorldBytes }),
    upload: worldFile,
    success: { status: 201, message: 'World created', data: CreatedWorld },
    errors: { 409: null },
    ofEmulator: true,
  }),
} as const
