import { say } from '../words/text.ts'
import { type CellKind, type CellNote, SheetError } from './sheet.ts'
import { RichText, unescaped, type Workbook } from './workbook.ts'
import { type Attributes, booleanOf, isNumber, wholeNumberOf } from './xml.ts'

export interface ReadCell {
  readonly text: string
  readonly kind: CellKind
  readonly note?: CellNote
}

/** An empty cell. */
export const empty: ReadCell = { text: '', kind: 'empty' }

/** A cell whose XML is being read. */
export class OpenCell {
  readonly column: number
  readonly #attributes: Attributes
  readonly #address: string
  readonly #fail: (why: string) => SheetError
  readonly #inline = new RichText()
  #value: string | undefined
  #isFormula = false
  #isInline = false
  #within = ''

  /** `address`: address of the cell, such as `B3`. */
  constructor(column: number, address: string, attributes: Attributes, fail: (why: string) => SheetError) {
    this.column = column
    this.#address = address
    this.#attributes = attributes
    this.#fail = fail
  }

  open(name: string, parent: string, depth: number): void {
    if (depth > 5) {
      if (this.#within === 'v' || this.#within === 'f') throw this.#fail(`has <${name.slice(0, 40)}> in its value`)
      if (this.#within === 'is') this.#inline.open(name, parent)
      return
    }
    this.#within = name
    if (name === 'v') {
      if (this.#value !== undefined) throw this.#fail('has two values')
      this.#value = ''
    } else if (name === 'f') this.#isFormula = true
    else if (name === 'is') {
      if (this.#isInline) throw this.#fail('has two texts')
      this.#isInline = true
    } else if (name !== 'extLst') throw this.#fail(`has <${name.slice(0, 40)}> in it`)
  }

  close(name: string): void {
    if (this.#within === name) this.#within = ''
    else this.#inline.close(name)
  }

  add(text: string): void {
    if (this.#within === 'v') this.#value += text
    else if (this.#within === 'is') this.#inline.add(text)
  }

  read(workbook: Workbook, sheet: string): ReadCell {
    const { t = 'n', s } = this.#attributes
    const style = wholeNumberOf(s, 0, 2 ** 31) ?? 0
    const format = workbook.formats[style]
    const value = this.#value
    if (this.#isInline !== (t === 'inlineStr')) {
      if (this.#isInline) throw this.#fail('has inline text, but its type is not inlineStr')
      return empty
    }
    if (this.#isFormula && (value === undefined || (value.trim() === '' && t !== 'str'))) {
      throw new SheetError(
        say`Cell ${this.#address} of the sheet '${sheet}' is a formula without its result.`,
        'Open the file in Excel or LibreOffice and save it: that writes the results',
      )
    }
    if (!this.#isInline && (value === undefined || (value === '' && t !== 's'))) return empty
    const cell = this.#valueOf(t, value ?? '', workbook, format?.isDate === true)
    if (cell.text === '') return empty
    const isKnown = cell.kind === 'number' || cell.kind === 'text'
    const shown = isKnown ? format?.otherThan(cell.text, cell.kind as 'number' | 'text') : undefined
    if (!this.#isFormula && shown === undefined) return cell
    return { ...cell, note: { ...(this.#isFormula && { isFormula: true }), ...(shown !== undefined && { shown }) } }
  }

  #valueOf(type: string, value: string, { sharedTexts, is1904 }: Workbook, isDate: boolean): ReadCell {
    switch (type) {
      case 'inlineStr':
        return textCell(this.#inline.whole)
      case 'str':
        return textCell(unescaped(value))
      case 's': {
        const text = sharedTexts[/^\s*\d{1,9}\s*$/.test(value) ? Number(value) : -1]
        if (text === undefined) throw this.#fail('refers to a shared text that the file does not have')
        return textCell(text)
      }
      case 'b':
        return { text: booleanOf(value) ? 'TRUE' : 'FALSE', kind: 'boolean' }
      case 'e':
        return { text: value, kind: 'error' }
      case 'd':
        return { text: isoText(value) ?? this.#throw('is not a date'), kind: 'date' }
      case 'n': {
        if (!isNumber(value)) throw this.#fail('is not a number')
        if (!isDate) return { text: decimalText(value.trim()), kind: 'number' }
        return { text: dateText(Number(value), is1904), kind: 'date' }
      }
      default:
        throw this.#fail(`has the unknown type ${type.slice(0, 20)}`)
    }
  }

  #throw(why: string): never {
    throw this.#fail(why)
  }
}

function textCell(text: string): ReadCell {
  const plain = text.replace(/\r\n?/g, '\n')
  return {
    text: plain,
    kind: /^#(N\/A|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|NULL!|SPILL!|CALC!)$/.test(plain) ? 'error' : 'text',
  }
}

/**
 * Restores the decimal that a person typed or sees. Programs write a float instead, such as `1234.0999999999999` for
 * 1234.1. This float is the nearest to a decimal of at most 15 digits, Excel's precision. A result with more decimals
 * keeps them: they differ from what the sheet shows, so parsers of amounts refuse the value. Numbers from 10^15 on,
 * which may have lost their last digits, stay as written.
 */
export function decimalText(text: string): string {
  if (/^(0|-?[1-9]\d{0,14})$/.test(text)) return text
  const number = Number(text)
  const rounded = number.toPrecision(15)
  if (text.trim() === '' || !Number.isFinite(number) || /e/.test(rounded)) return number === 0 ? '0' : text
  return rounded.includes('.') ? rounded.replace(/\.?0+$/, '') : rounded
}

/**
 * Number of days from the day before Excel's first day to 1970, including 29 February 1900, which exists only in Excel.
 */
const daysBefore1970 = 25_569
const daysFrom1900To1904 = 1462

/**
 * Date, and time of day if any, for a cell's number of days. Rounds to seconds, because the float is off by less than a
 * second. Empty for times outside the calendar.
 */
function dateText(days: number, is1904: boolean): string {
  const seconds = Math.round((days + (is1904 ? daysFrom1900To1904 : 0) - daysBefore1970) * 86_400)
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) return ''
  return isoText(date.toISOString()) ?? ''
}

/** `2026-03-09`, or `2026-03-09 14:30:00` for a time other than midnight. */
function isoText(text: string): string | undefined {
  const [, day, time = '00:00:00'] = /^\s*(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.\d+)?Z?)?\s*$/.exec(text) ?? []
  if (day === undefined) return undefined
  return time === '00:00:00' ? day : `${day} ${time}`
}
