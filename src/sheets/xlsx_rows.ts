import { nearest } from '../errors/nearest.ts'
import { say } from '../words/text.ts'
import { type CellNote, SheetError, type SheetRow, type XlsxForm } from './sheet.ts'
import type { ReadRow } from './sheet_xml.ts'
import { SheetXml } from './sheet_xml.ts'
import { openWorkbook, type SheetEntry, type Workbook } from './workbook.ts'
import { damage, damaged, readXml, type XmlElement } from './xml.ts'

interface XlsxOptions {
  /** Name of the sheet; default: the first visible sheet that is not empty. */
  readonly sheet?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads every row of one sheet of an .xlsx file, including blank rows. Throws SheetError for a damaged file or an
 * unknown sheet.
 */
export async function readXlsx(
  bytes: Uint8Array,
  { sheet: wanted, signal }: XlsxOptions,
): Promise<{ readonly form: XlsxForm; readonly rows: Iterable<SheetRow> }> {
  const workbook = await openWorkbook(bytes, signal)
  const used: SheetEntry[] = []
  for (const sheet of workbook.sheets) if (await isUsed(sheet, workbook, signal)) used.push(sheet)
  const { sheets, recalculates } = workbook
  const sheet = wanted === undefined ? (used[0] ?? sheets[0]) : sheetNamed(wanted, sheets)
  const part = sheet?.path === undefined ? undefined : workbook.parts.find(sheet.path)
  if (!sheet || !part) throw new SheetError(damage('it does not contain the sheet that its workbook names'), damaged)
  const { name } = sheet
  const read = new SheetXml(workbook, name)
  await readXml(part, read, signal)
  const filled = read.rows.filter(hasText)
  const others = used.filter((other) => other !== sheet).map((other) => other.name)
  const hiddenRows = filled.filter(({ isHidden }) => isHidden).length
  const form = { sheet: name, others, hiddenRows, hiddenColumns: read.hiddenColumns, recalculates }
  return { form, rows: rowsOf(read.rows, { width: read.width, last: filled.at(-1)?.line ?? 0 }) }
}

const hasText = ({ cells }: ReadRow): boolean => cells.some((cell) => cell.text.trim() !== '')

function sheetNamed(wanted: string, sheets: readonly SheetEntry[]): SheetEntry {
  const names = sheets.map(({ name }) => name)
  const same = (name: string) => name.trim().toLowerCase() === wanted.trim().toLowerCase()
  const sheet = sheets.find(({ name }) => name === wanted) ?? sheets.find(({ name }) => same(name))
  if (sheet) return sheet
  throw new SheetError(say`The file has no sheet '${wanted}'. It has: ${names.join(', ')}.`, {
    kind: 'name_sheet',
    near: nearest(wanted, names),
  })
}

/** True if a visible sheet has a non-empty cell. Also true for a damaged sheet: reading it reports the damage. */
async function isUsed(
  { isHidden, path }: SheetEntry,
  { parts }: Workbook,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const part = isHidden || path === undefined ? undefined : parts.find(path)
  if (!part) return false
  const looking = {
    isDone: false,
    isValue: false,
    open({ name, parent }: XmlElement) {
      this.isValue = ['v', 'f', 't'].includes(name) && ['c', 'is', 'r'].includes(parent)
    },
    text(text: string) {
      this.isDone ||= this.isValue && text !== ''
    },
  }
  try {
    await readXml(part, looking, signal)
  } catch (error) {
    if (error instanceof SheetError) return true
    throw error
  }
  return looking.isDone
}

/** `last`: line of the last non-empty row. `width`: number of cells in each row. */
function* rowsOf(
  rows: readonly ReadRow[],
  { width, last }: { readonly width: number; readonly last: number },
): Generator<SheetRow, void> {
  let line = 1
  for (const row of rows) {
    if (row.line > last) return
    for (; line < row.line; line += 1) yield rowOf({ line, cells: [], isHidden: false }, width)
    yield rowOf(row, width)
    line += 1
  }
}

function rowOf({ line, cells, isHidden }: ReadRow, width: number): SheetRow {
  const notes = new Map<number, CellNote>()
  for (const [at, cell] of cells.entries()) if (cell?.note) notes.set(at, cell.note)
  return {
    line,
    cells: Array.from({ length: width }, (_, at) => cells[at]?.text ?? ''),
    kinds: Array.from({ length: width }, (_, at) => cells[at]?.kind ?? 'empty'),
    ...(isHidden && { isHidden }),
    ...(notes.size > 0 && { notes }),
  }
}
