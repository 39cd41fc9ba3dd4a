import { type Static, Type } from 'typebox'
import { teamKeyNamePattern, teamNamePattern } from '../../src/contract/index.ts'

const limit = (description: string, minimum = 0) =>
  Type.Optional(Type.Integer({ minimum, maximum: 1_000_000_000, description }))

/**
 * Quotas of a team. The value for all teams applies to a missing quota; if that value is missing too, the team has no
 * limit, except for `calls_at_once`.
 */
const Quotas = Type.Object(
  {
    worlds: limit('Live worlds, open and closed'),
    snapshots: limit('Snapshots'),
    mebibytes: limit('Size of all worlds and snapshots of the team, in MiB'),
    requests_per_minute: limit('Requests per minute to all worlds of the team, including control requests', 1),
    calls_at_once: limit(
      'Control requests in progress at the same time, such as event streams, waits and queries. Default: 100',
      1,
    ),
    idle_days: limit('Days without requests after which a world ends', 1),
  },
  { additionalProperties: false, description: 'Limits of a team' },
)
export type Quotas = Static<typeof Quotas>

const Keys = Type.Record(
  Type.String({ pattern: teamKeyNamePattern }),
  Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 digest of a key, in hex' }),
  { additionalProperties: false, description: 'Digests of the keys, by key name. A key that is removed is revoked' },
)

const Team = Type.Object(
  { keys: Type.Optional(Keys), quotas: Type.Optional(Quotas) },
  { additionalProperties: false, description: 'A team' },
)

/** The teams that share an emulator. `payctl emulator team key` adds the digests of keys to the file. */
export const TeamsFile = Type.Object(
  {
    quotas: Type.Optional({
      ...Quotas,
      description: 'Limits of every team; a limit in a team’s own quotas replaces the limit here',
    }),
    teams: Type.Record(Type.String({ pattern: teamNamePattern }), Team, {
      additionalProperties: false,
      description:
        'Teams by name. A name has 1 to 31 characters: lower case letters, digits, dashes and underscores, beginning with a letter or digit',
    }),
  },
  { additionalProperties: false, description: 'Teams that share an emulator' },
)
export type TeamsFile = Static<typeof TeamsFile>
