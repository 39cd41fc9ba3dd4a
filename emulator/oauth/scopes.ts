import type { Scope } from '../../src/contract/index.ts'

/** Reads a space-separated list; without one it is all that is allowed. Null when a name in it is not allowed. */
export function readScopes(list: string | undefined, allowed: readonly Scope[]): readonly Scope[] | null {
  const names = new Set<string>((list ?? '').split(' ').filter((name) => name !== ''))
  if (names.size === 0) return allowed
  const scopes = allowed.filter((scope) => names.has(scope))
  return scopes.length === names.size ? scopes : null
}
