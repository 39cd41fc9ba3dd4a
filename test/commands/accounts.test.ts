import { describe, expect, it } from 'vitest'
import { at, runPayctl } from '../support/run_payctl.ts'
import { failure, startStub, success } from '../support/stub.ts'

const id = '01900000-0000-7000-8000-0000000000c1'

const account = {
  id,
  document_number: '0112340567',
  document_type: 0,
  iban: 'CR76099910000000000001',
  balance: { value: 250_000_005, currency: 'CRC', formatted: '2,500,000.05 CRC' },
  owner_name: 'María Fernández Rojas',
  status: 'active',
  created_at: '2026-01-01T12:00:00.000000Z',
  updated_at: '2026-01-01T12:00:00.000000Z',
}

const page = (number: number, last: number) => ({
  current_page: number,
  last_page: last,
  total: last,
  next_page_url: number < last ? 'next' : null,
  data: [{ ...account, id: `${id.slice(0, -1)}${number}` }],
})

describe('accounts list', () => {
  it('prints tsv to a pipe, with machine-readable amounts', async () => {
    const stub = await startStub([200, success(page(1, 1))])
    expect(await runPayctl(['accounts', 'list'], at(stub.url))).toEqual({
      code: 0,
      stdout: [
        'id\tiban\tbalance\tcurrency\tstatus\towner_name\tdocument_number\tdocument_type\tcreated_at\tupdated_at',
        `${id}\tCR76099910000000000001\t2500000.05\tCRC\tactive\tMaría Fernández Rojas\t0112340567\t0\t${account.created_at}\t${account.updated_at}\n`,
      ].join('\n'),
      stderr: '',
    })
  })

  it('prints a table to a terminal', async () => {
    const stub = await startStub([200, success(page(1, 1))])
    const { stdout } = await runPayctl(['accounts', 'list', '--no-color'], { ...at(stub.url), terminal: 100 })
    expect(stdout).toBe(
      [
        'ID     IBAN                             BALANCE  STATUS  OWNER NAME',
        `${id.slice(-5)}  CR76099910000000000001  2,500,000.05 CRC  active  María Fernández Rojas\n`,
      ].join('\n'),
    )
  })

  it('prints the page as the service sent it as JSON, and notes on stderr that there is more', async () => {
    const stub = await startStub([200, success(page(2, 3))])
    const { stdout, stderr } = await runPayctl(
      ['accounts', 'list', '--page', '2', '--per-page', '1', '--json', '--envelope'],
      at(stub.url),
    )
    expect(JSON.parse(stdout)).toEqual(page(2, 3))
    expect(stderr).toBe('1 of 3 accounts. More: --page 3, --all\n')
    expect(stub.received[0]?.url).toBe('/api/accounts?page=2&per_page=1')
  })

  it('reports a page beyond the last', async () => {
    const stub = await startStub([200, success({ ...page(9, 3), data: [] })])
    const { code, stderr } = await runPayctl(['accounts', 'list', '--page', '9'], at(stub.url))
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'Page 9 does not exist: the last of 3 accounts are on page 3.\n',
    })
  })

  it('is an array of JSON for a page, an empty one and all of them', async () => {
    for (const flags of [[], ['--page', '2'], ['--all']]) {
      const listed = await runPayctl(
        ['accounts', 'list', ...flags, '--json'],
        at((await startStub([200, success(page(1, 1))])).url),
      )
      expect(JSON.parse(listed.stdout)).toEqual([account])
      const empty = await startStub([200, success({ ...page(1, 1), data: [], total: 0 })])
      expect((await runPayctl(['accounts', 'list', ...flags, '--json'], at(empty.url))).stdout).toBe('[]\n')
    }
  })

  it.each([['table'], ['csv'], ['ndjson']])('--envelope has no place in %s', async (format) => {
    const stub = await startStub([200, success(page(1, 1))])
    const { code, stdout, stderr } = await runPayctl(['accounts', 'list', '--envelope', '-o', format], at(stub.url))
    expect({ code, stdout, stderr }).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--json') })
  })

  it('--quiet prints no notes', async () => {
    const stub = await startStub([200, success(page(1, 3))])
    expect((await runPayctl(['accounts', 'list', '-q'], at(stub.url))).stderr).toBe('')
  })

  it('--all reads every page as one list', async () => {
    const stub = await startStub([200, success(page(1, 2))], [200, success(page(2, 2))])
    const { stdout } = await runPayctl(['accounts', 'list', '--all', '--json'], at(stub.url))
    expect(JSON.parse(stdout)).toEqual([...page(1, 2).data, ...page(2, 2).data])
    expect(stub.received).toHaveLength(2)
  })

  it('says how to open one when there is none', async () => {
    const stub = await startStub([200, success({ ...page(1, 1), data: [], total: 0 })])
    const { code, stdout, stderr } = await runPayctl(['accounts', 'list'], { ...at(stub.url), terminal: 80 })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('payctl accounts create')
  })
})

describe('accounts create', () => {
  it('sends the currency and prints the new account', async () => {
    const created = { id, iban: account.iban, currency: 'USD', created_at: 'c', updated_at: 'u' }
    const stub = await startStub([201, success(created)])
    const { code, stdout } = await runPayctl(['accounts', 'create', '--currency', 'USD', '--json'], at(stub.url))
    expect({ code, created: JSON.parse(stdout) }).toEqual({ code: 0, created })
    expect(stub.received).toMatchObject([{ method: 'POST', url: '/api/accounts', body: '{"currency":"USD"}' }])
  })

  it('whose answer is lost leaves the outcome unknown', async () => {
    const stub = await startStub((response) => response.destroy())
    const { code, stderr } = await runPayctl(['accounts', 'create', '--currency', 'USD'], at(stub.url))
    expect(code).toBe(10)
    expect(stderr).toContain('  List what exists before you repeat the command:\nnext:  payctl accounts list')
    expect(stub.received).toHaveLength(1)
  })
})

describe('accounts get and balance', () => {
  it('get prints one record, on a terminal as a card', async () => {
    const stub = await startStub([200, success(account)])
    const { stdout } = await runPayctl(['accounts', 'get', id.toUpperCase(), '--no-color'], {
      ...at(stub.url),
      terminal: 80,
    })
    expect(stub.received[0]?.url).toBe(`/api/accounts/${id}`)
    expect(stdout).toMatch(/^ {2}Balance {10}2,500,000\.05 CRC$/m)
    expect(stdout).toMatch(/^ {2}Status {11}active$/m)
  })

  it('balance converts minor units exactly', async () => {
    const answer = { iban: account.iban, currency: 'CRC', balance: -5, formatted: '-0.05 CRC' }
    const stub = await startStub([200, success(answer)])
    const { stdout } = await runPayctl(['accounts', 'balance', id], at(stub.url))
    expect(stdout).toBe(`iban\tbalance\tcurrency\n${account.iban}\t-0.05\tCRC\n`)
  })
})

describe('an error of the service', () => {
  it.each([
    [400, 7, 'rejected'],
    [401, 4, 'unauthenticated'],
    [403, 5, 'forbidden'],
    [404, 3, 'not_found'],
    [408, 12, 'unavailable'],
    [409, 6, 'conflict'],
    [413, 7, 'rejected'],
    [422, 7, 'rejected'],
    [429, 11, 'rate_limited'],
    [500, 12, 'unavailable'],
    [503, 12, 'unavailable'],
  ])('%i ends with exit code %i', async (status, code, name) => {
    const stub = await startStub([status, failure('No.', { field: ['Wrong.'] }), { 'X-Request-Id': 'r-1' }])
    const run = await runPayctl(['accounts', 'get', id, '--json', '--retries', '0'], at(stub.url))
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' })
    expect(JSON.parse(run.stderr)).toEqual({
      error: {
        code: name,
        message: 'No.',
        status,
        errors: { field: ['Wrong.'] },
        hint: expect.any(String),
        next_command: [404, 409, 429].includes(status) ? null : expect.arrayContaining(['payctl']),
        request_id: 'r-1',
        retryable: status === 429 || status === 408 || status >= 500,
        intent_id: null,
        payment_id: null,
      },
    })
  })

  it('lists what is wrong with each field', async () => {
    const errors = { amount: ['Insufficient balance', 'Too much'], source: 'No such account' }
    const stub = await startStub([422, failure('Insufficient balance', errors)])
    const { stderr } = await runPayctl(['accounts', 'get', id], at(stub.url))
    expect(stderr).toBe(
      [
        'error: Insufficient balance',
        '  amount: Insufficient balance',
        '  amount: Too much',
        '  source: No such account',
        'next:  payctl accounts get --help\n',
      ].join('\n'),
    )
  })

  it('does not repeat what is wrong with the only one', async () => {
    const stub = await startStub([422, failure('Insufficient balance', { amount: ['Insufficient balance'] })])
    const { stderr } = await runPayctl(['accounts', 'get', id], at(stub.url))
    expect(stderr).toBe('error: Insufficient balance\nnext:  payctl accounts get --help\n')
  })

  it('that is not an envelope breaks the contract', async () => {
    const stub = await startStub([200, '<html>'])
    const { code, stderr } = await runPayctl(['accounts', 'get', id, '--json'], at(stub.url))
    expect(code).toBe(12)
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'contract' } })
  })

  it('cannot send commands to the terminal', async () => {
    const stub = await startStub([422, failure('\u001b[2Jgone\r\nerror: forged', { 'a\u009b': '\u202eb' })])
    const { stderr } = await runPayctl(['accounts', 'get', id, '--no-color'], { ...at(stub.url), terminal: 80 })
    expect(stderr.split('\n').slice(0, 2)).toEqual(['error: [2Jgone error: forged', '  a: b'])
  })
})
