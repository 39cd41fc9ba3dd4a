import { zipSync } from 'fflate'

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'

interface Crafted {
  /** The content of `<worksheet>`. */
  readonly sheet: string
  /** The content of `<workbook>`, besides the sheet `S`. */
  readonly workbook?: string
  /** Codes of number formats; the first format has style 1. */
  readonly formats?: readonly string[]
  /** Parts that are added to the workbook, or replaced in it. */
  readonly parts?: Readonly<Record<string, string>>
}

const relations = (...all: readonly (readonly [id: string, type: string, target: string])[]) => {
  const each = all.map(([id, type, target]) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`)
  return `<Relationships xmlns="${packages}/relationships">${each.join('')}</Relationships>`
}

export const worksheet = (content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="${main}">${content}</worksheet>`

/** The bytes of an .xlsx file with exactly this XML. */
export function craftedWorkbook({ sheet, workbook = '', formats = [], parts = {} }: Crafted): Uint8Array {
  const codes = formats.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${attribute(code)}"/>`)
  const styles = ['<xf numFmtId="0"/>', ...formats.map((_, at) => `<xf numFmtId="${200 + at}"/>`)]
  const all: Record<string, string> = {
    '[Content_Types].xml': `<Types xmlns="${packages}/content-types"/>`,
    '_rels/.rels': relations(['r1', 'officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}">${workbook || listed(['S', 'r1'])}</workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ['r1', 'worksheet', 'worksheets/sheet1.xml'],
      ['r2', 'worksheet', 'worksheets/sheet2.xml'],
      ['r3', 'styles', 'styles.xml'],
    ),
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts>${codes.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': worksheet(sheet),
    ...parts,
  }
  return zipSync(Object.fromEntries(Object.entries(all).map(([name, xml]) => [name, Buffer.from(xml)])))
}

/** The table of contents of sheets, by their names and the ids of their relationships. */
export const listed = (...sheets: readonly (readonly [name: string, id: string])[]): string =>
  `<sheets>${sheets.map(([name, id], at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="${id}"/>`).join('')}</sheets>`

export const attribute = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** A cell with text. */
export const textCell = (text: string, more = ''): string =>
  `<c t="inlineStr"${more}><is><t>${attribute(text)}</t></is></c>`

/** A row of texts. */
export const textRow = (texts: readonly string[], more = ''): string =>
  `<row${more}>${texts.map((text) => textCell(text)).join('')}</row>`
