import { InvalidArgumentError } from 'commander'
import { allScopes, type Scope } from '../../contract/scopes.ts'
import { nearest } from '../../errors/nearest.ts'

/** `a,b` as scopes. */
export function parseScopes(text: string): readonly Scope[] {
  const names = text.split(/[\s,]+/).filter((name) => name !== '')
  const unknown = names.find((name) => !(allScopes as readonly string[]).includes(name))
  if (unknown === undefined && names.length > 0) return [...new Set(names)] as Scope[]
  const near = nearest(unknown ?? '', allScopes)
  const suggestion = near === undefined ? '' : `There is no ${unknown}; did you mean ${near}? `
  throw new InvalidArgumentError(`${suggestion}Scopes are: ${allScopes.join(', ')}.`)
}
