import { describe, expect, test } from 'vitest'
import { later, type Payctl, payctl } from './payctl.ts'
import { account, iban, isPayment, type Service, startService } from './service.ts'

// An abandoned request may still arrive. Until it can no longer arrive, a refused repetition does not settle the
// payment.

const minutes = 60_000
const send = [
  'payments',
  'send',
  '--from',
  account,
  '--to',
  iban,
  '--amount',
  '10',
  '--yes',
  '--idempotency-key',
  'order-7',
]
const once = ['--retries', '0']

/**
 * The first request reaches the service when `arrive` is called, long after its caller has given up; repetitions are
 * refused.
 */
async function setUp() {
  const service = await startService()
  const held: (() => void)[] = []
  service.before = (request) => {
    if (!isPayment(request)) return undefined
    if (held.length > 0) return [422, 'Insufficient balance']
    held.push(() => service.commit(request))
    return 'handled'
  }
  const cli = payctl(service.url)
  return { service, cli, arrive: () => held[0]?.() }
}

const stateOf = async (cli: Payctl): Promise<string> =>
  JSON.parse((await cli.run('payments', 'intents', '--json')).stdout)[0].status

const settleAgain = (service: Service) => {
  service.before = () => undefined
}

describe('a repetition that is refused while the first request is on its way', () => {
  test('settles nothing, and the payment is found once it was made', async () => {
    const { service, cli, arrive } = await setUp()
    const first = await cli.run(...send, ...once, '--timeout', '300ms')

    const soon = await cli.run('payments', 'resume', 'last', ...once)
    const sent = await cli.run(...send, ...once)
    arrive()
    settleAgain(service)
    const found = await cli.run('payments', 'resume', 'last')

    expect([first, soon, sent, found].map(({ code }) => code)).toEqual([10, 10, 10, 0])
    expect(soon.stderr).toMatch(/it has not been made so far .* may still arrive\. Resume it after \d\d:\d\d:\d\d UTC/)
    expect(soon.stderr).not.toMatch(/[Nn]o money moved/)
    expect(service.payments.size).toBe(1)
  })

  test('settles the payment as refused when the request can no longer arrive', async () => {
    const { cli } = await setUp()
    await cli.run(...send, ...once, '--timeout', '300ms')
    later(9 * minutes)
    const soon = await cli.run('payments', 'resume', 'last', ...once)
    later(2 * minutes)

    const late = await cli.run('payments', 'resume', 'last', ...once)

    expect([soon.code, late.code]).toEqual([10, 7])
    expect(await stateOf(cli)).toBe('rejected')
  })

  test('goes on counting for limits', async () => {
    const { cli } = await setUp()
    await cli.run('limits', 'set', '--per-day', '15', 'CRC')
    await cli.run(...send, ...once, '--timeout', '300ms')
    await cli.run('payments', 'resume', 'last', ...once)

    const another = await cli.run(...send.slice(0, -1), 'order-8', ...once)

    expect(another).toMatchObject({ code: 5, stderr: expect.stringContaining('10.00') })
  })
})

test('a repetition that is refused settles nothing while another process waits for its answer', async () => {
  const { service, cli, arrive } = await setUp()
  const first = cli.run(...send, ...once)
  await expect.poll(() => service.received.filter(isPayment).length).toBe(1)
  const resumed = await cli.run('payments', 'resume', 'last', ...once)
  const state = await stateOf(cli)
  arrive()
  service.closeConnections()

  expect(resumed.code).toBe(10)
  expect(state).toBe('unknown')
  expect((await first).code).toBe(10)
  settleAgain(service)
  expect((await cli.run('payments', 'resume', 'last')).code).toBe(0)
  expect(service.payments.size).toBe(1)
})

test('a process that waits to try again does not, once another has settled its payment', async () => {
  const service = await startService()
  const cli = payctl(service.url)
  let asked = 0
  service.before = (request) => {
    if (!isPayment(request)) return undefined
    asked += 1
    // The service asks the first process to wait; the other process settles the payment meanwhile.
    return asked === 1 ? [503, 'Later'] : undefined
  }
  service.headers['Retry-After'] = '1'
  const first = cli.run(...send, '--retries', '2')
  await expect.poll(() => asked).toBe(1)
  const other = await cli.run('payments', 'resume', 'last')
  later(20_000)

  expect(other.code).toBe(0)
  expect((await first).code).toBe(0)
  expect(service.payments.size).toBe(1)
})
