import type { Scope } from '../../src/contract/index.ts'

/** Parameters of a query, form or JSON body. A repeated parameter is an array. */
export type Parameters = Readonly<Record<string, unknown>>

/** Any value other than an object is treated as `{}`. */
export const parametersOf = (value: unknown): Parameters =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Parameters) : {}

export function text(parameters: Parameters, name: string): string | undefined {
  const value = parameters[name]
  return typeof value === 'string' ? value : undefined
}

/** All values of a parameter that may be repeated. */
export function texts(parameters: Parameters, name: string): readonly string[] {
  return [parameters[name]].flat().filter((value) => typeof value === 'string')
}

/** The first of these parameters that is repeated (RFC 6749, 3.1) or not a string; null counts as absent. */
export const malformed = (parameters: Parameters, names: readonly string[]): string | undefined =>
  names.find((name) => parameters[name] != null && typeof parameters[name] !== 'string')

/**
 * Reads a space-separated list of scopes; without a list, all allowed scopes. Null if the list contains a scope that is
 * not allowed.
 */
export function readScopes(list: string | undefined, allowed: readonly Scope[]): readonly Scope[] | null {
  const names = new Set<string>((list ?? '').split(' ').filter((name) => name !== ''))
  if (names.size === 0) return allowed
  const scopes = allowed.filter((scope) => names.has(scope))
  return scopes.length === names.size ? scopes : null
}
