import { describe, expect, test } from 'vitest'
import { fileOf } from './batch_service.ts'
import { builtPayctl } from './built_payctl.ts'
import { payctl } from './payctl.ts'
import {
  account,
  hideHistory,
  iban,
  initiated,
  isPayment,
  loseAnswers,
  type Payment,
  pageOf,
  paymentOf,
  phone,
  type Service,
  startService,
} from './service.ts'

const send = ['payments', 'send', '--from', account, '--to', iban, '--amount', '1500.25', '--yes', '--retries', '0']

const setUp = async () => {
  const service = await startService()
  return { service, cli: payctl(service.url) }
}

/** Makes the service answer with a changed payment instead of the requested one. */
const answerWith = (service: Service, change: (payment: Payment) => object) => {
  service.before = (request) => (isPayment(request) ? [201, change(paymentOf(request))] : undefined)
}

const intents = async (cli: Pick<ReturnType<typeof payctl>, 'run'>) =>
  JSON.parse((await cli.run('payments', 'intents', '--json')).stdout)

describe('an answer that names another payment than the one asked for is exit 10 and names it', () => {
  test.each([
    ['amount', (payment: Payment) => ({ ...payment, amount: { ...payment.amount, value: 500 } }), 'amount'],
    ['key', (payment: Payment) => ({ ...payment, idempotency_key: 'order-99' }), 'order-99'],
    ['source', (payment: Payment) => ({ ...payment, source_account_id: crypto.randomUUID() }), 'account'],
    [
      'payee',
      (payment: Payment) => ({ ...payment, recipient_iban: 'CR21015202001026284067' }),
      'CR21015202001026284067',
    ],
  ])('another %s', async (_, change, text) => {
    const { service, cli } = await setUp()
    answerWith(service, (payment) => ({ ...change(payment), id: 'pay-77' }))

    const { code, stdout, stderr } = await cli.run(...send, '--json')

    expect({ code, stdout }).toEqual({ code: 10, stdout: '' })
    expect(stderr).toContain('pay-77')
    expect(stderr).toContain(text)
    expect(stderr).toMatch(/payctl payments resume int_/)
    expect(await intents(cli)).toMatchObject([{ status: 'unknown', payment_id: null }])
  })

  const byPhone = [...send.slice(0, 4), '--to', phone, '--amount', '1500.25', '--yes', '--retries', '0']

  test.each<[string, string[], (payment: Payment) => object, string]>([
    [
      'an IBAN alone where a phone was asked for',
      byPhone,
      (payment) => ({ ...initiated(payment), recipient_iban: iban, recipient_phone: null }),
      `its phone is ${iban}, not ${phone}`,
    ],
    [
      'a phone alone where an IBAN was asked for',
      send,
      (payment) => ({ ...initiated(payment), recipient_iban: null, recipient_phone: phone }),
      `its IBAN is ${phone}, not ${iban}`,
    ],
    [
      'another phone as a number',
      byPhone,
      (payment) => ({ ...initiated(payment), recipient_phone: 88888888 }),
      `its phone is 88888888, not ${phone}`,
    ],
    [
      'another amount as a text',
      send,
      (payment) => ({ ...initiated(payment), amount: { ...payment.amount, value: '999' } }),
      'its amount is 9.99, not 1,500.25',
    ],
    [
      'an amount that is not whole',
      send,
      (payment) => ({ ...initiated(payment), amount: { ...payment.amount, value: 150025.5 } }),
      'its amount is 150025.5 in minor units, not 1,500.25',
    ],
    [
      'a key that is a number',
      send,
      (payment) => ({ ...initiated(payment), idempotency_key: 5 }),
      'its idempotency key is 5',
    ],
    ...[
      [...send.slice(0, -5), '--amount', '₡1500.25', '--yes', '--retries', '0'],
      [...send.slice(0, 3), 'CRC', ...send.slice(4)],
    ].map((argv): [string, string[], (payment: Payment) => object, string] => [
      `another currency than that of ${argv.slice(3).join(' ')}`,
      argv,
      (payment) => ({ ...initiated(payment), amount: { ...payment.amount, currency: 'USD' } }),
      'its currency is USD, not CRC',
    ]),
  ])('%s', async (_, argv, change, text) => {
    const { service, cli } = await setUp()
    answerWith(service, change)

    const { code, stdout, stderr } = await cli.run(...argv)

    expect({ code, stdout, stderr }).toEqual({ code: 10, stdout: '', stderr: expect.stringContaining(text) })
    const [{ status, currency }] = await intents(cli)
    expect({ status, currency }).toEqual({ status: 'unknown', currency: text.includes('currency') ? 'CRC' : null })
  })

  test('a key that another machine used for something else', async () => {
    const { service, cli } = await setUp()
    await payctl(service.url).run(...send, '--idempotency-key', 'order-1')

    const { code, stderr } = await cli.run(...send, '--amount', '7', '--idempotency-key', 'order-1')

    expect(code).toBe(10)
    expect(stderr).toContain([...service.payments.values()][0]?.id)
    expect(stderr).toContain('1,500.25')
  })

  test('in the history, where a payment in doubt is looked for', async () => {
    const { service, cli } = await setUp()
    service.before = (_, response) => {
      response.destroy()
      return 'handled'
    }
    await cli.run(...send, '--idempotency-key', 'order-1')
    service.before = (request) => {
      if (isPayment(request)) return [422, 'The key was used for another payment']
      return [200, pageOf([paymentOf({ key: 'order-1', body: { amount: 7 } })])]
    }

    const { code } = await cli.run('payments', 'resume')

    expect(code).toBe(10)
    expect(await intents(cli)).toMatchObject([{ status: 'unknown' }])
  })
})

test.each<[string, string, (payment: Payment) => object]>([
  [
    'a phone and the IBAN behind it',
    phone,
    (payment) => ({ recipient_iban: iban, recipient_phone: payment.payee.phone_number }),
  ],
  ['no payee', phone, () => ({ recipient_iban: null, recipient_phone: null })],
  ['no amount and no key', iban, () => ({ amount: null, idempotency_key: null })],
  ['the amount as a text', iban, (payment) => ({ amount: { ...payment.amount, value: '150025' } })],
  ['a phone with the country’s code', phone, () => ({ recipient_phone: `506${phone}` })],
  ['a phone as a number', phone, () => ({ recipient_phone: Number(phone) })],
])('a success with %s is of the payment that was asked for', async (_, to, change) => {
  const { service, cli } = await setUp()
  answerWith(service, (payment) => ({ ...initiated(payment), ...change(payment) }))

  const { code } = await cli.run(...send, '--to', to)

  expect(code).toBe(0)
  expect(await intents(cli)).toMatchObject([{ status: 'settled' }])
})

describe('a payment that has ended without paying when the service answers', () => {
  const failed = (payment: Payment) => ({ ...initiated(payment), id: 'pay-77', status: 'failed' })

  test.each([[[]], [['--json']], [['--wait']]])('is exit 8, and not said to be sent: %j', async (flags) => {
    const { service, cli } = await setUp()
    answerWith(service, failed)
    const before = service.before
    service.before = (request, response) =>
      request.path === '/api/payments/pay-77'
        ? [
            200,
            {
              ...paymentOf({ key: '', body: {} }),
              ...{ id: 'pay-77', status: 'failed', amount: null, idempotency_key: null },
            },
          ]
        : before(request, response)

    const { code, stdout, stderr } = await cli.run(...send, ...flags)

    expect({ code, stdout }).toEqual({ code: 8, stdout: expect.stringContaining('pay-77') })
    expect(stderr).toContain('Payment pay-77 ended as failed')
    expect(stderr).toContain('Not paid: 1,500.25 CRC')
    expect(stderr).not.toMatch(/\bsent\b/i)
    expect(await intents(cli)).toMatchObject([{ status: 'settled', payment_status: 'failed' }])
    expect((await cli.run('payments', 'resume', 'last')).code).toBe(8)
  })

  test('is exit 8 too where its answer was lost and all in doubt are resumed', async () => {
    const { service, cli } = await setUp()
    loseAnswers(service)
    await cli.run(...send)
    service.afterCommit = () => undefined
    service.before = (request) => (isPayment(request) ? [201, { ...failed(paymentOf(request)) }] : undefined)
    hideHistory(service)

    const { code, stderr } = await cli.run('payments', 'resume')

    expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining('1 of 1 payment') })
  })
})

test.each([
  ['only an id', ['--output', 'table'], (_: Payment) => ({ id: 'pay-77' })],
  ['strange types', [], (payment: Payment) => ({ ...payment, id: 'pay-77', status: { a: 1 }, amount: 'much' })],
])('a success with %s is reported, and known afterwards', async (_, flags, change) => {
  const { service, cli } = await setUp()
  answerWith(service, change)

  const { code, stdout, stderr } = await cli.run(...send, ...flags)

  expect(code).toBe(0)
  expect(`${stdout}${stderr}`).toContain('pay-77')
  expect(await intents(cli)).toMatchObject([{ status: 'settled', payment_id: 'pay-77', payment_status: 'pending' }])
})

describe('a result that cannot be written', () => {
  test.each([[send], [[...send, '--wait', '--wait-timeout', '5s']], [[...send, '--output', 'table']]])(
    'of a payment that was made is exit 10 and names it: %j',
    async (argv) => {
      const service = await startService()
      const cli = builtPayctl({ base_url: service.url, token: 'token-of-the-test' })

      const { code, stderr } = await cli.start(argv, { shell: 'exec > /dev/full' }).finished

      const [payment] = service.payments.values()
      expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringContaining(payment?.id ?? '-') })
      expect(stderr).toContain('has been sent')
    },
  )
})

test('a payment in doubt is not called rejected by another user’s token', async () => {
  const { service, cli } = await setUp()
  loseAnswers(service)
  await cli.run(...send)
  service.before = (request) => {
    if (isPayment(request)) return [422, 'Source account does not exist']
    if (request.path.startsWith('/api/accounts/')) return [404, 'Account not found']
    return [200, pageOf([])]
  }

  const { code, stderr } = await cli.run('payments', 'resume', (await intents(cli))[0].id)

  expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringContaining('money may have moved') })
  expect(await intents(cli)).toMatchObject([{ status: 'unknown' }])
})

test('a journal that breaks does not turn a payment in doubt into an unsent one', async () => {
  const { service, cli } = await setUp()
  loseAnswers(service)
  const { stderr } = await cli.run(...send)
  const id = /int_\w+/.exec(stderr)?.[0] ?? ''
  const { default: Sqlite } = await import('better-sqlite3')
  const journal = new Sqlite(`${cli.stateDir}/journal.db`)
  journal.exec("CREATE TRIGGER broken BEFORE UPDATE ON intents BEGIN SELECT RAISE(FAIL, 'disk full'); END")
  journal.close()

  const again = await cli.run('payments', 'resume', id)

  expect({ code: again.code, stderr: again.stderr }).toEqual({ code: 10, stderr: expect.stringContaining(id) })
  expect(again.stderr).not.toContain('Nothing was sent')
})

test.each([400, 422])(
  "a gateway's %i to a read before a payment is not exit 7: the payment may have been made",
  async (status) => {
    const { service, cli } = await setUp()
    const keyed = [...send, '--idempotency-key', 'order-7']
    loseAnswers(service)
    await cli.run(...keyed)
    service.identify = (_, response) => {
      response.writeHead(status).end('{"message": "Not now"}')
      return 'handled'
    }

    const runs = [
      await cli.run(...keyed),
      await cli.run('payments', 'resume', 'last'),
      await cli.run('payments', 'resume'),
      await cli.run('payments', 'batch', cli.file('a.csv', fileOf(1)), '--yes'),
    ]

    expect(runs.map(({ code }) => code)).toEqual([12, 12, 12, 12])
    expect(runs[0]?.stderr).toContain('The answer is not from the service, but from something in front of it')
    expect(service.received.filter(isPayment)).toHaveLength(1)
  },
)
