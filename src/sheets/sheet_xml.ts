import { say } from '../words/text.ts'
import { empty, OpenCell, type ReadCell } from './cell_xml.ts'
import { columnLetters, columnNumber } from './column_names.ts'
import { SheetError, tooMuch } from './sheet.ts'
import type { Workbook } from './workbook.ts'
import { type Attributes, booleanOf, damage, damaged, numberOf, wholeNumberOf, type XmlElement } from './xml.ts'

/** Excel's limits. */
const mostRows = 1_048_576
const mostColumns = 16_384

/** Maximum number of cells in the sheet's rectangle, including empty cells, because all of them are yielded. */
const mostCells = 5_000_000

/**
 * Minimum height of a row in points, and minimum width of a column in characters: smaller rows and columns are
 * unreadable.
 */
const lowestRow = 3
const narrowestColumn = 0.5

/** A row that the file contains. */
export interface ReadRow {
  readonly line: number
  /** Cells by index, from 0; the array has holes for missing cells. */
  readonly cells: ReadCell[]
  readonly isHidden: boolean
}

/** Reads the XML of a sheet. Refuses misplaced elements: Excel, or another program, could show something else. */
export class SheetXml {
  readonly rows: ReadRow[] = []
  /** Number of columns up to the last non-empty column. */
  width = 0
  readonly #workbook: Workbook
  readonly #name: string
  readonly #hiddenColumns: number[] = []
  /** True: rows or columns without attributes are hidden. */
  #hides = { rows: false, columns: false }
  #lastColumn = 0
  #row: ReadRow | undefined
  #cell: OpenCell | undefined
  #merged: string[] = []
  #isAfterRows = false

  constructor(workbook: Workbook, name: string) {
    this.#workbook = workbook
    this.#name = name
  }

  /** Indexes, from 0, of the hidden columns that are in use. */
  get hiddenColumns(): readonly number[] {
    const named = new Set(this.#named)
    const all = Array.from({ length: this.width }, (_, at) => at)
    const hidden = new Set(this.#hiddenColumns)
    return all.filter((at) => hidden.has(at) || (this.#hides.columns && !named.has(at)))
  }

  readonly #named: number[] = []

  open({ name, attributes, parent, depth }: XmlElement): void {
    const cell = this.#cell
    if (cell) {
      if (depth > 4) cell.open(name, parent, depth)
      return
    }
    const place = places[name]
    if (place === undefined) {
      if (parent === 'sheetData' || (parent === 'row' && name !== 'extLst')) throw this.#misplaced(name)
      return
    }
    if (place.parent !== parent || place.depth !== depth) throw this.#misplaced(name)
    if (name === 'row') this.#openRow(attributes)
    else if (name === 'c') this.#openCell(attributes)
    else if (name === 'mergeCell') this.#merged.push(attributes.ref ?? '')
    else if (name === 'sheetData' && this.#isAfterRows) throw this.#misplaced(name)
    else if (name === 'sheetFormatPr') this.#openDefaults(attributes)
    else if (name === 'col') this.#openColumns(attributes)
  }

  text(text: string): void {
    this.#cell?.add(text)
  }

  close(name: string): void {
    const cell = this.#cell
    if (cell && name !== 'c') cell.close(name)
    else if (cell) {
      this.#cell = undefined
      this.#add(cell)
    } else if (name === 'row') this.#row = undefined
    else if (name === 'sheetData') this.#isAfterRows = true
    else if (name === 'worksheet') this.#markCovered()
  }

  #openDefaults({ zeroHeight, defaultRowHeight, defaultColWidth, baseColWidth }: Attributes): void {
    if (this.rows.length > 0) throw this.#misplaced('sheetFormatPr')
    const rows = booleanOf(zeroHeight) === true || (numberOf(defaultRowHeight) ?? 15) < lowestRow
    const width = numberOf(defaultColWidth) ?? (numberOf(baseColWidth) === 0 ? 0 : 8)
    this.#hides = { rows, columns: width < narrowestColumn }
  }

  #openColumns({ min, max, hidden, width }: Attributes): void {
    if (this.rows.length > 0) throw this.#misplaced('col')
    const first = wholeNumberOf(min, this.#lastColumn + 1, mostColumns)
    const last = wholeNumberOf(max, first ?? 1, mostColumns)
    if (first === undefined || last === undefined) throw this.#damaged('a column has no position')
    this.#lastColumn = last
    const size = numberOf(width)
    const isHidden = booleanOf(hidden) ?? false
    const isNarrow = size === undefined ? this.#hides.columns : size < narrowestColumn
    for (let column = first; column <= last; column += 1) {
      this.#named.push(column - 1)
      if (isHidden || isNarrow) this.#hiddenColumns.push(column - 1)
    }
  }

  #openRow({ r, hidden, ht }: Attributes): void {
    const before = this.rows.at(-1)?.line ?? 0
    const line = wholeNumberOf(r, 1, mostRows) ?? before + 1
    if (line <= before) throw this.#damaged(`row ${line} follows row ${before}`)
    if (line > mostRows) throw this.#tooLarge(line)
    const height = numberOf(ht)
    const says = booleanOf(hidden)
    const isLow = height === undefined ? this.#hides.rows && says === undefined : height < lowestRow
    this.#row = { line, cells: [], isHidden: says === true || isLow }
    this.rows.push(this.#row)
    if (line * Math.max(1, this.width) > mostCells) throw this.#tooLarge(line)
  }

  #openCell(attributes: Attributes): void {
    const row = this.#row
    if (!row) throw this.#misplaced('c')
    const before = row.cells.length - 1
    const column = this.#columnOf(attributes.r, row.line) ?? before + 1
    if (column <= before) throw this.#damaged(`cell ${attributes.r} is out of order`)
    if (column >= mostColumns) throw this.#tooLarge(row.line)
    const address = `${columnLetters(column)}${row.line}`
    this.#cell = new OpenCell(column, address, attributes, (why) => this.#damaged(`cell ${address} ${why}`))
    row.cells[column] = empty
  }

  /** Column index, from 0. */
  #columnOf(address: string | undefined, line: number): number | undefined {
    if (address === undefined) return undefined
    const [, letters = '', row] = /^\s*([A-Z]{1,3})([1-9]\d{0,6})\s*$/i.exec(address) ?? []
    if (Number(row) !== line) throw this.#damaged(`cell ${address.slice(0, 20)} is in row ${line}`)
    return columnNumber(letters) - 1
  }

  #add(cell: OpenCell): void {
    const row = this.#row
    if (!row) return
    const read = cell.read(this.#workbook, this.#name)
    row.cells[cell.column] = read
    if (read === empty || cell.column < this.width) return
    this.width = cell.column + 1
    if (this.width * row.line > mostCells) throw this.#tooLarge(row.line)
  }

  /** Marks the cells that merged cells cover. */
  #markCovered(): void {
    let looked = 0
    for (const range of this.#merged) {
      const [, left = '', top = '', right = '', bottom = ''] =
        /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/i.exec(range.trim()) ?? []
      if (bottom === '') throw this.#damaged(`${range.slice(0, 20)} is not a range of cells`)
      const [first, last] = [columnNumber(left) - 1, columnNumber(right) - 1]
      for (let at = this.#indexOf(Number(top)); at < this.rows.length; at += 1) {
        const row = this.rows[at]
        if (!row || row.line > Number(bottom)) break
        const end = Math.min(last + 1, row.cells.length)
        looked += 1 + Math.max(0, end - first)
        if (looked > mostCells) throw this.#damaged('its merged cells overlap')
        for (let column = first; column < end; column += 1) {
          const cell = row.cells[column]
          const isFirst = row.line === Number(top) && column === first
          if (cell && cell !== empty && !isFirst)
            row.cells[column] = { ...cell, note: { ...cell.note, isCovered: true } }
        }
      }
    }
  }

  /** Index of the first row at or after a line. */
  #indexOf(line: number): number {
    let [low, high] = [0, this.rows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.rows[middle]?.line ?? 0) < line) low = middle + 1
      else high = middle
    }
    return low
  }

  #misplaced(name: string): SheetError {
    return this.#damaged(`<${name.slice(0, 40)}> is out of place`)
  }

  #damaged(why: string): SheetError {
    return new SheetError(damage(`${why} (sheet '${this.#name}')`), damaged)
  }

  #tooLarge(rows: number): SheetError {
    return new SheetError(
      say`The sheet '${this.#name}' is too large: ${rows} rows and ${Math.max(this.width, 1)} columns are too many.`,
      tooMuch,
    )
  }
}

/** Required places of the elements that control how a sheet is displayed. */
const places: Readonly<Record<string, { readonly parent: string; readonly depth: number } | undefined>> = Object.assign(
  Object.create(null),
  {
    worksheet: { parent: '', depth: 1 },
    sheetFormatPr: { parent: 'worksheet', depth: 2 },
    cols: { parent: 'worksheet', depth: 2 },
    col: { parent: 'cols', depth: 3 },
    sheetData: { parent: 'worksheet', depth: 2 },
    row: { parent: 'sheetData', depth: 3 },
    c: { parent: 'row', depth: 4 },
    mergeCells: { parent: 'worksheet', depth: 2 },
    mergeCell: { parent: 'mergeCells', depth: 3 },
  },
)
