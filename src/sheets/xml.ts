import { SaxesParser } from 'saxes'
import { nextTurn } from '../real_time.ts'
import { say, type Text } from '../words/text.ts'
import { SheetError } from './sheet.ts'

/**
 * An element. An element's name omits the namespace of spreadsheets and packages; a name in another namespace begins
 * with `{`.
 */
export interface XmlElement {
  readonly name: string
  readonly attributes: Attributes
  /** Name of the enclosing element; empty for the root. */
  readonly parent: string
  /** Nesting level of the element, from 1 for the root. */
  readonly depth: number
}

/** Attributes without a namespace, by name; `id` of a relationship as `r:id`. */
export type Attributes = Readonly<Record<string, string | undefined>>

/** Receives the elements of a document, in order. */
interface XmlListener {
  open(element: XmlElement): void
  close?(name: string): void
  /** Text of the innermost element: in pieces, CDATA included, entities resolved. */
  text?(text: string): void
  /** True: the rest of the document is not needed and not read. */
  readonly isDone?: boolean
}

const spreadsheets = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
]

const relationships = [
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  'http://purl.oclc.org/ooxml/officeDocument/relationships',
]

/** Bytes to read between two checks of the signal. */
const chunkSize = 64 * 1024

/** Maximum number of bytes in one tag, text or comment: a cell has at most 32,767 characters. */
const longestToken = 500_000

/** Maximum nesting depth, and maximum number of attributes per element: the cost of reading grows with both. */
const deepest = 50
const mostAttributes = 100

/** Message for a damaged workbook. `why`: a detail of its XML, in English for the person who examines the file. */
export const damage = (why: string): Text => say`The .xlsx file is damaged: ${why}.`

export const damaged = 'Get the file again, or open it in Excel or LibreOffice and save it as .xlsx'
const suspicious = 'No spreadsheet program writes them: ask the person who made the file'

/**
 * Reads a part of a workbook as strict XML, in bounded memory, and yields to other work in between. Throws SheetError
 * for XML that Excel would refuse to open: a lenient reader could read something other than what a person sees.
 */
export async function readXml(
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
  listener: XmlListener,
  signal?: AbortSignal,
): Promise<void> {
  const parents: string[] = []
  /** Position after the last complete tag, text or comment. */
  let complete = 0
  const fail = (why: string): never => {
    throw new SheetError(damage(`${why} (${name})`), damaged)
  }
  const parser = strictParser(name, fail, () => parents.length)
  const completed = () => {
    complete = parser.position
  }
  parser.on('opentag', (tag) => {
    completed()
    const element = nameOf(tag)
    if (!listener.isDone) {
      listener.open({
        name: element,
        attributes: attributesOf(tag.attributes),
        parent: parents.at(-1) ?? '',
        depth: parents.length + 1,
      })
    }
    parents.push(element)
  })
  parser.on('closetag', (tag) => {
    completed()
    parents.pop()
    if (!listener.isDone) listener.close?.(nameOf(tag))
  })
  const text = (text: string) => {
    completed()
    if (!listener.isDone && parents.length > 0) listener.text?.(text)
  }
  parser.on('text', text)
  parser.on('cdata', text)
  parser.on('comment', completed)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for (let at = 0; at < bytes.length && !listener.isDone; at += chunkSize) {
    signal?.throwIfAborted()
    parser.write(decodedBy(decoder, bytes.subarray(at, at + chunkSize), fail))
    if (parser.position - complete > longestToken) fail('it has a text or tag that is too long')
    await nextTurn()
  }
  if (!listener.isDone) parser.write(decodedBy(decoder, undefined, fail)).close()
}

/** A parser that refuses other versions and encodings of XML, entities, deep nesting and too many attributes. */
function strictParser(name: string, fail: (why: string) => never, depth: () => number) {
  const parser = new SaxesParser({ xmlns: true })
  let attributes = 0
  parser.on('error', ({ message }) => fail(message.replace(/\.$/, '')))
  parser.on('xmldecl', ({ version, encoding }) => {
    if (version !== '1.0') fail(`XML version ${version}`)
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) fail(`it is not UTF-8 but ${encoding}`)
  })
  parser.on('doctype', () => {
    throw new SheetError(say`The file declares XML entities (${name}).`, suspicious)
  })
  parser.on('opentagstart', () => {
    attributes = 0
    if (depth() >= deepest) fail('its elements are nested too deeply')
  })
  parser.on('attribute', () => {
    attributes += 1
    if (attributes > mostAttributes) fail('an element has too many attributes')
  })
  return parser
}

function decodedBy(decoder: TextDecoder, bytes: Uint8Array | undefined, fail: (why: string) => never): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined })
  } catch {
    return fail('it is not UTF-8')
  }
}

interface QualifiedName {
  readonly local: string
  readonly uri: string
}

const nameOf = ({ local, uri }: QualifiedName): string =>
  uri === spreadsheets[0] || spreadsheets.includes(uri) ? local : `{${uri}}${local}`

function attributesOf(all: Readonly<Record<string, QualifiedName & { readonly value: string }>>): Attributes {
  const found: Record<string, string> = {}
  for (const name in all) {
    const { local = '', uri = '', value = '' } = all[name] ?? {}
    if (uri === '') found[local] = value
    else if (local === 'id' && relationships.includes(uri)) found['r:id'] = value
  }
  return found
}

/**
 * Parses an XML boolean. Undefined if absent. Throws SheetError for anything else: different programs would read it in
 * different ways.
 */
export function booleanOf(text: string | undefined): boolean | undefined {
  const value = text?.trim()
  if (value === undefined) return undefined
  if (value === '1' || value === 'true') return true
  if (value === '0' || value === 'false') return false
  throw new SheetError(damage(`'${value.slice(0, 20)}' is neither true nor false`), damaged)
}

/** Parses a decimal. Undefined if absent. Throws SheetError if the text is not a number. */
export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (isNumber(text)) return Number(text)
  throw new SheetError(damage(`'${text.slice(0, 20)}' is not a number`), damaged)
}

/** True for XML's spelling of numbers: no hexadecimal, no Infinity. */
export const isNumber = (text: string): boolean =>
  text.length <= 400 && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())

/** Parses a whole number from `least` to `most`. Throws SheetError for anything else. */
export function wholeNumberOf(text: string | undefined, least: number, most: number): number | undefined {
  const number = numberOf(text)
  if (number === undefined || (Number.isInteger(number) && number >= least && number <= most)) return number
  throw new SheetError(damage(`${number} is not between ${least} and ${most}`), damaged)
}
