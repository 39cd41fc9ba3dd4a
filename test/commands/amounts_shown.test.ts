import { describe, expect, it } from 'vitest'
import { at, runPayctl } from '../support/run_payctl.ts'
import { type Reply, startStub, success } from '../support/stub.ts'
import { payctl } from './payments/payctl.ts'
import { account, completedPayment, iban, pageOf, startService } from './payments/service.ts'

// `formatted` is a text of the service that people must not see: payctl shows `value` and `currency`.

const lie = '999.00 USD'

const payment = '01900000-0000-7000-8000-0000000000aa'

const paid = (amount: object) => ({
  ...completedPayment('x'),
  id: payment,
  amount,
  fee: amount,
  transfer_type: 'debit',
})

const accountWith = (balance: object) => ({ id: account, iban, owner_name: 'Ana Mora', status: 'active', balance })

async function shown(argv: readonly string[], answer: unknown): Promise<string> {
  const { url } = await startStub([200, success(answer)] satisfies Reply)
  const { code, stdout } = await runPayctl(argv, { ...at(url), terminal: 200 })
  expect(code).toBe(0)
  return stdout
}

const amount = { value: 150_025, currency: 'CRC', formatted: lie }

const screens: readonly (readonly [
  string,
  readonly string[],
  (money: Readonly<Record<string, unknown>>) => unknown,
])[] = [
  ['a payment', ['payments', 'get', payment], paid],
  ['payments', ['payments', 'history'], (money) => pageOf([paid(money)])],
  ['payments with all columns', ['payments', 'history', '-o', 'wide'], (money) => pageOf([paid(money)])],
  ['columns by name', ['payments', 'history', '--columns', 'amount,fee'], (money) => pageOf([paid(money)])],
  ['a path of the JSON', ['accounts', 'list', '--columns', 'id,balance'], (money) => pageOf([accountWith(money)])],
  ['accounts', ['accounts', 'list'], (money) => pageOf([accountWith(money)])],
  ['an account', ['accounts', 'get', account], accountWith],
  [
    'a balance',
    ['accounts', 'balance', account],
    ({ value, currency, formatted }) => ({ iban, currency, balance: value, formatted }),
  ],
  [
    'a validation',
    ['payments', 'validate', '--from', account, '--to', iban, '--amount', '5'],
    (money) => ({ channel: 'pin', fee: money }),
  ],
]

describe('money that people read', () => {
  it.each(screens)('is value and currency: %s', async (_, argv, answer) => {
    const text = await shown(argv, answer(amount))
    expect(text).toContain('1,500.25 CRC')
    expect(text).not.toContain('999')
  })

  it.each(screens)('is none where the value is not whole or the currency no code: %s', async (_, argv, answer) => {
    const bad = [
      { value: 1.5, currency: 'CRC', formatted: lie },
      { value: null, currency: 'CRC', formatted: lie },
      { value: 77, currency: 'CRC (paid)', formatted: lie },
    ]
    for (const money of bad) expect(await shown(argv, answer(money))).not.toMatch(/999|1\.5|0\.77 |[-+] ?CRC/)
  })

  it('stays as the service sent it in JSON', async () => {
    const { url } = await startStub([200, success(paid(amount))])
    const { stdout } = await runPayctl(['payments', 'get', payment, '--json'], at(url))
    expect(JSON.parse(stdout).amount).toEqual(amount)
  })
})

it('a sent payment is shown by value and currency', async () => {
  const service = await startService()
  const cli = payctl(service.url)
  service.afterCommit = () => {
    const [payment] = service.payments.values()
    const told = { value: 500, currency: 'CRC', formatted: '9.99 USD\u001b[31mEVIL' }
    return [201, { ...payment, source_account_id: account, recipient_iban: iban, recipient_phone: null, amount: told }]
  }
  const { code, stderr } = await cli.run('payments', 'send', '--from', account, '--to', iban, '--amount', '5', '--yes')
  expect(code).toBe(0)
  expect(stderr).toContain('Sent 5.00 CRC to ')
  expect(stderr).not.toMatch(/9\.99|EVIL/)
})

it('a question shows the fee by value and currency', async () => {
  const service = await startService()
  const cli = payctl(service.url)
  service.before = ({ path }) =>
    path.endsWith('/validate')
      ? [200, { channel: 'pin', fee: { value: 100, currency: 'CRC', formatted: lie } }]
      : undefined
  const { stderr } = await cli.ask('n\n', 'payments', 'send', '--from', account, '--to', iban, '--amount', '5')
  expect(stderr).toContain('fee 1.00 CRC')
  expect(stderr).not.toContain('999')
})
