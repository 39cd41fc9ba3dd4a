import { describe, expect, it } from 'vitest'
import { readSheet } from '../../src/sheets/read_sheet.ts'
import { growth, linear } from '../output/growth.ts'
import { everyNth, full } from '../support/full.ts'
import { craftedWorkbook, textRow } from './crafted_workbook.ts'
import { readBytes } from './sheet_files.ts'

const data = (rows: string) => `<sheetData>${rows}</sheetData>`
const cell = '<row><c><v>1</v></c></row>'

/** Sheets of any size that compress to a few kilobytes. */
const sheets: readonly (readonly [name: string, sheet: (size: number) => string])[] = [
  ['blanks after a formula', (size) => data(`<row><c><f/>${' '.repeat(size)}<v>1</v></c></row>`)],
  ['the name of an attribute', (size) => data(`<row ${'a'.repeat(size)}="1"><c><v>1</v></c></row>`)],
  ['rows of one cell', (size) => data(cell.repeat(size))],
  ['rows without cells', (size) => data('<row/>'.repeat(size) + cell)],
  [
    'cells of a row',
    (size) => data(`<row>${'<c/>'.repeat(Math.min(size, 16_000))}</row>`.repeat(Math.ceil(size / 16_000))),
  ],
  ['attributes', (size) => data(`<row ${Array.from({ length: size }, (_, at) => `a${at}="1"`).join(' ')}>`)],
  ['elements within elements', (size) => '<a>'.repeat(size) + '</a>'.repeat(size)],
  ['namespaces', (size) => `<a xmlns:b="urn:c">${'<b:d/>'.repeat(size)}</a>${data(cell)}`],
  ['a comment', (size) => `<!--${' -'.repeat(size)} -->${data(cell)}`],
  ['entities', (size) => data(`<row><c t="inlineStr"><is><t>${'&#49;'.repeat(size)}</t></is></c></row>`)],
  ['quotes', (size) => data(`<row a='${'"'.repeat(size)}'><c><v>1</v></c></row>`)],
  ['tags that do not end', (size) => data('<row '.repeat(size))],
  [
    'merged cells',
    (size) => `${data(cell.repeat(size))}<mergeCells>${'<mergeCell ref="B1:C9"/>'.repeat(size)}</mergeCells>`,
  ],
  [
    'columns',
    (size) =>
      `<cols>${Array.from({ length: Math.min(size, 16_384) }, (_, at) => `<col min="${at + 1}" max="${at + 1}"/>`).join('')}</cols>${data(cell)}`,
  ],
]

describe('a sheet is read or refused in no more time than it is long', () => {
  it.each(everyNth(sheets, 5))('%s', async (_, sheet) => {
    const read = async (size: number) => {
      await readBytes(craftedWorkbook({ sheet: sheet(size) }), {}, 1e9).catch((error) => {
        expect(error).toMatchObject({ name: 'SheetError' })
      })
    }
    expect(await growth(read, 10_000)).toBeLessThan(linear)
  })

  const many = full ? 300_000 : 30_000

  it(`of ${many} rows of one cell every row is read`, async () => {
    const { rows } = await readBytes(craftedWorkbook({ sheet: data(cell.repeat(many)) }), { header: false }, 1e9)
    expect(rows.at(-1)).toMatchObject({ line: many, cells: ['1'] })
  })
})

describe('places that no sheet has are refused', () => {
  const col = (more: string) => `<cols><col ${more} hidden="1"/></cols>${data(cell)}`
  it.each([
    [col('min="-999999999" max="999999999"')],
    [col('min="1" max="999999999"')],
    [col('min="1" max="1e9"')],
    [col('min="5" max="4"')],
    [`<cols><col min="1" max="16384"/><col min="1" max="16384"/></cols>${data(cell)}`],
    [data('<row r="1e9"/>')],
    [data('<row r="0"/>')],
    [data('<row><c r="ZZZZ1"><v>1</v></c></row>')],
    [data('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')],
    [`${data(cell.repeat(3000))}<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(9000)}</mergeCells>`],
    [`${data(cell)}<mergeCells><mergeCell ref="everything"/></mergeCells>`],
  ])('%#: %s', async (sheet) => {
    await expect(readBytes(craftedWorkbook({ sheet }), {}, 1e9)).rejects.toMatchObject({
      name: 'SheetError',
      message: expect.stringMatching(/damaged|too large/),
    })
  })

  it('a text of more than half a megabyte', async () => {
    const sheet = data(textRow(['x'.repeat(600_000)]))
    await expect(readBytes(craftedWorkbook({ sheet }), {}, 1e9)).rejects.toThrow(
      'it has a text or tag that is too long',
    )
  })
})

it('a file is read until the run is interrupted', async () => {
  const interrupted = new AbortController()
  const reason = new Error('Interrupted')
  const bytes = craftedWorkbook({ sheet: data(textRow(['1', '2']).repeat(100_000)) })
  const reading = readSheet(
    (async function* () {
      yield bytes
      setImmediate(() => setImmediate(() => interrupted.abort(reason)))
    })(),
    { signal: interrupted.signal },
  )
  await expect(reading).rejects.toBe(reason)
})
