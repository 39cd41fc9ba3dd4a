import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlErrors } from '../errors.ts'
import { CreatedWorld, CreateWorldBody } from './worlds.ts'

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

export const worldFileEndpoints = {
  'control.export': endpoint({
    method: 'GET',
    path: '/_emulator/export',
    summary:
      'The world as it is now, as a file: an SQLite database with digests of tokens and secrets of webhooks in it',
    description: 'Payments under way, the clock and waiting deliveries are part of it.',
    access: 'control',
    success: { status: 200, message: 'World exported', data: Bytes, type: worldFile.type },
    errors: controlErrors,
  }),
  'control.import': endpoint({
    method: 'POST',
    path: '/_emulator/import',
    summary: 'Make a world from a file that was exported; it goes on from the moment of the export, also after a reset',
    description:
      'The file is checked before it is opened: what is foreign, newer, damaged or hostile is refused untouched.',
    access: 'control',
    query: ImportQuery,
    body: Type.Object({ file: Bytes }),
    upload: worldFile,
    success: { status: 201, message: 'World created', data: CreatedWorld },
    errors: {
      ...controlErrors,
      409: null,
      413: 'The request body is too large.',
      415: 'Unsupported Media Type.',
      422: null,
    },
  }),
} as const
