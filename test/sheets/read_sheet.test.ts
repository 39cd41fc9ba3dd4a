import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { decimalText } from '../../src/sheets/cell_xml.ts'
import { craftedWorkbook } from './crafted_workbook.ts'
import { type ReadSheet, readBytes, readFile } from './sheet_files.ts'

const columnOf = ({ header, rows }: ReadSheet, name: string): (string | undefined)[] =>
  rows.map(({ cells }) => cells[header?.cells.indexOf(name) ?? -1])

describe('workbooks of three programs', () => {
  it.each(['openpyxl', 'libreoffice', 'gnumeric'])('customers of %s', async (program) => {
    // Gnumeric's file does not mark the hidden sheet as hidden, so the test names a sheet.
    const shows = program === 'gnumeric'
    const sheet = await readFile(`customers-${program}.xlsx`, shows ? { sheet: 'Clientes' } : {})
    const others = shows ? ['Oculta', 'Notas'] : ['Notas']
    expect(sheet.xlsx).toEqual({
      sheet: 'Clientes',
      others,
      hiddenRows: 1,
      hiddenColumns: [],
      recalculates: program === 'openpyxl',
    })
    expect(sheet.header).toMatchObject({ line: 1, cells: expect.arrayContaining(['Cédula', 'Cuenta IBAN']) })
    expect(columnOf(sheet, 'Monto')).toEqual(['1500.25', '1234.1', '0.1', '-250000', '99999999.99', '0.01'])
    expect(columnOf(sheet, 'Teléfono')).toEqual([
      '87000001',
      '+506 8700-0002',
      '(506) 8700 0003',
      '8700-9999',
      '',
      '506 87000001',
    ])
    // A number format shows the leading zero on the screen; the value in the file has none.
    expect(columnOf(sheet, 'Cédula')[0]).toBe('104560789')
    expect(columnOf(sheet, 'Alta').slice(0, 3)).toEqual(['2026-03-09', '2026-03-09', '2026-03-09 14:30:00'])
    expect(columnOf(sheet, 'Nota')).toEqual(['VIP; llama "siempre"', '=1+1', 'dos\nlíneas', '', '-', '@home'])
    expect(sheet.rows.map(({ line, isHidden }) => (isHidden ? -line : line))).toEqual([2, 3, 4, 6, -7, 8])
    expect(sheet.rows.map(({ kinds }) => kinds?.[2] === 'number')).toEqual([true, ...Array(5).fill(false)])
  })

  it.each(['libreoffice', 'gnumeric'])('results of formulas, and errors, under a title (%s)', async (program) => {
    const sheet = await readFile(`sums-${program}.xlsx`, { header: (cells) => cells.includes('Monto') })
    expect(sheet.before.map(({ cells }) => cells[0])).toEqual(['Pagos, marzo de 2026', ''])
    expect(sheet.header?.line).toBe(3)
    expect(columnOf(sheet, 'Suma')).toEqual(['1500.35', '300.3', '7', '333.333333333333'])
    expect(columnOf(sheet, 'Buscado')).toEqual(['#N/A', '#DIV/0!', 'añ', 'TRUE'])
    expect(sheet.rows.map(({ kinds }) => kinds?.[3])).toEqual(['error', 'error', 'text', 'boolean'])
  })

  it('a formula without its result is not an empty cell', async () => {
    await expect(readFile('sums-openpyxl.xlsx')).rejects.toThrow(
      "Cell C4 of the sheet 'Pagos' is a formula without its result.",
    )
  })

  it('a sheet is chosen by its name, hidden or not', async () => {
    const notes = await readFile('customers-libreoffice.xlsx', { sheet: 'notas' })
    expect(notes.header?.cells).toEqual(['otra', 'hoja'])
    const hidden = await readFile('customers-libreoffice.xlsx', { sheet: 'Oculta' })
    expect(hidden.rows.map(({ cells }) => cells)).toEqual([['80000000']])
    await expect(readFile('customers-libreoffice.xlsx', { sheet: 'Clientas' })).rejects.toMatchObject({
      message: "The file has no sheet 'Clientas'. It has: Oculta, Clientes, Notas.",
      next: { kind: 'name_sheet', near: 'Clientes' },
    })
  })
})

describe('numbers of workbooks', () => {
  it.each([
    ['1500.25', '1500.25'],
    ['1500.2500000000001', '1500.25'],
    ['1234.0999999999999', '1234.1'],
    ['0.30000000000000004', '0.3'],
    ['99999999.9899999900008', '99999999.99'],
    ['-1.1000000000000001', '-1.1'],
    ['1500.005', '1500.005'],
    ['87000001', '87000001'],
    ['1.5E3', '1500'],
    ['-0', '0'],
    ['2.0261121000000001E+24', '2.0261121000000001E+24'],
    ['12345678901234567', '12345678901234567'],
  ])('%s is %s', (stored, typed) => {
    expect(decimalText(stored)).toBe(typed)
  })

  it('every amount of two decimals comes back as it was typed', () => {
    for (let cents = 1; cents < 10 ** 15; cents = cents * 3 + 7) {
      const typed = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
      const shortest = typed.replace(/\.?0+$/, '')
      for (const digits of [15, 16, 17, 18]) expect(decimalText(Number(typed).toPrecision(digits))).toBe(shortest)
    }
  })
})

describe('CSV of three programs', () => {
  it.each([
    ['customers-es-cr.csv', ';', 'UTF-8', '1\u00a0234,10'],
    ['customers-es-windows-1252.csv', ';', 'Windows-1252', '1.234,10'],
    ['customers-tab-utf-16.csv', '\t', 'UTF-16LE', '1.234,10'],
    ['customers-en-us.csv', ',', 'UTF-8', '1,234.10'],
    ['customers-gnumeric-pipe.csv', '|', 'UTF-8', '1234.1'],
    ['customers-python.csv', ';', 'UTF-8', '1234,1'],
  ])('%s', async (name, separator, encoding, amount) => {
    const sheet = await readFile(name)
    expect(sheet.csv).toMatchObject({ separator, encoding: { name: encoding } })
    expect(columnOf(sheet, 'Monto')[1]).toBe(amount)
    expect(columnOf(sheet, 'Nombre')[3]).toBe('Peña & Núñez <Ltda>')
    expect(columnOf(sheet, 'Nota').slice(0, 3)).toEqual(['VIP; llama "siempre"', '=1+1', 'dos\nlíneas'])
    const first = sheet.header?.line ?? 0
    expect(sheet.rows.map(({ line }) => line - first)).toEqual([1, 2, 3, 6, 7, 8])
  })
})

describe('text', () => {
  const rows = async (content: Uint8Array | string, size?: number) => {
    const { csv, header, rows: read } = await readBytes(content, { header: false }, size)
    expect(header).toBeUndefined()
    return { encoding: csv?.encoding, cells: read.map(({ cells }) => cells) }
  }

  it.each(['utf8', 'utf16le', 'latin1'] as const)('%s, cut anywhere', async (name) => {
    const content = Buffer.from('áé;ñ\n€'.replace('€', name === 'latin1' ? 'ü' : '€'), name)
    for (let size = 1; size <= content.length; size += 1) {
      expect((await rows(content, size)).cells).toEqual([['áé', 'ñ'], [name === 'latin1' ? 'ü' : '€']])
    }
  })

  it('UTF-16 without its mark, and the other way round', async () => {
    expect(await rows(Buffer.from('a;ñ', 'utf16le'))).toEqual({
      encoding: { name: 'UTF-16LE', hasMark: false },
      cells: [['a', 'ñ']],
    })
    const swapped = Buffer.from('\ufeffa;ñ', 'utf16le').swap16()
    expect(await rows(swapped)).toEqual({ encoding: { name: 'UTF-16BE', hasMark: true }, cells: [['a', 'ñ']] })
  })

  it('Windows-1252 beyond Latin-1', async () => {
    const { encoding, cells } = await rows(Buffer.from([0x80, 0x3b, 0x93, 0x94, 0x3b, 0xf1]))
    expect(encoding).toEqual({ name: 'Windows-1252', hasMark: false })
    expect(cells).toEqual([['€', '“”', 'ñ']])
  })

  it('two encodings in one file are refused', async () => {
    const glued = Buffer.concat([Buffer.from('ñ;a\nb;c\n'), Buffer.from([0xf1, 0x61])])
    await expect(rows(glued)).rejects.toThrow('The file is not UTF-8 text (from line 3 on)')
    await expect(rows(Buffer.from([0xf1, 0x81]))).rejects.toThrow('the file is neither UTF-8 nor Windows-1252 text')
    await expect(rows('abcdef\0')).rejects.toThrow('The file is not text (from line 1 on).')
    await expect(rows('to,amount\n8888,1\n88\x0088,2\n')).rejects.toThrow('The file is not text (from line 3 on).')
  })

  it.each([
    ['a;b\r\n1,5;2\r\n', ';', '\r\n'],
    ['a,b\r1;5,2\r', ',', '\r'],
    ['Lista, marzo\n\nnombre;tel\nMora, Ana;8\n', ';', '\n'],
    ['tel\n8,5\n', ',', '\n'],
    ['"a;b;c;d",e\n1,2\n', ',', '\n'],
    ['SEP=|\na,b|c\n', '|', '\n'],
    ['one', ',', '\n'],
    ['', ',', '\n'],
  ])('%j', async (content, separator, lineEnd) => {
    expect((await readBytes(content)).csv).toMatchObject({ separator, lineEnd })
  })

  it('keeps records as they were written', async () => {
    const content = 'sep=;\n\n"a" ;b\r\n;\n"x\r\ny";\'z\n\nlast;"q""q"'
    const { before, header, rows: read } = await readBytes(content, { keepBlank: true })
    expect([...before, ...(header ? [header] : []), ...read].map(({ line, raw }) => [line, raw])).toEqual([
      [1, 'sep=;'],
      [2, ''],
      [3, '"a" ;b'],
      [4, ';'],
      [5, '"x\r\ny";\'z'],
      [7, ''],
      [8, 'last;"q""q"'],
    ])
    expect(read[1]?.cells).toEqual(['x\ny', "'z"])
  })

  it('a quote in the middle of a field is text, or an error where nothing may be misread', async () => {
    const content = 'name,n\nTaller "El Tico" S.A.,1\n'
    expect((await readBytes(content)).rows[0]?.cells).toEqual(['Taller "El Tico" S.A.', '1'])
    await expect(readBytes(content, { isStrict: true })).rejects.toThrow(
      'Line 2 is not CSV: there is a quote in the middle of a field.',
    )
    await expect(readBytes('a,b\n1,"2\n3,4\n')).rejects.toThrow(
      'Line 3 is not CSV: a quote that is opened there, or above,',
    )
  })
})

describe('a file that is not a sheet', () => {
  const part = (xml: string) => Buffer.from(xml)
  const workbook = (rows: string, parts: Record<string, string> = {}) =>
    Buffer.from(craftedWorkbook({ sheet: `<sheetData>${rows}</sheetData>`, parts }))
  const cell = (at: string, row = at.replace(/\D/g, '')) => `<row r="${row}"><c r="${at}"><v>1</v></c></row>`

  it.each([
    ['%PDF-1.7\n', 'The file is a PDF.'],
    ['<html><table><tr><td>1</td></tr></table></html>', 'The file is a web page, whatever its name.'],
    ['[{"to":"88881234","amount":1}]', 'The file is JSON, which payctl does not read.'],
    [
      '\ufeff\n {"to":"88881234","amount":1}\n{"to":"88881234","amount":2}\n',
      'The file is JSON, which payctl does not read.',
    ],
    ['[]', 'The file is JSON, which payctl does not read.'],
    ['<?xml version="1.0"?><Workbook/>', 'The file is XML, not a current spreadsheet format.'],
    [Buffer.from([0x1f, 0x8b, 8, 0]), 'The file is compressed.'],
    [Buffer.from([0x89, 0x50, 0x4e, 0x47]), 'The file is a picture.'],
    [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'The file has an old Office format (.xls), which payctl does not read.'],
    [
      Buffer.concat([Buffer.from('d0cf11e0', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
      'The file has a password.',
    ],
    [zipSync({ 'a.txt': part('1') }), 'The file is a ZIP archive and not an .xlsx file.'],
    [zipSync({ 'word/document.xml': part('<w/>') }), 'The file is a Word document.'],
    [zipSync({ 'xl/workbook.bin': part('1') }), 'The file is a binary workbook (.xlsb).'],
    [workbook(cell('A1')).subarray(0, 300), 'The .xlsx file is damaged, or not complete.'],
    [
      workbook('<row r="1"><c r="A1" t="s"><v>7</v></c></row>'),
      'The .xlsx file is damaged: cell A1 refers to a shared text',
    ],
    [workbook('<row/><row><c/><c><f>1</f></c></row>'), "Cell B2 of the sheet 'S' is a formula without its result."],
    [
      workbook(cell('A1'), { 'xl/styles.xml': '<!DOCTYPE x [<!ENTITY a "b">]><x/>' }),
      'The file declares XML entities (xl/styles.xml).',
    ],
    [workbook(cell('A1048577')), 'The .xlsx file is damaged: 1048577 is not between 1 and 1048576.'],
    [workbook(cell('XFD400')), "The sheet 'S' is too large: 400 rows and 16384 columns are too many."],
    [workbook(cell('A1', '999999999')), 'The .xlsx file is damaged: 999999999 is not between 1 and 1048576.'],
  ])('case %#', async (content, message) => {
    await expect(readBytes(content, {}, 1000)).rejects.toThrow(message)
  })

  it.each([
    ['customers.ods', 'The file is an OpenDocument spreadsheet (.ods).'],
    ['customers.xls', 'The file has an old Office format (.xls), which payctl does not read.'],
  ])('%s', async (name, message) => {
    await expect(readFile(name)).rejects.toThrow(message)
  })

  it.each([
    [500_000_000, 'The file unpacks to more than 400 MB.'],
    [20, 'The .xlsx file is damaged'],
  ])('an archive that says it unpacks to %d bytes is not unpacked further', async (size, message) => {
    const archive = Buffer.from(workbook(cell('A1')))
    // The last entry of the directory is the sheet.
    archive.writeUInt32LE(size, archive.lastIndexOf(Buffer.from('xl/worksheets/sheet1.xml')) - 46 + 24)
    await expect(readBytes(archive, {}, 1000)).rejects.toThrow(message)
  })

  it('a small workbook that is whole is read', async () => {
    expect((await readBytes(workbook(cell('B2')), {}, 50)).header?.cells).toEqual(['', '1'])
  })
})
