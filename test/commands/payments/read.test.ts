import { describe, expect, test } from 'vitest'
import { payctl } from './payctl.ts'
import { account, iban, pageOf, paymentOf, type Service, startService } from './service.ts'

const setUp = async () => {
  const service = await startService()
  return { service, cli: payctl(service.url) }
}

const some = (count: number) => Array.from({ length: count }, () => paymentOf({ key: 'k', body: { amount: 150_025 } }))

/** Three pages with two payments each. */
const threePages = (service: Service) => {
  const pages = [some(2), some(2), some(2)]
  service.before = ({ query }) => {
    const page = Number(query.page ?? 1)
    return [200, pageOf(pages[page - 1] ?? [], page, pages.length)]
  }
  return pages.flat().map(({ id }) => id)
}

describe('history', () => {
  test('prints one page as the service sent it, and says how much more there is', async () => {
    const { service, cli } = await setUp()
    threePages(service)

    const { code, stdout, stderr } = await cli.run('payments', 'history', '--json', '--envelope')

    expect(code).toBe(0)
    const page = JSON.parse(stdout)
    expect(page).toMatchObject({ current_page: 1, last_page: 3, total: 6 })
    expect(JSON.parse((await cli.run('payments', 'history', '--json')).stdout)).toEqual(page.data)
    expect(stderr).toBe('2 of 6 payments. More: --page 2, --all\n')
  })

  test('asks for what the filters say', async () => {
    const { service, cli } = await setUp()

    await cli.run(
      ...['payments', 'history', '--channel', 'sinpe_movil', '--type', 'credit', '--document', '3918734189'],
      ...['--page', '2', '--per-page', '50'],
    )

    expect(service.received[0]?.query).toEqual({
      channel: 'sinpe_movil',
      transfer_type: 'credit',
      recipient_document_number: '3918734189',
      page: '2',
      per_page: '50',
    })
  })

  test.each([[['--all']], [['--limit', '5']]])('%j asks every page for what the filters say', async (flags) => {
    const { service, cli } = await setUp()
    threePages(service)
    const filters = ['--channel', 'sinpe_movil', '--type', 'credit', '--document', '3918734189']

    await cli.run('payments', 'history', ...filters, ...flags)

    const asked = { channel: 'sinpe_movil', transfer_type: 'credit', recipient_document_number: '3918734189' }
    expect(service.received.map(({ query }) => query)).toMatchObject([
      asked,
      { ...asked, page: '2' },
      { ...asked, page: '3' },
    ])
  })

  test('--all prints every payment of every page', async () => {
    const { service, cli } = await setUp()
    const ids = threePages(service)

    const { stdout } = await cli.run('payments', 'history', '--all', '--json')

    expect(JSON.parse(stdout).map(({ id }: { id: string }) => id)).toEqual(ids)
  })

  test('--limit reads no more pages than it takes', async () => {
    const { service, cli } = await setUp()
    const ids = threePages(service)

    const { stdout } = await cli.run('payments', 'history', '--limit', '3', '--output', 'ndjson')

    const printed = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id)
    expect(printed).toEqual(ids.slice(0, 3))
    expect(service.received).toHaveLength(2)
  })

  test('is complete and exact for machines', async () => {
    const { service, cli } = await setUp()
    const [payment] = some(1)
    service.before = () => [200, pageOf([payment])]

    const { stdout } = await cli.run('payments', 'history', '--output', 'csv')

    const [heading = '', line = ''] = stdout.split('\n')
    expect(heading.split(',')).toEqual(expect.arrayContaining(['id', 'amount', 'payee_iban', 'idempotency_key']))
    expect(line.split(',')).toEqual(expect.arrayContaining([payment?.id, '1500.25', 'CRC', iban]))
  })

  test.each([
    ['--per-page', '0'],
    ['--per-page', '1001'],
    ['--page', '0'],
    ['--limit', 'ten'],
    ['--channel', 'card'],
    ['--type', 'refund'],
  ])('%s %s is refused before any request', async (flag, value) => {
    const { service, cli } = await setUp()

    expect((await cli.run('payments', 'history', flag, value)).code).toBe(2)
    expect(service.received).toEqual([])
  })

  test('--page with --all is refused', async () => {
    const { service, cli } = await setUp()

    expect((await cli.run('payments', 'history', '--all', '--page', '2')).code).toBe(2)
    expect(service.received).toEqual([])
  })
})

describe('get', () => {
  test('prints the payment as the service sent it', async () => {
    const { service, cli } = await setUp()
    const [payment] = some(1)
    service.before = () => [200, payment]

    const { code, stdout } = await cli.run('payments', 'get', payment?.id ?? '', '--json')

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual(payment)
  })

  test('refuses an id that is none before any request', async () => {
    const { service, cli } = await setUp()

    expect((await cli.run('payments', 'get', '17')).code).toBe(2)
    expect(service.received).toEqual([])
  })
})

describe('validate', () => {
  const validate = ['payments', 'validate', '--from', account, '--to', iban, '--amount', '1500.25']

  test('prints channel and fee and leaves nothing behind', async () => {
    const { service, cli } = await setUp()

    const { code, stdout } = await cli.run(...validate, '--output', 'csv')

    expect(code).toBe(0)
    expect(stdout).toBe('channel,fee,currency\npin,1.00,CRC\n')
    expect(service.received.map(({ path }) => path)).toEqual(['/api/payments/validate'])
  })

  test('is exit 6 for a key that has been used', async () => {
    const { service, cli } = await setUp()
    service.payments.set('order-1', paymentOf({ key: 'order-1', body: {} }))

    expect((await cli.run(...validate, '--idempotency-key', 'order-1')).code).toBe(6)
  })

  test('is exit 7 with the fields when the service refuses', async () => {
    const { service, cli } = await setUp()
    service.before = () => [422, 'Amount exceeds maximum limit']

    const { code, stderr } = await cli.run(...validate)

    expect(code).toBe(7)
    expect(stderr).toContain('Amount exceeds maximum limit')
  })
})

test('service-status needs no token and sends none', async () => {
  const service = await startService()
  const cli = payctl(service.url, { token: undefined })

  const { code, stdout } = await cli.run('payments', 'service-status', '--output', 'csv')

  expect(code).toBe(0)
  expect(stdout.split('\n')[1]).toBe('partial,online,offline,true,false')
  expect(service.received[0]?.authorization).toBeUndefined()
})

test('service-status is exit 0 whatever it says', async () => {
  const { service, cli } = await setUp()
  const rail = { available: false, status: 'offline' }
  service.before = () => [200, { pin_service: rail, sinpe_service: rail, overall_status: 'offline' }]

  expect((await cli.run('payments', 'service-status')).code).toBe(0)
})

test('without a token is exit 4 and leaves no journal', async () => {
  const service = await startService()
  const cli = payctl(service.url, { token: undefined })

  const { code } = await cli.run('payments', 'send', '--from', account, '--to', iban, '--amount', '1', '--yes')

  expect(code).toBe(4)
  expect(service.received).toEqual([])
})

test.each([
  'send',
  'batch',
  'validate',
  'get',
  'watch',
  'history',
  'find',
  'receipt',
  'service-status',
  'intents',
  'resume',
])('the help of %s has examples', async (verb) => {
  const { code, stdout } = await payctl('http://127.0.0.1:9').run('payments', verb, '--help')

  expect(code).toBe(0)
  expect(stdout).toContain('Examples:\n  $ payctl payments ')
})
