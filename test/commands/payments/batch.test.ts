import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { full } from '../../support/full.ts'
import { batchWorld, colones, dollars, fileOf, heading, payees, rowsOf, worth } from './batch_file.ts'
import { setUp } from './batch_service.ts'
import { account, pageOf } from './service.ts'

const [iban = '', phone = ''] = payees

describe('a file is paid', () => {
  test('row by row, and reports the outcome of each', async () => {
    const world = await batchWorld()
    const content = fileOf(12)

    const { code, stdout, stderr } = await world.batch(world.file('a.csv', content), '--wait', '--output', 'ndjson')

    expect(code).toBe(0)
    const rows = rowsOf(stdout)
    expect(rows.map(({ line }) => Number(line)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, at) => at + 2),
    )
    for (const row of rows) {
      expect(row).toMatchObject({ status: 'completed', error: null, reference: `ref-${Number(row.line) - 2}` })
    }
    const payments = await world.payments()
    expect(payments.map(({ id }) => id).sort()).toEqual(rows.map((row) => row.payment_id).sort())
    expect(payments.reduce((sum, { amount }) => sum + amount.value, 0)).toBe(worth(content))
    expect(stderr).toContain('12 of 12 rows sent, 12 completed')
  })

  test('having said what will be paid, from where, to how many and for what fee', async () => {
    const world = await batchWorld()
    const content = `${heading}\n${iban},10,First payment of the day,${colones.id},\n${phone},20.50,Second payment of the day,${colones.id},\n`

    const { stderr } = await world.batch(world.file('a.csv', content))

    expect(stderr).toMatch(/^ {2}a\.csv +2 payments {3}30\.50 CRC \+ fees about 1\.00 {3}2 payees$/m)
    expect(stderr).toMatch(/^ {2}From +CR76 \.\.\. 0001 {3}balance after about 2,499,968\.50 CRC$/m)
    expect(stderr).toMatch(/^ {2}At +emulator on port \d+\s+no real money, as maria\.fernandez@example\.com/m)
  })

  const rows = [
    `${iban},10,"Pago ""uno"", de hoy",${colones.id},a`,
    `${phone},20.50,Segundo pago de hoy,${colones.id},ñ`,
  ]
  const plain = [heading, ...rows].join('\n')
  test.each([
    ['as it is', plain],
    ['with a byte order mark', `\ufeff${plain}`],
    ['with CRLF and a line end at its end', `${plain.replaceAll('\n', '\r\n')}\r\n`],
    ['with CR', plain.replaceAll('\n', '\r')],
    ['with empty lines and rows', `\n${plain.replaceAll('\n', '\n\n')}\n\n,,,,\n \n`],
    [
      'with semicolons',
      plain.replaceAll('"Pago ""uno"", de hoy"', '§').replaceAll(',', ';').replace('§', '"Pago ""uno"", de hoy"'),
    ],
    [
      'with tabs',
      plain.replaceAll('"Pago ""uno"", de hoy"', '§').replaceAll(',', '\t').replace('§', '"Pago ""uno"", de hoy"'),
    ],
    ['with all quoted', plain.replace(heading, `"${heading.replaceAll(',', '","')}"`)],
    ['with names in capitals and spaces around', plain.replace(heading, ' To , AMOUNT,Description ,From,Reference,,')],
    ['with characters in a heading that nobody sees', plain.replace('amount', '\u200bamo\u00adunt\ufeff')],
    ['as Unicode text of a spreadsheet', Buffer.from(`\ufeff${plain}`, 'utf16le')],
    ['in UTF-16 the other way round', Buffer.from(`\ufeff${plain}`, 'utf16le').swap16()],
    ['in UTF-16 without its mark', Buffer.from(plain, 'utf16le')],
    ['in Windows-1252', Buffer.from(plain, 'latin1')],
  ])('%s', async (_, content) => {
    const world = await batchWorld()

    const { code, stderr } = await world.batch(world.file('a.csv', content))

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('2 of 2 rows sent') })
    const payments = await world.payments()
    expect(payments.map(({ amount, description }) => [amount.value, description]).sort()).toEqual([
      [1000, 'Pago "uno", de hoy'],
      [2050, 'Segundo pago de hoy'],
    ])
  })

  test('with a line end within quotes, and lines counted right', async () => {
    const world = await batchWorld()
    const content = `${heading}\r\n${iban},10,"Pago en\r\ndos renglones",${colones.id},\r\n${phone},20,Segundo pago de hoy,${colones.id},x\r\n`

    const { stdout } = await world.batch(world.file('a.csv', content), '--output', 'ndjson')

    expect(
      rowsOf(stdout)
        .map(({ line }) => Number(line))
        .sort(),
    ).toEqual([2, 4])
    expect((await world.payments()).map(({ description }) => description)).toContain('Pago en\ndos renglones')
  })

  test('from stdin, from the account of a flag, in the currency it states, by its default description', async () => {
    const world = await batchWorld()
    const usd = 'CR'.concat(payees[0]?.slice(2) ?? '')

    const { code } = await world.pipe(
      `to,amount,description,currency\n${usd},10,,CRC\n`,
      ...['payments', 'batch', '-', '--yes', '--from', colones.id],
    )

    expect(code).toBe(0)
    expect(await world.payments()).toMatchObject([{ amount: { value: 1000 }, description: 'PIN transfer payment' }])
  })

  test('without a column of descriptions, as rows whose cells are empty', async () => {
    const world = await batchWorld()
    const rows = [`to,amount\n${phone},10\n`, `to,amount,description\n${phone},10,\n`]

    const [without, empty] = [
      await world.batch(world.file('without.csv', rows[0] ?? ''), '--from', colones.id),
      await world.batch(world.file('empty.csv', rows[1] ?? ''), '--from', colones.id),
    ]

    expect([without, empty]).toMatchObject([{ code: 0 }, { code: 0 }])
    expect(await world.payments()).toMatchObject([{ amount: { value: 1000 }, description: expect.any(String) }])
  })

  test.each([
    ['column', `to,amount\n${phone},10\n`],
    ['text', `to,amount,description\n${phone},10,\n`],
  ])('that was sent with descriptions is not paid again without their %s, unless that is said', async (_, bare) => {
    const world = await batchWorld()
    await world.batch(
      world.file('a.csv', `to,amount,description\n${phone},10,Cleaning of the office\n`),
      '--from',
      'CRC',
    )
    const file = world.file('b.csv', bare)

    const unsaid = await world.batch(file, '--from', 'CRC')
    const made = (await world.payments()).length
    const said = await world.batch(file, '--from', 'CRC', '--batch-id', 'again')

    expect(unsaid).toMatchObject({ code: 2, stderr: expect.stringMatching(/1 row asks\s+for\s+a\s+payment/) })
    expect([made, said.code, (await world.payments()).length]).toEqual([1, 0, 2])
  })

  test('from the account that a row names, whatever the flag says', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', `to,amount,description,from\n${phone},10,,${colones.id}\n`)

    const { code } = await world.batch(file, '--from', dollars.id)

    expect({ code, fromDollars: await world.spent(dollars) }).toEqual({ code: 0, fromDollars: 0 })
    expect(await world.spent(colones)).toBeGreaterThanOrEqual(1000)
  })

  test.each([
    ['its IBAN', 'CR76 0999 1000 0000 0000 01'],
    ['the end of its id', colones.id.slice(-5)],
    ['its currency', 'CRC'],
  ])('from an account named by %s', async (_, from) => {
    const world = await batchWorld()
    const content = `to,amount,description,from\n${phone},1.50,,${from}\n`

    const { code, stderr } = await world.batch(world.file('a.csv', content))

    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(await world.payments()).toMatchObject([{ payer: { iban: 'CR76099910000000000001' } }])
  })

  test('with files named by --result and --rejects too, which no help has', async () => {
    const world = await batchWorld()
    const [result, rejects] = [join(world.folder, 'result.csv'), join(world.folder, 'bad.csv')]
    const wrong = world.file('wrong.csv', `to,amount,from\n12,10,${colones.id}\n`)

    const paid = await world.batch(world.file('a.csv', fileOf(3)), '--result', result)
    const refused = await world.batch(wrong, '--rejects', rejects)
    const help = await world.run('help', 'payments', 'batch')

    expect([paid.code, refused.code]).toEqual([0, 2])
    expect(readFileSync(result, 'utf8').match(/completed|processing|pending/g)).toHaveLength(3)
    expect(readFileSync(rejects, 'utf8')).toMatch(/^to,amount,from,reason\r?\n12,10,/)
    expect(help.stdout).not.toMatch(/--result\b|--rejects\b(?!-)/)
    expect(help.stdout).toContain('--output-file <file>')
  })

  test('with its result in a file, and only notes elsewhere', async () => {
    const world = await batchWorld()
    const result = join(world.folder, 'result.csv')

    const { code, stdout } = await world.batch(world.file('a.csv', fileOf(3)), '--output-file', result)

    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    const lines = readFileSync(result, 'utf8').trim().split('\n')
    expect(lines[0]).toBe('line,reference,to,amount,currency,status,payment_id,intent,error')
    expect(lines).toHaveLength(4)
    const [first] = lines.slice(1).sort()
    expect(first).toMatch(/^2,ref-0,\w+,1\.00,CRC,pending,[-0-9a-f]{36},int_\w{12},$/)
    expect(statSync(result).mode & 0o777).toBe(0o600)
  })

  test('although nobody reads its result', async () => {
    const world = await batchWorld()
    const count = full ? 300 : 60
    const file = world.file('a.csv', fileOf(count))

    const { child, finished } = world.start(['payments', 'batch', file, '--yes', '--output', 'ndjson'])
    child.stdout?.destroy()

    expect((await finished).code).toBe(0)
    expect(await world.payments()).toHaveLength(count)
  })
})

describe('nothing is sent', () => {
  const good = `${phone},20.50,Segundo pago de hoy,${colones.id}`
  const bad: [string, string, RegExp][] = [
    [
      'an IBAN with wrong check digits',
      `CR37012345678901234567,1,,${colones.id}`,
      /line 3: to "CR37.+check digits are 37.+38/,
    ],
    ['an IBAN that is too short', `CR3701234567890123456,1,,${colones.id}`, /line 3: to .+19 digits/],
    [
      'an IBAN with a letter for a digit',
      `CR37O12345678901234567,1,,${colones.id}`,
      /line 3: to "CR37O.+ its character 5 is the letter O, not a digit/,
    ],
    ['a phone with a letter', `8700-00x,1,,${colones.id}`, /line 3: to "8700-00x" looks like a phone.+the letter x/],
    ['a phone that is none', `5123-4567,1,,${colones.id}`, /line 3: to "5123-4567" is not a phone/],
    ['no recipient, like a total', `,1,,${colones.id}`, /line 3: it names no payee: if it is a total/],
    [
      'an amount with two readings',
      `${phone},"1,500",,${colones.id}`,
      /line 3: amount "1,500" has two readings: 1500 or 1\.50/,
    ],
    [
      'an amount in dollars',
      `${phone},$1,,${colones.id}`,
      /line 3: currency is USD, but the account that pays is in CRC/,
    ],
    ['an amount of nothing', `${phone},0,,${colones.id}`, /line 3: amount must be greater than 0/],
    ['no amount', `${phone},,,${colones.id}`, /line 3: amount is empty/],
    [
      'an amount beyond the limit',
      `${phone},5000000.01,,${colones.id}`,
      /line 3: amount is more than one payment can carry: 5,000,000\.00/,
    ],
    ['a short description', `${phone},1,short,${colones.id}`, /line 3: description has 5 characters/],
    ['a long description', `${phone},1,${'x'.repeat(256)},${colones.id}`, /line 3: description has 256 characters/],
    [
      'a description with control characters',
      `${phone},1,Payment of \u001b[31mtoday,${colones.id}`,
      /line 3: description has control characters/,
    ],
    ['no account', `${phone},1,,`, /line 3: from is empty/],
    [
      'an account that is none',
      `${phone},1,,0987`,
      /line 3: from "0987" is not one of your accounts. Your accounts: CRC/,
    ],
    ['an account of two', `${phone},1,,${colones.id.slice(0, 6)}`, /line 3: from ".+" matches 2 of your accounts/],
    [
      'an IBAN with a typing error as its account',
      `${phone},1,,CR77099910000000000001`,
      /line 3: from .+ typing error/,
    ],
    [
      'somebody else’s account',
      `${phone},1,,3f2504e0-4f89-41d3-9a0c-0305e82c3301`,
      /line 3: from 3f25.+ not one of your accounts/,
    ],
    [
      'a phone paid in dollars',
      `${phone},1,,${dollars.id}`,
      /line 3: the payee is a phone: SINPE Móvil carries CRC only/,
    ],
    ['the account that pays', `CR76099910000000000001,1,,${colones.id}`, /line 3: the payee is the account that pays/],
    [
      'a field too many',
      `${phone},1,Almuerzo, del viernes,${colones.id}`,
      /line 3: it has 5 fields, but the heading has 4/,
    ],
  ]
  test.each(bad)('when a row has %s', async (_, row, told) => {
    const world = await batchWorld()
    const content = ['to,amount,description,from', good, row, good].join('\n')

    const { code, stdout, stderr } = await world.batch(world.file('a.csv', content))

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(told)
    expect(stderr).toMatch(/^error: 1 row is wrong\. Nothing was sent\.$/m)
    expect(await world.payments()).toEqual([])
  })

  test('when the account that pays is closed', async () => {
    const { service, cli, argv } = await setUp(1)
    const closed = { id: account, status: 'closed', iban: null, balance: { currency: 'CRC', value: 10_000 } }
    service.before = ({ path }) => (path === '/api/accounts' ? [200, pageOf([closed])] : undefined)

    const { code, stderr } = await cli.run(...argv)

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`from ${account} is an account that is closed`),
    })
    expect(service.payments.size).toBe(0)
  })

  test('when the stated currency is not the account’s', async () => {
    const world = await batchWorld()
    const content = `to,amount,description,from,currency\n${phone},1,,${colones.id},USD\n`

    expect((await world.batch(world.file('a.csv', content))).stderr).toContain('line 2: currency is USD')
  })

  test('and every bad row is reported, the first fifty to people and all to machines', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', `${heading}\n${`x,1,,${colones.id},\n`.repeat(120)}`)

    const people = await world.batch(file)
    const machines = await world.batch(file, '--json')

    expect(people.stderr.match(/^ {2}line \d+:/gm)).toHaveLength(50)
    expect(people.stderr).toContain('120 rows are wrong')
    const { error } = JSON.parse(machines.stderr)
    expect(Object.keys(error.errors)).toHaveLength(120)
    expect([people.code, machines.code]).toEqual([2, 2])
  })

  test.each([
    [
      'an unknown column',
      'to,amount,description,from,ammount\n',
      /payctl does not read the column "ammount"\. Nothing was sent\./,
    ],
    ['a column twice', 'to,amount,description,from,To\n', /The file has the column 'to' twice/],
    ['columns missing', 'to,description\n', /Columns missing from the file: amount, from\./],
    [
      'descriptions under another heading',
      `to,amount,from,Detalle\n${phone},1,${colones.id},Pago de noviembre\n`,
      /Columns missing from the file: description\. The file has: to, amount, from, Detalle\..+--map description=Detalle/s,
    ],
    [
      'other headings, below a title',
      'Planilla de noviembre,,\n\nEmpleado,Teléfono,Monto,Detalle de pago\nAna,87000001,5,x\n',
      /Line 3 has headings, but none that payctl reads: Empleado, .+--map to=Teléfono,amount=Monto,description='Detalle de pago'/s,
    ],
    ['no account anywhere', 'to,amount\n', /Columns missing from the file: from\.[\s\S]+--from/],
    ['nothing in it', '', /The file is empty/],
    ['no rows', 'to,amount,description,from\n\n', /a heading but no rows/],
    ['a quote that is never closed', `to,amount,description,from\n"${phone},1,,x\n`, /Line 2 is not CSV: a quote/],
    [
      'no heading',
      `${phone},1,,${colones.id}\n`,
      new RegExp(`first line names no column that payctl reads; it begins with "${phone}"`),
    ],
    [
      'half a character at its end',
      Buffer.from('\ufeffto\n', 'utf16le').subarray(0, -1),
      /not UTF-16LE text \(from line 1 on\)/,
    ],
  ])('when the file has %s', async (_, content, told) => {
    const world = await batchWorld()

    const { code, stderr } = await world.batch(world.file('a.csv', content))

    expect(code).toBe(2)
    expect(stderr).toMatch(told)
    expect(await world.payments()).toEqual([])
  })

  test('when the file is missing, or is a directory', async () => {
    const world = await batchWorld()
    mkdirSync(join(world.folder, 'folder'))

    for (const name of ['nowhere.csv', 'folder']) {
      const { code, stderr } = await world.batch(join(world.folder, name))
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("can't be read") })
    }
  })

  test('without a terminal and without --yes', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', fileOf(1))

    const runs = [await world.run('payments', 'batch', file), await world.pipe(fileOf(1), 'payments', 'batch', '-')]

    expect(runs.map(({ code }) => code)).toEqual([2, 2])
    for (const { stderr } of runs) expect(stderr).toContain('--yes')
    expect(await world.payments()).toEqual([])
  })

  test.each([
    ['--dry-run', []],
    ['--dry-run and --yes', ['--yes']],
  ])('with %s, that reports what would be sent, and leaves nothing behind', async (_, flags) => {
    const world = await batchWorld()
    const argv = ['payments', 'batch', world.file('a.csv', fileOf(5)), '--dry-run', ...flags]

    const { code, stdout } = await world.run(...argv, '--json')

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      rows: 5,
      to_send: 5,
      sent_before: 0,
      debits: [{ currency: 'CRC', rows: 5 }],
    })
    expect(() => statSync(world.stateDir)).toThrow()
    expect(await world.payments()).toEqual([])
  })

  test('when --check-payees finds that one is nobody', async () => {
    const world = await batchWorld()
    const content = `${heading}\n${phone},1,,${colones.id},\n87999999,1,,${colones.id},\n`

    const { code, stderr } = await world.batch(world.file('a.csv', content), '--check-payees')

    expect(code).toBe(2)
    expect(stderr).toContain('line 3: the payee 87999999 is not known to the service')
    expect(await world.payments()).toEqual([])
  })

  test.each([
    ['the file itself', 'a.csv', /is the file of payments itself/],
    ['of no known format', 'result.pdf', /must end in .csv/],
    ['in no directory', 'nowhere/result.csv', /can't be written/],
  ])('when the result file is %s', async (_, name, told) => {
    const world = await batchWorld()
    const file = world.file('a.csv', fileOf(1))

    const { code, stderr } = await world.batch(file, '--output-file', join(world.folder, name))

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(told) })
    expect(readFileSync(file, 'utf8')).toBe(fileOf(1))
    expect(await world.payments()).toEqual([])
  })

  test('when the disk is too full for the journal', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', fileOf(2000))

    const { finished } = world.start(['payments', 'batch', file, '--yes'], { shell: 'ulimit -f 200' })

    const { code, stderr } = await finished
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Nothing was sent') })
    expect(await world.payments()).toEqual([])
  })
})

describe('the same file again', () => {
  test('pays nothing twice, says so, and repeats the result', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', fileOf(20))
    await world.batch(file)

    const { code, stdout, stderr } = await world.batch(file, '--output', 'ndjson')

    expect(code).toBe(0)
    expect(stderr).toMatch(/Nothing to send: all 20 sent before \(\d{4}-.+\)\. To pay the rows again: --batch-id/)
    expect(rowsOf(stdout)).toHaveLength(20)
    expect(await world.payments()).toHaveLength(20)
  })

  test.each([
    ['in another order', (lines: string[]) => lines.reverse()],
    [
      'written differently',
      (lines: string[]) => lines.map((text) => text.replace(/^8700/, '8700-').replace(',1.', ',01.')),
    ],
    ['with other references', (lines: string[]) => lines.map((text) => text.replace('ref-', 'order-'))],
  ])('%s is the same', async (_, change) => {
    const world = await batchWorld()
    const [first = '', ...lines] = fileOf(10).split('\n')
    await world.batch(world.file('a.csv', [first, ...lines].join('\n')))

    const { code } = await world.batch(world.file('b.csv', [first, ...change(lines)].join('\n')))

    expect(code).toBe(0)
    expect(await world.payments()).toHaveLength(10)
  })

  test('under another --batch-id pays again, once each', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', fileOf(5))
    await world.batch(file)

    for (const id of ['2026-12', '2026-12', '2027-01']) await world.batch(file, '--batch-id', id)

    expect(await world.payments()).toHaveLength(15)
  })

  test('rows that are equal are paid as often as they stand there, with a warning', async () => {
    const world = await batchWorld()
    const row = `${phone},1,Three times the same,${colones.id},\n`
    const file = world.file('a.csv', `${heading}\n${row.repeat(3)}`)

    const { stderr } = await world.batch(file)
    await world.batch(file)

    expect(stderr).toContain('2 rows repeat an earlier row (lines 3, 4)')
    expect(await world.payments()).toHaveLength(3)
  })

  test('corrected after a partial run pays the rest only, when it is said that it is that file', async () => {
    const world = await batchWorld()
    const wrong = `${fileOf(5)}\n87999999,7,Paid to nobody at first,${colones.id},x`
    const right = `${fileOf(5)}\n${phone},7,Paid to nobody at first,${colones.id},x`

    const first = await world.batch(world.file('a.csv', wrong), '--output', 'ndjson')
    const unsaid = await world.batch(world.file('a.csv', right))
    const made = (await world.payments()).length
    const said = await world.batch(world.file('a.csv', right), '--skip-sent')

    expect([first.code, unsaid.code, said.code]).toEqual([7, 2, 0])
    expect(rowsOf(first.stdout).filter(({ status }) => status === 'rejected')).toMatchObject([
      { line: 7, payment_id: null },
    ])
    expect(first.stderr).toContain('--skip-sent')
    expect(unsaid.stderr).toMatch(/5 of 6 rows repeat what another file has sent[\s\S]+--skip-sent[\s\S]+--batch-id/)
    expect(made).toBe(5)
    expect(await world.payments()).toHaveLength(6)
  })

  test('under its own name needs no such flag', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', fileOf(5))
    await world.batch(file, '--batch-id', 'run-1')

    const { code } = await world.batch(world.file('a.csv', fileOf(8)), '--batch-id', 'run-1')

    expect(code).toBe(0)
    expect(await world.payments()).toHaveLength(8)
  })

  test('with a row that was refused is sent again as it is', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', `${heading}\n87999999,7,,${colones.id},x\n`)
    const registry = ['--phone', '87999999', '--name', 'New here', '--document', '0101110099']

    const first = await world.batch(file)
    const added = await world.run('emulator', 'registry', 'add', ...registry)
    const second = await world.batch(file)

    expect([first.code, added.code, second.code]).toEqual([7, 0, 0])
    expect(await world.payments()).toHaveLength(1)
  })

  test('shows the current status of its payments', async () => {
    const world = await batchWorld()
    const file = world.file('a.csv', `${heading}\n${phone},1,,${colones.id},a\n87000006,2,,${colones.id},b\n`)
    await world.batch(file, '--output', 'ndjson')

    const { code, stdout, stderr } = await world.batch(file, '--output', 'ndjson')

    expect(rowsOf(stdout)).toMatchObject([
      { line: 2, status: 'completed' },
      { line: 3, status: 'failed', error: expect.stringMatching(/./) },
    ])
    expect(code).toBe(8)
    expect(stderr).toContain('1 ended unsuccessfully')
    expect(await world.payments()).toHaveLength(2)
  })

  test('of many payments reads the history instead of each', async () => {
    const { service, cli, file, argv } = await setUp(60)
    await cli.run(...argv)
    for (const [key, payment] of service.payments) service.payments.set(key, { ...payment, status: 'completed' })
    const before = service.received.length

    const { code, stdout } = await cli.run('payments', 'batch', file, '--yes', '--output', 'ndjson')

    expect(code).toBe(0)
    expect(rowsOf(stdout).filter(({ status }) => status === 'completed')).toHaveLength(60)
    expect(service.received.length - before).toBeLessThan(6)
  })

  test('whose statuses can’t be read are those of before, and that is said', async () => {
    const { service, cli, file, argv } = await setUp(30)
    await cli.run(...argv)
    service.before = ({ path }) => (path === '/api/payments/history' ? [500, 'Not today'] : undefined)

    const { code, stdout, stderr } = await cli.run(...argv)

    expect({ code, rows: rowsOf(stdout).length, file }).toEqual({ code: 0, rows: 30, file })
    expect(stderr).toMatch(/statuses of 30 rows sent before may be out of date.+Not today/)
  })

  test('names of batches that payctl makes are not taken for the user’s', async () => {
    const world = await batchWorld()

    const { code, stderr } = await world.batch(world.file('a.csv', fileOf(1)), '--batch-id', 'b_0123456789ab')

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('generated by payctl') })
  })
})

describe('the worst of it is the exit code', () => {
  const to = (outcome: string) => ({ rejected: '87000006', timeout: '87000007', processing: '87000011' })[outcome]

  test.each([
    ['0', [phone], ['--wait'], 0],
    ['8 for a payment that ended badly', [phone, to('rejected')], ['--wait'], 8],
    ['9 for one that goes on', [phone, to('processing')], ['--wait-timeout', '1s'], 9],
    ['8 before 9', [to('processing'), to('rejected')], ['--wait-timeout', '1s'], 8],
    ['7 for one that was refused', [phone, '87999999'], [], 7],
    ['8 before 7', ['87999999', to('timeout')], ['--wait'], 8],
  ])('%s', async (_, recipients, flags, code) => {
    const world = await batchWorld()
    const content = [heading, ...recipients.map((recipient) => `${recipient},1,,${colones.id},`)].join('\n')

    const run = await world.batch(world.file('a.csv', content), '--output', 'ndjson', ...flags)

    expect(run.code).toBe(code)
    expect(rowsOf(run.stdout)).toHaveLength(recipients.length)
  })

  test('a balance that does not suffice is warned of; rows it does not reach are refused', async () => {
    const world = await batchWorld()
    const content = [heading, ...[1, 2].map((n) => `${phone},2400000.0${n},,${colones.id},`)].join('\n')

    const { code, stderr } = await world.batch(world.file('a.csv', content))

    expect(code).toBe(7)
    expect(stderr).toMatch(/Warning +CR76 .+ has 2,300,000\.03 CRC too little/)
    expect(await world.payments()).toHaveLength(1)
  })

  test.each([
    [['99999.00'], []],
    [['99999.01'], ['0.01 CRC too little']],
    [['50000.00', '49998.00'], []],
    [['50000.00', '49998.01'], ['0.01 CRC too little']],
  ])('a balance of 100,000.00 suffices when it carries amounts and fees of 1.00 each: %j', async (amounts, told) => {
    const { cli } = await setUp(0)
    const rows = amounts.map((amount) => `${phone},${amount},,${account}`)
    const file = cli.file('b.csv', ['to,amount,description,from', ...rows].join('\n'))

    const { code, stderr } = await cli.run('payments', 'batch', file, '--dry-run')

    expect({ code, told: stderr.match(/[\d.,]+ CRC too little/g) ?? [] }).toEqual({ code: 0, told })
  })

  test('4 for a token that is not valid', async () => {
    const world = await batchWorld()

    const { code } = await world.batch(world.file('a.csv', fileOf(3)), '--token', 'nobody')

    expect(code).toBe(4)
  })
})
