import { mkdirSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type WrittenCell, xlsxBytes } from '../../src/sheets/write_xlsx.ts'
import { startWorld } from '../emulator/control/world.ts'
import { sheetFile } from '../sheets/sheet_files.ts'
import { surroundings } from '../support/payctl_process.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'
import { keys, openPayctl } from '../support/terminal.ts'

const carlos = 'Carlos Jiménez Mora'

/** An emulator, a folder with files, and payctl in this folder, with or without a terminal. */
async function desk(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const { emulator } = await startWorld()
  const folder = await temporaryDirectory()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const home = await temporaryDirectory()
  const env = { ...surroundings(emulator), PAYCTL_STATE_DIR: home, PAYCTL_CONFIG_DIR: join(home, 'config') }
  return {
    folder,
    path: (name: string) => join(folder, name),
    run: (...argv: readonly string[]) => runPayctl(argv, { env }),
    /** Runs a command line, split into words. */
    typed: (line: string) => runPayctl(line.split(' '), { env }),
    open: (line: string, columns = 80) => openPayctl(line.split(' '), { env, columns, cwd: folder }),
    result: async (name: string) => (await readFile(join(folder, name))).toString(),
  }
}

const list = 'Nombre;Teléfono;Cédula\nCarlos Jiménez;8700-0001;304930258\nAna Vargas;61234567;\n'

describe('payctl lookup of values', () => {
  test.each([
    ['lookup 8700 0001 --json', [{ phone_number: '87000001', name: carlos }]],
    ['lookup 87000001.0 --json', [{ phone_number: '87000001', name: carlos }]],
    [
      'lookup CR73 0151 0010 0000 0000 01 +506 8700 0001, 8800-1234 --json',
      [{ iban: 'CR73015100100000000001' }, { phone_number: '87000001' }, { phone_number: '88001234' }],
    ],
    ['phone 8700 0001 8800 1234 --json', [{ phone_number: '87000001' }, { phone_number: '88001234' }]],
    ['iban CR73 0151 0010 0000 0000 01 --json', [{ iban: 'CR73015100100000000001', name: carlos }]],
  ])('%s', async (line, rows) => {
    const { typed } = await desk()
    const { code, stdout, stderr } = await typed(line)
    expect({ code, stderr, rows: JSON.parse(stdout) }).toMatchObject({ code: 0, stderr: '', rows })
  })

  test('of both kinds have one column for people, and both for programs', async () => {
    const { typed } = await desk()
    const people = await typed('lookup 8700 0001 61234567 CR73 0151 0010 0000 0000 01 -o table')
    expect(people).toMatchObject({ code: 3, stderr: '1 of 3 not found.\n' })
    expect(people.stdout).toMatch(/^PHONE OR IBAN +NAME/)
    expect(people.stdout).toMatch(/^8700 0001 +Carlos Jiménez Mora .+registered$/m)
    expect(people.stdout).toMatch(/^6123 4567 +not_found\n +6123 4567 is not registered in SINPE Móvil\.\n/m)
    expect(people.stdout).toMatch(/^CR73 0151 0010 0000 0000 01 +Carlos Jiménez Mora .+active$/m)
    const programs = await typed('lookup 8700 0001 CR73 0151 0010 0000 0000 01 -o csv')
    expect(programs.stdout.split('\n').map((row) => row.split(',').slice(0, 3).join())).toEqual([
      'phone_number,iban,name',
      `87000001,,${carlos}`,
      `,CR73015100100000000001,${carlos}`,
      '',
    ])
  })

  test('that can not be read as a whole are not taken for others', async () => {
    const { typed } = await desk()
    const { code, stdout, stderr } = await typed('lookup 8700 0001 8700 --json')
    expect({ code, rows: JSON.parse(stdout) }).toMatchObject({
      code: 2,
      rows: [{ phone_number: '8700 0001 8700', status: 'invalid' }],
    })
    expect(JSON.parse(stderr).error.message).toBe('1 of 1 invalid.')
  })

  test('that are not valid are named in the error, with the reason', async () => {
    const { typed } = await desk()
    expect((await typed('lookup 87000001 xx')).stderr).toMatch(
      /^error: 1 of 2 invalid\.\n {2}'xx' is not a phone or an IBAN, nor the name of a saved payee\.\n$/m,
    )
    expect((await typed('lookup 87000001 aa bb cc dd ee')).stderr).toMatch(
      / {2}'aa' .*'bb' .*'cc' .* 2 more values have the status invalid\.\n$/,
    )
  })

  test('that can be read in two ways are refused with both', async () => {
    const { run, typed } = await desk()
    await run('payees', 'add', 'iban', '--to', '8700-0001')
    const { code, stdout, stderr } = await typed('lookup iban CR73 0151 0010 0000 0000 01')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(
      'can be read in two ways: the payee iban, the IBAN CR73 0151 0010 0000 0000 01, or the IBAN CR73 0151 0010 0000 0000 01.',
    )
    const apart = await typed('lookup iban, CR73 0151 0010 0000 0000 01 --json')
    expect(JSON.parse(apart.stdout)).toHaveLength(2)
  })

  test('come from a pipe as well, and need a value', async () => {
    const { emulator } = await startWorld()
    const env = surroundings(emulator)
    const piped = await runPayctl(['lookup', '--json'], { env, input: '8700 0001\nCR73 0151 0010 0000 0000 01\n' })
    expect(JSON.parse(piped.stdout)).toMatchObject([{ phone_number: '87000001' }, { iban: 'CR73015100100000000001' }])
    const none = await runPayctl(['lookup'], { env, input: '' })
    expect(none.stderr).toContain(
      "missing required argument 'value'.\n  Add a value, like 8888-7777, or name a spreadsheet",
    )
  })
})

describe('payctl lookup of a file', () => {
  test('by its bare name writes another beside it', async () => {
    const { open, result } = await desk({ 'clientes.csv': list })
    const terminal = open('lookup clientes.csv')
    expect(await terminal.ended).toBe(3)
    expect(terminal.screen).toContain('1 found   1 not registered')
    expect(terminal.screen).toContain('Written: clientes-lookup.csv (your 3 columns and 6 more, UTF-8)')
    expect(terminal.screen).not.toContain('error')
    expect(await result('clientes-lookup.csv')).toContain(`8700-0001;304930258;${carlos};`)
  })

  test('with spaces in its name needs no quotes', async () => {
    const { open, folder } = await desk({ 'lista de marzo.csv': list })
    expect(await open('lookup lista de marzo.csv').ended).toBe(3)
    expect(await readdir(folder)).toContain('lista de marzo-lookup.csv')
  })

  test.each([
    ['lookup 87000001', "'87000001' is a file here, and also a phone or an IBAN", 'payctl lookup --file 87000001'],
    ['lookup 8700 0001', "'8700 0001' is a file here, and also a phone or an IBAN", "payctl lookup --file '8700 0001'"],
    ['lookup luz', "'luz' is a file here, and also a saved payee", 'payctl lookup --file luz'],
  ])('whose name is a value too is never taken for one of them: %s', async (line, problem, next) => {
    const { open, run, folder } = await desk({ 87000001: list, '8700 0001': list, luz: list })
    await run('payees', 'add', 'luz', '--to', '8700-0001')
    const terminal = open(line, 140)
    expect(await terminal.ended).toBe(2)
    expect(terminal.screen).toContain(problem)
    expect(terminal.screen).toContain(`next:  ${next}`)
    expect(await readdir(folder)).toHaveLength(3)
    const phone = open('phone 87000001')
    expect(await phone.ended).toBe(0)
    expect(phone.screen).toContain(carlos)
  })

  test.each([
    ['lookup nada.csv', 'File nada.csv does not exist.', ''],
    ['lookup a.csv b.csv', 'a.csv is a file, and b.csv is not part of its name.', 'next:  payctl lookup a.csv'],
    ['lookup a.csv 8700 0001', 'a.csv is a file, and 8700 0001 is not part of its name.', ''],
    ['lookup 8700 0001 --column Tel', '--column is for a spreadsheet, but no spreadsheet is named.', ''],
    ['lookup 8700 0001 --no-header', '--no-header is for a spreadsheet, but no spreadsheet is named.', ''],
    ['lookup a.csv --file b.csv', '--file and arguments both name values.', ''],
    ['phone a.csv', "'a.csv' is a file, not a number.", 'next:  payctl lookup a.csv'],
    ['iban nada.xlsx', "'nada.xlsx' is a file, not an IBAN.", 'next:  payctl lookup nada.xlsx'],
    ['phone --file a.csv', 'a.csv is a spreadsheet, not a list of values.', 'next:  payctl lookup a.csv'],
    ['phone --file a.xlsx', 'a.xlsx is a spreadsheet, not a list of values.', 'next:  payctl lookup a.xlsx'],
  ])('%s is explained', async (line, problem, next) => {
    const workbook = await readFile(sheetFile('customers-openpyxl.xlsx'))
    const { open } = await desk({ 'a.csv': list, 'b.csv': list, 'a.xlsx': workbook })
    const terminal = open(line, 140)
    expect(await terminal.ended).toBe(2)
    expect(terminal.screen).toContain(problem)
    expect(terminal.screen).toContain(next)
  })

  test('a folder is not a file', async () => {
    const { open, folder } = await desk()
    mkdirSync(join(folder, 'marzo'))
    const terminal = open('lookup marzo')
    expect(await terminal.ended).toBe(2)
    expect(terminal.screen).toContain("'marzo' is not a phone or an IBAN")
  })

  test('whose first sheet is not the list names the others', async () => {
    const text = (cell: string): WrittenCell => ({ text: cell, kind: 'text' })
    const notes = await xlsxBytes({ name: 'Notas', rows: [[text('Hecho por'), text('Ana')]] })
    const { run, path } = await desk({ 'notas.xlsx': notes, 'dos.xlsx': await twoSheets() })
    const alone = await run('lookup', path('notas.xlsx'))
    expect(alone.stderr).not.toContain('also has')
    const both = await run('lookup', path('dos.xlsx'), '--column', 'Hoja')
    expect(both.code).toBe(2)
    expect(both.stderr).toContain("The sheet 'Clientes' was read; the file also has: Notas.")
    expect(both.stderr).toContain(`--sheet Notas`)
  })
})

/** A workbook whose sheets are Clientes and Notas. */
const twoSheets = () => readFile(sheetFile('customers-libreoffice.xlsx'))

describe('payctl lookup --name and --document', () => {
  const people = [
    'Nombre;Teléfono;Cédula',
    'JIMENEZ MORA CARLOS;87000001;3-0493-0258',
    'Carlos Jiménez;87000001;304930258.0',
    'Carla Jiménez Mora;87000001;304930259',
    'Nadie;61234567;1',
    ';87000001;',
    '',
  ].join('\n')

  test('compare what the list says with what the service says', async () => {
    const { run, path, result } = await desk({ 'l.csv': people })
    const { code, stdout, stderr } = await run(
      ...['lookup', path('l.csv'), '--column', 'telefono', '--name', 'nombre', '--document', 'cedula', '--json'],
    )
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: expect.stringMatching(/^Written: .+ \(your 3 columns and 9 more, UTF-8\)\n$/),
    })
    expect(JSON.parse(stdout)).toMatchObject({
      found: 4,
      not_found: 1,
      names: { yes: 1, partly: 1, no: 1, not_compared: 0 },
      documents: { yes: 2, partly: 0, no: 1, not_compared: 0 },
    })
    const lines = (await result('l-lookup.csv')).split('\n')
    expect(lines[0]).toMatch(/;Teléfono: reason;Teléfono: name fits;Teléfono: document fits;Teléfono: difference$/)
    expect(lines.slice(1, 6).map((line) => line.split(';').slice(-3))).toEqual([
      ['yes', 'yes', ''],
      ['partly', 'yes', 'also Mora'],
      ['no', 'no', '"without Carla; also Carlos; document 0304930258"'].flatMap((cell) => cell.split(';')).slice(-3),
      ['', '', ''],
      ['', '', ''],
    ])
  })

  test('say for people how many fit, and 0 is only for all', async () => {
    const { run, path } = await desk({ 'l.csv': `${people.split('\n').slice(0, 2).join('\n')}\n` })
    const argv = ['lookup', path('l.csv'), '--name', 'Nombre', '-o', 'table']
    const { code, stderr } = await run(...argv)
    expect(code).toBe(0)
    expect(stderr).toContain('1 found\nNames fit: 1 yes\n')
    const unknown = await run(...argv, '--document', 'Nada', '--force')
    expect(unknown.stderr).toContain("The file has no column 'Nada'.")
  })
})

describe('payctl lookup at a terminal', () => {
  const question = 'Phone, IBAN or file (Enter ends):'
  const times = (text: string, part: string) => text.split(part).length - 1

  test('asks again and again, until an empty line', async () => {
    const { open } = await desk({ 'clientes.csv': list })
    const terminal = open('lookup')
    await terminal.answer(question, `8700 0001${keys.enter}`)
    await terminal.shows(/Name +Carlos Jiménez Mora[\s\S]+Phone, IBAN or file/)
    terminal.type(`8700 0099${keys.enter}`)
    await terminal.shows(/8700 0099 is not registered in SINPE Móvil\.\n.*Phone, IBAN or file/)
    terminal.type(`CR74 0151 0010 0000 0000 01${keys.enter}`)
    await terminal.shows(/has a typing error: its check digits are 74[\s\S]+\n.*Phone, IBAN or file/)
    terminal.type(`'clientes.csv'${keys.enter}`)
    await terminal.shows(/Written: clientes-lookup\.csv[\s\S]+Phone, IBAN or file/)
    terminal.type(`clientes.csv${keys.enter}`)
    await terminal.shows(
      /is there already\. To replace it: payctl lookup clientes\.csv\s--force\n.*Phone, IBAN or file/,
    )
    terminal.type(`clientes${keys.enter}`)
    await terminal.shows(/nor the name of a saved payee\. Give an\sIBAN \([\s\S]+\n.*Phone, IBAN or file/)
    terminal.type(keys.enter)
    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).not.toMatch(/^error:/m)
  })

  test('asks again after a line or a file in which a value is not valid', async () => {
    const { open } = await desk({ 'clientes.csv': 'Teléfono\n87000001\n8700\n' })
    const terminal = open('lookup')
    await terminal.answer(question, `8700 0001, 8700${keys.enter}`)
    await terminal.shows(/1 of 2 invalid\.[\s\S]+\n.*Phone, IBAN or file/)
    terminal.type(`clientes.csv${keys.enter}`)
    await terminal.shows(/1 of 2 values is not a phone or an IBAN\.[\s\S]+\n.*Phone, IBAN or file/)
    terminal.type(keys.enter)
    expect(await terminal.ended).toBe(0)
  })

  test('takes each line of a pasted list', async () => {
    const { open } = await desk()
    const terminal = open('lookup')
    await terminal.answer(question, `8700 0001\r8800-1234\r\r61234567\r`)
    await terminal.shows(/6123 4567 is not registered in SINPE Móvil\.\n.*Phone, IBAN or file/)
    expect(times(terminal.screen, 'Document number')).toBe(2)
    terminal.type(keys.endOfInput)
    expect(await terminal.ended).toBe(0)
  })

  test('ends at Ctrl-C', async () => {
    const { open } = await desk()
    const terminal = open('lookup')
    await terminal.answer(question, keys.interrupt)
    expect(await terminal.ended).toBe(130)
  })
})
