import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SheetRow } from '../../src/sheets/sheet.ts'
import { writeExtended } from '../../src/sheets/write_sheet.ts'
import { type XlsxSheet, xlsxBytes } from '../../src/sheets/write_xlsx.ts'
import { type ReadSheet, readBytes, readFile, sheetFile } from './sheet_files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payctl-sheets-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The sheet with two more columns; blank rows have no added cells. */
async function extended(sheet: ReadSheet, name: string, more: readonly [string, string] = ['=1+1', 'Ñandú; "S.A."']) {
  const width = sheet.header?.cells.length ?? 0
  const filled = ({ cells }: SheetRow) => cells.some((cell) => cell !== '')
  const rows = [
    ...sheet.before.map((row) => ({ row, added: [] })),
    ...(sheet.header ? [{ row: sheet.header, added: ['name', 'reason'] }] : []),
    ...sheet.rows.map((row) => ({ row, added: filled(row) ? more : [] })),
  ]
  const path = join(folder, name)
  const encoding = await writeExtended(
    { path, force: false },
    { sheet, width, headerLine: sheet.header?.line, rows: () => rows },
  )
  return { path, encoding, bytes: readFileSync(path) }
}

describe('a file with more columns', () => {
  it.each([
    'customers-es-cr.csv',
    'customers-es-windows-1252.csv',
    'customers-tab-utf-16.csv',
    'customers-en-us.csv',
    'customers-gnumeric-pipe.csv',
    'customers-python.csv',
  ])('%s comes back as it was', async (name) => {
    const sheet = await readFile(name, { keepBlank: true, header: (cells) => cells.includes('Teléfono') })
    const { bytes, encoding } = await extended(sheet, 'result.csv')
    expect(encoding).toBe(sheet.csv?.encoding.name)
    const text = (content: Buffer) =>
      encoding === 'Windows-1252'
        ? content.toString('latin1')
        : content.toString(encoding === 'UTF-8' ? 'utf8' : 'utf16le')
    const added = /[;,|\t](name|"?'=1\+1"?)[;,|\t](reason|"?Ñandú; ""S\.A\."""?)(?=\r?\n)/g
    const without = text(bytes).replace(added, '')
    expect(text(bytes).match(added)).toHaveLength(7)
    expect(without).toBe(text(readFileSync(sheetFile(name))))
    const again = await readBytes(bytes, { keepBlank: true, header: (cells) => cells.includes('Teléfono') }, 100)
    expect(again.rows[0]?.cells.slice(-2)).toEqual(["'=1+1", 'Ñandú; "S.A."'])
  })

  it.each(['openpyxl', 'libreoffice', 'gnumeric'])('a workbook of %s keeps kinds of cells', async (program) => {
    const options = { sheet: 'Clientes', keepBlank: true }
    const sheet = await readFile(`customers-${program}.xlsx`, options)
    const { bytes } = await extended(sheet, 'result.xlsx')
    const again = await readBytes(bytes, {}, 10_000)
    expect(again.xlsx).toEqual({ sheet: 'Clientes', others: [], hiddenRows: 0, hiddenColumns: [], recalculates: false })
    expect(again.header?.cells).toEqual([...(sheet.header?.cells ?? []), 'name', 'reason'])
    const given = sheet.rows.filter(({ cells }) => cells.some((cell) => cell !== ''))
    expect(again.rows.map(({ cells }) => cells)).toEqual(given.map(({ cells }) => [...cells, '=1+1', 'Ñandú; "S.A."']))
    expect(again.rows.map(({ line }) => line)).toEqual([2, 3, 4, 6, 7, 8])
    expect(again.rows.map(({ kinds }) => kinds?.slice(0, 7))).toEqual(given.map(({ kinds }) => kinds))
  })

  it('short rows are filled up, so that the new columns stand in line', async () => {
    const sheet = await readBytes('a;b;c\n1\n2;3;4;5\n\n6;7;8', { keepBlank: true })
    const { bytes } = await extended(sheet, 'result.csv', ['x', 'y'])
    expect(bytes.toString()).toBe('a;b;c;name;reason\n1;;;x;y\n2;3;4;5;x;y\n\n6;7;8;x;y\n')
  })

  it('what Windows-1252 lacks is written as UTF-8, with its mark', async () => {
    const sheet = await readBytes(Buffer.from('teléfono;a\n1;2\n', 'latin1'))
    const { bytes, encoding } = await extended(sheet, 'result.csv', ['Łukasz', ''])
    expect(encoding).toBe('UTF-8')
    expect(bytes.toString()).toBe('\ufeffteléfono;a;name;reason\n1;2;Łukasz;\n')
  })

  it('text of a workbook is not a formula in CSV', async () => {
    const sheet = await readFile('customers-libreoffice.xlsx')
    const { bytes } = await extended(sheet, 'result.csv', ['x', 'y'])
    expect(bytes.toString()).toContain("CR70015200100000000002,1234.1,2026-03-09,'=1+1,x,y\r\n")
    expect(bytes.toString()).toContain(',-250000,2026-03-09,,x,y\r\n')
  })
})

describe('where a file goes', () => {
  const write = async (force: boolean, source?: string) => {
    const sheet = await readBytes('a\n1\n')
    const target = { path: join(folder, 'out.csv'), force, source }
    return writeExtended(target, { sheet, width: 1, rows: () => sheet.rows.map((row) => ({ row, added: [] })) })
  }

  it('replaces an existing file only with a flag, and never the one that is read', async () => {
    const path = join(folder, 'out.csv')
    await write(false)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await expect(write(false)).rejects.toThrow('is there already')
    writeFileSync(path, 'old')
    await expect(write(true, path)).rejects.toThrow('is the input file')
    expect(readFileSync(path, 'utf8')).toBe('old')
    await write(true)
    expect(readFileSync(path, 'utf8')).toBe('1\n')
    expect(readdirSync(folder)).toEqual(['out.csv'])
  })

  it('a failure leaves nothing', async () => {
    const path = join(folder, 'out.csv')
    const failing = async function* () {
      yield { row: { line: 1, cells: ['x'] }, added: [] }
      throw new Error('no more')
    }
    const sheet = await readBytes('a\n')
    await expect(writeExtended({ path, force: false }, { sheet, width: 1, rows: () => failing() })).rejects.toThrow(
      'no more',
    )
    expect(readdirSync(folder)).toEqual([])
    chmodSync(folder, 0o700)
    expect(existsSync(path)).toBe(false)
  })
})

describe('a new workbook', () => {
  const read = async (sheet: Partial<XlsxSheet> & Pick<XlsxSheet, 'rows'>) =>
    readBytes(await xlsxBytes({ name: 'x', ...sheet }), { header: false }, 10_000)

  it('is read again, however many rows it has', async () => {
    const rows = Array.from({ length: 100 }, (_, at) => [{ text: `${at}`, kind: 'text' } as const])
    expect((await read({ rows })).rows.length).toBe(100)
  })

  it('has text as text, whatever it looks like', async () => {
    const texts = [
      '0104560789',
      '=1+1',
      '+50687000001',
      '-',
      '@a',
      '2026112100002000000000001',
      '_x0041_',
      ' a ',
      '1e5',
    ]
    const { rows } = await read({ rows: [texts.map((text) => ({ text, kind: 'text' }))] })
    expect(rows[0]?.cells).toEqual(texts)
    expect(new Set(rows[0]?.kinds)).toEqual(new Set(['text']))
  })

  it('has money as exact numbers, and numbers too long for Excel as text', async () => {
    const amounts = ['0.01', '-1500.25', '9999999999999.99', '90071992547409.93', '12345678901234567']
    const { rows } = await read({ rows: [amounts.map((text) => ({ text, kind: 'money' }))] })
    expect(rows[0]?.cells).toEqual(amounts)
    expect(rows[0]?.kinds).toEqual(['number', 'number', 'number', 'text', 'text'])
  })

  it('has dates as dates, and a name that Excel takes', async () => {
    const dates = ['2026-03-09', '2026-03-09 14:30:01', 'soon']
    const { rows, xlsx } = await read({
      name: "'a/b:c[1]*'",
      rows: [dates.map((text) => ({ text, kind: 'date' }))],
    })
    expect(xlsx?.sheet).toBe('a b c 1')
    expect(rows[0]?.cells).toEqual(dates)
    expect(rows[0]?.kinds).toEqual(['date', 'date', 'text'])
  })
})
