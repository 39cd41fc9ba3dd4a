import { asText, say } from '../words/text.ts'
import { SheetError } from './sheet.ts'

/** Kinds of files that users supply by mistake, by their first bytes (Latin-1). */
const kinds: readonly { readonly start: RegExp; readonly what: string; readonly advice?: string }[] = [
  { start: /^%PDF/, what: 'a PDF', advice: 'Ask for the list as a spreadsheet: a PDF has no cells' },
  { start: /^\s*(<!doctype html|<html|<table|<meta)/i, what: 'a web page, whatever its name', advice: 'resave' },
  { start: /^(\xef\xbb\xbf)?\s*<\?xml/i, what: 'XML, not a current spreadsheet format', advice: 'resave' },
  {
    start: /^(\xef\xbb\xbf)?\s*(\{\s*["}]|\[\s*[[{"\]])/,
    what: 'JSON, which payctl does not read',
    advice: 'Give .xlsx or CSV',
  },
  { start: /^\{\\rtf/, what: 'a text document (RTF)', advice: 'resave' },
  { start: /^[^\x20-\xff]\x8b|^BZh|^\xfd7zXZ|^7z\xbc\xaf|^Rar!/, what: 'compressed', advice: 'Unpack it first' },
  { start: /^\x89PNG|^\xff\xd8\xff|^GIF8|^II\*\0|^MM\0\*/, what: 'a picture' },
]

const resave = 'Open it in Excel or LibreOffice and save it as .xlsx'

export const looksLikeZip = (start: Uint8Array): boolean =>
  start[0] === 0x50 && start[1] === 0x4b && (start[2] ?? 9) < 9

/** True for the container of old Office files, and of new files with a password. */
export const looksLikeOldOffice = (start: Uint8Array): boolean =>
  Buffer.from(start.subarray(0, 4)).toString('hex') === 'd0cf11e0'

/** Throws SheetError if the first bytes are neither text nor .xlsx. */
export function refuseForeign(start: Uint8Array): void {
  const text = Buffer.from(start.subarray(0, 512)).toString('latin1')
  for (const { start, what, advice } of kinds) {
    if (start.test(text)) throw new SheetError(say`The file is ${asText(what)}.`, advice === 'resave' ? resave : advice)
  }
}

/** Error for a file in the container format of old Office. `bytes`: the whole file. */
export function oldOffice(bytes: Uint8Array): SheetError {
  const names = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return names.includes(Buffer.from('EncryptedPackage', 'utf16le'))
    ? new SheetError(
        'The file has a password.',
        'Save it without a password: File, Info, Protect Workbook, Encrypt with Password; clear the password',
      )
    : new SheetError('The file has an old Office format (.xls), which payctl does not read.', resave)
}

/**
 * Error for a ZIP archive that is not an .xlsx file, judged by the names in the archive; undefined if it may be an
 * .xlsx file.
 */
export function otherArchive(names: readonly string[], mimetype: string): SheetError | undefined {
  if (mimetype.includes('opendocument.spreadsheet')) {
    return new SheetError('The file is an OpenDocument spreadsheet (.ods).', 'Save it as .xlsx or as CSV UTF-8')
  }
  if (names.includes('xl/workbook.bin')) return new SheetError('The file is a binary workbook (.xlsb).', resave)
  if (names.includes('word/document.xml')) return new SheetError('The file is a Word document.', saveSheet)
  if (names.some((name) => name.startsWith('ppt/'))) return new SheetError('The file is a presentation.', saveSheet)
  if (names.some((name) => name.endsWith('.numbers') || name.endsWith('.iwa'))) {
    return new SheetError('The file is an Apple Numbers spreadsheet.', 'File, Export To, Excel')
  }
  if (names.includes('_rels/.rels')) return undefined
  return new SheetError('The file is a ZIP archive and not an .xlsx file.', 'Unpack it first')
}

const saveSheet = 'Give the sheet as .xlsx or CSV UTF-8'
