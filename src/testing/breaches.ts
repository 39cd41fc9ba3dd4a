import type { WorldBreach, WorldBreaches } from '../contract/index.ts'

/** Thrown at the end of a strict world if the tested program broke the contract. */
export class BreachError extends Error {
  override readonly name = 'BreachError'
  readonly breaches: readonly WorldBreach[]

  constructor({ count, first }: Pick<WorldBreaches, 'count' | 'first'>) {
    const more = count - first.length
    const lines = [...first.map(inWords), ...(more > 0 ? [`and ${more} more`] : [])]
    super(`${count} ${count === 1 ? 'breach' : 'breaches'} of the contract:\n  ${lines.join('\n  ')}`)
    this.breaches = first
  }
}

const inWords = ({ world, request, method, path, status, what }: WorldBreach): string =>
  `${request === null ? '' : `${request} `}${method} ${path} to ${world}, ${status ?? 'no answer'}: ${what}`
