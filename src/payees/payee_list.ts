import { createReadStream } from 'node:fs'
import { reasonOf, UsageError } from '../errors/cli_error.ts'
import { fileFault } from '../files/file_fault.ts'
import { beforeInert } from '../run/sanitise.ts'
import { plainName } from '../sheets/column_names.ts'
import type { Target } from '../sheets/output_file.ts'
import { readSheet } from '../sheets/read_sheet.ts'
import type { Separator, Sheet, SheetRow } from '../sheets/sheet.ts'
import { writeExtended } from '../sheets/write_sheet.ts'
import { parseRecipient } from '../values/recipient.ts'
import { type Said, say } from '../words/text.ts'
import { checkedName, isLikeName, type Payee, type PayeeAddress } from './payee.ts'

// Reads and writes payees in spreadsheets.

/** A payee, from one row of a spreadsheet. An empty cell is undefined. */
export interface ListedPayee {
  readonly name: string
  readonly address: PayeeAddress
  /** The name that the holder must have. */
  readonly holder: string | undefined
  readonly note: string | undefined
}

/** Headings of the columns, as `plainName` writes them. */
const headings = {
  name: /^(name|nombre|payee|alias|beneficiario)$/,
  to: /^(to|para|destino)$/,
  iban: /^(iban|cuenta|cuentaiban|ibancuenta|cuentacliente|account)$/,
  phone: /^(phone|telefono|tel|celular|cel|movil|sinpe|sinpemovil)$/,
  holder: /^(holder|titular|nombretitular|nombredeltitular|expectname)$/,
  note: /^(note|notes|nota|notas|detalle)$/,
} as const

type ColumnName = keyof typeof headings

const columnNames = Object.keys(headings) as readonly ColumnName[]

const columnAt = (cells: readonly string[], column: ColumnName): number =>
  cells.findIndex((cell) => headings[column].test(plainName(cell)))

const isHeader = (cells: readonly string[]): boolean =>
  columnAt(cells, 'name') !== -1 && (['to', 'iban', 'phone'] as const).some((column) => columnAt(cells, column) !== -1)

/** Reads the payees of a spreadsheet. Throws UsageError that names every wrong row. */
export async function readPayeeList(
  file: string,
  { sheet: sheetName, signal }: { readonly sheet: string | undefined; readonly signal: AbortSignal },
): Promise<readonly ListedPayee[]> {
  const stream = createReadStream(file)
  try {
    const sheet = await readSheet(stream, { header: isHeader, sheet: sheetName, isStrict: true, signal })
    return await payeesIn(sheet, file)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new UsageError(say`${file} can't be read: ${fileFault(error)}.`, 'Name a spreadsheet')
  } finally {
    stream.destroy()
  }
}

async function payeesIn({ header, rows, xlsx, csv }: Sheet, file: string): Promise<readonly ListedPayee[]> {
  if (!header) {
    const message = say`${file} has no headings "name" and "to" (or "iban", "phone"). Nothing was saved.`
    throw new UsageError(
      xlsx && xlsx.others.length > 0 ? say`${message} The file has other sheets: ${xlsx.others.join(', ')}.` : message,
      'Give the file the headings name, to, holder and note; the last two are optional',
    )
  }
  const listed: ListedPayee[] = []
  const faults: Record<string, readonly Said[]> = {}
  for await (const row of rows) {
    const wrong: Said[] = []
    const cells = row.cells.map((cell) => textOf(cell, csv?.separator))
    const payee = payeeIn({ ...row, cells }, header.cells, wrong)
    const twin = payee && listed.find(({ name }) => isLikeName(name, payee.name))
    if (twin) wrong.push(say`${twin.name} is in an earlier row`)
    if (wrong.length > 0) faults[`line ${row.line}`] = wrong
    else if (payee) listed.push(payee)
  }
  const count = Object.keys(faults).length
  if (count === 0) return listed
  const error = new UsageError(
    count === 1 ? '1 row is wrong. Nothing was saved.' : say`${count} rows are wrong. Nothing was saved.`,
    {
      kind: 'correct_rows',
      areAllNamed: true,
    },
  )
  error.saidErrors = faults
  throw error
}

/** The payee of a row; undefined if the row is wrong. */
function payeeIn(row: SheetRow, header: readonly string[], faults: Said[]): ListedPayee | undefined {
  const checked = <T>(check: () => T): T | undefined => {
    try {
      return check()
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      faults.push(reasonOf(error))
      return undefined
    }
  }
  const cells = Object.fromEntries(columnNames.map((column) => [column, cellAt(row, columnAt(header, column))]))
  const addresses = (['to', 'iban', 'phone'] as const).flatMap((column) => cells[column] ?? [])
  const [address, other] = addresses
  if (row.isHidden) faults.push(say`the row is hidden: show it or delete it`)
  if ([...(row.notes?.values() ?? [])].some(({ isFormula }) => isFormula))
    faults.push(say`it has a formula: paste its value`)
  if (address === undefined || other !== undefined) faults.push(say`it must have one IBAN or phone`)
  if (cells.name === undefined) faults.push(say`the name is missing`)
  const name = cells.name === undefined ? undefined : checked(() => checkedName(cells.name ?? ''))
  const recipient =
    address === undefined ? undefined : checked(() => parseRecipient(address, undefined, { orPayee: false }))
  if (name === undefined || recipient === undefined) return undefined
  return {
    name,
    address: 'recipient_iban' in recipient ? { iban: recipient.recipient_iban } : { phone: recipient.recipient_phone },
    holder: cells.holder,
    note: cells.note,
  }
}

/** The text of a cell, without the apostrophes that prevent formulas. `separator`: of a CSV file. */
function textOf(cell: string, separator: Separator | undefined): string {
  const text = cell.trim()
  return (separator === undefined ? text : beforeInert(text, separator)).replace(/^'(?=[=+@-])/, '')
}

/** Undefined for an empty cell. */
const cellAt = ({ cells }: SheetRow, at: number): string | undefined => cells[at] || undefined

/** Headings of the spreadsheet that `writePayeeList` writes. */
const listHeadings = ['name', 'to', 'holder', 'note'] as const

export interface PayeeListRow {
  readonly name: string
  readonly to: string
  readonly holder: string | null
  readonly note: string | null
}

export const listRowOf = ({ name, iban, phone, holder, note }: Payee): PayeeListRow => ({
  name,
  to: iban ?? phone,
  holder,
  note,
})

/** Writes payees to a spreadsheet that `readPayeeList` reads, .xlsx or CSV by the file's name. */
export async function writePayeeList(target: Target, payees: readonly PayeeListRow[]): Promise<void> {
  const kinds = listHeadings.map(() => 'text' as const)
  const texts = [[...listHeadings], ...payees.map((payee) => listHeadings.map((column) => payee[column] ?? ''))]
  const rows = texts.map((cells, at) => ({ row: { line: at + 1, cells, kinds }, added: [] }))
  await writeExtended(target, { sheet: {}, width: listHeadings.length, headerLine: 1, rows: () => rows })
}
