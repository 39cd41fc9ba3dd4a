import type { Endpoint } from '../../contract/endpoint.ts'
import { endpoints } from '../../contract/endpoints.ts'
import { field } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import type { Context } from '../context.ts'

export const rows: Readonly<Record<string, Endpoint>> = endpoints

export interface Listed {
  readonly id: string
  readonly method: string
  readonly path: string
  /** One of these is enough. */
  readonly scopes: readonly string[]
  readonly summary: string
}

export const columns: readonly Column<Listed>[] = [
  field('id', ({ id }) => id),
  field('method', ({ method }) => method),
  field('path', ({ path }) => path),
  field('scopes', ({ scopes }) => scopes.join('|')),
  field('summary', ({ summary }) => summary),
]

export const listEndpoints = (context: Context): Promise<void> =>
  context.output.list(
    Object.entries(rows).map(([id, { method, path, access, summary }]) => ({
      id,
      method,
      path,
      scopes: typeof access === 'object' ? access.scopes : [],
      summary,
    })),
    columns,
  )
