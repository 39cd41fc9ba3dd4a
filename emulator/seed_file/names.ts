import { v5 } from 'uuid'
import type { SeedFile } from '../../src/contract/index.ts'
import type { Path, Problem } from './problems.ts'

/** Ids that follow from a name are UUIDs of this namespace, the same on every machine. */
const namespace = '7a3c1f0e-52d4-4b6a-9a0b-70617963746c'

export const derivedId = (name: string): string => v5(name, namespace)

/** What a list of a seed has. */
export type Item<List extends keyof SeedFile> = NonNullable<SeedFile[List]> extends readonly (infer T)[] ? T : never

/** An entry of a list of a seed, and where it is. */
export interface Entry<T> {
  readonly value: T
  readonly path: Path
}

/** Those that are undefined are left out. */
export const entriesOf = <T>(name: string, values: readonly T[] = []): readonly Entry<T>[] =>
  values.flatMap((value, at) => (value === undefined ? [] : [{ value, path: [name, at] }]))

interface Named {
  readonly id?: string
  readonly alias?: string
}

/** The rows of one kind, by id and alias. */
export class Names<Row> {
  /** In the order of the file. */
  readonly all: Row[] = []
  readonly #kind: string
  readonly #problems: Problem[]
  readonly #rows = new Map<string, Row>()
  readonly #aliases: string[] = []

  /** `kind` in the singular: `account`. */
  constructor(kind: string, problems: Problem[]) {
    this.#kind = kind
    this.#problems = problems
  }

  /** Adds the row that is made of an entry and its id: given, or following from its alias or position. */
  add<Given extends Named>({ value, path }: Entry<Given>, make: (id: string) => Row): Row {
    const { id: given, alias } = value
    const id = given?.toLowerCase() ?? derivedId(`${this.#kind}/${alias ?? path.at(-1)}`)
    const row = make(id)
    this.all.push(row)
    if (alias !== undefined) {
      this.#set(alias, row, [...path, 'alias'])
      this.#aliases.push(alias)
    }
    // One that follows from an alias is there twice where the alias is.
    if (given !== undefined || !this.#rows.has(id)) this.#set(id, row, [...path, 'id'])
    return row
  }

  /** By id or alias. */
  get(name: string): Row | undefined {
    return this.#rows.get(name) ?? this.#rows.get(name.toLowerCase())
  }

  /** By id or alias, and without a name the first one; none is a problem. */
  find(name: string | undefined, path: Path): Row | undefined {
    const row = name === undefined ? this.all[0] : this.get(name)
    if (row !== undefined) return row
    const others = this.#aliases.length > 0 ? `; there are ${this.#aliases.slice(0, 8).join(', ')}` : ''
    const message = name === undefined ? `there is no ${this.#kind}` : `there is no ${this.#kind} ${name}${others}`
    this.#problems.push({ path, message, reference: name ?? '' })
    return undefined
  }

  #set(name: string, row: Row, path: Path): void {
    if (this.#rows.has(name)) this.#problems.push({ path, message: `${name} is there twice` })
    else this.#rows.set(name, row)
  }
}
