import type { Context } from '../../cli/command.ts'
import { isPathOf } from '../../client/message.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { endpoints } from '../../contract/endpoints.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, detail, field, words } from '../../output/columns.ts'

const rows: Readonly<Record<string, Endpoint>> = endpoints

export interface EndpointRow {
  readonly id: string
  readonly method: string
  readonly path: string
  /** Scopes that permit a call; any one of them is enough. */
  readonly scopes: readonly string[]
  readonly summary: string
}

/** Paths are shown whole; the summary gets the remaining width. */
export const columns = columnsOf<EndpointRow>(
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

/** Method, path and query of a request. */
export interface Address {
  readonly method: string
  /** Path and query after the base URL, with `{name}` not yet filled. */
  readonly path: string
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * Reads `[method] <path>`. Throws UsageError, for example for a URL of another service, which must not receive the
 * token.
 */
export function addressOf([first, second]: readonly string[], baseUrl: string): Address {
  const [method, place] = second === undefined ? [undefined, first] : [first, second]
  const isMethod = (word: string) => methods.includes(word.toUpperCase())
  if (place === undefined || (method === undefined && isMethod(place))) {
    throw new UsageError('The path is missing.', toRun(['api', '--list'], 'To see all paths'))
  }
  if (method !== undefined && !isMethod(method)) {
    throw new UsageError(`'${method}' is not an HTTP method that payctl supports.`, `One of: ${methods.join(', ')}`)
  }
  const row = Object.hasOwn(rows, place) ? rows[place] : undefined
  if (row === undefined) return { method: method?.toUpperCase() ?? 'GET', path: localPath(place, baseUrl) }
  if (method !== undefined && method.toUpperCase() !== row.method) {
    throw new UsageError(`${place} is a ${row.method}, not a ${method.toUpperCase()}.`, toRun(['api', place, '...']))
  }
  return { method: row.method, path: row.path }
}

function localPath(place: string, baseUrl: string): string {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(place)) return cleanPath(`/${place.replace(/^\/+/, '')}`)
  const base = new URL(`${baseUrl}/`)
  const url = URL.canParse(place) ? new URL(place) : undefined
  if (url?.origin !== base.origin || url.username || url.password || !url.pathname.startsWith(base.pathname)) {
    throw new UsageError(
      `That URL does not belong to the service at ${baseUrl}: payctl sends the token only to that service. Nothing was sent.`,
      'Give the path alone, or choose the service with --profile or --base-url.',
    )
  }
  return cleanPath(`/${url.pathname.slice(base.pathname.length)}${url.search}`)
}

/** Resolves dot segments and escapes special characters, as a URL parser does, but keeps `{name}`. */
function cleanPath(path: string): string {
  const url = new URL(`http://service${path}`)
  const readable = url.pathname.replace(/%7B(\w+)%7D/gi, '{$1}')
  return `${readable}${url.search}`
}

/** The endpoint of a request, however its path is spelt. */
export const endpointOf = ({ method, path }: Address): Endpoint | undefined =>
  Object.values(rows)
    // Prefers paths without parameters: `history` in /payments/history is not a payment's id.
    .sort((one, other) => Number(one.path.includes('{')) - Number(other.path.includes('{')))
    .find((row) => row.method === method && isPathOf(row, path))
