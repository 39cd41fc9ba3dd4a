import type { Route } from './message.ts'

/** A route, and the parameters of a path that matches it. */
interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  /** False if a parameter is not percent-encoded UTF-8. */
  readonly isReadable: boolean
}

/** Routes by the segments of their templates. */
interface Branch {
  /** Next branches by literal segment. */
  readonly named: Map<string, Branch>
  /** Next branches for a segment that begins with a parameter, by the literal suffix: usually empty. */
  readonly open: Map<string, Branch>
  route: Route | null
}

const newBranch = (): Branch => ({ named: new Map(), open: new Map(), route: null })

/** Finds the route of a method and path. A literal segment takes precedence over a parameter. */
export class Router {
  readonly #roots = new Map<string, Branch>()

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const root = this.#roots.get(route.method) ?? newBranch()
      this.#roots.set(route.method, root)
      segmentsOf(route.path).reduce(grown, root).route = route
    }
  }

  /** Null if no route matches. */
  find(method: string, path: string): Match | null {
    const segments = segmentsOf(path).map(decoded)
    const root = this.#roots.get(method)
    const known = segments.map((segment) => segment ?? '\ufffd')
    const route = root ? routeAt(root, known) : null
    return route && { route, params: paramsOf(route, known), isReadable: !segments.includes(null) }
  }

  /** The methods of a path, sorted; includes HEAD if it has GET. Null for a path that can't be decoded. */
  methods(path: string): readonly string[] | null {
    if (segmentsOf(path).some((segment) => decoded(segment) === null)) return null
    return [...this.#roots.keys()]
      .filter((method) => this.find(method, path) !== null)
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .sort()
  }
}

/** Null for a segment that can't be decoded. It still matches a parameter, so that the route can check access first. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

const segmentsOf = (path: string): readonly string[] => path.split('/').slice(1)

/** The parameter at the begin of a template's segment, and the literal suffix. */
const parameter = /^\{(\w+)\}(.*)$/

/** The branch after a segment; creates it if missing. */
function grown({ named, open }: Branch, segment: string): Branch {
  const ending = parameter.exec(segment)?.[2]
  const [branches, key] = ending === undefined ? [named, segment] : [open, ending]
  const next = branches.get(key) ?? newBranch()
  branches.set(key, next)
  return next
}

function routeAt({ named, open, route }: Branch, segments: readonly string[], from = 0): Route | null {
  const segment = segments[from]
  if (segment === undefined) return route
  const next = named.get(segment)
  const found = next && routeAt(next, segments, from + 1)
  if (found) return found
  for (const [ending, branch] of open) {
    const matched = segment.endsWith(ending) && segment !== ending ? routeAt(branch, segments, from + 1) : null
    if (matched) return matched
  }
  return null
}

function paramsOf({ path }: Route, segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  segmentsOf(path).forEach((template, at) => {
    const [, name, ending = ''] = parameter.exec(template) ?? []
    const segment = segments[at] as string
    if (name !== undefined) params[name] = segment.slice(0, segment.length - ending.length)
  })
  return params
}
