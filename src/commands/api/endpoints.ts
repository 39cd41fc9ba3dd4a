import type { Context } from '../../cli/command.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { endpoints } from '../../contract/endpoints.ts'
import { columnsOf, detail, field, words } from '../../output/columns.ts'

export const rows: Readonly<Record<string, Endpoint>> = endpoints

export interface Listed {
  readonly id: string
  readonly method: string
  readonly path: string
  /** One of these is enough. */
  readonly scopes: readonly string[]
  readonly summary: string
}

/** The table has paths whole, and of what they are for what there is room for. */
export const columns = columnsOf<Listed>(
  'id',
  'method',
  { ...field('path'), uncut: true },
  detail('scopes', ({ scopes }) => scopes.join('|')),
  { ...words('summary'), dispensable: true },
)

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
