import { describe, expect, it } from 'vitest'
import { type Payctl, payctl } from './payctl.ts'
import { account, iban, isPayment, phone, type Service, startService } from './service.ts'

const setUp = async (holder: object = {}) => {
  const service = await startService()
  const cli = payctl(service.url)
  holdBy(service, holder)
  let files = 0
  const file = (heading: string, ...rows: readonly string[]) => {
    files += 1
    return cli.file(`batch-${files}.csv`, [heading, ...rows, ''].join('\n'))
  }
  return { service, cli, file }
}

const carlos = { name: 'CARLOS JIMENEZ MORA', document_number: '0304930258' }

/** Gives every IBAN to this person from now on. */
function holdBy(service: Service, holder: object): void {
  service.before = ({ path }) =>
    path.startsWith('/api/iban/') ? [200, { status: 'active', ...carlos, ...holder }] : undefined
}

const send = (...more: readonly string[]) => [
  'payments',
  'send',
  '--from',
  account,
  '--amount',
  '5',
  '--to',
  iban,
  ...more,
]
const withYes = (cli: Payctl, ...more: readonly string[]) => cli.run(...send(...more), '--yes')
const asked = (cli: Payctl, ...more: readonly string[]) => cli.ask('y\n', ...send(...more))

const [name, document] = ['--expect-name', '--expect-document']

describe('a name that fits in part', () => {
  it.each([
    ['Carlos Jiménez', 'also MORA'],
    ['Carlos Jiménez Mora Vega', 'without Vega'],
    ['Carlos J. Mora', 'J. for JIMENEZ'],
  ])('%s is shown and asked at a terminal, and refused with --yes', async (expected, difference) => {
    const { service, cli } = await setUp()
    const refused = await withYes(cli, name, expected)
    expect(refused.code).toBe(6)
    expect(refused.stderr).toContain(
      `only a partial match for the expected "${expected}": ${difference}. Nothing was sent.`,
    )
    expect(refused.stderr).toContain('send the payment at a terminal without --yes: payctl then asks')
    expect((await cli.ask('n\n', ...send(name, expected))).code).toBe(2)
    expect(service.payments.size).toBe(0)
    const { code, stderr } = await asked(cli, name, expected)
    expect(code).toBe(0)
    expect(stderr).toMatch(
      new RegExp(`To +CARLOS JIMENEZ MORA.+\\n +Expected +${expected} +partly the same \\(${difference}\\)`),
    )
    expect(service.payments.size).toBe(1)
  })

  it.each(['Jiménez Mora, Carlos', 'Lic. Carlos Jiménez Mora', 'mora jimenez carlos'])(
    'is not %s, which is the same name',
    async (expected) => {
      const { service, cli } = await setUp()
      expect((await withYes(cli, name, expected)).code).toBe(0)
      expect(service.payments.size).toBe(1)
    },
  )

  it('is reported by a dry run', async () => {
    const { service, cli } = await setUp()
    const { code, stderr } = await cli.run(...send(name, 'Carlos Jiménez'), '--dry-run')
    expect(code).toBe(0)
    expect(stderr).toContain('partly the same (also MORA)')
    expect(stderr).toContain('Only a person can agree to this holder.')
    expect(service.payments.size).toBe(0)
  })

  it('is another holder for a saved payee, also where the document fits', async () => {
    const { service, cli } = await setUp()
    await cli.run('payees', 'add', 'carlos', '--to', iban)
    const pay = ['payments', 'send', '--from', account, '--amount', '5', '--to', 'carlos', document, '3-0493-0258']
    holdBy(service, { name: 'Mora Jiménez, Carlos' })
    expect((await cli.run(...pay, '--yes')).code).toBe(0)
    holdBy(service, { name: 'Carlos Jiménez' })
    const { code, stderr } = await cli.ask('y\n', ...pay)
    expect({ code, stderr }).toMatchObject({ code: 6, stderr: expect.stringContaining('The holder of carlos') })
    expect(service.payments.size).toBe(1)
    expect(JSON.parse((await cli.run('payees', 'verify', '--json')).stdout)).toMatchObject([{ result: 'changed' }])
  })
})

describe('--expect-document', () => {
  it.each(['3-0493-0258', '304930258', '0304930258', '304930258.0'])('sends to %s', async (expected) => {
    const { service, cli } = await setUp()
    expect((await withYes(cli, document, expected)).code).toBe(0)
    expect(service.payments.size).toBe(1)
    const [intent] = JSON.parse((await cli.run('payments', 'intents', '--json')).stdout)
    expect(intent.expected_document).toMatch(/^0?304930258$/)
  })

  it('refuses another document, though the name fits, and a person too', async () => {
    const { service, cli } = await setUp()
    for (const run of [withYes, asked]) {
      const { code, stderr } = await run(cli, document, '1-1234-0567', name, 'Carlos Jiménez Mora')
      expect(code).toBe(6)
      expect(stderr).toContain('has the document 0304930258, not 0112340567 as expected. Nothing was sent.')
    }
    expect(service.payments.size).toBe(0)
  })

  it('makes a partly fitting name fit', async () => {
    const { service, cli } = await setUp()
    const { code, stderr } = await withYes(cli, document, '3-0493-0258', name, 'Carlos Jiménez')
    expect(code).toBe(0)
    expect(stderr).toContain('partly the same (also MORA); the document fits')
    expect(service.payments.size).toBe(1)
  })

  it('leaves another name to a person', async () => {
    const { service, cli } = await setUp()
    const flags = [document, '3-0493-0258', name, 'Ana Vega']
    const refused = await withYes(cli, ...flags)
    expect(refused.code).toBe(6)
    expect(refused.stderr).toContain(
      'has the expected document, but is held by "CARLOS JIMENEZ MORA", not by "Ana Vega"',
    )
    expect(service.payments.size).toBe(0)
    const { code, stderr } = await asked(cli, ...flags)
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Expected +Ana Vega +another name; the document fits/),
    })
    expect(service.payments.size).toBe(1)
  })

  it.each([
    ['hides', '*****0258', 'the service hides it'],
    ['does not give', null, 'the service does not give it'],
  ])('never takes one that the service %s as fitting', async (_, document_number, why) => {
    const { service, cli } = await setUp({ document_number })
    const alone = await withYes(cli, document, '3-0493-0258')
    expect(alone.code).toBe(6)
    expect(alone.stderr).toContain(
      `The holder's document for CR05 0152 0200 1026 2840 66 could not be compared: ${why}.`,
    )
    expect((await asked(cli, document, '3-0493-0258')).code).toBe(6)
    expect((await withYes(cli, document, '3-0493-0258', name, 'Carlos Jiménez')).code).toBe(6)
    expect(service.payments.size).toBe(0)
    const named = await withYes(cli, document, '3-0493-0258', name, 'Carlos Jiménez Mora')
    expect({ code: named.code, stderr: named.stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(new RegExp(`Document +304930258|Document +0304930258 +not compared: ${why}`)),
    })
    expect((await asked(cli, document, '3-0493-0258', '--name-unchecked')).code).toBe(0)
    expect(service.payments.size).toBe(2)
  })

  it('is refused before any request where it is none', async () => {
    const { service, cli } = await setUp()
    const { code, stderr } = await withYes(cli, document, '12')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('is not an identity document') })
    expect(service.received).toEqual([])
  })

  it('is compared again when a payment that was not taken is resumed', async () => {
    const { service, cli } = await setUp()
    service.before = (request) =>
      isPayment(request)
        ? [403, 'Not for this token']
        : request.path.startsWith('/api/iban/')
          ? [200, { status: 'active', ...carlos }]
          : undefined
    expect((await withYes(cli, document, '3-0493-0258')).code).toBe(5)
    holdBy(service, { document_number: '0112340567' })
    expect((await cli.run('payments', 'resume', 'last', '--yes')).code).toBe(6)
    expect(service.payments.size).toBe(0)
    holdBy(service, {})
    expect((await cli.run('payments', 'resume', 'last', '--yes')).code).toBe(0)
  })
})

describe('a file with names and documents', () => {
  const pay = (cli: Payctl, file: string, ...more: readonly string[]) =>
    cli.run('payments', 'batch', file, '--from', account, '--yes', '--json', ...more)
  const errorsOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.errors

  it.each(['document', 'cédula', 'Cedula', 'CÉDULA'])('has the documents in the column %s', async (heading) => {
    const { service, cli, file } = await setUp()
    const rows = [`${iban},1,3-0493-0258`, `${iban},2,304930258`, `${phone},3,`]
    expect((await pay(cli, file(`to,amount,${heading}`, ...rows))).code).toBe(0)
    expect(service.payments.size).toBe(3)
    const refused = await pay(cli, file(`to,amount,${heading}`, `${iban},4,1-1234-0567`, `${iban},5,x`))
    expect(refused.code).toBe(2)
    expect(errorsOf(refused.stderr)).toMatchObject({
      'line 3': [expect.stringContaining('is not an identity document')],
    })
    const other = await pay(cli, file(`to,amount,${heading}`, `${iban},4,1-1234-0567`, `${iban},5,3-0493-0258`))
    expect(errorsOf(other.stderr)).toEqual({ 'line 2': [expect.stringContaining('has the document 0304930258')] })
    expect(service.payments.size).toBe(3)
  })

  it('has its column cédula in the results, as before', async () => {
    const { cli, file } = await setUp()
    const { stdout } = await pay(cli, file('to,amount,Cédula', `${iban},1,3-0493-0258`))
    expect(JSON.parse(stdout)).toMatchObject([{ columns: { Cédula: '3-0493-0258' } }])
  })

  it('is refused with --yes where a name fits in part, unless the document fits', async () => {
    const { service, cli, file } = await setUp()
    const rows = [`${iban},1,Carlos Jiménez,`, `${iban},2,Carlos Jiménez,304930258`, `${iban},3,Ana Vega,304930258`]
    const { code, stderr } = await pay(cli, file('to,amount,name,document', ...rows))
    expect(code).toBe(2)
    expect(errorsOf(stderr)).toEqual({
      'line 2': [expect.stringContaining('only a partial match for the expected "Carlos Jiménez": also MORA')],
      'line 4': [expect.stringContaining('has the expected document, but is held by')],
    })
    expect((await pay(cli, file('to,amount,name,document', rows[1] ?? ''))).code).toBe(0)
    expect(service.payments.size).toBe(1)
  })

  it('shows a person such rows before the question', async () => {
    const { service, cli, file } = await setUp()
    const rows = [`${iban},1,Carlos Jiménez,`, `${iban},2,Carlos Jiménez Mora,`, `${iban},3,Carlos J. Mora,`]
    const list = file('to,amount,name,document', ...rows)
    const argv = ['payments', 'batch', list, '--from', account]
    expect((await cli.ask('n\n', ...argv)).code).toBe(2)
    expect(service.payments.size).toBe(0)
    const { code, stderr } = await cli.ask('y\n', ...argv)
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /Line 2 +CR05 .+ is held by "CARLOS JIMENEZ MORA", only a partial match for the expected "Carlos Jiménez": also MORA/,
    )
    expect(stderr).toMatch(/Line 4 .+J\. for JIMENEZ[\s\S]+Send 3 payments/)
    expect(stderr).not.toMatch(/Line 3/)
    expect(service.payments.size).toBe(3)
  })

  it('says which documents were not compared', async () => {
    const { service, cli, file } = await setUp({ document_number: null })
    const rows = [`${iban},1,Carlos Jiménez Mora,304930258`, `${phone},2,,`]
    const { code, stderr } = await pay(cli, file('to,amount,name,document', ...rows))
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('not compared in 1 row (line 2): the service does not give them'),
    })
    const alone = await pay(cli, file('to,amount,document', `${iban},3,304930258`))
    expect(alone.code).toBe(2)
    expect(errorsOf(alone.stderr)).toEqual({ 'line 2': [expect.stringContaining('document for CR05')] })
    expect(service.payments.size).toBe(2)
  })

  it('is compared again when rows that were not taken are sent', async () => {
    const { service, cli, file } = await setUp()
    service.before = (request) =>
      isPayment(request)
        ? [403, 'Not for this token']
        : request.path.startsWith('/api/iban/')
          ? [200, { status: 'active', ...carlos }]
          : undefined
    await pay(cli, file('to,amount,document', `${iban},1,304930258`), '--batch-id', 'nov')
    holdBy(service, { document_number: '0112340567' })
    const resume = ['payments', 'resume', '--batch', 'nov', '--yes']
    expect((await cli.run(...resume)).stderr).toContain('line 2: The holder of CR05')
    expect(service.payments.size).toBe(0)
    holdBy(service, {})
    expect((await cli.run(...resume)).code).toBe(0)
    expect(service.payments.size).toBe(1)
  })
})
