import { describe, expect, test } from 'vitest'
import { builtPayctl } from './built_payctl.ts'
import { payctl } from './payctl.ts'
import {
  account,
  iban,
  isPayment,
  loseAnswers,
  type Payment,
  pageOf,
  paymentOf,
  type Service,
  startService,
} from './service.ts'

const send = ['payments', 'send', '--from', account, '--to', iban, '--amount', '1500.25', '--yes', '--retries', '0']

const setUp = async () => {
  const service = await startService()
  return { service, cli: payctl(service.url) }
}

/** The service answers a payment with this in place of the payment it was asked for. */
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

test.each([
  ['only an id', ['--output', 'table'], (_: Payment) => ({ id: 'pay-77' })],
  ['strange types', [], (payment: Payment) => ({ ...payment, id: 'pay-77', status: { a: 1 }, amount: 'much' })],
])('a success with %s is told, and known afterwards', async (_, flags, change) => {
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

test('a journal that breaks is no reason to say that a payment in doubt was not sent', async () => {
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
