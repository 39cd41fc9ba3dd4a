import { describe, expect, it } from 'vitest'
import { payctl } from './payctl.ts'
import { account, iban, isPayment, loseAnswers, phone, type Service, startService } from './service.ts'

const setUp = async () => {
  const service = await startService()
  const cli = payctl(service.url)
  let files = 0
  return {
    service,
    cli,
    file: (...rows: readonly string[]) => {
      files += 1
      return cli.file(`batch-${files}.csv`, ['to,amount,name,description', ...rows, ''].join('\n'))
    },
    pay: (file: string, ...more: readonly string[]) =>
      cli.run('payments', 'batch', file, '--from', account, '--yes', '--json', ...more),
  }
}

const lookups = ({ received }: Service) => received.filter(({ path }) => path.includes('/information/')).length

/** Gives the IBAN to another person from now on. */
function changeHolder(service: Service): void {
  service.before = ({ path }) =>
    path.startsWith('/api/iban/') ? [200, { name: 'Juan Pérez', status: 'active' }] : undefined
}

describe('the column name', () => {
  it('is compared with the holder, once for each payee', async () => {
    const { service, file, pay } = await setUp()
    const rows = [`${iban},1,Luis Solano,`, `${iban},2,LUIS  SOLANO,`, `${phone},3,Luis Solano,`, '61234567,4,,']
    const { code, stderr } = await pay(file(...rows))
    expect(code, stderr).toBe(0)
    expect(service.payments.size).toBe(4)
    expect(lookups(service)).toBe(2)
  })

  it('refuses the rows that differ, before anything is sent', async () => {
    const { service, file, pay } = await setUp()
    const rows = [`${iban},1,Solano Luis,`, `${iban},2,Ana Mora,`, `${phone},3,Luis Solano Vega,`, `${iban},4,,`]
    const { code, stderr } = await pay(file(...rows))
    expect(code).toBe(2)
    const { errors } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error
    expect(Object.keys(errors)).toEqual(['line 3', 'line 4'])
    expect(errors['line 3']).toEqual([expect.stringContaining('is held by "Luis Solano", not by "Ana Mora"')])
    expect(service.payments.size).toBe(0)
    expect(lookups(service)).toBe(2)
  })

  it('sends nothing when the service answers with another number', async () => {
    const { service, file, pay } = await setUp()
    service.before = ({ path }) =>
      path.startsWith('/api/phone/') ? [200, { phone_number: '88888888', name: 'Luis Solano' }] : undefined
    const { code, stderr } = await pay(file(`${iban},1,Luis Solano,`, `${phone},2,Luis Solano,`))
    expect({ code, stderr }).toMatchObject({ code: 12, stderr: expect.stringContaining('answered with 8888 8888') })
    expect(service.payments.size).toBe(0)
  })

  it.each([
    [404, 2],
    [403, 5],
    [503, 12],
  ])('sends nothing when the service answers %i instead of a name', async (status, exit) => {
    const { service, file, pay } = await setUp()
    service.before = ({ path }) => (path.startsWith('/api/iban/') ? [status, 'No'] : undefined)
    const { code, stderr } = await pay(file(`${iban},1,Luis Solano,`, `${phone},2,,`), '--retries', '0')
    expect({ code, stderr }).toMatchObject({ code: exit, stderr: expect.stringContaining('could not be compared') })
    expect(service.payments.size).toBe(0)
  })

  it('says so when nobody holds the phone', async () => {
    const { service, file, pay } = await setUp()
    service.before = ({ path }) => (path.startsWith('/api/phone/') ? [404, 'Phone number not found'] : undefined)
    const { code, stderr } = await pay(file(`${phone},2,Luis Solano,`))
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/has no holder \(.+\), so the name could not be compared/),
    })
    expect(service.payments.size).toBe(0)
  })

  it('is not compared again for rows that were sent, or may have been', async () => {
    const { service, cli, file, pay } = await setUp()
    const sent = `${iban},1,Luis Solano,`
    expect((await pay(file(sent))).code).toBe(0)
    changeHolder(service)
    expect((await pay(file(sent))).code).toBe(0)
    expect((await pay(file(sent, `${phone},2,Luis Solano,`), '--skip-sent')).code).toBe(0)
    expect((await pay(file(sent, `${iban},3,Luis Solano,`), '--skip-sent')).code).toBe(2)
    expect(service.payments.size).toBe(2)
    loseAnswers(service)
    service.before = () => undefined
    const lost = file(`${iban},9,Luis Solano,`)
    expect((await pay(lost, '--retries', '0')).code).toBe(10)
    changeHolder(service)
    service.afterCommit = () => undefined
    expect((await pay(lost)).code).toBe(0)
    expect(service.payments.size).toBe(3)
    expect((await cli.run('payments', 'intents', '--unsettled', '--json')).stdout).toBe('[]\n')
  })

  it('is looked at by --dry-run too', async () => {
    const { file, pay } = await setUp()
    expect((await pay(file(`${iban},1,Ana Mora,`), '--dry-run')).code).toBe(2)
    expect((await pay(file(`${iban},1,Luis Solano,`), '--dry-run')).code).toBe(0)
  })
})

describe.each([
  ['refused', [422, 'Closed for today'], ['batch', 'retry', 'nov', '--failed']],
  ['not let in', [403, 'Not for this token'], ['resume', '--batch', 'nov']],
] as const)('rows that were %s', (_, answer, again) => {
  const attempted = async () => {
    const at = await setUp()
    at.service.before = (request) => (isPayment(request) ? answer : undefined)
    await at.pay(at.file(`${iban},1,Luis Solano,`, `${phone},2,,`), '--batch-id', 'nov')
    return { ...at, again: () => at.cli.run('payments', ...again, '--yes') }
  }

  it('stay here when another holds the account of one', async () => {
    const at = await attempted()
    changeHolder(at.service)
    const { code, stderr } = await at.again()
    expect(code).toBe(2)
    expect(stderr).toContain('line 2: CR05 0152 0200 1026 2840 66 is held by "Juan Pérez", not by "Luis Solano"')
    expect(at.service.payments.size).toBe(0)
  })

  it('are sent when the name is as expected', async () => {
    const at = await attempted()
    at.service.before = () => undefined
    expect((await at.again()).code).toBe(0)
    expect(at.service.payments.size).toBe(2)
  })
})

it('rows whose payment failed are not repeated to another holder', async () => {
  const { service, cli, file, pay } = await setUp()
  service.statuses = ['failed']
  expect((await pay(file(`${iban},1,Luis Solano,`), '--batch-id', 'nov', '--wait')).code).toBe(8)
  changeHolder(service)
  expect((await cli.run('payments', 'batch', 'retry', 'nov', '--failed', '--yes')).code).toBe(2)
  expect(service.payments.size).toBe(1)
})

describe('a saved payee in the column from', () => {
  it('is the account of the user that has its IBAN, and no other', async () => {
    const { service, cli } = await setUp()
    await cli.run('payees', 'add', 'nuestra', '--to', 'CR61010200100000000001', '--unverified')
    await cli.run('payees', 'add', 'luz', '--to', iban, '--unverified')
    const run = (from: string) => {
      const list = cli.file(
        `${from}.csv`,
        `to,amount,description,from
${phone},1,,${from}
`,
      )
      return cli.run('payments', 'batch', list, '--yes', '--json')
    }
    expect(await run('luz')).toMatchObject({ code: 2, stderr: expect.stringContaining('is not one of your accounts') })
    expect((await run('Nuestra')).code).toBe(0)
    expect(service.received.at(-1)?.body).toMatchObject({ source_account_id: account })
  })
})

describe('a saved payee in the column to', () => {
  it('is paid, and its row is that of its IBAN', async () => {
    const { service, cli, file, pay } = await setUp()
    await cli.run('payees', 'add', 'luz', '--to', iban)
    expect((await pay(file('Luz,1,,'))).code).toBe(0)
    expect(service.received.at(-1)?.body).toMatchObject({ recipient_iban: iban })
    expect((await pay(file(`${iban},1,,`))).code).toBe(0)
    expect(service.payments.size).toBe(1)
  })

  it('must have the saved holder', async () => {
    const { service, cli, file, pay } = await setUp()
    await cli.run('payees', 'add', 'luz', '--to', iban)
    changeHolder(service)
    const { code, stderr } = await pay(file('luz,1,,', `${phone},2,,`))
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('The holder of luz') })
    expect(service.payments.size).toBe(0)
  })

  it('must be saved, and verified', async () => {
    const { service, cli, file, pay } = await setUp()
    service.before = ({ path }) => (path.startsWith('/api/iban/') ? [404, 'No such account'] : undefined)
    await cli.run('payees', 'add', 'luz', '--to', iban, '--unverified')
    const { code, stderr } = await pay(file('luz,1,,', 'lus,2,,', 'luz,3,,'))
    expect(code).toBe(2)
    const { errors } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error
    expect(errors['line 2']).toEqual([expect.stringContaining('payctl payees verify luz')])
    expect(errors['line 3']).toEqual([expect.stringContaining('Did you mean luz?')])
    expect(service.payments.size).toBe(0)
  })
})
