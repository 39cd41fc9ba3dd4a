import type { Scope } from '../../src/contract/index.ts'

/** The members of a query, form or JSON body. Names that repeat have an array. */
export type Parameters = Readonly<Record<string, unknown>>

/** Anything that is no object has no members. */
export const parametersOf = (value: unknown): Parameters =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Parameters) : {}

export function text(parameters: Parameters, name: string): string | undefined {
  const value = parameters[name]
  return typeof value === 'string' ? value : undefined
}

/** All values of a name that may repeat. */
export function texts(parameters: Parameters, name: string): readonly string[] {
  return [parameters[name]].flat().filter((value) => typeof value === 'string')
}

/** The first of these names that repeats (RFC 6749, 3.1) or has a value that is no text; null is as good as none. */
export const malformed = (parameters: Parameters, names: readonly string[]): string | undefined =>
  names.find((name) => parameters[name] != null && typeof parameters[name] !== 'string')

/** Reads a space-separated list; without one it is all that is allowed. Null when a name in it is not allowed. */
export function readScopes(list: string | undefined, allowed: readonly Scope[]): readonly Scope[] | null {
  const names = new Set<string>((list ?? '').split(' ').filter((name) => name !== ''))
  if (names.size === 0) return allowed
  const scopes = allowed.filter((scope) => names.has(scope))
  return scopes.length === names.size ? scopes : null
}
