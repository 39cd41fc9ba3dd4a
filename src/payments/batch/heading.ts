import { UsageError } from '../../errors/cli_error.ts'
import { printable } from '../../run/sanitise.ts'

export const columnNames = ['to', 'amount', 'description', 'from', 'currency', 'reference'] as const

export type ColumnName = (typeof columnNames)[number]

/** Where each column stands in a record. */
export type Heading = ReadonlyMap<ColumnName, number>

/** Reads the first record: names in any order and case. `from` may be missing when a flag gives it. */
export function readHeading(cells: readonly string[], { hasFrom }: { readonly hasFrom: boolean }): Heading {
  const heading = new Map<ColumnName, number>()
  const last = cells.findLastIndex((cell) => cell.trim() !== '') // Excel adds empty columns at the end
  for (const [at, cell] of cells.slice(0, last + 1).entries()) {
    const written = printable(cell).trim()
    const name = nameOf(cell)
    if (!name) throw new UsageError(`${strange(written, cells)} Nothing was sent.`, usage)
    if (heading.has(name)) throw new UsageError(`The column ${name} stands there twice. Nothing was sent.`, usage)
    heading.set(name, at)
  }
  const required: readonly ColumnName[] = hasFrom
    ? ['to', 'amount', 'description']
    : ['to', 'amount', 'description', 'from']
  const missing = required.filter((name) => !heading.has(name))
  if (missing.length === 0) return heading
  const hint = missing.join() === 'from' ? 'Add it, or name one account for all rows: --from <account id>' : usage
  throw new UsageError(`The file has no column ${missing.join(', ')}. Nothing was sent.`, hint)
}

/** As it is read: copied headings have characters that nobody sees. */
const nameOf = (cell: string): ColumnName | undefined => {
  const written = printable(cell).trim().toLowerCase()
  return columnNames.find((known) => known === written)
}

const strange = (written: string, cells: readonly string[]): string =>
  cells.some(nameOf)
    ? `The column "${written}" is none that payctl reads.`
    : `The first line names no column that payctl reads; it begins with "${written}".`

const usage = 'The first line names the columns: to,amount,description,from and, if you like, currency,reference'
