import { UsageError } from '../errors/cli_error.ts'
import { columnLetters, columnNamed, placeOf, plainName } from '../sheets/column_names.ts'
import { isBlank, type Sheet, type SheetRow } from '../sheets/sheet.ts'
import { classify } from '../values/classify.ts'
import { looksLikeIban, looksLikePhone, parseIban, parsePhone } from '../values/recipient.ts'
import { say } from '../words/text.ts'

export type LookupKindName = 'phone' | 'iban'

/** A column of values to look up. */
export interface LookupColumn {
  readonly at: number
  /**
   * Heading of the column, numbered if an earlier column has the same heading; without a heading, the letter of the
   * column.
   */
  readonly name: string
  /** Kind to assume for a value that looks like neither a phone nor an IBAN. */
  readonly kind: LookupKindName
}

/** Headings that mark columns of phones or IBANs, in the form of `plainName`. */
const headings: Readonly<Record<LookupKindName, RegExp>> = {
  phone:
    /^(n(ro|o|um|umero)?)?(de)?(telefono|telefonos|tel|celular|cel|movil|phone|phonenumber|mobile|sinpe|sinpemovil)\d?$/,
  iban: /^(n(ro|o|um|umero)?)?(de)?(la)?(iban|cuenta|cuentaiban|ibancuenta|account|accountiban|cuentacliente|cuentabancaria)\d?$/,
}

const kindOfHeading = (heading: string): LookupKindName | undefined => {
  const name = plainName(heading)
  return headings.iban.test(name) ? 'iban' : headings.phone.test(name) ? 'phone' : undefined
}

/**
 * True for a header row: it has a requested column or, if no column is requested, a heading of phones or IBANs and no
 * phone or IBAN. `sinpe_movil` is a heading in some files, and a value in payctl's own.
 */
export const isHeaderFor =
  (wanted: readonly string[]) =>
  (cells: readonly string[]): boolean => {
    const names = cells.map(plainName)
    const named = wanted.filter((name) => placeOf(name) === undefined).map(plainName)
    if (named.length > 0) return named.some((name) => names.includes(name))
    return cells.some((cell) => kindOfHeading(cell) !== undefined) && !cells.some(isPayee)
  }

/**
 * Chooses the columns to look up: the requested columns, by heading or place; otherwise columns with phones or IBANs,
 * by their headings or first values; otherwise the only column. `first`: the beginning of the rows. Throws UsageError
 * that lists the existing columns.
 */
export function chooseColumns(
  wanted: readonly string[],
  header: SheetRow | undefined,
  first: readonly SheetRow[],
): readonly LookupColumn[] {
  const names = columnTitles(header, first)
  const columnAt = (at: number): LookupColumn => {
    const name = names[at] ?? columnLetters(at)
    const same = names.slice(0, at).filter((other) => other === name).length
    const kind = kindOfHeading(name) ?? kindOfValues(at, first) ?? 'phone'
    return { at, name: same === 0 ? name : `${name} (${same + 1})`, kind }
  }
  if (wanted.length > 0) return [...new Set(wanted.map((name) => columnNamed(name, names)))].map(columnAt)
  const known = names.flatMap((name, at) => (header && kindOfHeading(name) ? [at] : []))
  const found = known.length > 0 ? known : names.flatMap((_, at) => (kindOfValues(at, first) ? [at] : []))
  if (found.length > 0) return found.map(columnAt)
  if (names.length === 1) return [columnAt(0)]
  throw new UsageError(say`No column is recognised as phones or IBANs. The columns are: ${names.join(', ')}.`, {
    kind: 'name_column',
    example: names[0] ?? 'A',
  })
}

/** Heading of each column, or the column's letters if it has no heading. */
export function columnTitles(header: SheetRow | undefined, first: readonly SheetRow[]): readonly string[] {
  const width = Math.max(0, ...[...(header ? [header] : []), ...first].map(({ cells }) => cells.length))
  return Array.from({ length: width }, (_, at) => header?.cells[at]?.trim() || columnLetters(at))
}

function isPayee(cell: string): boolean {
  const like = classify(cell)
  return like?.good === true && (like.kind === 'phone' || like.kind === 'iban')
}

/** Undefined unless more than half of the non-empty values are valid and of one kind. */
function kindOfValues(at: number, rows: readonly SheetRow[]): LookupKindName | undefined {
  const kinds = rows
    .map(({ cells }) => cells[at]?.trim() ?? '')
    .filter((cell) => cell !== '')
    .map((cell) => classify(cell))
  const count = (kind: LookupKindName) => kinds.filter((like) => like?.kind === kind && like.good).length
  if (count('iban') * 2 > kinds.length) return 'iban'
  return count('phone') * 2 > kinds.length ? 'phone' : undefined
}

/** True if the first row can be a header without known headings: none of its cells looks like a value. */
export const looksLikeHeader = (row: SheetRow): boolean => row.cells.every((cell) => classify(cell) === undefined)

/**
 * Lookup key of a cell, such as `phone:88881234`; the fault of an invalid value; undefined if the cell has no value.
 */
export type CellKey = { readonly key: string } | { readonly fault: string } | undefined

export function keyOf(row: SheetRow, { at, kind: usual }: LookupColumn): CellKey {
  const text = row.cells[at] ?? ''
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined // skips dashes too
  const kind = looksLikeIban(text) ? 'iban' : looksLikePhone(text) ? 'phone' : usual
  try {
    return { key: `${kind}:${kind === 'iban' ? parseIban(text) : parsePhone(text)}` }
  } catch (error) {
    if (error instanceof UsageError) return { fault: error.message }
    throw error
  }
}

/** Number of rows sampled to detect column types. */
const sampled = 100

/** Reads at most 100 non-blank rows, to detect column types. */
export async function sampleOf(sheet: Sheet): Promise<readonly SheetRow[]> {
  const rows: SheetRow[] = []
  for await (const row of sheet.rows) {
    if (!isBlank(row)) rows.push(row)
    if (rows.length === sampled) break
  }
  return rows
}
