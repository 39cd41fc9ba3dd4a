import { defaultWorld, shardPattern, worldNamePattern } from '../../src/contract/index.ts'
import { invalid, Refusal } from '../domain/refusal.ts'

/**
 * The share of a company's worlds that this process has. The names of its worlds begin with the shard's name:
 * `s2.shop-7` is in the shard s2. Without shards, names have no prefix.
 */
export class Shard {
  /** Null: no shards. */
  readonly name: string | null

  constructor(name: string | undefined) {
    this.name = name ?? null
  }

  /** Full name of a new world. Throws a Refusal with 422 for a name that is too long once it has the prefix. */
  fullName(name: string): string {
    if (this.name === null || name.startsWith(`${this.name}.`)) return name
    const full = `${this.name}.${name}`
    if (new RegExp(worldNamePattern).test(full)) return full
    throw invalid('name', `The name of a world has at most 63 characters, but this name would be ${full}.`)
  }

  /** Name of a world in URLs. Only in URLs, the name of the default world has the shard's prefix. */
  nameInUrl(name: string): string {
    return name === defaultWorld && this.name !== null ? `${this.name}.${name}` : name
  }

  /** Returns the name of a world for its name in URLs. */
  named(nameInUrl: string): string {
    return nameInUrl === this.nameInUrl(defaultWorld) ? defaultWorld : nameInUrl
  }

  /** Throws a Refusal with 421 for the name of a world in another shard. */
  refuseForeign(name: string): void {
    const [first = '', ...rest] = name.split('.')
    if (this.name === null || rest.length === 0 || first === this.name || !new RegExp(shardPattern).test(first)) return
    const message = `World ${name} belongs to the shard ${first}. This is the shard ${this.name}`
    throw new Refusal(421, { message, errors: { shard: [message] } })
  }
}
