import { errorMessage } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import { type CellKind, isBlank, SheetError, type SheetRow, tooMuch, type XlsxForm } from './sheet.ts'
import { openWorkbook, type SheetEntry } from './workbook.ts'

/** A number as the file has it. */
class NumberText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Every row of one sheet of an .xlsx file, blank ones too. Without a name: the first that is visible and has something. */
export async function readXlsx(
  bytes: Uint8Array,
  wanted: string | undefined,
): Promise<{ readonly form: XlsxForm; readonly rows: readonly SheetRow[] }> {
  const workbook = openWorkbook(bytes)
  const used = workbook.sheets.filter(({ isHidden, isUsed }) => !isHidden && isUsed)
  const sheet = wanted === undefined ? (used[0] ?? workbook.sheets[0]) : sheetNamed(wanted, workbook.sheets)
  if (!sheet) throw new SheetError('The .xlsx file has no sheets.')
  const { name, tooLarge, unfinished, hiddenRows, hiddenColumns } = sheet
  if (tooLarge) throw new SheetError(`The sheet '${name}' is too large: ${tooLarge}.`, tooMuch)
  if (unfinished) {
    throw new SheetError(
      `Cell ${unfinished} of the sheet '${name}' is a formula without its result.`,
      'Open the file in Excel or LibreOffice and save it: that writes the results',
    )
  }
  const data = await cellsOf(workbook.bytes, workbook.sheets.indexOf(sheet) + 1)
  const rows = data.map((cells, at): SheetRow => {
    const read = cells.map(readCell)
    return {
      line: at + 1,
      cells: read.map(({ text }) => text),
      kinds: read.map(({ kind }) => kind),
      ...(hiddenRows.has(at + 1) && { isHidden: true }),
    }
  })
  const others = used.filter((other) => other !== sheet).map((other) => other.name)
  const hidden = rows.filter((row) => row.isHidden && !isBlank(row)).length
  return { form: { sheet: name, others, hiddenRows: hidden, hiddenColumns }, rows }
}

function sheetNamed(wanted: string, sheets: readonly SheetEntry[]): SheetEntry {
  const names = sheets.map(({ name }) => name)
  const same = (name: string) => name.trim().toLowerCase() === wanted.trim().toLowerCase()
  const sheet = sheets.find(({ name }) => name === wanted) ?? sheets.find(({ name }) => same(name))
  if (sheet) return sheet
  const close = nearest(wanted, names)
  throw new SheetError(
    `The file has no sheet '${wanted}'. It has: ${names.join(', ')}.`,
    close === undefined ? 'Name one of them with --sheet' : `Did you mean --sheet '${close}'?`,
  )
}

type Value = string | boolean | Date | NumberText | null

async function cellsOf(workbook: ArrayBuffer, sheet: number): Promise<readonly (readonly Value[])[]> {
  const { readSheet } = await import('read-excel-file/universal')
  try {
    return (await readSheet(workbook, sheet, {
      trim: false,
      parseNumber: (text) => new NumberText(text),
    })) as unknown as Value[][]
  } catch (error) {
    throw new SheetError(`The .xlsx file is damaged: ${errorMessage(error)}.`, 'Open it in Excel and save it anew')
  }
}

function readCell(value: Value): { readonly text: string; readonly kind: CellKind } {
  if (value === null) return { text: '', kind: 'empty' }
  if (value instanceof NumberText) return { text: decimalText(value.text), kind: 'number' }
  if (value instanceof Date) return { text: dateText(value), kind: 'date' }
  if (typeof value === 'boolean') return { text: value ? 'TRUE' : 'FALSE', kind: 'boolean' }
  const text = value.replace(/\r\n?/g, '\n')
  return { text, kind: /^#(N\/A|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|NULL!|SPILL!|CALC!)$/.test(text) ? 'error' : 'text' }
}

/**
 * The decimal that a person typed or sees. Programs write the float: 1234.1 as `1234.0999999999999`, which is the float
 * nearest to one decimal of at most 15 digits, all that Excel keeps. A result with more decimals keeps them: it is not
 * what the sheet shows, and whoever reads money refuses it. Numbers that lost their last digits stay as they are written.
 */
export function decimalText(text: string): string {
  if (/^(0|-?[1-9]\d{0,14})$/.test(text)) return text
  const number = Number(text)
  const rounded = number.toPrecision(15)
  if (text.trim() === '' || !Number.isFinite(number) || /e/.test(rounded)) return number === 0 ? '0' : text
  return rounded.includes('.') ? rounded.replace(/\.?0+$/, '') : rounded
}

/** The reader gives the wall clock as UTC. A float of days is off by less than a second. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return ''
  const [day = '', time = ''] = new Date(Math.round(date.getTime() / 1000) * 1000).toISOString().slice(0, 19).split('T')
  return time === '00:00:00' ? day : `${day} ${time}`
}
