import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { at, runPayctl, temporaryDirectory } from '../support/run_payctl.ts'
import { failure, startStub, success } from '../support/stub.ts'

const holder = {
  name: 'Ana Mora',
  document_number: '0101110111',
  currency: 'CRC',
  country_code: 'CR',
  entity_name: 'BANCO',
  status: 'registered',
}
const enrolled = [200, success({ phone_number: '88887777', document_type: null, ...holder })] as const
const unknown = [404, failure('Phone number not found in SINPE registry')] as const

describe('a holder with the member `reason`, which the interface does not list', () => {
  const row = { phone_number: '88887777', document_type: null, ...holder, reason: 'Enrolled at a branch' }

  it('is found, and programs get the member in JSON', async () => {
    const stub = await startStub([200, success(row)])
    const { code, stdout, stderr } = await runPayctl(['phone', '8888-7777', '--json'], at(stub.url))
    expect({ code, stderr, rows: JSON.parse(stdout) }).toEqual({ code: 0, stderr: '', rows: [row] })
  })

  it.each([
    [{ status: 'registered' }, 'table'],
    [{ status: 'invalid' }, 'tsv'],
    [{ status: 'not_found' }, 'csv'],
  ])('and %j is found in a list, as any other holder, in the format %s', async (more, format) => {
    const stub = await startStub([200, success({ ...row, ...more })])
    const argv = ['phone', '88887777', '8888-7777', '--output', format]
    const { code, stdout, stderr } = await runPayctl(argv, at(stub.url))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toContain(row.reason)
  })

  it('is found for a row of a spreadsheet', async () => {
    const folder = await temporaryDirectory()
    const [file, result] = [join(folder, 'a.csv'), join(folder, 'a-lookup.csv')]
    writeFileSync(file, 'phone\n88887777\n')
    const stub = await startStub(
      [200, success({ id: 'u', name: 'Ana', email: 'ana@example.com' })],
      [200, success(row)],
    )
    const { code } = await runPayctl(['lookup', file, '--json'], at(stub.url))
    expect({ code, rows: readFileSync(result, 'utf8') }).toEqual({
      code: 0,
      rows: expect.stringMatching(/88887777,Ana Mora,0101110111,BANCO,CRC,registered,\s*$/),
    })
  })
})

describe('phone', () => {
  it('takes a number the way people write it', async () => {
    const stub = await startStub(enrolled)
    const { code, stdout } = await runPayctl(['phone', '+506 8888-7777', '--json'], at(stub.url))
    expect(code).toBe(0)
    expect(stub.received[0]?.url).toBe('/api/phone/information/88887777')
    expect(JSON.parse(stdout)).toMatchObject([{ phone_number: '88887777', name: 'Ana Mora' }])
  })

  it('that is the only one and not found is an answer in a sentence for people, and an exit code', async () => {
    const stub = await startStub(unknown)
    const run = await runPayctl(['phone', '8888 7777', '-o', 'table'], at(stub.url))
    expect(run).toEqual({ code: 3, stdout: '8888 7777 is not registered in SINPE Móvil.\n', stderr: '' })
  })

  it('not found is a row and no error for programs', async () => {
    const stub = await startStub(unknown)
    for (const values of [['8888 7777'], ['8888', '7777', '8888', '6666']]) {
      const { code, stdout, stderr } = await runPayctl(['phone', ...values, '--json'], at(stub.url))
      expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
      expect(JSON.parse(stdout)[0]).toMatchObject({ phone_number: '88887777', status: 'not_found' })
    }
  })

  it.each([
    ['found', enrolled, 0, /^88887777\tAna Mora\t.*\t$/],
    ['not found', unknown, 3, /^88887777\t.*\tnot_found\tPhone number not found in SINPE registry$/],
  ] as const)('that is the only one and %s has the columns of a list for programs', async (_, answer, exit, row) => {
    const stub = await startStub(answer)
    const { code, stdout } = await runPayctl(['phone', '8888-7777', '-o', 'tsv'], at(stub.url))
    const [names = '', ...rows] = stdout.replace(/\n$/, '').split('\n')
    expect(names).toMatch(/^phone_number\tname\t.*\tstatus\treason$/)
    expect({ code, rows }).toEqual({ code: exit, rows: [expect.stringMatching(row)] })
  })

  it.each(['123', '18887777', '888877770', 'abc'])('%s is refused before any request', async (number) => {
    const stub = await startStub(enrolled)
    const { code, stderr } = await runPayctl(['phone', number], at(stub.url))
    expect(code).toBe(2)
    expect(stderr).toContain(`'${number}' is not a Costa Rican phone number`)
    expect(stub.received).toHaveLength(0)
  })

  it.each([
    ['8700-00x', 'it has the letter x in it'],
    ['87000', 'a phone has 8 digits, with or without 506 before them, not 5'],
    ['18887777', 'a phone begins with 2, 6, 7 or 8, not with 1'],
    ['CR05015202001026284066', 'looks like an IBAN, not like a phone'],
  ])('%s is explained', async (number, why) => {
    const { stderr } = await runPayctl(['phone', number], at('http://127.0.0.1:9'))
    expect(stderr).toContain(why)
  })
})

describe('iban', () => {
  it('takes spaces and lower case', async () => {
    const stub = await startStub([200, success({ iban: 'CR05015202001026284066', ...holder })])
    const { code } = await runPayctl(['iban', 'cr05 0152 0200 1026 2840 66'], at(stub.url))
    expect(code).toBe(0)
    expect(stub.received[0]?.url).toBe('/api/iban/information/CR05015202001026284066')
  })

  it('takes groups of four without quotes, and says when nobody holds it', async () => {
    const stub = await startStub([404, failure('IBAN not found')])
    const argv = ['iban', ...'CR05 0152 0200 1026 2840 66'.split(' '), '-o', 'table']
    const run = await runPayctl(argv, at(stub.url))
    expect(run).toEqual({
      code: 3,
      stdout: 'CR05 0152 0200 1026 2840 66 is not a registered IBAN.\n',
      stderr: '',
    })
    expect(stub.received[0]?.url).toBe('/api/iban/information/CR05015202001026284066')
  })

  it.each([
    ['CR06015202001026284066', 'its check digits are 06, but the other digits give 05'],
    ['CR0501520200102628406', 'it has 19 digits after CR, not 20'],
    ['DE05015202001026284066', 'is not a Costa Rican IBAN: it begins with DE, not with CR'],
    ['CR05O152O2001026284066', 'its character 5 is the letter O, not a digit'],
    ['CR05O152O2001026284066', 'Did you mean CR05 0152 0200 1026 2840 66?'],
    ['CR05O152O2001026284067', 'An IBAN looks like this'],
    ['CR0501520200102628406/', 'its character 22 is "/", not a digit'],
    ['05015202001026284066', 'it has 20 digits without CR before them'],
    ['8888-7777', 'looks like a phone, not like an IBAN'],
    ['1-0234-0567', 'looks like an identity document, not like an IBAN'],
  ])('%s is explained before any request', async (value, why) => {
    const stub = await startStub(enrolled)
    const { code, stderr } = await runPayctl(['iban', value], at(stub.url))
    expect(code).toBe(2)
    expect(stderr).toContain(why)
    expect(stub.received).toHaveLength(0)
  })
})

describe('an answer that names another number', () => {
  const other = [200, success({ phone_number: '88888888', ...holder })] as const

  it.each([[['88887777']], [['88887777', '--json']], [['88887777', '61234567', '-o', 'csv']]])(
    'is an error, and no row: %j',
    async (argv) => {
      const stub = await startStub(other)
      const { code, stdout, stderr } = await runPayctl(['phone', ...argv], at(stub.url))
      expect(code).toBe(12)
      expect(stdout).not.toContain('Ana Mora')
      expect(stderr).toContain('The service was asked who holds 8888 7777, but answered with 8888 8888.')
    },
  )
})
