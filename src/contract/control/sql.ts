import { Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors } from '../errors.ts'
import { closed } from '../schemas/scalars.ts'
import { sqlTime } from '../sql_tables.ts'

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

export const sqlEndpoints = {
  'control.sql': endpoint({
    method: 'POST',
    path: '/_emulator/sql',
    summary: 'Read the world by one SELECT; nothing can be changed, and no secret be read',
    description: 'For questions that no endpoint answers. Amounts are minor units, times ISO 8601 in UTC.',
    access: 'control',
    body: SqlBody,
    success: { status: 200, message: 'Query answered', data: SqlResult },
    errors: controlBodyErrors,
    checksOnly: true,
  }),
} as const
