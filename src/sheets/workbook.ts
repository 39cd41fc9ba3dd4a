import { NumberFormat } from './number_format.ts'
import { onlyOf, PackageParts, type Relationship } from './package_parts.ts'
import { SheetError } from './sheet.ts'
import { type Attributes, booleanOf, damage, damaged, readXml, wholeNumberOf, type XmlElement } from './xml.ts'

/** A sheet in a workbook's table of contents. */
export interface SheetEntry {
  readonly name: string
  readonly isHidden: boolean
  /** Path of the sheet's part; undefined for a chart. */
  readonly path: string | undefined
}

/** Properties that all sheets of a workbook share. */
export interface Workbook {
  readonly parts: PackageParts
  /** Sheets in the order of the workbook. */
  readonly sheets: readonly SheetEntry[]
  readonly sharedTexts: readonly string[]
  /** Number formats, by style number. */
  readonly formats: readonly NumberFormat[]
  /** True if dates are counted from 1904, as in old Mac files. */
  readonly is1904: boolean
  readonly recalculates: boolean
}

/** Reads everything in an .xlsx file except its cells. Throws SheetError for a damaged file. */
export async function openWorkbook(bytes: Uint8Array, signal?: AbortSignal): Promise<Workbook> {
  const parts = new PackageParts(bytes)
  const path = onlyOf('officeDocument', await parts.relationships('', signal))?.target ?? ''
  const part = parts.find(path)
  if (!part) throw new SheetError(damage('it has no workbook'), damaged)
  const related = await parts.relationships(path, signal)
  const contents = new Contents()
  await readXml(part, contents, signal)
  if (contents.sheets.length === 0) throw new SheetError('The .xlsx file has no sheets.', damaged)
  return {
    parts,
    sheets: contents.sheets.map((sheet) => entryOf(sheet, related)),
    sharedTexts: await sharedTextsOf(parts, onlyOf('sharedStrings', related), signal),
    formats: await formatsOf(parts, onlyOf('styles', related), signal),
    is1904: contents.is1904,
    recalculates: contents.recalculates,
  }
}

function entryOf({ name = '', state, 'r:id': id }: Attributes, related: readonly Relationship[]): SheetEntry {
  const target = related.find((one) => one.id === id)
  if (!target) throw new SheetError(damage(`the sheet '${name}' has no part`), damaged)
  const isHidden = state !== undefined && state.trim() !== 'visible'
  return { name, isHidden, path: target.type === 'worksheet' ? target.target : undefined }
}

/** Reads the workbook's table of contents. */
class Contents {
  readonly sheets: Attributes[] = []
  is1904 = false
  recalculates = false

  open({ name, attributes, parent }: XmlElement): void {
    if (name === 'sheet') {
      if (parent !== 'sheets') throw new SheetError(damage('a sheet is out of place'), damaged)
      this.sheets.push(attributes)
    } else if (name === 'workbookPr') this.is1904 = booleanOf(attributes.date1904) === true
    else if (name === 'calcPr') {
      const { fullCalcOnLoad, calcCompleted } = attributes
      this.recalculates = booleanOf(fullCalcOnLoad) === true || booleanOf(calcCompleted) === false
    }
  }
}

/** Reads the texts that cells refer to by index. */
async function sharedTextsOf(
  parts: PackageParts,
  relationship: Relationship | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const part = relationship && parts.find(relationship.target)
  const texts: string[] = []
  let text = new RichText()
  const listener = {
    open({ name, parent }: XmlElement) {
      if (name === 'si') text = new RichText()
      else text.open(name, parent)
    },
    close(name: string) {
      if (name === 'si') texts.push(text.whole)
      else text.close(name)
    },
    text: (more: string) => text.add(more),
  }
  if (part) await readXml(part, listener, signal)
  return texts
}

/** Text of a cell, joined from parts with different styles. Omits pronunciation hints. */
export class RichText {
  #text = ''
  #isText = false
  #hints = 0

  get whole(): string {
    return unescaped(this.#text)
  }

  open(name: string, parent: string): void {
    if (name === 'rPh') this.#hints += 1
    this.#isText = name === 't' && this.#hints === 0 && ['si', 'is', 'r'].includes(parent)
  }

  close(name: string): void {
    if (name === 'rPh') this.#hints -= 1
    this.#isText = false
  }

  add(text: string): void {
    if (this.#isText) this.#text += text
  }
}

/** Decodes `_x0007_`: spreadsheets write characters in this way if XML forbids them. */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

/** Reads the number formats of the cell styles. */
async function formatsOf(
  parts: PackageParts,
  relationship: Relationship | undefined,
  signal: AbortSignal | undefined,
): Promise<readonly NumberFormat[]> {
  const part = relationship && parts.find(relationship.target)
  const codes = new Map<number, string>()
  const ids: number[] = []
  const open = ({ name, attributes: { numFmtId, formatCode }, parent }: XmlElement) => {
    const id = wholeNumberOf(numFmtId, 0, 2 ** 31) ?? 0
    if (name === 'numFmt' && parent === 'numFmts')
      codes.set(id, codes.has(id) && codes.get(id) !== formatCode ? '' : (formatCode ?? ''))
    if (name === 'xf' && parent === 'cellXfs') ids.push(id)
  }
  if (part) await readXml(part, { open }, signal)
  const formats = new Map([...new Set(ids)].map((id) => [id, new NumberFormat(id, codes.get(id))]))
  return ids.flatMap((id) => formats.get(id) ?? [])
}
