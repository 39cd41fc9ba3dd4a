import type { Route } from './message.ts'

/** A route, and the parameters of a path that matches it. */
interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  /** False if a parameter is not percent-encoded UTF-8. */
  readonly isReadable: boolean
}

/** Node of the tree of routes, which branches at each segment of a template. */
interface Branch {
  /** Next branches, keyed by literal segment. */
  readonly literals: Map<string, Branch>
  /**
   * Next branches for a segment that begins with a parameter, keyed by the literal text after the parameter, which is
   * usually empty.
   */
  readonly parameters: Map<string, Branch>
  /** The route of a template that ends here, and the names of its parameters. */
  end: { readonly route: Route; readonly names: readonly string[] } | null
}

const newBranch = (): Branch => ({ literals: new Map(), parameters: new Map(), end: null })

/** The parameter at the start of a template's segment, and the literal suffix. */
const parameter = /^\{(\w+)\}(.*)$/

/** Finds the route of a method and path. A literal segment takes precedence over a parameter. */
export class Router {
  readonly #roots = new Map<string, Branch>()

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      let branch = this.#roots.get(route.method) ?? newBranch()
      this.#roots.set(route.method, branch)
      const names: string[] = []
      for (const segment of route.path.split('/').slice(1)) {
        const [, name, suffix = ''] = parameter.exec(segment) ?? []
        if (name !== undefined) names.push(name)
        const [branches, key] = name === undefined ? [branch.literals, segment] : [branch.parameters, suffix]
        branch = branches.get(key) ?? newBranch()
        branches.set(key, branch)
      }
      branch.end = { route, names }
    }
  }

  /**
   * Null if no route matches. A segment that can't be decoded still matches a parameter, so that the route can first
   * check whether the caller has access.
   */
  find(method: string, path: string): Match | null {
    const segments = path.split('/').slice(1)
    let isReadable = true
    for (const [at, segment] of segments.entries()) {
      if (!segment.includes('%')) continue
      const text = decoded(segment)
      isReadable &&= text !== null
      segments[at] = text ?? '\ufffd'
    }
    const values: string[] = []
    const root = this.#roots.get(method)
    const end = root ? endOf(root, segments, values) : null
    if (!end) return null
    const params: Record<string, string> = {}
    for (const [at, name] of end.names.entries()) params[name] = values[at] as string
    return { route: end.route, params, isReadable }
  }

  /** The methods of a path, sorted, with HEAD if GET is one of them. Null for a path that can't be decoded. */
  methods(path: string): readonly string[] | null {
    if (decoded(path) === null) return null
    return [...this.#roots.keys()]
      .filter((method) => this.find(method, path) !== null)
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .sort()
  }
}

/**
 * Decodes a segment; null if it is not percent-encoded UTF-8. Callers must use the result: the bundler drops a call
 * whose result is unused.
 */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Finds the route for the segments from `at` on; adds the values of parameters to `values`. */
function endOf(branch: Branch, segments: readonly string[], values: string[], at = 0): Branch['end'] {
  const segment = segments[at]
  if (segment === undefined) return branch.end
  const literal = branch.literals.get(segment)
  const found = literal && endOf(literal, segments, values, at + 1)
  if (found) return found
  for (const [suffix, next] of branch.parameters) {
    if (!segment.endsWith(suffix) || segment === suffix) continue
    const before = values.length
    values.push(segment.slice(0, segment.length - suffix.length))
    const end = endOf(next, segments, values, at + 1)
    if (end) return end
    values.length = before
  }
  return null
}
