import { InvalidArgumentError } from 'commander'
import { allScopes, type Scope } from '../contract/scopes.ts'
import { nearest } from '../errors/nearest.ts'

/** A parser of scopes for an option: `a,b`. */
export function scopeList(text: string): readonly Scope[] {
  const names = text.split(/[\s,]+/).filter((name) => name !== '')
  const known = names.flatMap((name) => allScopes.find((scope) => scope === name) ?? [])
  if (known.length === names.length && known.length > 0) return [...new Set(known)]
  const unknown = names.find((name) => !known.some((scope) => scope === name)) ?? ''
  const near = nearest(unknown, allScopes)
  const suggestion = near === undefined ? '' : `${unknown} is not a scope; did you mean ${near}? `
  throw new InvalidArgumentError(`${suggestion}Scopes are: ${allScopes.join(', ')}.`)
}
