import { describe, expect, test } from 'vitest'
import { account, iban, isPayment, phone, recover } from '../commands/payments/service.ts'
import { everyNth } from '../support/full.ts'
import { type LimitedPayctl, limitedPayctl, rowsOf, sending } from './limited_payctl.ts'

/** Twelve hours, in Costa Rica's time, that do not include the present. */
function closedHours(): string {
  const hour = (new Date().getUTCHours() + 24 - 6) % 24
  const text = (at: number) => `${String(at % 24).padStart(2, '0')}:00`
  return `${text(hour + 6)}-${text(hour + 18)}`
}

/** Flags of each limit, and its message about a payment of 80.00 CRC to a phone. */
const kinds = {
  per_payment: {
    flags: ['--per-payment', '75', 'CRC'],
    says: 'allow 75.00 CRC for one payment, and this payment is 80.00 CRC',
  },
  per_day: { flags: ['--per-day', '79', 'CRC'], says: 'allow 79.00 CRC a day, and this payment is 80.00 CRC:' },
  per_payee_day: { flags: ['--per-payee-day', '79.99', 'CRC'], says: 'allow 79.99 CRC a day to one payee' },
  payees: {
    flags: ['--allow-payee', 'CR05015202001026284066'],
    says: `do not allow the payee ${phone.slice(0, 4)} ${phone.slice(4)}`,
  },
  hours: { flags: ['--hours', closedHours()], says: 'allow payments only from ' },
  currency: { flags: ['--per-day', '1000', 'USD'], says: 'allow payments in USD only, not in CRC' },
  read_only: { flags: ['--read-only'], says: 'allow reading only' },
}

/** Each way to pay: the preparation before the test sets the limits, and the run that the limits refuse. */
const ways = {
  send: { before: async () => {}, argv: () => [...sending('80'), '--yes'] },
  batch: {
    before: async () => {},
    argv: ({ file }: LimitedPayctl) => ['payments', 'batch', file('a.csv', rowsOf('70', '80')), '--yes'],
  },
  retry: {
    before: (at: LimitedPayctl) => batchAnswered(at, [422, 'Refused by the test']),
    argv: () => ['payments', 'batch', 'retry', 'pay-day', '--failed', '--yes'],
  },
  'resume --batch': {
    before: (at: LimitedPayctl) => batchAnswered(at, [403, 'Not for this token']),
    argv: () => ['payments', 'resume', '--batch', 'pay-day', '--yes'],
  },
  resume: {
    async before({ service, send }: LimitedPayctl) {
      service.before = (request) => (isPayment(request) ? [403, 'Not for this token'] : undefined)
      await send('80', '--idempotency-key', 'mine')
      recover(service)
    },
    async argv({ run }: LimitedPayctl) {
      const [{ id }] = JSON.parse((await run('payments', 'intents', '--json')).stdout)
      return ['payments', 'resume', id, '--yes']
    },
  },
  api: {
    before: async () => {},
    argv: () => [
      ...['api', 'POST', '/api/payments', '--header', 'X-Idempotency-Key: mine'],
      ...['-f', `source_account_id=${account}`, '-F', 'amount=8000', '-f', `recipient_phone=${phone}`],
    ],
  },
}

/** Runs a batch; the service answers each of its payments with `answer`. */
async function batchAnswered({ service, run, file }: LimitedPayctl, answer: readonly [number, string]) {
  service.before = (request) => (isPayment(request) ? answer : undefined)
  await run('payments', 'batch', file('a.csv', rowsOf('70', '80')), '--batch-id', 'pay-day', '--yes')
  recover(service)
}

const cases = Object.entries(kinds).flatMap(([kind, limit]) =>
  Object.entries(ways).map(([way, how]) => ({ kind, way, ...limit, ...how })),
)

test.each(everyNth(cases, 5))('$kind holds for $way', async ({ flags, says, before, argv }) => {
  const at = await limitedPayctl()
  await before(at)
  await at.limit(...flags)
  const requested = at.requested()

  const { exitCode, stderr } = await at.run(...(await argv(at)))

  expect(stderr).toContain('The limits of profile default')
  expect(stderr.replace(/\s+/g, ' ')).toContain(says)
  expect(stderr).toContain('Nothing was sent')
  expect(stderr).not.toContain('Sending')
  expect(exitCode).toBe(5)
  expect(at.requested()).toBe(requested)
  expect(at.service.payments.size).toBe(0)
  expect(at.audited().filter(({ event }) => event === 'refused')).not.toHaveLength(0)
})

test('the currency may stand behind each amount, and is one for all', async () => {
  const at = await limitedPayctl()

  const set = await at.run('limits', 'set', '--per-payment', '5', 'CRC', '--per-day', '9', 'crc', '--json')
  const mixed = await at.run('limits', 'set', '--per-payment', '4', 'CRC', '--per-day', '9', 'USD')

  expect(JSON.parse(set.stdout)).toMatchObject([
    { limit: 'per_payment', currency: 'CRC', most: { value: 500 } },
    { limit: 'per_day', currency: 'CRC', most: { value: 900 } },
  ])
  expect(mixed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Several currencies are named.') })
})

test('a payee is allowed by the name under which it is saved, and shown by both', async () => {
  const at = await limitedPayctl()
  await at.run('payees', 'add', 'luz', '--to', iban)

  const { stdout } = await at.run('limits', 'set', '--allow-payee', 'luz', '--allow-payee', phone, '--json')

  const payees = [
    { address: iban, name: 'luz' },
    { address: phone, name: null },
  ]
  expect(JSON.parse(stdout)).toMatchObject([{ limit: 'payees', allowed: `${iban}, ${phone}`, payees }])
  expect((await at.run('limits', '-o', 'table')).stdout).toContain('luz (CR05 0152 0200 1026 2840 66), 8888 1234')
  expect((await at.run(...sending('1').with(5, 'luz'), '--yes')).exitCode).toBe(0)
  expect((await at.run('limits', 'set', '--allow-payee', 'lux')).stderr).toContain('Did you mean luz?')
})

test('a payee that is allowed by its name keeps its account when the name is given to another', async () => {
  const at = await limitedPayctl()
  await at.run('payees', 'add', 'luz', '--to', iban)
  await at.limit('--allow-payee', 'luz')
  await at.run('payees', 'remove', 'luz', '--yes')
  await at.run('payees', 'add', 'luz', '--to', phone)

  expect((await at.run(...sending('1').with(5, 'luz'), '--yes')).exitCode).toBe(5)
  expect((await at.run(...sending('1').with(5, iban), '--yes')).exitCode).toBe(0)
})

test('a further limit does not say that the limits apply to all users where they apply to one', async () => {
  const at = await limitedPayctl()
  await at.limit('--per-day', '100', 'CRC')
  at.service.identify = () => [503, 'Later']

  const { exitCode, stderr } = await at.run('limits', 'set', '--per-payment', '50', 'CRC', '--retries', '0')

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('all users') })
})

describe('a token that may not read accounts', () => {
  test('sends nothing under limits in one currency: the account may be in another', async () => {
    const at = await limitedPayctl()
    await at.limit('--per-payment', '75', 'CRC')
    hideAccounts(at)

    const { exitCode, stderr } = await at.send('10')

    expect(stderr).toContain("allow payments in CRC only, and the account's currency could not be read")
    expect(stderr).toContain('use a token with the scope read-accounts')
    expect(exitCode).toBe(5)
    expect(at.requested()).toBe(0)
  })

  test('sends what is within the limits of both currencies', async () => {
    const at = await limitedPayctl()
    await at.limit('--per-payment', '75 CRC', '--per-day', '20 USD')
    hideAccounts(at)

    const within = await at.send('20')
    const beyond = await at.send('0.01')

    expect([within.exitCode, beyond.exitCode]).toEqual([0, 5])
    expect(at.requested()).toBe(1)
  })
})

function hideAccounts({ service }: LimitedPayctl): void {
  service.before = ({ path }) => (path.startsWith('/api/accounts') ? [403, 'Not for this token'] : undefined)
}
