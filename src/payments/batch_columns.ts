import { UsageError } from '../errors/cli_error.ts'
import { editDistance } from '../errors/nearest.ts'
import type { NextStep } from '../errors/next_step.ts'
import { printable } from '../run/sanitise.ts'
import { columnNamed, plainName } from '../sheets/column_names.ts'
import { SheetError, type SheetRow } from '../sheets/sheet.ts'
import { asText, type Said, say } from '../words/text.ts'

// Maps a sheet's columns to the parts of a payment.

export const columnNames = [
  'to',
  'amount',
  'description',
  'from',
  'currency',
  'reference',
  'name',
  'document',
  'date',
] as const

export type ColumnName = (typeof columnNames)[number]

/** Headings of the file, keyed by the names of payctl's columns. */
export type ColumnMap = ReadonlyMap<ColumnName, string>

/** The caller's own column, repeated in the result. */
interface ExtraColumn {
  readonly name: string
  /** Index of the column in a row, from 0. */
  readonly at: number
}

/** The columns that a heading names: `places` contains the index of each known column in a row, from 0. */
export interface Heading {
  readonly places: ReadonlyMap<ColumnName, number>
  readonly extra: readonly ExtraColumn[]
  /** Number of cells of a row, up to the last heading. */
  readonly width: number
}

/** Column of reasons in a file of refused rows: payctl ignores this column when the file is read again. */
export const reasonColumn = 'reason'

interface Reading {
  readonly map: ColumnMap
  /** True if a flag names the account to debit. */
  readonly hasFrom: boolean
}

/** True for the heading: a row with at least two known columns. A title or notes may precede the heading. */
export const isHeading =
  (map: ColumnMap) =>
  (cells: readonly string[]): boolean => {
    const mapped = [...map.values()].map(plainName)
    // A note above the list often has a cell `Fecha`, so such a cell does not count as a known column.
    const isRead = (cell: string) => (nameOf(cell) ?? 'date') !== 'date' || mapped.includes(plainName(cell))
    return cells.filter((cell) => cell.trim() !== '' && isRead(cell)).length > 1
  }

/**
 * Reads the heading: known names in any order and case, and headings that `map` names. Throws UsageError if a required
 * column is missing, is named twice or is probably misspelt.
 */
export function readHeading(cells: readonly string[], { map, hasFrom }: Reading): Heading {
  const width = cells.findLastIndex((cell) => cell.trim() !== '') + 1 // Excel adds empty columns at the end
  const headings = cells.slice(0, width).map((cell) => printable(cell).trim())
  const places = new Map<ColumnName, number>()
  for (const [name, wanted] of map) places.set(name, placeOf(wanted, headings))
  const extra: ExtraColumn[] = []
  for (const [at, heading] of headings.entries()) {
    if ([...places.values()].includes(at)) continue
    const name = nameOf(heading)
    if (name && map.has(name))
      throw refused(
        say`The file already has the column '${name}', but --map names another column for '${name}'.`,
        usage,
      )
    if (name && places.has(name)) throw refused(say`The file has the column '${name}' twice.`, usage)
    if (name) places.set(name, at)
    // The result still repeats the columns `cédula` and `fecha`, which earlier versions of payctl did not read.
    const isRepeated =
      name === 'document' || name === 'date'
        ? heading.toLowerCase() !== name
        : !name && plainName(heading) !== reasonColumn
    if (isRepeated && heading !== '') extra.push(extraColumn(heading, at, extra))
  }
  requireColumns(places, headings, hasFrom)
  return { places, extra, width }
}

/** True for a row that names payee and amount in words that payctl does not use: the probable heading of the file. */
export const isLikelyHeading = (cells: readonly string[]): boolean => {
  const { columns } = likelyColumns(cells)
  return columns.has('to') && columns.has('amount')
}

interface LikelyColumns {
  /** Columns that unknown headings suggest. */
  readonly columns: ColumnMap
  /** True if the file is refused without these columns. */
  readonly areNeeded: boolean
  /** True if the file has all columns that it needs once these columns are added. */
  readonly areEnough: boolean
}

export function likelyColumns(cells: readonly string[], hasFrom = true): LikelyColumns {
  const headings = cells.map((cell) => printable(cell).trim())
  const own = new Set(headings.map(nameOf))
  const columns = new Map<ColumnName, string>()
  for (const name of guessingOrder) {
    const isFree = (heading: string) =>
      nameOf(heading) === undefined &&
      ![...columns.values()].includes(heading) &&
      headings.indexOf(heading) === headings.lastIndexOf(heading)
    const heading = headings.find((text) => isFree(text) && looksLike(name)(text))
    if (heading !== undefined && !own.has(name)) columns.set(name, heading)
  }
  const required: readonly ColumnName[] = ['to', 'amount', ...(hasFrom ? [] : ['from' as const])]
  const inOrder = columnNames.flatMap((name) => {
    const heading = columns.get(name)
    return heading === undefined ? [] : [[name, heading] as const]
  })
  return {
    columns: new Map(inOrder),
    areNeeded: required.some((name) => !own.has(name)) || columns.has('description'),
    areEnough: required.every((name) => own.has(name) || columns.has(name)),
  }
}

/** Columns that payctl reads under other headings without asking: `Cédula`, `Fecha`. */
export const readByHeading = (headings: readonly string[]): ColumnMap =>
  new Map(
    headings.flatMap((heading) => {
      const name = nameOf(heading)
      return name === undefined || name === heading.toLowerCase() ? [] : [[name, heading] as const]
    }),
  )

/** Error for a file without a heading, with a suggested --map if the texts look like headings. */
export function noHeading(rows: readonly Pick<SheetRow, 'line' | 'cells'>[]): UsageError {
  const lines = rows.map(({ line, cells }) => ({ line, texts: cells.map((cell) => printable(cell).trim()) }))
  for (const { line, texts } of lines) {
    const guess = guessedMap(texts)
    if (guess === undefined || !guess.includes(',')) continue
    const names = texts.filter((text) => text !== '').join(', ')
    return refused(
      say`Line ${line} has headings, but none that payctl reads: ${names}.`,
      say`Say which they are: ${guess}. At a terminal payctl asks once, and remembers the answer`,
    )
  }
  const begins = lines[0]?.texts.find((text) => text !== '') ?? ''
  return refused(say`The first line names no column that payctl reads; it begins with "${begins}".`, usage)
}

const usage =
  'The first line names the columns: to,amount,from and, optionally, description,currency,reference,name,document,date. Other headings: --map to=Teléfono,amount=Monto'

function placeOf(wanted: string, headings: readonly string[]): number {
  try {
    return columnNamed(wanted, headings)
  } catch (error) {
    if (!(error instanceof SheetError)) throw error
    throw refused(error.said, error.saidHint)
  }
}

/**
 * Headings of the day of payment, without accents. Other dates, such as those of an invoice, are not the day of
 * payment.
 */
const dayHeading =
  /^(fecha|fecha(de)?(pago|valor|ejecucion|transferencia)|date|(payment|value|execution)date|dateofpayment)$/

/** The column that a heading names, if any. Ignores invisible characters that copied headings can have. */
function nameOf(cell: string): ColumnName | undefined {
  const written = printable(cell).trim().toLowerCase()
  const plain = plainName(written)
  if (plain === 'cedula') return 'document'
  return dayHeading.test(plain) ? 'date' : columnNames.find((known) => known === written)
}

/**
 * One of the caller's own columns. Throws for a heading that is probably misspelt: its values would be ignored
 * silently.
 */
function extraColumn(heading: string, at: number, others: readonly ExtraColumn[]): ExtraColumn {
  const plain = plainName(heading)
  const meant = columnNames.find(
    (name) =>
      name !== 'reference' &&
      name !== 'document' &&
      name !== 'date' &&
      name.length > 3 &&
      editDistance(plain, name) <= (name.length > 6 ? 2 : 1),
  )
  if (meant) {
    throw refused(
      say`payctl does not read the column "${heading}".`,
      say`Did you mean ${meant}? Rename it, or say so: --map ${`${meant}=${quoted(heading)}`}`,
    )
  }
  const same = others.filter(({ name }) => name === heading).length
  return { name: same === 0 ? heading : `${heading} (${same + 1})`, at }
}

function requireColumns(places: ReadonlyMap<ColumnName, number>, headings: readonly string[], hasFrom: boolean): void {
  const others = headings.filter((_, at) => ![...places.values()].includes(at))
  const required: readonly ColumnName[] = [
    'to',
    'amount',
    // A payment needs no description, but a description under another heading must not be ignored silently.
    ...(others.some(looksLike('description')) ? ['description' as const] : []),
    ...(hasFrom ? [] : ['from' as const]),
  ]
  const missing = required.filter((name) => !places.has(name))
  if (missing.length === 0) return
  const guess = guessedMap(others)
  const next: NextStep = { kind: 'add_source' }
  const advice =
    guess === undefined
      ? missing.join() === 'from'
        ? next
        : usage
      : say`Say which it is: ${guess}. At a terminal payctl asks once, and remembers the answer`
  throw refused(
    say`Columns missing from the file: ${missing.join(', ')}. The file has: ${headings.join(', ')}.`,
    advice,
  )
}

/** Common words of headings in Costa Rica, without accents. */
const usualHeadings: Readonly<Partial<Record<ColumnName, RegExp>>> = {
  to: /^(telefono|celular|movil|iban|cuenta(iban|destino)?|destino|phone|account)/,
  amount: /^(monto|importe|total|salario|valor)/,
  description: /^(descripcion|detalle|concepto|motivo|details?)/,
  from: /^(origen|cuentaorigen|desde)/,
  name: /^(nombre|beneficiario|proveedor|empleado)/,
  document: /^(identificacion|documento|numerodeidentificacion|cedula(fisica|juridica|identidad))/,
}

/** The account to debit comes first, because "Cuenta origen" begins like the account of a payee. */
const guessingOrder: readonly ColumnName[] = ['from', 'to', 'amount', 'description', 'name', 'document']

const looksLike =
  (name: ColumnName) =>
  (heading: string): boolean =>
    usualHeadings[name]?.test(plainName(heading)) ?? false

/** The --map that the headings suggest, such as `--map to=Teléfono,amount=Monto`; undefined if they suggest none. */
function guessedMap(headings: readonly string[]): string | undefined {
  const guessed = columnNames.flatMap((name) => {
    const heading = headings.find(looksLike(name))
    return heading === undefined || name === 'name' || name === 'document' ? [] : [`${name}=${quoted(heading)}`]
  })
  return guessed.length > 0 ? `--map ${guessed.join(',')}` : undefined
}

const quoted = (heading: string): string => (/[\s,="']/.test(heading) ? `'${heading.replaceAll("'", '')}'` : heading)

const refused = (problem: Said, advice: Said | NextStep | undefined): UsageError =>
  new UsageError(say`${asText(problem)} Nothing was sent.`, advice)

/** Parses `to=Teléfono,amount=Monto`. A comma in a heading is written `\,`. Throws UsageError for any other text. */
export function parseColumnMap(text: string): ColumnMap {
  const map = new Map<ColumnName, string>()
  for (const part of text.split(/(?<!\\),/)) {
    const [, name = '', heading = ''] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/.exec(part) ?? []
    const column = columnNames.find((known) => known === name.toLowerCase())
    if (!column || heading === '') {
      const known = columnNames.join(', ')
      throw new UsageError(
        say`"${part.trim()}" maps no column.`,
        say`Write column=heading, with one of these columns: ${known}`,
      )
    }
    if (map.has(column)) throw new UsageError(say`${column} is mapped twice.`, 'Name one heading for this column')
    map.set(column, heading.replaceAll('\\,', ','))
  }
  return map
}
