import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startWorld } from '../emulator/control/world.ts'
import { readBytes, sheetFile } from '../sheets/sheet_files.ts'
import { type Service, startPayctl } from '../support/payctl_process.ts'
import { failure, type Reply, startStub, success } from '../support/stub.ts'

/** Makes a folder with one list and payctl's state folder; `start` runs `payctl lookup` on the list. */
async function desk(service: Service, name: string, content: string | Uint8Array) {
  const folder = await mkdtemp(join(tmpdir(), 'payctl-lookup-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const list = join(folder, name)
  await writeFile(list, content)
  const env = { PAYCTL_STATE_DIR: join(folder, 'state') }
  const start = (...args: readonly string[]) => startPayctl(service, ['lookup', '--file', list, ...args], { env })
  const result = (file = name.replace(/(\.\w+)$/, '-lookup$1')) => readFile(join(folder, file))
  return { folder, list, start, result, kept: () => readdir(join(folder, 'state', 'lookups')) }
}

/** A service that knows each number; `answer` may answer instead. */
async function startRegistry(answer: (number: string, response: ServerResponse) => Reply | 'later' | undefined) {
  const reply: Reply = (response, request) => {
    const number = request.url?.split('/').at(-1) ?? ''
    // The tokens lack the scope to read their user, so each token counts as a different user.
    const own = /^\d/.test(number) ? answer(number, response) : ([403, failure('Invalid scope(s) provided.')] as const)
    if (own === 'later') return
    if (typeof own === 'function') return own(response, request)
    const [status, body, headers] = own ?? [200, success({ phone_number: number, status: 'registered', name: number })]
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
  const stub = await startStub(reply)
  const numbers = () => stub.received.map(({ url }) => url.split('/').at(-1) ?? '').filter((text) => /^\d/.test(text))
  return { service: { baseUrl: stub.url, token: 'token-of-the-test' }, numbers }
}

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `8${String(at).padStart(7, '0')}`)

describe('a list comes back with the holders beside it', () => {
  it('as CSV: order, columns, blank lines, separator and encoding stay', async () => {
    const { emulator } = await startWorld()
    const content = await readFile(sheetFile('customers-es-windows-1252.csv'))
    const { start, result } = await desk(emulator, 'clientes.csv', content)
    const { stdout, stderr, exitCode } = await start('--column', 'telefono', '--json')
    expect(exitCode).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({ rows: 6, found: 4, not_found: 1, invalid: 0, failed: 0, remembered: 0 })
    expect(stderr).toContain('The file is read as Windows-1252.\n')
    expect(stderr).toMatch(/Written: .*clientes-lookup\.csv \(your 7 columns and 6 more, Windows-1252\)\n/)
    const lines = (await result()).toString('latin1').split('\n')
    const given = content.toString('latin1').split('\n')
    expect(lines.map((line, at) => line.slice(given[at]?.length))).toEqual([
      ';Teléfono: holder;Teléfono: document;Teléfono: entity;Teléfono: currency;Teléfono: status;Teléfono: reason',
      ';Carlos Jiménez Mora;0304930258;Banco Nacional de Costa Rica;CRC;registered;',
      ';Ana Lucía Vargas Solano;0205670891;Banco de Costa Rica;CRC;registered;',
      '',
      ';Ferretería El Roble S.A.;3101234567;BAC San José;CRC;registered;',
      '',
      ';;;;;not_found;Phone number not found in SINPE registry',
      ';;;;;;the cell is empty',
      ';Carlos Jiménez Mora;0304930258;Banco Nacional de Costa Rica;CRC;registered;',
      '',
    ])
    expect(lines.every((line, at) => line.startsWith(given[at] ?? 'x'))).toBe(true)
  })

  it('as .xlsx, with every column that has phones or IBANs, and text as text', async () => {
    const { emulator } = await startWorld()
    const { start, result } = await desk(
      emulator,
      'clientes.xlsx',
      await readFile(sheetFile('customers-libreoffice.xlsx')),
    )
    const { stderr, exitCode } = await start()
    expect(exitCode).toBe(3)
    expect(stderr).toContain("Sheet 'Clientes' is read; the file also has: Notas. Choose a sheet with --sheet.\n")
    expect(stderr).toContain('Hidden in the sheet, but read and written: 1 row.\n')
    const { header, rows } = await readBytes(await result(), {}, 10_000)
    const at = (name: string) => header?.cells.indexOf(name) ?? -1
    const documents = rows.map(({ cells, kinds }) => [
      cells[at('Teléfono: document')],
      kinds?.[at('Teléfono: document')],
    ])
    expect(documents.slice(0, 2)).toEqual([
      ['0304930258', 'text'],
      ['0205670891', 'text'],
    ])
    expect(rows.map(({ cells }) => cells[at('Cuenta IBAN: status')])).toEqual([
      'active',
      'active',
      '',
      'not_found',
      '',
      '',
    ])
    expect(rows[0]?.cells.slice(0, 7)).toEqual([
      'Carlos Jiménez Mora',
      '104560789',
      '87000001',
      'CR73 0151 0010 0000 0000 01',
      '1500.25',
      '2026-03-09',
      'VIP; llama "siempre"',
    ])
  })

  it.each([
    ['without a heading', '87000001,a\n61234567,b\n', ['--no-header'], '87000001,a,Carlos'],
    ['without a heading, recognised', 'a,87000001\nb,61234567\n', [], 'a,87000001,Carlos'],
    ['by its place', 'x,y\na,87000001\n', ['--column', 'B'], 'x,y,y: holder'],
    ['by its number', 'x,y\na,87000001\n', ['--column', '2'], 'x,y,y: holder'],
    [
      'under a title',
      'Lista de marzo\n\nNombre;Nº de teléfono\nAna;87000001\n',
      [],
      'Lista de marzo\n\nNombre;Nº de teléfono;Nº de teléfono: holder',
    ],
    [
      'with the word sinpe_movil among its values',
      'channel,payee_phone_number\nsinpe_movil,87000001\nsinpe_movil,61234567\n',
      [],
      'channel,payee_phone_number,payee_phone_number: holder',
    ],
    ['without a heading, and with the word SINPE', 'SINPE,87000001\nSINPE,61234567\n', [], 'SINPE,87000001,Carlos'],
    [
      'with digits that --excel has marked as text',
      'Destino;Monto\n"=""87000001""";1\n="61234567";2\n',
      ['--column', 'Destino'],
      '"=""87000001""";1;Carlos Jiménez Mora;',
    ],
    [
      'with both kinds in it',
      'Destino\nCR73015100100000000001\n8700-0001\n',
      ['--column', 'destino'],
      'Destino,Destino: holder',
    ],
  ])('%s', async (_, content, args, beginning) => {
    const { emulator } = await startWorld()
    const { start, result } = await desk(emulator, 'list.csv', content)
    await start(...args)
    expect((await result()).toString()).toContain(beginning)
    expect((await result()).toString()).toContain('Carlos Jiménez Mora')
  })

  it.each([
    ['a heading', 'name,tel\nAna,87000001,\nLuis,87000001\nEva\n', []],
    ['no heading', 'Ana,87000001\nLuis,87000001,x\nEva\n', ['--no-header']],
  ])('with the holders in the same columns, whatever the length of a row: %s', async (_, content, args) => {
    const { emulator } = await startWorld()
    const { start, result } = await desk(emulator, 'list.csv', content)
    expect((await start(...args)).exitCode).toBe(0)
    const rows = (await result()).toString().trim().split('\n')
    const at = (cell: string) => rows.map((row) => row.split(',').indexOf(cell))
    expect(at('Carlos Jiménez Mora').filter((place) => place !== -1)).toEqual([3, 3])
    expect(at('the cell is empty').at(-1)).toBe(8)
    if (args.length === 0) expect(at('tel: holder')[0]).toBe(3)
  })

  it('as CSV in its encoding, even if the first letter beyond ASCII is near the end', async () => {
    const { emulator } = await startWorld()
    const content = Buffer.from(`tel,name\n${'87000001,Ana\n'.repeat(30_000)}87000001,José\n`, 'latin1')
    const { start, result } = await desk(emulator, 'list.csv', content)
    const { stderr, exitCode } = await start()
    expect(exitCode).toBe(0)
    expect(stderr).toContain('and 6 more, Windows-1252)')
    expect((await result()).toString('latin1')).toContain('\n87000001,José,Carlos Jiménez Mora,')
  })

  it('a value that is not a phone is reported, and decides the exit code', async () => {
    const { emulator } = await startWorld()
    const { start, result } = await desk(
      emulator,
      'l.csv',
      'tel,tel\n87000001,-\n8700,x\n61234567,87000001\n104560789,\n',
    )
    const { stderr, exitCode } = await start()
    expect(exitCode).toBe(2)
    expect(stderr).toContain('error: 3 of 6 values are not a phone or an IBAN.')
    const lines = (await result()).toString().split('\n')
    expect(lines[0]).toMatch(/,tel: holder,.+,tel \(2\): holder,/)
    expect(lines[1]).toMatch(/,the cell is empty$/)
    expect(lines[2]).toContain('8700,x,,,,,invalid,')
    expect(lines[2]).toContain('a phone has 8 digits')
    expect(lines[4]).toContain('looks like')
  })
})

describe('a list that can not be read or written', () => {
  it.each([
    ['an unknown column', 'Nombre,Teléfono\nAna,87000001\n', ['--column', 'Telefno'], "Did you mean 'Teléfono'?"],
    ['two of a name', 'tel,Tel\n1,2\n', ['--column', 'TEL'], 'The columns A and B are both called'],
    ['nothing like a phone', 'a,b\nx,y\n', [], 'No column is recognised as phones or IBANs. The columns are: a, b.'],
    ['no rows', '', [], 'The file has no rows.'],
    ['a PDF', '%PDF-1.7', [], 'The file is a PDF.'],
    ['a sheet of a text', 'tel\n1\n', ['--sheet', 'x'], 'The file is text and has no sheets.'],
  ])('%s', async (_, content, args, message) => {
    const { service, numbers } = await startRegistry(() => undefined)
    const { start, folder } = await desk(service, 'list.csv', content)
    const { stdout, stderr, exitCode } = await start(...args)
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 })
    expect(stderr).toContain(message)
    expect(numbers()).toEqual([])
    expect(await readdir(folder)).not.toContain('list-lookup.csv')
  })

  it('is never replaced, and another file only with --force', async () => {
    const { service, numbers } = await startRegistry(() => undefined)
    const { start, list, result } = await desk(service, 'list.csv', 'tel\n80000001\n')
    expect((await start('--output-file', list, '--force')).stderr).toContain('which is never overwritten')
    const nowhere = await start('--output-file', join(list, 'a', 'b.csv'))
    expect(nowhere).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("b.csv can't be written: ") })
    await start()
    const again = await start()
    expect(again.exitCode).toBe(2)
    expect(again.stderr).toMatch(
      /list-lookup\.csv is there already\.\n.*Name another file, or use --force to replace this file/,
    )
    expect(numbers()).toEqual(['80000001'])
    await writeFile(list, 'tel\n80000002\n')
    expect((await start('--force')).exitCode).toBe(0)
    expect((await result()).toString()).toContain('80000002,80000002')
  })
})

describe('answers', () => {
  it('are asked for once for each phone, however it is written', async () => {
    const { service, numbers } = await startRegistry(() => undefined)
    const { start } = await desk(service, 'list.csv', 'tel,cel\n8888-7777,+506 8888 7777\n88887777,70000000\n')
    expect((await start()).exitCode).toBe(0)
    expect(numbers().toSorted()).toEqual(['70000000', '88887777'])
  })

  it('count for other lists as long as --cache says; they are the same user’s only, and nobody else can read them', async () => {
    const { service, numbers } = await startRegistry((number) =>
      number === '80000002' ? [404, failure('Phone number not found')] : undefined,
    )
    const { start, folder, kept, list } = await desk(service, 'list.csv', 'tel\n80000001\n80000002\n')
    await start()
    await writeFile(list, 'tel\n80000001\n80000002\n80000003\n')
    const later = await start('--force', '--json')
    expect(JSON.parse(later.stdout)).toMatchObject({ found: 2, not_found: 1, remembered: 2 })
    expect(later.stderr).toContain('2 answers are from other runs. --cache none asks again.')
    expect(numbers()).toEqual(['80000001', '80000002', '80000003'])
    const [answers = ''] = await kept()
    expect((await stat(join(folder, 'state', 'lookups', answers))).mode & 0o777).toBe(0o600)
    const none = await start('--force', '--cache', 'none', '--json')
    expect(JSON.parse(none.stdout)).toMatchObject({ remembered: 0 })
    expect(numbers()).toHaveLength(6)
    const others = startPayctl(
      { ...service, token: 'another-token' },
      ['lookup', '--file', list, '--force', '--json'],
      { env: { PAYCTL_STATE_DIR: join(folder, 'state') } },
    )
    expect(JSON.parse((await others).stdout)).toMatchObject({ remembered: 0 })
  })

  it('of a run that is killed are not asked for again, and the file appears whole', async () => {
    let isHeld = true
    const { service, numbers } = await startRegistry((number) => (isHeld && number > '80000149' ? 'later' : undefined))
    const { start, result, kept, folder } = await desk(service, 'list.csv', `tel\n${numbered(300).join('\n')}\n`)
    const child = start('--cache', 'none')
    await vi.waitFor(() => expect(numbers()).toContain('80000153'), 20_000)
    child.kill('SIGINT')
    const stopped = await child
    expect(stopped.exitCode).toBe(130)
    expect(stopped.stderr).toContain(
      'Stopped with 150 of 300 answered. Run the command again: it continues from there.',
    )
    expect(existsSync(join(folder, 'list-lookup.csv'))).toBe(false)
    const [run = ''] = await kept()
    await appendFile(join(folder, 'state', 'lookups', run), '{"key":"phone:8000') // an incomplete line, as after a power cut
    isHeld = false
    const asked = numbers().length
    const { stderr, exitCode } = await start('--cache', 'none')
    expect(exitCode).toBe(0)
    expect(stderr).toContain('Continuing where a run stopped. Values already answered: 150 of 300.\n')
    // Four lookups run at a time, so their requests arrive in any order.
    expect(numbers().slice(asked).toSorted()).toEqual(numbered(300).slice(150))
    expect(
      (await result())
        .toString()
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(',')[1]),
    ).toEqual(numbered(300))
    expect(await kept()).toEqual([])
  })

  it('of another content are another run', async () => {
    const { service, numbers } = await startRegistry((number) =>
      number === '80000001' ? [401, failure('No.')] : undefined,
    )
    const { start, list } = await desk(service, 'list.csv', 'tel\n80000000\n80000001\n')
    expect((await start('--cache', 'none', '--concurrency', '1')).exitCode).toBe(4)
    await writeFile(list, 'tel\n80000000\n80000001\n\n')
    expect((await start('--cache', 'none', '--concurrency', '1')).exitCode).toBe(4)
    expect(numbers()).toEqual(['80000000', '80000001', '80000000', '80000001'])
  })

  it('that the service fails to give are marked, and asked for when the run is repeated', async () => {
    let isBroken = true
    const { service, numbers } = await startRegistry((number) =>
      isBroken && number === '80000002' ? [500, failure('Server Error')] : undefined,
    )
    const { start, result } = await desk(service, 'list.csv', `tel\n${numbered(5).join('\n')}\n`)
    const first = await start('--retries', '0')
    expect(first.exitCode).toBe(12)
    expect(first.stderr).toContain('error: Values for which the service failed: 1 of 5.')
    expect((await result()).toString()).toContain('80000002,,,,,failed,Server Error\n')
    isBroken = false
    expect((await start('--retries', '0', '--force', '--cache', 'none')).exitCode).toBe(0)
    expect(numbers().slice(5)).toEqual(['80000002'])
  })

  it('that are of another number are failures', async () => {
    const { service } = await startRegistry((number) =>
      number === '80000002' ? [200, success({ phone_number: '88888888', name: 'Ana Mora' })] : undefined,
    )
    const { start, result } = await desk(service, 'list.csv', `tel\n${numbered(5).join('\n')}\n`)
    expect((await start()).exitCode).toBe(12)
    expect((await result()).toString()).toMatch(
      /80000002,,,,,failed,"?The service was asked who holds 8000 0002, but answered/,
    )
  })

  it('a service that is out of order ends the run', async () => {
    const { service, numbers } = await startRegistry(() => [503, failure('Down')])
    const { start, folder } = await desk(service, 'list.csv', `tel\n${numbered(50).join('\n')}\n`)
    const { exitCode } = await start('--retries', '0', '--concurrency', '1')
    expect(exitCode).toBe(12)
    expect(numbers()).toHaveLength(5)
    expect(await readdir(folder)).not.toContain('list-lookup.csv')
  })

  it('are looked up where nothing can be written too', async () => {
    const { service } = await startRegistry(() => undefined)
    const { list } = await desk(service, 'list.csv', 'tel\n80000001\n')
    const env = { PAYCTL_STATE_DIR: join(list, 'state') }
    const { stderr, exitCode } = await startPayctl(service, ['lookup', '--file', list], { env })
    expect(exitCode).toBe(0)
    expect(stderr).toContain("can't be written: an interrupted run must start from the beginning.")
  })
})
