import { v5 } from 'uuid'
import type { SeedFile } from '../../src/contract/index.ts'
import type { Path, Problem } from './problems.ts'

/** Namespace of the UUIDs that are derived from names: a name gives the same id on every machine. */
const namespace = '7a3c1f0e-52d4-4b6a-9a0b-70617963746c'

export const derivedId = (name: string): string => v5(name, namespace)

/** Names of the lists in a seed. */
export type ListName = {
  [Name in keyof SeedFile]-?: NonNullable<SeedFile[Name]> extends readonly unknown[] ? Name : never
}[keyof SeedFile]

/** An entry in a list of a seed. */
export type Item<List extends ListName> = NonNullable<SeedFile[List]>[number]

/** An entry of a seed's list, and its place. */
export interface Entry<T> {
  readonly value: T
  readonly path: Path
}

/** The entries of a list, without undefined entries. */
export const entriesOf = <List extends ListName>(list: List, { [list]: values }: SeedFile): Entry<Item<List>>[] =>
  ((values ?? []) as readonly Item<List>[]).flatMap((value, at) =>
    value === undefined ? [] : [{ value, path: [list, at] }],
  )

interface Named {
  readonly id?: string
  readonly alias?: string
}

/** The rows of one kind, by id and alias. */
export class Names<Row> {
  /** In file order. */
  readonly all: Row[] = []
  readonly #kind: string
  readonly #problems: Problem[]
  readonly #rows = new Map<string, Row>()
  readonly #aliases: string[] = []

  /** `kind`: a noun in the singular, such as `account`. */
  constructor(kind: string, problems: Problem[]) {
    this.#kind = kind
    this.#problems = problems
  }

  /**
   * Adds the row that `make` returns for the entry's id: either the given id, or an id that is derived from the entry's
   * alias or position.
   */
  add<Given extends Named>({ value, path }: Entry<Given>, make: (id: string) => Row): Row {
    const { id: given, alias } = value
    const id = given?.toLowerCase() ?? derivedId(`${this.#kind}/${alias ?? path.at(-1)}`)
    const row = make(id)
    this.all.push(row)
    if (alias !== undefined) {
      this.#set(alias, row, [...path, 'alias'])
      this.#aliases.push(alias)
    }
    // An id that is derived from a repeated alias is repeated too, but the alias has already been reported.
    if (given !== undefined || !this.#rows.has(id)) this.#set(id, row, [...path, 'id'])
    return row
  }

  /** Finds a row by id or alias. */
  get(name: string): Row | undefined {
    return this.#rows.get(name) ?? this.#rows.get(name.toLowerCase())
  }

  /** Finds a row by id or alias; without a name, the first row. Reports a problem if no row is found. */
  find(name: string | undefined, path: Path): Row | undefined {
    const row = name === undefined ? this.all[0] : this.get(name)
    if (row !== undefined) return row
    const others = this.#aliases.length > 0 ? `; known: ${this.#aliases.slice(0, 8).join(', ')}` : ''
    const message = name === undefined ? `no ${this.#kind} exists` : `${this.#kind} ${name} does not exist${others}`
    this.#problems.push({ path, message, reference: name ?? '' })
    return undefined
  }

  #set(name: string, row: Row, path: Path): void {
    if (this.#rows.has(name)) this.#problems.push({ path, message: `${name} is there twice` })
    else this.#rows.set(name, row)
  }
}
