import { describe, expect, it } from 'vitest'
import { at, runPayctl, temporaryDirectory } from '../support/run_payctl.ts'
import { startStub, success } from '../support/stub.ts'

const account = (last: number, value: number, owner_name: string) => ({
  id: `01900000-0000-7000-8000-0000000000c${last}`,
  document_number: '0112340567',
  document_type: 0,
  iban: `CR7609991000000000000${last}`,
  balance: { value, currency: 'CRC', formatted: `${(value / 100).toFixed(2)} CRC` },
  owner_name,
  status: 'active',
  created_at: '2026-01-01T12:00:00.000000Z',
  updated_at: null,
})

const accounts = [account(1, 900, 'Ana'), account(2, 100_000, 'Beto'), account(3, 50, 'Álvaro')]

/** `payctl accounts list`, with this many pages. */
async function list(flags: readonly string[], { pages = 1, terminal = 0 } = {}) {
  const stub = await startStub([200, success({ current_page: 1, last_page: pages, total: 3, data: accounts })])
  const run = await runPayctl(['accounts', 'list', '--no-color', ...flags], { ...at(stub.url), terminal })
  return { ...run, requests: stub.received.length }
}

describe('--columns', () => {
  it('prints these columns and fields of the JSON, details and whole ids too, in their order', async () => {
    const { stdout } = await list(['--columns', 'owner_name,balance.value,currency,id'], { terminal: 100 })
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'OWNER NAME  BALANCE.VALUE  CURRENCY  ID',
      'Ana         900            CRC       01900000-0000-7000-8000-0000000000c1',
    ])
  })

  it.each([
    ['csv', 'iban,balance,balance.formatted\nCR76099910000000000001,9.00,9.00 CRC\n'],
    ['tsv', 'iban\tbalance\tbalance.formatted\nCR76099910000000000001\t9.00\t9.00 CRC\n'],
  ])('is for %s too', async (format, beginning) => {
    const { stdout } = await list(['-o', format, '--columns', 'iban, balance,balance.formatted'])
    expect(stdout.slice(0, beginning.length)).toBe(beginning)
  })

  it('help lists all, with what the contract says of them, without a request', async () => {
    const { stdout, code, requests } = await list(['--columns', 'help'])
    expect({ code, requests }).toEqual({ code: 0, requests: 0 })
    expect(stdout).toContain('column\tmeaning\n')
    expect(stdout).toContain('\nowner_name\tFirst and last names of the owner, or the name of a company\n')
    expect(stdout).toMatch(/^balance\.value\tMinor units/m)
  })

  it.each([
    [['payees', 'list'], /^name\tName of the payee$/m],
    [['audit'], /^decided_by\tForm of consent\. [^\n]*$/m],
    [['payments', 'intents'], /^body\.amount\tMinor units/m],
    [['limits'], /^frees_at\tTime at which the used amount no longer counts$/m],
    [['profiles', 'list'], /^from\tAccount that pays by default$/m],
  ])('help of %j has the words of its schema, as no endpoint answers with it', async (command, meaning) => {
    const { stdout, code } = await runPayctl([...command, '--columns', 'help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(meaning)
    expect(stdout).not.toContain('Name of the payee of an outgoing payment, or of the payer of an incoming one')
  })

  it.each([
    [['payments', 'history'], /^signed_amount\tAmount of the payment: negative for outgoing money, [^\n]+$/m],
    [['payments', 'intents'], /^amount\tAmount of the payment$/m],
    [['payments', 'batch', 'x.csv'], /^amount\tAmount of the payment$/m],
    [['accounts', 'list'], /^currency\tCurrency of the account$/m],
    [['payments', 'batch', 'list'], /^total\tSum of the amounts of all rows, without fees$/m],
    [['payments', 'batch', 'show'], /^sinpe_reference\tReference of the payment network; [^\n]+$/m],
    [['payments', 'resume'], /^id\tId of the intent; in JSON, id of the payment$/m],
    [['payments', 'resume', '--batch', 'last'], /^status\tStatus of the payment, or rejected, unknown [^\n]+$/m],
    [['payees', 'list'], /^to\tIBAN or phone of the payee$/m],
    [['phone'], /^reason\tReason why no holder was found$/m],
    [['lookup'], /^phone_or_iban\tPhone or IBAN that was looked up$/m],
    [['limits'], /^left\tAmount that the limit still allows$/m],
  ])('help of %j also explains columns that no schema has', async (command, meaning) => {
    const { stdout, code } = await runPayctl([...command, '--columns', 'help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(meaning)
  })

  it('refuses a name that is none, and says which is near, before any request', async () => {
    const { stderr, code, requests } = await list(['--columns', 'iban,owner_nme'])
    expect({ code, requests }).toEqual({ code: 2, requests: 0 })
    expect(stderr).toContain("Column 'owner_nme' does not exist.")
    expect(stderr).toContain('Did you mean owner_name?')
  })

  it('is for lookups, of one value and of many', async () => {
    const holder = { phone_number: '88887777', name: 'Ana', document_number: '0112340567', entity_name: 'Banco' }
    const stub = await startStub([200, success(holder)])
    const flags = ['--columns', 'entity_name,name', '--no-color']
    const one = await runPayctl(['phone', '8888-7777', ...flags], { ...at(stub.url), terminal: 80 })
    expect(one.stdout).toMatch(/^ {2}Entity name +Banco\n {2}Name +Ana\n$/)
    const many = await runPayctl(['phone', '8888-7777', 'no phone', ...flags, '-o', 'csv'], at(stub.url))
    expect(many.stdout).toBe('entity_name,name\nBanco,Ana\n,\n')
    const help = await runPayctl(['iban', '--columns', 'help'], {})
    expect(help.stdout).toContain('\nentity_name\tName of the bank\n')
  })

  it.each([
    [['limits'], 'profile,limit'],
    [['audit'], 'time,service'],
    [['api'], 'id,summary'],
    [['alias', 'list'], 'command'],
    [['explain', '10'], 'meaning'],
    [['webhooks', 'events'], 'event'],
    [['doctor'], 'check,detail'],
  ])('is for payctl %j', async (command, columns) => {
    const run = await runPayctl([...command, '--columns', columns], {
      env: { PAYCTL_STATE_DIR: await temporaryDirectory() },
    })
    expect(run.stdout.split('\n')[0]).toBe(columns.replaceAll(',', '\t'))
    expect((await runPayctl([...command, '--columns', 'nothing'])).stderr).toContain("Column 'nothing' does not exist.")
  })

  it('is for what any endpoint answers', async () => {
    const stub = await startStub([200, success({ data: accounts })])
    const call = (...flags: readonly string[]) => runPayctl(['api', 'api/accounts', ...flags], at(stub.url))
    const { stdout } = await call('--columns', 'owner_name,balance.value', '--sort', 'balance.value:desc')
    expect(stdout).toBe('owner_name\tbalance.value\nBeto\t100000\nAna\t900\nÁlvaro\t50\n')
    const wrong = await call('--columns', 'owner_nme')
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean owner_name?') })
    for (const flags of [
      ['--columns', 'help'],
      ['--columns', 'id', '--json'],
      ['--sort', 'id', '--json'],
    ]) {
      const requests = stub.received.length
      expect((await call(...flags)).code).toBe(2)
      expect(stub.received).toHaveLength(requests)
    }
  })

  it('chooses the members of JSON, also as --json=a,b', async () => {
    for (const flags of [['--columns', 'iban,balance.value', '--json'], ['--json=iban,balance.value']]) {
      const { stdout } = await list(flags)
      const rows = JSON.parse(stdout) as Readonly<Record<string, unknown>>[]
      expect(rows).toHaveLength(accounts.length)
      for (const row of rows) expect(Object.keys(row)).toEqual(['iban', 'balance.value'])
      expect(rows.map((row) => row['balance.value'])).toEqual(accounts.map(({ balance }) => balance.value))
    }
    const wrong = await list(['--json=iban,owner_nme'])
    expect(wrong).toMatchObject({ code: 2, requests: 0 })
    expect(JSON.parse(wrong.stderr)).toMatchObject({ error: { message: "Column 'owner_nme' does not exist." } })
  })

  it('is not for YAML, which has all, nor beside --jq', async () => {
    for (const flags of [
      ['-o', 'yaml'],
      ['--jq', '.'],
    ]) {
      const { code, stderr, requests } = await list(['--columns', 'iban', ...flags])
      expect({ code, requests }).toEqual({ code: 2, requests: 0 })
      expect(stderr).toContain('has every field')
    }
  })

  it('does not show what a column masks', async () => {
    const { code, stderr } = await runPayctl(['webhooks', 'list', '--columns', 'headers.X-Secret'], {})
    expect(code).toBe(2)
    expect(stderr).toContain("Column 'headers.X-Secret' does not exist.")
  })
})

describe('--sort', () => {
  it.each([
    ['balance', ['0.50', '9.00', '1000.00']],
    ['balance:desc', ['1000.00', '9.00', '0.50']],
    ['owner_name', ['0.50', '9.00', '1000.00']],
    ['balance.value', ['0.50', '9.00', '1000.00']],
  ])('by %s', async (order, balances) => {
    const { stdout } = await list(['--sort', order, '-o', 'csv', '--columns', 'balance'])
    expect(stdout.trim().split('\n').slice(1)).toEqual(balances)
  })

  it('is for JSON too', async () => {
    const { stdout } = await list(['--sort', 'balance:desc', '-o', 'ndjson'])
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).owner_name),
    ).toEqual(['Beto', 'Ana', 'Álvaro'])
  })

  it('by digits that are longer than a number can hold', async () => {
    const references = ['2026010115212010000000003', '2026010115212010000000001', '2026010115212010000000002']
    const stub = await startStub([200, success({ data: references.map((sinpe_reference) => ({ sinpe_reference })) })])
    const flags = ['--columns', 'sinpe_reference', '--sort', 'sinpe_reference']
    const { stdout } = await runPayctl(['api', 'api/payments', ...flags], at(stub.url))
    expect(stdout.trim().split('\n').slice(1)).toEqual(references.toSorted())
  })

  it('is for lookups, which are then printed together', async () => {
    const holder = (name: string, phone_number: string) => [200, success({ phone_number, name })] as const
    const stub = await startStub(holder('Beto', '88887777'), holder('Ana', '88887778'))
    const flags = ['--sort', 'name', '--concurrency', '1', '--columns', 'name']
    const { stdout } = await runPayctl(['phone', '88887777', '88887778', ...flags], at(stub.url))
    expect(stdout).toBe('name\nAna\nBeto\n')
  })

  it('is refused for a part of a list, with the reason', async () => {
    const page = await list(['--sort', 'balance'], { pages: 2 })
    expect(page.code).toBe(2)
    expect(page.stderr).toContain('--sort needs the whole list, but this is page 1 of 2.')
    const all = await list(['--sort', 'balance', '--all'])
    expect(all.stderr).toContain('--sort needs the whole list, but these rows are printed as they arrive.')
  })

  it('names the column that was meant', async () => {
    const { stderr } = await list(['--sort', 'balnce'])
    expect(stderr).toContain('Did you mean balance?')
  })
})
