import { describe, expect, test } from 'vitest'
import { moment } from '../../../src/commands/period.ts'
import { runPayctl } from '../../support/run_payctl.ts'
import { payctl } from './payctl.ts'
import { account, iban, pageOf, paymentOf, type Service, startService } from './service.ts'

type Payment = ReturnType<typeof paymentOf>

const money = (value: number, currency = 'CRC') => ({ value, currency, formatted: `${value / 100} ${currency}` })

const other = { iban: 'CR73015100100000000001', document_number: '1', document_type: 0, name: 'José  Peña Vega' }

const own = paymentOf({ key: 'k', body: { amount: 1 } }).payer

/** Payments made one hour apart, newest first; the newest is an hour old. */
function listed(...changes: readonly Record<string, unknown>[]): Payment[] {
  return changes.map((change, at) => ({
    ...paymentOf({ key: `k${at}`, body: { amount: 1 } }),
    created_at: new Date(Date.now() - (at + 1) * 3_600_000).toISOString(),
    ...change,
  })) as Payment[]
}

const variety = listed(
  { status: 'completed', amount: money(150_025), fee: money(100), description: 'Rent of November' },
  { status: 'failed', amount: money(500), error_message: 'Account closed' },
  { status: 'pending', amount: money(8_000), payee: { ...other, iban: undefined, phone_number: '87000001' } },
  { status: 'completed', amount: money(2_500_000), transfer_type: 'credit', payer: other, payee: { ...own } },
  { status: 'completed', amount: money(500, 'USD'), payee: other },
)

/** Makes the service answer with pages of this many payments. */
function paged(service: Service, payments: readonly unknown[], size = 1000): void {
  service.before = ({ path, query }) => {
    if (path !== '/api/payments/history') return undefined
    const page = Number(query.page ?? 1)
    const last = Math.max(1, Math.ceil(payments.length / size))
    const answer = pageOf(payments.slice((page - 1) * size, page * size), page, last)
    return [200, { ...answer, total: payments.length }]
  }
}

async function setUp(payments: readonly unknown[] = variety, size?: number) {
  const service = await startService()
  paged(service, payments, size)
  const cli = payctl(service.url)
  /** Indexes of the printed payments. */
  const chosen = async (...flags: readonly string[]) => {
    const { stdout, stderr, code } = await cli.run('payments', 'history', ...flags, '-o', 'ndjson')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const ids = (stdout.match(/.+/g) ?? []).map((line) => JSON.parse(line).id)
    return ids.map((id) => payments.findIndex((payment) => (payment as Payment).id === id))
  }
  return { service, cli, chosen }
}

describe('history chooses by', () => {
  test.each([
    [
      ['--status', 'failed,pending'],
      [1, 2],
    ],
    [
      ['--status', 'failed', '--status', 'completed'],
      [0, 1, 3, 4],
    ],
    [
      ['--payee', 'pena josé'],
      [2, 4],
    ],
    [['--payee', 'CR73 0151 0010 0000 0000 01'], [4]],
    [['--payee', '+506 8700-0001'], [2]],
    [
      ['--payee', iban],
      [0, 1],
    ],
    [['--payer', 'peña'], [3]],
    [
      ['--amount', '5'],
      [1, 4],
    ],
    [['--amount', '5', '--currency', 'USD'], [4]],
    [
      ['--amount', '>80'],
      [0, 3],
    ],
    [
      ['--amount', '>=80.00'],
      [0, 2, 3],
    ],
    [
      ['--amount', '<80'],
      [1, 4],
    ],
    [
      ['--amount', '<=80'],
      [1, 2, 4],
    ],
    [
      ['--amount', '80..1500.25'],
      [0, 2],
    ],
    [
      ['--amount', '1500.25..'],
      [0, 3],
    ],
    [
      ['--amount', '..80'],
      [1, 2, 4],
    ],
    [
      ['--since', '3h'],
      [0, 1],
    ],
    [['--until', '3h', '--since', '1d'], [3, 4].concat([2]).toSorted()],
    [['--limit', '1', '--status', 'completed'], [0]],
  ])('%j', async (flags, expected) => {
    const { chosen } = await setUp()

    expect(await chosen(...flags)).toEqual(expected)
  })

  test('a saved payee, by its name', async () => {
    const { cli, chosen } = await setUp()
    expect(await cli.run('payees', 'add', 'luz', '--to', iban)).toMatchObject({ code: 0 })

    expect(await chosen('--payee', 'Luz')).toEqual([0, 1])
  })

  test('what the service knows is left to the service', async () => {
    const { service, chosen } = await setUp()

    await chosen('--direction', 'in', '--channel', 'pin', '--since', '7d')

    expect(service.received[0]?.query).toEqual({ transfer_type: 'credit', channel: 'pin', per_page: '1000' })
  })

  test.each([
    [['--since', '2026-11-31'], 'Give a date like'],
    [['--since', '05/11/2026'], 'Write the year first: 2026-11-05 or 2026-05-11.'],
    [['--until', '21/11/2026'], 'Write the year first: 2026-11-21.'],
    [['--since', '1d', '--until', '2d'], '--since is not before --until'],
    [['--status', 'ok'], 'none of: pending'],
    [['--amount', '1,500'], 'has two readings: 1500 or 1.50'],
    [['--amount', '5..1'], '--amount begins with the larger amount'],
    [['--amount', '1 USD..5 CRC'], 'two currencies'],
    [['--payee', 'CR00 0151'], 'IBAN'],
    [['--payee', '109990888'], '--document <number>'],
    [['--payer', '87000001'], 'does not report the phone of a payer'],
    [['--direction', 'in', '--type', 'credit'], 'cannot be used with'],
    [['--page', '2', '--status', 'failed'], 'the service can’t filter by --status'],
    [['--envelope', '--status', 'failed'], 'the service can’t filter by --status'],
    [['--follow', '--until', 'today'], 'cannot be used with'],
  ])('%j is refused before any request', async (flags, reason) => {
    const { service, cli } = await setUp()

    const { code, stderr } = await cli.run('payments', 'history', ...flags)

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) })
    expect(service.received).toEqual([])
  })
})

describe('history says how much it has read', () => {
  const hourly = listed(...Array.from({ length: 3_000 }, () => ({})))

  test('nothing where it could stop', async () => {
    const { cli, service } = await setUp(hourly, 1000)

    const { stderr } = await cli.run('payments', 'history', '--since', '10h', '-o', 'ndjson')

    expect(stderr).toBe('')
    expect(service.received).toHaveLength(1)
  })

  test('all, where the service lists the oldest first', async () => {
    const { cli } = await setUp(hourly.toReversed(), 1000)

    const { stdout, stderr } = await cli.run('payments', 'history', '--since', '10h', '-o', 'ndjson')

    expect(stdout.match(/.+/g)).toHaveLength(9)
    expect(stderr).toContain(
      'The whole history was read (3,000 payments), because the service does not list the newest payments first.',
    )
  })

  test('all, where no filter is one of the service', async () => {
    const { cli } = await setUp(hourly, 1000)

    const { stderr } = await cli.run('payments', 'history', '--status', 'failed', '-o', 'ndjson')

    expect(stderr).toContain('No payments match. Payments read: 3,000 of 3,000.')
    expect(stderr).toContain('To read less: --since <when>')
  })
})

test('below a table are the sums of each currency, without what did not arrive', async () => {
  const service = await startService()
  paged(service, variety)
  const env = { PAYCTL_BASE_URL: service.url, PAYCTL_TOKEN: 't', NO_COLOR: '1' }
  for (const flags of [[], ['--all'], ['--since', '1d']]) {
    const { stderr } = await runPayctl(['payments', 'history', ...flags], { terminal: 140, env })
    expect(stderr).toContain('out 1,580.25 (80.00 on its way), fees 1.00, in 25,000.00 CRC\n')
    expect(stderr).toContain('out 5.00 USD, without 1 that did not arrive\n')
  }
})

describe('a moment', () => {
  const now = new Date(2026, 10, 22, 14, 30)
  const local = (...parts: [number, number, number, number?, number?]) => new Date(...parts).getTime()

  test.each([
    ['2026-11-01', local(2026, 10, 1), local(2026, 10, 2)],
    ['today', local(2026, 10, 22), local(2026, 10, 23)],
    ['yesterday', local(2026, 10, 21), local(2026, 10, 22)],
    ['7d', local(2026, 10, 15, 14, 30), local(2026, 10, 15, 14, 30)],
    ['1w', local(2026, 10, 15, 14, 30), local(2026, 10, 15, 14, 30)],
    ['24h', local(2026, 10, 21, 14, 30), local(2026, 10, 21, 14, 30)],
    ['2026-11-01T14:30', local(2026, 10, 1, 14, 30), local(2026, 10, 1, 14, 30)],
    ['2026-11-01 14:30:00Z', Date.UTC(2026, 10, 1, 14, 30), Date.UTC(2026, 10, 1, 14, 30)],
    ['2026-11-01T14:30-0600', Date.UTC(2026, 10, 1, 20, 30), Date.UTC(2026, 10, 1, 20, 30)],
  ])('%s', (text, start, end) => {
    expect(moment(text, now)).toEqual({ start, end })
  })

  test('a day is as long as it is where the clock is put forward', () => {
    const zone = process.env.TZ
    process.env.TZ = 'Europe/Madrid'
    try {
      const { start, end } = moment('2026-03-29')
      expect((end - start) / 3_600_000).toBe(23)
    } finally {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    }
  })
})

describe('the payments of one account', () => {
  const colones = 'CR61010200100000000001'
  const payments = listed(
    {},
    { payer: { ...own, iban: 'CR73015100100000000009' } },
    { transfer_type: 'credit', payer: other, payee: { ...own, iban: colones } },
    { transfer_type: 'credit', payer: other, payee: { ...own, iban: undefined, phone_number: '88881234' } },
    { transfer_type: 'credit', payer: { ...other, iban: colones }, payee: { ...own, iban: 'CR73015100100000000009' } },
  )

  test.each(['CRC', '0001', colones, account])('are chosen by %s', async (text) => {
    const { chosen } = await setUp(payments)

    expect(await chosen('--account', text)).toEqual([0, 2])
  })

  test('leave out, and count, those whose account the service does not name', async () => {
    const { cli } = await setUp(payments)

    const { stderr } = await cli.run('payments', 'history', '--account', 'CRC', '-o', 'ndjson')

    expect(stderr).toBe('1 other payment may be of this account: the service does not name its account.\n')
  })

  test('are those of an account of the user', async () => {
    const { service, cli } = await setUp(payments)

    expect(await cli.run('payments', 'history', '--account', '9876')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--account "9876" is not one of your accounts'),
    })
    expect(service.count('/api/payments/history')).toBe(0)
  })
})

test.each(['csv', 'tsv'])('%s has an amount with the sign of what moved', async (format) => {
  const { cli } = await setUp(variety)

  const { stdout } = await cli.run(
    ...['payments', 'history', '--all', '-o', format, '--columns', 'status,signed_amount,currency,amount'],
  )

  expect(
    stdout
      .trim()
      .split(/\r?\n/)
      .map((line) => line.split(/[,\t]/)),
  ).toEqual([
    ['status', 'signed_amount', 'currency', 'amount'],
    ['completed', '-1500.25', 'CRC', '1500.25'],
    ['failed', '', 'CRC', '5.00'],
    ['pending', '-80.00', 'CRC', '80.00'],
    ['completed', '25000.00', 'CRC', '25000.00'],
    ['completed', '-5.00', 'USD', '5.00'],
  ])
})

test.each([
  ['3-101-123456', '3101123456'],
  ['1-0234-0567', '0102340567'],
  ['304930258', '304930258'],
])('--document %s asks the service for %s', async (text, number) => {
  const service = await startService()
  await payctl(service.url).run('payments', 'history', '--document', text, '--json')
  expect(service.received[0]?.query).toMatchObject({ recipient_document_number: number })
})

test('--document with a letter for a digit asks nothing', async () => {
  const service = await startService()
  const { code, stderr } = await payctl(service.url).run('payments', 'history', '--document', '1-O234-0567')
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('the letter O') })
  expect(service.received).toEqual([])
})
