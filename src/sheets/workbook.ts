import { type Unzipped, unzipSync, zipSync } from 'fflate'
import { columnNumber } from './column_names.ts'
import { otherArchive } from './foreign_files.ts'
import { SheetError, tooMuch } from './sheet.ts'

/** Bytes of XML that a workbook may unpack to. A million cells take about 50 MB. */
const largestXml = 400_000_000

/** Cells of the rectangle that a sheet spans, empty ones too: they are all held in memory. */
const mostCells = 5_000_000

/** A sheet of a workbook, as its table of contents lists it. */
export interface SheetEntry {
  readonly name: string
  readonly isHidden: boolean
  /** Whether a cell has something in it. */
  readonly isUsed: boolean
  /** Numbers of rows that are hidden or filtered out. */
  readonly hiddenRows: ReadonlySet<number>
  /** Places of columns that are hidden, from 0. */
  readonly hiddenColumns: readonly number[]
  /** A cell with a formula whose result is not in the file. */
  readonly unfinished: string | undefined
  /** Undefined if it is small enough to be read. */
  readonly tooLarge: string | undefined
}

interface Workbook {
  /** In the order of the workbook. */
  readonly sheets: readonly SheetEntry[]
  /** The same workbook, unpacked within bounds and packed again without compression, for a reader that has none. */
  readonly bytes: ArrayBuffer
}

/** Unpacks an .xlsx file and looks at what its reader does not tell, or would not survive. Throws SheetError. */
export function openWorkbook(bytes: Uint8Array): Workbook {
  const parts = unpacked(bytes)
  const xml = new Map(Object.entries(parts).map(([name, part]) => [name, Buffer.from(part).toString('utf8')]))
  for (const [name, text] of xml) {
    if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw new SheetError(`The file declares XML entities (${name}).`, suspicious)
  }
  const targets = new Map(
    tags(xml.get('xl/_rels/workbook.xml.rels') ?? '', 'Relationship').map(({ Id = '', Target = '' }) => [
      Id,
      Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`,
    ]),
  )
  const sheets = tags(xml.get('xl/workbook.xml') ?? '', 'sheet')
    .filter(({ name }) => name)
    .map(({ name = '', state = 'visible', id = '' }) => {
      const sheet = xml.get(targets.get(id) ?? '') ?? ''
      return { name: unescaped(name), isHidden: state !== 'visible', ...contentOf(sheet) }
    })
  if (sheets.length === 0) throw new SheetError('The .xlsx file has no sheets.', damaged)
  // The reader drops cells with an error (#N/A): as text they are told of where they matter.
  for (const path of targets.values()) {
    const sheet = xml.get(path)
    if (sheet?.includes('t="e"'))
      parts[path] = Buffer.from(sheet.replaceAll(/(<(?:\w+:)?c\b[^>]*\s)t="e"/g, '$1t="str"'))
  }
  return { sheets, bytes: zipSync(parts, { level: 0 }).buffer as ArrayBuffer }
}

function unpacked(bytes: Uint8Array): Unzipped {
  let total = 0
  const names: string[] = []
  let parts: Unzipped
  try {
    parts = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        names.push(name)
        const isWanted = /\.(xml|rels)$/.test(name) || name === 'mimetype'
        // The unpacked part is cut at the size that the archive states.
        if (isWanted) total += originalSize
        if (total > largestXml) throw new SheetError(`The file unpacks to more than ${largestXml / 1e6} MB.`, tooMuch)
        return isWanted
      },
    })
  } catch (error) {
    if (error instanceof SheetError) throw error
    throw new SheetError('The .xlsx file is damaged, or not complete.', damaged)
  }
  if ('xl/workbook.xml' in parts) return parts
  throw otherArchive(names, Buffer.from(parts.mimetype ?? []).toString('latin1'))
}

function contentOf(xml: string): Omit<SheetEntry, 'name' | 'isHidden'> {
  let columns = 0
  let rows = 0
  for (const [, column = '', row = ''] of xml.matchAll(/\sr\s*=\s*["']([A-Za-z]*)(\d+)["']/g)) {
    columns = Math.max(columns, columnNumber(column))
    rows = Math.max(rows, Number(row))
  }
  return {
    isUsed: /<(?:\w+:)?[vt](?:\s[^>]*[^/])?>[^<]/.test(xml),
    hiddenRows: new Set(hiddenTags(xml, 'row').map(({ r }) => Number(r))),
    hiddenColumns: hiddenTags(xml, 'col').flatMap(({ min, max }) =>
      Array.from({ length: Math.min(Number(max), columns) - Number(min) + 1 }, (_, at) => Number(min) - 1 + at),
    ),
    unfinished: withoutResult.exec(xml)?.[1],
    tooLarge:
      rows > 1_048_576 || rows * columns > mostCells ? `${rows} rows and ${columns} columns are too much` : undefined,
  }
}

const hiddenTags = (xml: string, name: string) =>
  tags(xml, name).filter(({ hidden }) => hidden === '1' || hidden === 'true')

/** A formula that no value follows. */
const withoutResult =
  /<(?:\w+:)?c\b[^>]*?\sr="([A-Z]+\d+)"[^>]*>\s*<(?:\w+:)?f\b(?:[^>]*\/>|[^>]*>[^<]*<\/(?:\w+:)?f>)\s*(?:<(?:\w+:)?v\s*\/>|<(?:\w+:)?v>\s*<\/(?:\w+:)?v>)?\s*<\/(?:\w+:)?c>/

/** Attributes of every tag of a name, without their prefixes. Good enough for tables of contents, which have no text. */
const tags = (xml: string, name: string): Readonly<Record<string, string | undefined>>[] =>
  Array.from(xml.matchAll(new RegExp(`<(?:\\w+:)?${name}\\s([^>]*)>`, 'g')), ([, inside = '']) =>
    Object.fromEntries(
      Array.from(inside.matchAll(/([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g), ([, key = '', one, other]) => [
        key.replace(/^.*:/, ''),
        one ?? other ?? '',
      ]),
    ),
  )

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return name ? (named[name] ?? all) : code <= 0x10ffff ? String.fromCodePoint(code) : all
  })

const suspicious = 'No spreadsheet program writes them: ask who made the file'
const damaged = 'Get it again, or open it in Excel or LibreOffice and save it as .xlsx'
