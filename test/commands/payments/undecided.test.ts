import { describe, expect, test } from 'vitest'
import { rowsOf } from './batch_file.ts'
import { setUp as setUpBatch } from './batch_service.ts'
import { type Payctl, payctl } from './payctl.ts'
import { account, iban, isPayment, pageOf, recover, type Service, startService } from './service.ts'

const send = ['payments', 'send', '--from', account, '--to', iban, '--amount', '10', '--yes']
const once = ['--retries', '0']

const setUp = async () => {
  const service = await startService()
  return { service, cli: payctl(service.url) }
}

/** Makes the service pay, and then answer with a status that proves neither a success nor a refusal. */
const payAndAnswer = (service: Service, status: number) => {
  service.afterCommit = () => [status, 'Payment is still being processed']
}

const hideHistory = (service: Service) => {
  service.before = ({ path }) => (path === '/api/payments/history' ? [200, pageOf([])] : undefined)
}

const intents = async (cli: Pick<Payctl, 'run'>) => JSON.parse((await cli.run('payments', 'intents', '--json')).stdout)

/** Returns the command that a hint names. */
const hinted = (stderr: string): string[] => (/payctl (payments [^\n"(]*)/.exec(stderr)?.[1] ?? '').trim().split(' ')

/** Words that no message may contain while a payment is in doubt. */
const promises = /no money moved|nothing (was sent|happened)|nothing to resume|refused/i

describe.each([404, 408, 409, 413, 423, 425, 499])('a service that pays and answers %i', (status) => {
  test('leaves the payment in doubt, exit 10, until the repeated key is answered', async () => {
    const { service, cli } = await setUp()
    payAndAnswer(service, status)
    hideHistory(service)

    const sent = await cli.run(...send, ...once)
    const resume = hinted(sent.stderr)
    const one = await cli.run(...resume, ...once)
    const all = await cli.run('payments', 'resume', ...once)
    const before = await intents(cli)
    recover(service)
    const end = await cli.run(...resume, '--json')

    expect([sent, one, all].map(({ code }) => code)).toEqual([10, 10, 10])
    expect(before).toMatchObject([{ id: resume.at(-1), status: 'unknown', payment_id: null }])
    expect(hinted(one.stderr)).toEqual(resume)
    expect(`${sent.stderr}${one.stderr}${all.stderr}`).not.toMatch(promises)
    expect(sent.stderr).toContain(`${status}: Payment is still being processed`)
    expect(end.code).toBe(0)
    expect(service.payments.size).toBe(1)
    expect(JSON.parse(end.stdout)).toMatchObject({ id: [...service.payments.values()][0]?.id })
  })

  test('is believed when the history has the payment', async () => {
    const { service, cli } = await setUp()
    payAndAnswer(service, status)
    const resume = hinted((await cli.run(...send, ...once)).stderr)

    const { code, stdout } = await cli.run(...resume, ...once, '--json')

    expect({ code, payment: JSON.parse(stdout) }).toMatchObject({ code: 0, payment: { amount: { value: 1000 } } })
    expect(await intents(cli)).toMatchObject([{ status: 'settled' }])
  })
})

describe.each([400, 401, 403, 422])('a service that pays behind a gateway that answers %i', (status) => {
  test('leaves payments in doubt, exit 10: only the error envelope of the interface is a refusal', async () => {
    const { service, cli, batch } = await setUpBatch(2)
    service.afterCommit = (_, response) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end('{"message":"Blocked by the gateway"}')
      return 'handled'
    }
    hideHistory(service)
    const raw = ['api', 'payments.create', '--header', 'X-Idempotency-Key: raw-1', ...once]

    const sent = await cli.run(...send, ...once)
    const resumed = await cli.run(...hinted(sent.stderr), ...once)
    const rows = await batch(...once)
    const called = await cli.run(...raw, '--field', `source_account_id=${account}`, '--field', `recipient_iban=${iban}`)

    expect([sent, resumed, rows, called].map(({ code }) => code)).toEqual([10, 10, 10, 10])
    expect(`${sent.stderr}${resumed.stderr}${rows.stderr}${called.stderr}`).not.toMatch(promises)
    expect((await intents(cli)).map((intent: { status: string }) => intent.status)).not.toContain('rejected')
    recover(service)
    expect((await cli.run('payments', 'resume')).code).toBe(0)
    expect(service.payments.size).toBe(4)
  })
})

test('a payment that the history shows without its status was made: it is settled, and pending until more is known', async () => {
  const { service, cli } = await setUp()
  payAndAnswer(service, 409)
  await cli.run(...send, ...once)
  service.before = ({ path }) => {
    if (path !== '/api/payments/history') return undefined
    return [200, pageOf([...service.payments.values()].map(({ status: _, ...payment }) => payment))]
  }

  const { code, stderr } = await cli.run('payments', 'resume', ...once)

  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/undefined|null/) })
  const [payment] = service.payments.values()
  expect(await intents(cli)).toMatchObject([{ status: 'settled', payment_id: payment?.id, payment_status: 'pending' }])
})

test.each([404, 409])(
  'a service that pays and answers %i leaves the rows of a batch in doubt; each is paid once',
  async (status) => {
    const { service, cli, batch } = await setUpBatch(3)
    payAndAnswer(service, status)
    hideHistory(service)

    const first = await batch()
    const again = await batch()
    const resumed = await cli.run(...hinted(again.stderr), '--output', 'ndjson', ...once)
    recover(service)
    const end = await batch()

    for (const { code, stdout, stderr } of [first, again, resumed]) {
      expect(code).toBe(10)
      expect(rowsOf(stdout).map((row) => row.status)).toEqual(['unknown', 'unknown', 'unknown'])
      expect(stderr).not.toMatch(promises)
    }
    expect(end.code).toBe(0)
    expect(service.payments.size).toBe(3)
  },
)

test('typing each hint unchanged pays once, however long the service takes to answer', async () => {
  const { service, cli } = await setUp()
  let answers = 0
  service.afterCommit = () => {
    answers += 1
    return answers < 7 ? [409, 'Payment is still being processed'] : undefined
  }
  hideHistory(service)
  let run = await cli.run(...send)
  for (let hints = 0; run.code === 10 && hints < 5; hints += 1) run = await cli.run(...hinted(run.stderr))

  expect(run.code).toBe(0)
  expect(service.payments.size).toBe(1)
  expect(new Set(service.received.filter(isPayment).map(({ key }) => key)).size).toBe(1)
})

test('rows of a batch that the service has but does not confirm are found in the history, read once', async () => {
  const { service, batch } = await setUpBatch(12)
  payAndAnswer(service, 409)
  await batch('--concurrency', '1')
  recover(service)
  payAndAnswer(service, 409)

  const again = await batch()

  // The first run gave up after ten rows; the second sends the last two.
  expect(again.code).toBe(10)
  const statuses = rowsOf(again.stdout).map(({ status }) => status)
  expect(statuses.filter((status) => status === 'completed')).toHaveLength(10)
  expect(statuses.filter((status) => status === 'unknown')).toHaveLength(2)
  expect(service.count('/api/payments/history')).toBe(1)
})

describe('a write that is not a payment', () => {
  test.each([
    ['a fault', 500],
    ['a gateway’s timeout', 504],
    ['a timeout', 408],
  ])('that meets with %s is not said to have done nothing', async (_, status) => {
    const { service, cli } = await setUp()
    service.before = () => [status, 'It went wrong']

    const { code, stderr } = await cli.run('accounts', 'create', '--currency', 'CRC')

    expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringContaining('may have been carried out') })
    expect(stderr).toContain('payctl accounts list')
    expect(service.received).toHaveLength(1)
  })

  test('that is answered with a page was perhaps carried out', async () => {
    const { service, cli } = await setUp()
    service.before = (_, response) => {
      response.writeHead(201, { 'Content-Type': 'text/html' }).end('<html>')
      return 'handled'
    }

    expect((await cli.run('accounts', 'create', '--currency', 'CRC')).code).toBe(10)
  })
})
