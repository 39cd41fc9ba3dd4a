import { describe, expect, test } from 'vitest'
import { payctl } from './payctl.ts'
import { account, iban, loseAnswers, pageOf, paymentOf, recover, startService } from './service.ts'

async function setUp() {
  const service = await startService()
  const cli = payctl(service.url)
  const send = (key: string, description: string) =>
    cli.run(
      ...['payments', 'send', '--from', account, '--to', iban, '--amount', '1', '--yes'],
      ...['--idempotency-key', key, '--description', description],
    )
  const find = async (...text: readonly string[]) => {
    const { code, stdout, stderr } = await cli.run('payments', 'find', ...text, '-o', 'ndjson')
    return { code, stderr, keys: (stdout.match(/.+/g) ?? []).map((line) => JSON.parse(line).idempotency_key) }
  }
  const asked = () => service.received.map(({ path }) => path)
  return { service, cli, send, find, asked }
}

describe('find', () => {
  test('a key of this machine asks for its payment only', async () => {
    const { service, send, find, asked } = await setUp()
    await send('invoice-117', 'Rent of November')
    service.received.length = 0

    const { code, keys, stderr } = await find('invoice-117')

    expect({ code, keys }).toEqual({ code: 0, keys: ['invoice-117'] })
    expect(stderr).toBe('Found 1 by key. Searched: the journal of this machine (1 intent); not the history.\n')
    expect(asked()).toEqual([expect.stringMatching(/^\/api\/payments\/[0-9a-f-]{36}$/)])
  })

  test.each([
    ['the rail’s reference, with spaces', '2026 0105 11110000000000007', 'reference'],
    ['the channel’s reference', '2026010500001000000000009', 'reference'],
    ['the end of its id', 'c0ffee', 'part of the id'],
    ['the middle of its id', '4f89-41d3', 'part of the id'],
    ['its whole id', '3f2504e0-4f89-41d3-9a0c-0305e8c0ffee', 'id'],
    ['words of its description', 'noviembre alquiler', 'name or description'],
    ['who is paid', 'solano', 'name or description'],
    ['an IBAN with spaces', 'CR05 0152 0200 1026 2840 66', 'IBAN'],
    ['the phone that is paid', '8888-1234', 'phone'],
    ['the phone, as a spreadsheet writes it', '88881234.0', 'phone'],
    ['the phone, as a spreadsheet writes a large number', '8.8881234E7', 'phone'],
    ['its key', 'key-of-elsewhere', 'key'],
  ])('a payment that this machine did not send, by %s', async (_, text, mark) => {
    const { service, find } = await setUp()
    const made = paymentOf({ key: 'key-of-elsewhere', body: { amount: 1, description: 'Alquiler de Noviembre' } })
    const payment = {
      ...made,
      payee: { ...made.payee, phone_number: '+506 8888-1234' },
      id: '3f2504e0-4f89-41d3-9a0c-0305e8c0ffee',
      channel_reference: '2026010500001000000000009',
      sinpe_reference: '2026010511110000000000007',
    }
    const others = [1, 2].map(() => ({
      ...paymentOf({ key: 'k', body: { amount: 1 } }),
      payee: { name: 'Ana', iban: null },
    }))
    service.before = ({ path }) => {
      if (path === '/api/payments/history') return [200, pageOf([...others, payment])]
      return path.endsWith(payment.id) ? [200, payment] : undefined
    }

    const { code, keys, stderr } = await find(text)

    expect({ code, keys }).toEqual({ code: 0, keys: ['key-of-elsewhere'] })
    expect(stderr).toContain(`Found 1 by ${mark}.`)
  })

  test('a payment to a saved payee, by its name', async () => {
    const { cli, send, find } = await setUp()
    await cli.run('payees', 'add', 'luz', '--to', iban)
    await send('invoice-117', 'Rent of November')

    const { keys, stderr } = await find('luz')

    expect(keys).toEqual(['invoice-117'])
    expect(stderr).toContain(`luz is the saved payee ${iban}.\nFound 1 by IBAN.`)
  })

  test('nothing is exit 3, and says where it looked and how to look further', async () => {
    const { service, cli } = await setUp()
    service.before = ({ query }) => [200, { ...pageOf(some(1000), Number(query.page ?? 1), 5), total: 5000 }]

    const { code, stderr } = await cli.run('payments', 'find', 'nobody', '--read', '2000')

    expect(code).toBe(3)
    expect(stderr).toContain(
      "No payment matches 'nobody'. Searched: the journal of this machine (0 intents), 2,000 of 5,000",
    )
    expect(stderr).toContain('payctl payments find nobody --all')
    expect(service.received).toHaveLength(2)
  })

  test('a reference is not looked for in payments of long before its day', async () => {
    const { service, find } = await setUp()
    service.before = ({ query }) => [200, { ...pageOf(some(1000), Number(query.page ?? 1), 5), total: 5000 }]

    const { code, stderr } = await find('2026110500001000000000009')

    expect({ code, read: service.received.length }).toEqual({ code: 3, read: 1 })
    expect(stderr).toContain('back to two weeks before the day in the reference')
  })

  test('an intent in doubt is named, with what to do', async () => {
    const { service, send, find } = await setUp()
    loseAnswers(service)
    service.before = ({ path }) => (path === '/api/payments/history' ? [500, 'Down'] : undefined)
    await send('invoice-118', 'Rent of December')
    recover(service)
    service.payments.clear()

    const { code, stderr } = await find('invoice-118')

    expect(code).toBe(3)
    expect(stderr).toMatch(/int_\w+ of this machine matches and is in doubt: payctl payments resume int_/)
  })
})

describe('find, by what a support desk has', () => {
  const made = (key: string, change: Record<string, unknown>) => ({
    ...paymentOf({ key, body: { amount: 1 } }),
    created_at: '2026-01-05T18:00:00.000000Z',
    ...change,
  })
  const payee = paymentOf({ key: 'k', body: {} }).payee
  const payments = [
    made('later', { created_at: '2026-01-07T18:00:00.000000Z' }),
    made('document', { payee: { ...payee, document_number: '0109990888' } }),
    made('amount', { amount: { value: 150_025, currency: 'CRC', formatted: '' } }),
    made('dollars', { amount: { value: 150_025, currency: 'USD', formatted: '' } }),
    made('thousands', { amount: { value: 150_000, currency: 'CRC', formatted: '' } }),
    made('earlier', { created_at: '2026-01-03T18:00:00.000000Z' }),
  ]
  const onTheDay = ['document', 'amount', 'dollars', 'thousands']

  test.each([
    ['1-0999-0888', ['document'], 'document'],
    ['0109990888', ['document'], 'document'],
    ['1500.25', ['amount', 'dollars'], 'amount'],
    ['1.500,25', ['amount', 'dollars'], 'amount'],
    ['₡1500.25', ['amount'], 'amount'],
    ['1,500', ['thousands'], 'amount'],
    ['2026-01-05', onTheDay, 'date'],
  ])('%s', async (text, expected, trait) => {
    const { service, find } = await setUp()
    service.before = ({ path }) => (path === '/api/payments/history' ? [200, pageOf(payments)] : undefined)

    const { keys, stderr } = await find(text)

    expect(keys).toEqual(expected)
    expect(stderr).toContain(`Found ${expected.length} by ${trait}.`)
  })

  test('a date is not read past', async () => {
    const { service, find } = await setUp()
    const all = some(5000)
    service.before = ({ query }) => {
      const page = Number(query.page ?? 1)
      return [200, { ...pageOf(all.slice((page - 1) * 1000, page * 1000), page, 5), total: 5000 }]
    }

    const { stderr } = await find('2026-01-04')

    expect(stderr).toContain('2,000 of 5,000 payments of the history, back to that day.')
  })

  test('a date with two readings is refused', async () => {
    const { find } = await setUp()

    expect(await find('05/11/2026')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Write the year first: 2026-11-05 or 2026-05-11.'),
    })
  })

  test.each([
    [3, 3, /^\/api\/payments\/[0-9a-f-]{36}$/],
    [25, 1, /^\/api\/payments\/history$/],
  ])('a batch of %d is in the journal, and takes %d requests', async (rows, requests, path) => {
    const { service, cli, find, asked } = await setUp()
    const lines = Array.from({ length: rows }, (_, at) => `${account},${iban},${at + 1}.00,Salary of row ${at + 10}`)
    const file = cli.file('payroll.csv', ['from,to,amount,description', ...lines, ''].join('\n'))
    expect((await cli.run('payments', 'batch', file, '--batch-id', 'november', '--yes')).code).toBe(0)
    service.payments.set('other', paymentOf({ key: 'other', body: { amount: 7 } }))
    service.received.length = 0

    const { keys, stderr } = await find('november')

    expect(keys).toHaveLength(rows)
    expect(keys).not.toContain('other')
    expect(stderr).toContain(`Found ${rows} by batch.`)
    expect(asked()).toEqual(Array.from({ length: requests }, () => expect.stringMatching(path)))
  })

  test.each([3, 25])('a batch of %d by a part of its name, beside other payments with that word', async (rows) => {
    const { service, cli, find } = await setUp()
    const lines = Array.from({ length: rows }, (_, at) => `${account},${iban},${at + 1}.00,Salary of row ${at + 10}`)
    const file = cli.file('payroll.csv', ['from,to,amount,description', ...lines, ''].join('\n'))
    await cli.run('payments', 'batch', file, '--batch-id', 'november', '--yes')
    service.payments.set('rent', paymentOf({ key: 'rent', body: { amount: 7, description: 'Rent of november' } }))

    const { code, keys, stderr } = await find('nov')

    expect({ code, found: keys.length, others: keys.filter((key) => key === 'rent') }).toEqual({
      code: 0,
      found: rows + 1,
      others: ['rent'],
    })
    expect(stderr).toContain(`${rows} by part of a batch name`)
  })

  test('a part of an id that one payment of this machine has ends the search', async () => {
    const { service, send, find, asked } = await setUp()
    await send('invoice-117', 'Rent of November')
    const id = [...service.payments.values()][0]?.id ?? ''
    service.received.length = 0

    const { keys, stderr } = await find(id.slice(-7))

    expect(keys).toEqual(['invoice-117'])
    expect(stderr).toContain('not the history')
    expect(asked()).toHaveLength(1)
  })
})

/** Payments made one minute apart, newest first; the newest was made on 5 January. */
const some = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...paymentOf({ key: `k${at}`, body: { amount: 1 } }),
    created_at: new Date(Date.UTC(2026, 0, 5) - at * 60_000).toISOString(),
  }))
