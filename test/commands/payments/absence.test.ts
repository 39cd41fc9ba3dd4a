import { describe, expect, test } from 'vitest'
import { worldHeader } from '../../../src/contract/headers.ts'
import { rowsOf } from './batch_file.ts'
import { setUp as setUpBatch } from './batch_service.ts'
import { later, type Payctl, payctl } from './payctl.ts'
import { account, isPayment, type Payment, pageOf, paymentOf, phone, type Service, startService } from './service.ts'

// The service refuses the repetition of a payment. Only a completely read history proves that the payment was not made.

const once = ['--retries', '0']
const send = ['payments', 'send', '--from', account, '--to', phone, '--amount', '7', '--yes', ...once]

/** Makes a service pay and answer 500. The service then refuses the key, and returns these pages as its history. */
async function paidAndRefused(historyOf: (payments: readonly Payment[], page: number) => unknown) {
  const service = await startService()
  const cli = payctl(service.url)
  service.afterCommit = () => [500, 'Payment processing failed']
  const sent = await cli.run(...send, '--idempotency-key', 'order-7a')
  refuse(service, historyOf)
  return { service, cli, sent }
}

function refuse(service: Service, historyOf: (payments: readonly Payment[], page: number) => unknown): void {
  service.before = (request) => {
    if (isPayment(request)) return [422, 'The key was used before']
    if (request.path !== '/api/payments/history') return undefined
    return [200, historyOf([...service.payments.values()], Number(request.query.page ?? 1))]
  }
}

const stateOf = async (cli: Pick<Payctl, 'run'>) => {
  const intents = JSON.parse((await cli.run('payments', 'intents', '--json')).stdout)
  return intents.map(({ status }: { status: string }) => status)
}

/** Another payment of the user: with another key and another amount. */
const other = paymentOf({ key: 'order-1', body: { amount: 500, recipient_phone: phone } })

const unreadable: readonly [string, (payments: readonly Payment[], page: number) => unknown, string][] = [
  [
    'page 1 comes again in place of page 2',
    () => ({ ...pageOf([other], 1, 2), total: 2 }),
    'page 2 was asked for, and page 1 came',
  ],
  [
    'there is nothing on the first of three pages',
    () => ({ ...pageOf([], 1, 3), total: 5, next_page_url: null }),
    'page 1 is empty, and is not the last',
  ],
  ['there is nothing of five payments', () => ({ ...pageOf([]), total: 5 }), 'its total says 5 items, but 0 came'],
  ['nothing is said of pages', () => ({ data: [] }), 'does not say how many payments it has'],
  ['its items can not be understood', () => ({ ...pageOf([null, 5, {}]), total: 3 }), 'without an id'],
  ['the key is missing', ([paid]) => pageOf([{ ...paid, idempotency_key: null }]), 'without an idempotency key'],
  ['the key is in capitals', ([paid]) => pageOf([{ ...paid, idempotency_key: 'ORDER-7A' }]), 'ORDER-7A'],
  [
    'a payment is made while the pages are read',
    (_, page) => ({
      ...pageOf([page === 1 ? other : { ...other, id: 'p2' }], page, 2),
      total: 1 + page,
      next_page_url: null,
    }),
    'reports a total of 3 payments, but listed 2',
  ],
  [
    'a payment moves to a page that was read before',
    (_, page) => ({
      ...pageOf(page === 1 ? [other, { ...other, id: 'p2' }] : [{ ...other, id: 'p2' }], page, 2),
      total: 3,
    }),
    'items, but 2 came',
  ],
]

describe.each(unreadable)('a payment that was made stays in doubt where in the history %s', (_, historyOf, why) => {
  test.each([[['payments', 'resume', 'last']], [send.concat('--idempotency-key', 'order-7a')]])('%j', async (argv) => {
    const { service, cli, sent } = await paidAndRefused(historyOf)

    const resumed = await cli.run(...argv, ...once)
    const all = await cli.run('payments', 'resume', ...once)

    expect([sent, resumed, all].map(({ code }) => code)).toEqual([10, 10, 10])
    expect(resumed.stderr).toContain(why)
    expect(resumed.stderr).toMatch(/payctl payments resume int_/)
    expect(`${resumed.stderr}${all.stderr}`).not.toMatch(/no money moved/)
    expect(await stateOf(cli)).toEqual(['unknown'])
    expect(service.payments.size).toBe(1)
  })
})

test('rows of a batch stay in doubt where the history is shorter than its total', async () => {
  const { service, batch, cli } = await setUpBatch(3)
  service.afterCommit = () => [500, 'Payment processing failed']
  await batch()
  refuse(service, () => ({ ...pageOf([]), total: 0, data: [{ ...other, idempotency_key: null, amount: null }] }))

  const again = await batch()
  const intents = JSON.parse((await cli.run('payments', 'intents', '--json')).stdout)

  expect(again.code).toBe(10)
  expect(rowsOf(again.stdout).map((row) => row.status)).toEqual(['unknown', 'unknown', 'unknown'])
  expect(intents[0].error).toContain('without an idempotency key')
})

describe('a payment that was not made is known not to be there', () => {
  const notMade = async (historyOf: (page: number) => unknown, clock?: 'set forward' | 'of an emulator' | 'wrong') => {
    const service = await startService()
    const cli = payctl(service.url)
    if (clock === 'of an emulator') service.headers[worldHeader] = 'world-1'
    if (clock === 'wrong') service.headers.Date = new Date(Date.now() - 6 * 3_600_000).toUTCString()
    service.before = (request) => (isPayment(request) ? [500, 'Payment processing failed'] : undefined)
    await cli.run(...send, '--idempotency-key', 'order-7a')
    refuse(service, (_, page) => historyOf(page))
    if (clock && clock !== 'wrong') service.headers.Date = new Date().toUTCString()
    later(11 * 60_000)
    const { code } = await cli.run('payments', 'resume', ...once)
    return { code, state: await stateOf(cli) }
  }

  const mine = (id: string, changes: object = {}) => ({ ...other, id, idempotency_key: `of-${id}`, ...changes })

  test.each<[string, (page: number) => unknown]>([
    ['in an empty history', () => pageOf([])],
    ['among others', () => pageOf([mine('p1'), mine('p2', { amount: { value: 700, currency: 'CRC' } })])],
    [
      'on pages that move while they are read',
      (page) => ({ ...pageOf(page === 1 ? [mine('p3'), mine('p2')] : [mine('p2'), mine('p1')], page, 2), total: 3 }),
    ],
    ['beside one without a key and of another amount', () => pageOf([mine('p1', { idempotency_key: null })])],
    [
      'beside one with the key in capitals and of another amount',
      () => pageOf([mine('p1', { idempotency_key: 'ORDER-7A' })]),
    ],
    [
      'beside money that came in without a key',
      () => pageOf([{ ...mine('p1', { idempotency_key: null, transfer_type: 'credit' }), amount: { value: 700 } }]),
    ],
    [
      'beside money that came in with its key, which is an event’s',
      () => pageOf([mine('p1', { idempotency_key: 'order-7a', transfer_type: 'credit' })]),
    ],
  ])('%s', async (_, historyOf) => {
    expect(await notMade(historyOf)).toEqual({ code: 7, state: ['rejected'] })
  })

  test('even if the clock of an emulator stands still', async () => {
    expect(await notMade(() => pageOf([]), 'of an emulator')).toEqual({ code: 7, state: ['rejected'] })
  })

  test('even if the clock of the service is hours behind', async () => {
    expect(await notMade(() => pageOf([]), 'wrong')).toEqual({ code: 7, state: ['rejected'] })
  })

  test('but not yet if the clock of this machine was set forward', async () => {
    expect(await notMade(() => pageOf([]), 'set forward')).toEqual({ code: 10, state: ['unknown'] })
  })
})

test('the day is named if the clock must catch up for days until the doubt ends', async () => {
  later(3 * 24 * 3_600_000)
  const { cli } = await paidAndRefused(() => pageOf([]))
  const day = new Date().toISOString().slice(0, 10)
  later(-2 * 24 * 3_600_000)

  const { code, stderr, stdout } = await cli.ask('y\r', 'payments', 'resume', ...once)

  expect(code).toBe(10)
  expect(`${stdout}${stderr}`).toContain(`Resume it after ${day} `)
})

describe('lists that contradict themselves', () => {
  const sameForEver = (service: Service) => {
    service.before = ({ path, query }) => {
      if (path !== '/api/payments/history' && path !== '/api/accounts') return undefined
      const page = Number(query.page ?? 1)
      return [200, { ...pageOf([{ ...other, balance: other.amount }], page, page + 1), total: page + 1 }]
    }
  }

  test.each([
    [['accounts', 'list', '--all']],
    [['payments', 'history', '--all']],
    [['payments', 'find', 'nobody', '--all']],
    [['payments', 'send', '--from', 'USD', '--to', phone, '--amount', '7', '--dry-run']],
    [['api', 'GET', '/api/accounts', '--paginate']],
  ])('are not read for ever: %j', async (argv) => {
    const service = await startService()
    sameForEver(service)

    const { code, stderr } = await payctl(service.url).run(...argv)

    expect({ code, stderr }).toEqual({ code: 12, stderr: expect.stringContaining('no new item') })
    expect(service.received.length).toBeLessThan(20)
  })

  test.each([
    ['another page follows', { ...pageOf([], 1, 4), total: 7 }],
    ['its total is more', { ...pageOf([]), total: 7 }],
  ])('are not said to have no payments where %s', async (_, page) => {
    const service = await startService()
    service.before = ({ path }) => (path === '/api/payments/history' ? [200, page] : undefined)

    const { code, stderr } = await payctl(service.url).run('payments', 'history', '--all')

    expect({ code, stderr }).toEqual({ code: 12, stderr: expect.stringContaining('could not be read completely') })
    expect(stderr).not.toContain('No payments')
  })
})
