import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { type WrittenCell, xlsxBytes } from '../../../src/sheets/write_xlsx.ts'
import { readBytes } from '../../sheets/sheet_files.ts'
import { keys } from '../../support/terminal.ts'
import { batchAtTerminal } from './at_terminal.ts'
import { batchWorld, colones, heading, payees, rowsOf } from './batch_file.ts'

const [iban = '', phone = ''] = payees

type World = Awaited<ReturnType<typeof batchWorld>>

const paidBy = async ({ payments }: World) =>
  (await payments())
    .map(({ amount, description }) => [amount.value, description])
    .sort(([one], [other]) => Number(one) - Number(other))

const text = (cell: string): WrittenCell => ({ text: cell, kind: 'text' })
const number = (cell: string): WrittenCell => ({ text: cell, kind: 'number' })

/** A workbook with these rows. */
const workbook = (...rows: readonly (readonly WrittenCell[])[]): Promise<Buffer> => xlsxBytes({ name: 'Nómina', rows })

const mapping = ['--map', 'to=telefono,amount=MONTO,description=Detalle', '--from', 'CRC']

describe('a list as spreadsheets have it', () => {
  const excel = [
    'sep=;',
    'Teléfono;Monto;Detalle;Nota del jefe',
    `${phone};1.500,25;Limpieza de la oficina;urgente, sí`,
    `"IBAN ${iban.replace(/(.{4})(?=.)/g, '$1 ')}";20.000;Niñez y educación, ñandú;`,
    '',
  ].join('\r\n')

  test('of Excel in Costa Rica is paid, its own columns in the result', async () => {
    const world = await batchWorld()
    const file = world.file('nomina.csv', Buffer.from(excel, 'latin1'))

    const { code, stdout, stderr } = await world.batch(file, ...mapping, '--output', 'ndjson')

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('read as Windows-1252') })
    expect(await paidBy(world)).toEqual([
      [150025, 'Limpieza de la oficina'],
      [2000000, 'Niñez y educación, ñandú'],
    ])
    expect(rowsOf(stdout).find(({ line }) => line === 3)).toMatchObject({ columns: { 'Nota del jefe': 'urgente, sí' } })
  })

  test('in another format is the same list: nothing of it is paid again', async () => {
    const world = await batchWorld()
    await world.batch(world.file('nomina.csv', Buffer.from(excel, 'latin1')), ...mapping)
    const others: [string, string | Buffer, readonly string[]][] = [
      ['utf8.csv', `\ufeff${excel}`, mapping],
      [
        'utf16.csv',
        Buffer.from(`\ufeff${excel.replace('sep=;\r\n', '').replaceAll(';', '\t')}`, 'utf16le'),
        [...mapping, '--decimal', 'comma'],
      ],
      [
        'own.csv',
        `${heading}\n"IBAN ${iban}",20000,"Niñez y educación, ñandú",${colones.id},\n${phone},1500.25,Limpieza de la oficina,0001,x\n`,
        [],
      ],
      [
        'nomina.xlsx',
        await workbook(
          [text('Planilla de noviembre')],
          [],
          [text('Detalle'), text('Monto'), text('Teléfono')],
          [text('Limpieza de la oficina'), number('1500.25'), number(phone)],
          [text(' Niñez y educación, ñandú '), number('20000'), text(iban)],
        ),
        mapping,
      ],
    ]

    for (const [name, content, flags] of others) {
      const { code, stderr } = await world.batch(world.file(name, content), ...flags)
      expect({ name, code, stderr }).toEqual({
        name,
        code: 0,
        stderr: expect.stringContaining('Nothing to send: all 2 sent before'),
      })
    }
    expect(await world.payments()).toHaveLength(2)
  })

  test('with phones that a program wrote as numbers is the same list, unless digits of one are lost', async () => {
    const world = await batchWorld()
    const listed = (to: string) => `to,amount,description\n"${to}",20000,Limpieza de la oficina\n`
    await world.batch(world.file('a.csv', listed(phone)), '--from', 'CRC')

    for (const to of [`${phone}.0`, `${phone[0]},${phone.slice(1)}E+07`]) {
      const { stderr } = await world.batch(world.file('b.csv', listed(to)), '--from', 'CRC', '--skip-sent')
      expect(stderr).toContain('Nothing to send: all 1 sent before')
    }
    const lost = await world.batch(world.file('c.csv', listed('8.7E+07')), '--from', 'CRC')
    expect(lost).toMatchObject({ code: 2, stderr: expect.stringContaining('digits are lost') })
    expect(await world.payments()).toHaveLength(1)
  })

  test('with digits that an earlier version read as ="0123", is not paid again unless that is said', async () => {
    const world = await batchWorld()
    const digits = '50601012600310112345600100001010000000011'
    const file = world.file('a.csv', `to,amount,description\n${phone},20000,${digits}\n`)
    await world.batch(file, '--from', 'CRC')
    const journal = new Sqlite(join(world.stateDir, 'journal.db'))
    const earlier = { description: `="${digits}"`, key: 'of-an-earlier-version', batch: 'b_of-an-earlier-version' }
    journal
      .prepare(
        "UPDATE intents SET body = json_set(body, '$.description', :description), idempotency_key = :key, batch = :batch",
      )
      .run(earlier)
    journal.close()

    const { code, stderr } = await world.batch(file, '--from', 'CRC', '--skip-sent')

    expect({ code, stderr: stderr.replace(/\s+/g, ' ') }).toEqual({
      code: 2,
      stderr: expect.stringContaining('with another spelling of the description'),
    })
  })

  test.each([
    ['without its accents', 'Ninez y educacion, nandu'],
    ['with a ? for what the encoding lacks', 'Ni?ez y educaci?n, ?and?'],
    ['in capitals, with more spaces', 'NIÑEZ  Y EDUCACIÓN,  ÑANDÚ'],
  ])(
    'with descriptions as another program wrote them, %s, is not paid again unless that is said',
    async (_, spelling) => {
      const world = await batchWorld()
      const listed = (description: string) => `to,amount,description\n${phone},20000,"${description}"\n`
      await world.batch(world.file('a.csv', listed('Niñez y educación, ñandú')), '--from', 'CRC')
      const other = world.file('b.csv', listed(spelling))

      const unsaid = await world.batch(other, '--from', 'CRC', '--skip-sent')
      const made = (await world.payments()).length
      const said = await world.batch(other, '--from', 'CRC', '--batch-id', 'again')

      expect({ code: unsaid.code, stderr: unsaid.stderr.replace(/\s+/g, ' ') }).toEqual({
        code: 2,
        stderr: expect.stringMatching(
          /1 row asks for a payment that was sent before with another spelling of the description.+--batch-id/,
        ),
      })
      expect([made, said.code, (await world.payments()).length]).toEqual([1, 0, 2])
    },
  )
})

describe('an amount of a file', () => {
  const paidFor = async (content: string | Buffer, ...flags: readonly string[]) => {
    const world = await batchWorld()
    const { code, stderr } = await world.batch(world.file('a.csv', content), '--from', colones.id, ...flags)
    return { code, stderr, paid: (await world.payments()).map(({ amount }) => amount.value).sort() }
  }
  const withCommas = (...amounts: string[]) =>
    `to,amount,description\n${amounts.map((one) => `${phone},"${one}",\n`).join('')}`
  const withSemicolons = (...amounts: string[]) =>
    `to;amount;description\n${amounts.map((one) => `${phone};${one};\n`).join('')}`

  test.each<[string, string, readonly string[], readonly number[]]>([
    [
      'by its own marks',
      withCommas('1.500,25', '1,500.26', '1 500,27', '₡1500.28'),
      [],
      [150025, 150026, 150027, 150028],
    ],
    ['with the comma of a file with semicolons', withSemicolons('1.500', '12,5'), [], [1250, 150000]],
    ['with a point that can be nothing else, in spite of semicolons', withSemicolons('20.50'), [], [2050]],
    ['as --decimal says', withCommas('1.500'), ['--decimal', 'comma'], [150000]],
    ['as --decimal says, whatever separates its fields', withSemicolons('1,500'), ['--decimal', 'point'], [150000]],
  ])('is read %s', async (_, content, flags, paid) => {
    expect(await paidFor(content, ...flags)).toMatchObject({ code: 0, paid })
  })

  test.each<[string, string, RegExp]>([
    ['two readings', withCommas('1,500'), /line 2: amount "1,500" has two readings: 1500 or 1\.50/],
    [
      'two readings, as another row contradicts the semicolons',
      withSemicolons('1.500', '20.50'),
      /line 2: amount "1\.500" has two readings, 1500 or 1\.500: .+ line 3 has 20\.50.+--decimal comma/,
    ],
  ])('with %s is refused', async (_, content, told) => {
    const { code, stderr, paid } = await paidFor(content)

    expect({ code, stderr, paid }).toEqual({ code: 2, stderr: expect.stringMatching(told), paid: [] })
  })

  test.each<[string, string, string]>([
    ['amount', `to,amount,description\n${phone},\u202e00.51,x\n`, 'amount "00.51" has an invisible character, U+202E'],
    ['phone', `to,amount,description\n8700\u200b0001,1,x\n`, 'to "87000001" has an invisible character, U+200B'],
    ['phone, at its end', `to,amount,description\n87000001\ufeff,1,x\n`, 'has an invisible character, U+FEFF'],
  ])('or a phone with an invisible character is refused: %s', async (_, content, told) => {
    expect(await paidFor(content)).toEqual({ code: 2, stderr: expect.stringContaining(told), paid: [] })
  })

  test('of a flag with an invisible character is refused, and so is a phone of a flag or a lookup', async () => {
    const world = await batchWorld()
    const send = ['payments', 'send', '--from', colones.id, '--yes', '--to']

    const refused = [
      await world.run(...send, phone, '--amount', '\u202e00.51'),
      await world.run(...send, `\u202e${phone}`, '--amount', '1'),
      await world.run('phone', `8700\u20660001`),
    ]

    for (const { code, stderr } of refused) {
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('has an invisible character, U+20') })
    }
    expect(await world.payments()).toEqual([])
  })

  test.each<[string, WrittenCell, RegExp]>([
    ['more decimals than money has', number('1500.256'), /more than two decimals/],
    ['a date', { text: '2026-03-09', kind: 'date' }, /amount is a date/],
    ['a formula’s error', text('#N/A'), /amount is an error in the sheet: #N\/A/],
  ])('of a workbook with %s is refused', async (_, cell, told) => {
    const content = await workbook([text('to'), text('amount'), text('description')], [number(phone), cell, text('')])

    const { code, stderr, paid } = await paidFor(content)

    expect({ code, stderr, paid }).toEqual({ code: 2, stderr: expect.stringMatching(told), paid: [] })
  })
})

describe('columns', () => {
  test.each<[string, string, readonly string[], RegExp]>([
    [
      'of other names',
      'Teléfono;Monto;Detalle\n8700;1;x\n',
      [],
      /none that payctl reads: Teléfono, Monto, Detalle[\s\S]+--map to=Teléfono,amount=Monto/,
    ],
    [
      'that are mapped and not there',
      'Teléfono,amount,description\n1,1,1\n',
      ['--map', 'to=Celular'],
      /no column 'Celular'\. It has: Teléfono, amount, description/,
    ],
    [
      'that are mapped and there besides',
      'to,amount,description,Tel\n1,1,1,1\n',
      ['--map', 'to=Tel'],
      /--map names another column for '\w+'\./,
    ],
    [
      'that are nearly one of payctl’s',
      'to,amount,description,nane\n1,1,1,1\n',
      [],
      /does not read the column "nane"[\s\S]+Did you mean name/,
    ],
    ['of a name that is none', 'to,amount,description\n1,1,1\n', ['--map', 'payee=Tel'], /"payee=Tel" maps no column/],
  ])('%s are refused', async (_, content, flags, told) => {
    const world = await batchWorld()

    const { code, stderr } = await world.batch(world.file('a.csv', content), '--from', 'CRC', ...flags)

    expect({ code, stderr: stderr.replace(/\n +/g, ' ') }).toEqual({ code: 2, stderr: expect.stringMatching(told) })
    expect(await world.payments()).toEqual([])
  })

  test('a field too many is refused where it would shift an amount into a column of the file’s own', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', `to,description,amount,Nota\n${phone},Pago de servicios, 500,1000,\n`)

    const { code, stderr } = await world.batch(file, '--from', 'CRC')

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('line 2: it has 5 fields, but the heading has 4'),
    })
  })
})

describe('rows that are refused', () => {
  const rows = [
    `${phone},1,Paid at once to somebody,${colones.id},a,"x, y"`,
    `87999999,2,Paid to nobody at first,${colones.id},b,=1+1`,
  ]
  const content = `${heading},Nota\r\n${rows.join('\r\n')}\r\n`

  test('by the service are written as they were, with the reason, and can be fed again once corrected', async () => {
    const world = await batchWorld()
    const rejects = join(world.folder, 'bad.csv')

    const first = await world.batch(world.file('a.csv', content), '--rejects-file', rejects)
    const written = readFileSync(rejects, 'utf8')
    const corrected = world.file('bad-corrected.csv', written.replace('87999999', phone))
    const second = await world.batch(corrected, '--output', 'ndjson')

    expect(first.code).toBe(7)
    expect(written.split('\r\n')[0]).toBe(`${heading},Nota,reason`)
    expect(written.split('\r\n')[1]?.startsWith(`${rows[1]},`)).toBe(true)
    expect(written.trim().split('\r\n')).toHaveLength(2)
    expect(second.code).toBe(0)
    expect(rowsOf(second.stdout)).toMatchObject([{ columns: { Nota: '=1+1' } }])
    expect(await paidBy(world)).toHaveLength(2)
  })

  test('by the checks are all written, and nothing is sent', async () => {
    const world = await batchWorld()
    const rejects = join(world.folder, 'bad.xlsx')
    const file = world.file('a.csv', `${content}8700,x,,${colones.id},,\r\n`)

    const { code, stderr } = await world.batch(file, '--rejects-file', rejects)

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(rejects) })
    const sheet = await readBytes(readFileSync(rejects))
    expect(sheet.header?.cells.at(-1)).toBe('reason')
    expect(sheet.rows).toHaveLength(1)
    expect(sheet.rows[0]?.cells.at(-1)).toMatch(/to "8700".+; amount "x"/)
    expect(await world.payments()).toEqual([])
  })

  test('never replace a file unless that is said, nor the file that is paid', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', content)
    const there = world.file('bad.csv', 'mine')

    const refused = [
      await world.batch(file, '--rejects-file', there),
      await world.batch(file, '--rejects-file', file, '--force'),
      await world.batch(file, '--rejects-file', join(world.folder, 'bad.txt')),
    ]
    const untouched = [readFileSync(there, 'utf8'), readFileSync(file, 'utf8'), (await world.payments()).length]
    const forced = await world.batch(file, '--rejects-file', there, '--force')

    expect(refused.map(({ code }) => code)).toEqual([2, 2, 2])
    expect(untouched).toEqual(['mine', content, 0])
    expect(forced.code).toBe(7)
    expect(readFileSync(there, 'utf8')).toContain('87999999')
  })

  test('are written whole or not at all on a disk that is nearly full, and still reported', async () => {
    const world = await batchWorld()
    const rejects = join(world.folder, 'bad.csv')
    const wrong = Array.from({ length: 250 }, (_, at) => `8700,${at + 1},Paid to nobody ever,${colones.id},,`)
    const file = world.file('a.csv', [heading, ...wrong].join('\n'))
    const argv = ['payments', 'batch', file, '--dry-run', '--rejects-file', rejects]

    const { code, stderr } = await world.start(argv, { shell: 'ulimit -f 100' }).finished

    expect(existsSync(rejects)).toBe(false)
    expect(stderr).toContain(`could not be written to ${rejects}`)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('250 rows are wrong') })
  })

  test('leave no file where there are none', async () => {
    const world = await batchWorld()
    const rejects = join(world.folder, 'bad.csv')

    const { stderr } = await world.batch(
      world.file('a.csv', `${heading}\n${rows[0]?.replace(',"x, y"', '')}\n`),
      '--rejects-file',
      rejects,
    )

    expect(stderr).toContain('No row was refused')
    expect(() => readFileSync(rejects)).toThrow('ENOENT')
  })
})

test.skipIf(process.platform === 'win32')('Ctrl-C ends a batch at once that waits for a named pipe', async () => {
  const world = await batchWorld()
  const pipe = join(world.folder, 'rows')
  execFileSync('mkfifo', [pipe])
  const terminal = batchAtTerminal(world, [pipe, '--from', colones.id])
  // `open` resolves when payctl has opened the pipe.
  const generator = await open(pipe, 'w')
  await generator.write(`to,amount\n${phone},1\n`)

  terminal.type(keys.interrupt)

  expect(await terminal.ended).toBe(130)
  expect(await world.payments()).toEqual([])
  await generator.close()
})
