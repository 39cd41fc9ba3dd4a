import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../../src/client/index.ts'
import { worldHeader } from '../../../src/contract/headers.ts'
import { resumePayments } from '../../../src/index.ts'
import { openJournal } from '../../../src/journal/journal.ts'
import { fileOf } from './batch_service.ts'
import { later, payctl } from './payctl.ts'
import {
  account,
  dropPayments,
  hideHistory,
  iban,
  isPayment,
  loseAnswers,
  pageOf,
  recover,
  type Service,
  startService,
} from './service.ts'

// A service forgets idempotency keys, so payctl searches the history for a payment in doubt before it repeats the key.

const day = 24 * 3_600_000
const send = ['payments', 'send', '--from', account, '--to', iban, '--amount', '10', '--yes', '--retries', '0']
const keyed = [...send, '--idempotency-key', 'order-7']

const setUp = async () => {
  const service = await startService()
  return { service, cli: payctl(service.url) }
}

/** A service with a payment whose answer was lost. */
async function paymentInDoubt() {
  const { service, cli } = await setUp()
  loseAnswers(service)
  expect((await cli.run(...keyed)).code).toBe(10)
  recover(service)
  return { service, cli }
}

/** Makes the service forget keys: from now on, a request with a used key makes another payment, which `paid` counts. */
function forgetKeys(service: Service): { paid: number } {
  const made = { paid: service.payments.size }
  const { before } = service
  service.before = (request, response) => {
    if (!isPayment(request)) return before(request, response)
    made.paid += 1
    for (const [key, payment] of service.payments) {
      if (key === request.key) service.payments.set(`${key} (first)`, payment)
    }
    service.payments.delete(request.key ?? '')
    return undefined
  }
  return made
}

const batch = (cli: ReturnType<typeof payctl>) => [
  ...['payments', 'batch', cli.file('rows.csv', fileOf(2)), '--from', account, '--yes', '--retries', '0'],
]

const ways: readonly [string, string[] | undefined][] = [
  ['payments resume <id>', ['payments', 'resume', 'last']],
  ['payments resume', ['payments', 'resume']],
  ['payments send with its key', keyed],
]

test.each(ways)('a payment that the history has is not sent again by %s', async (_, argv = []) => {
  const { service, cli } = await paymentInDoubt()
  const made = forgetKeys(service)
  later(53 * day)

  const { code } = await cli.run(...argv)

  expect(code).toBe(0)
  expect(made.paid).toBe(1)
})

test.each([
  ['newest', 'failed', 'pending'],
  ['oldest', 'completed', 'timeout'],
])(
  'of two payments with its key, the one that may have paid is its payment: the %s has %s',
  async (_, newer, older) => {
    const { service, cli } = await paymentInDoubt()
    const [first] = service.payments.values()
    if (!first) throw new Error('No payment was made')
    const twice = [
      { ...first, id: randomUUID(), status: newer },
      { ...first, status: older },
    ]
    service.before = ({ path }) => (path === '/api/payments/history' ? [200, pageOf(twice)] : undefined)
    const paying = twice.find(({ status }) => ['pending', 'completed'].includes(status))

    const { code, stdout } = await cli.run('payments', 'resume', 'last', '--json')

    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, id: paying?.id, status: paying?.status })
    expect(service.count('/api/payments')).toBe(1)
  },
)

test.each([
  ['its user', undefined],
  ['a login whose user was not known', 403],
])('two payments with its key in the history are both reported: sent by %s', async (_, status) => {
  const { service, cli } = await setUp()
  const { identify } = service
  if (status) service.identify = () => [status, 'Invalid scope(s) provided.']
  loseAnswers(service)
  await cli.run(...keyed)
  recover(service)
  service.identify = identify
  const [one] = service.payments.values()
  if (!one) throw new Error('No payment was made')
  const other = { ...one, id: randomUUID() }
  service.before = ({ path }) => (path === '/api/payments/history' ? [200, pageOf([one, other])] : undefined)

  const { code, stderr } = await cli.run('payments', 'resume')

  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`made two payments with key order-7: ${one.id}, ${other.id}.`),
  })
})

test('a payment that has failed according to the history is settled', async () => {
  const { service, cli } = await paymentInDoubt()
  for (const [key, payment] of service.payments) service.payments.set(key, { ...payment, status: 'failed' })

  const { code, stdout } = await cli.run('payments', 'resume', 'last', '--json')

  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 8, status: 'failed' })
  expect(service.count('/api/payments')).toBe(1)
})

test('rows that the history has are not sent again, by the batch or its resumption', async () => {
  const { service, cli } = await setUp()
  loseAnswers(service)
  const lost = await cli.run(...batch(cli))
  recover(service)
  const made = forgetKeys(service)
  const [, name = ''] = /--batch (\S+)$/m.exec(lost.stderr) ?? []
  later(2 * day)

  const resumed = await cli.run('payments', 'resume', '--batch', name)
  const again = await cli.run(...batch(cli))

  expect([lost.code, resumed.code, again.code]).toEqual([10, 0, 0])
  expect(made.paid).toBe(2)
})

test.each(ways)('an old key that the history does not have is not repeated by %s', async (_, argv = []) => {
  const { service, cli } = await paymentInDoubt()
  hideHistory(service)
  const made = forgetKeys(service)
  later(day + 60_000)

  const { code, stderr, stdout } = await cli.run(...argv)

  expect(code).toBe(10)
  expect(`${stderr}${stdout}`).toContain('may have forgotten its idempotency key')
  expect(made.paid).toBe(1)
})

test.each(ways)(
  'a key that the service may forget before a repetition arrives is not repeated by %s',
  async (_, argv = []) => {
    const { service, cli } = await paymentInDoubt()
    hideHistory(service)
    later(day - 5 * 60_000)

    const { code, stderr, stdout } = await cli.run(...argv)

    expect(code).toBe(10)
    expect(`${stderr}${stdout}`).toContain('it was sent 24 h ago, and a repetition can take 10 min to arrive')
    expect(service.count('/api/payments')).toBe(1)
  },
)

test.each(ways)('a key is not repeated by %s if the clock was set back since it was sent', async (_, argv = []) => {
  later(30 * day)
  const { service, cli } = await paymentInDoubt()
  hideHistory(service)
  const made = forgetKeys(service)
  later(-3 * day)

  const { code, stderr, stdout } = await cli.run(...argv)

  expect(code).toBe(10)
  expect(`${stderr}${stdout}`).toContain("this machine's clock was set back since it was sent")
  expect(made.paid).toBe(1)
})

test.each(ways)(
  'an old key is not repeated by %s if the clock was set back after an earlier try',
  async (_, argv = []) => {
    const { service, cli } = await paymentInDoubt()
    hideHistory(service)
    const made = forgetKeys(service)
    later(day + 60 * 60_000)
    const earlier = await cli.run(...argv)
    later(-20 * 60 * 60_000)

    const { code, stderr, stdout } = await cli.run(...argv)

    expect([earlier.code, code]).toEqual([10, 10])
    expect(`${stderr}${stdout}`).toContain("this machine's clock was set back since it was sent")
    expect(made.paid).toBe(1)
  },
)

test.each(ways)('a key is repeated by %s whatever the clock of an emulator shows', async (_, argv = []) => {
  const { service, cli } = await setUp()
  service.headers[worldHeader] = 'world-1'
  service.headers.Date = new Date(Date.now() + 30 * day).toUTCString()
  dropPayments(service)
  expect((await cli.run(...keyed)).code).toBe(10)
  recover(service)

  expect((await cli.run(...argv)).code).toBe(0)
  expect(service.payments.size).toBe(1)
})

test.each(ways)('a key is not repeated by %s if it is old by the clock of the service', async (_, argv = []) => {
  const { service, cli } = await paymentInDoubt()
  hideHistory(service)
  const made = forgetKeys(service)
  service.headers.Date = new Date(Date.now() + 30 * 60 * 60_000).toUTCString()

  const { code, stderr, stdout } = await cli.run(...argv)

  expect(code).toBe(10)
  expect(`${stderr}${stdout}`).toContain("it was sent 30 h ago by the service's clock")
  expect(made.paid).toBe(1)
})

describe('a machine that slept for days', () => {
  /** Makes the payment of the first request, and lets two days pass before the connection of that request is lost. */
  function sleepAfterFirst(service: Service): { paid: number } {
    const made = forgetKeys(service)
    service.afterCommit = (_, response) => {
      service.afterCommit = () => undefined
      later(2 * day)
      response.destroy()
      return 'handled'
    }
    return made
  }

  test('does not repeat the request that it had sent before', async () => {
    const { service, cli } = await setUp()
    const made = sleepAfterFirst(service)

    const { code, stderr } = await cli.run(...keyed, '--retries', '3')

    expect({ code, stderr }).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('the request was not repeated'),
    })
    expect(made.paid).toBe(1)
  })

  test('and woke with an earlier time does not repeat the request either', async () => {
    const { service, cli } = await setUp()
    const made = forgetKeys(service)
    service.afterCommit = (_, response) => {
      service.afterCommit = () => undefined
      later(-2 * day)
      response.destroy()
      return 'handled'
    }

    const { code } = await cli.run(...keyed, '--retries', '3')

    expect(code).toBe(10)
    expect(made.paid).toBe(1)
  })

  test('does not repeat the rows of a batch that it had sent before', async () => {
    const { service, cli } = await setUp()
    const made = sleepAfterFirst(service)

    const { code } = await cli.run(...batch(cli), '--retries', '1', '--concurrency', '1')

    expect(code).toBe(10)
    expect(service.received.filter(isPayment)).toHaveLength(2)
    expect(made.paid).toBe(2)
  })

  test('sends a payment that the service has refused to accept because of a rate limit', async () => {
    const { service, cli } = await setUp()
    service.before = (request, response) => {
      if (!isPayment(request) || service.count('/api/payments') > 1) return undefined
      response.setHeader('Retry-After', '0')
      later(60 * 60_000)
      return [429, 'Too Many Attempts.']
    }

    const { code } = await cli.run(...keyed, '--retries', '1')

    expect(code).toBe(0)
    expect(service.payments.size).toBe(1)
  })
})

test('old keys of a batch stay in doubt, and its other rows are sent', async () => {
  const { service, cli } = await setUp()
  loseAnswers(service)
  await cli.run(...batch(cli))
  recover(service)
  hideHistory(service)
  const made = forgetKeys(service)
  later(2 * day)
  const file = cli.file('rows.csv', fileOf(14))

  const { code, stdout } = await cli.run(
    'payments',
    'batch',
    file,
    '--from',
    account,
    '--yes',
    '--skip-sent',
    '-o',
    'json',
  )

  const statuses = JSON.parse(stdout).map(({ status }: { readonly status: string }) => status)
  expect(code).toBe(10)
  expect(statuses.filter((status: string) => status === 'unknown')).toHaveLength(2)
  expect(statuses.filter((status: string) => status === 'pending')).toHaveLength(12)
  expect(made.paid).toBe(14)
})

test('a person decides whether an old key is repeated', async () => {
  const { service, cli } = await paymentInDoubt()
  hideHistory(service)
  later(2 * day)

  const no = await cli.ask('n\r', 'payments', 'resume', 'last')
  const yes = await cli.ask('y\r', 'payments', 'resume', 'last')

  expect(no.stderr).toContain('Send this payment again? If it was made after all, it is paid twice.')
  expect([no.code, yes.code]).toEqual([2, 0])
  expect(service.count('/api/payments')).toBe(2)
})

test.each([
  ['--key-life', async () => ['--key-life', '3d']],
  [
    'the profile',
    async (cli: ReturnType<typeof payctl>, url: string) => {
      await cli.run('profiles', 'set', 'default', '--base-url', url, '--key-life', '3d')
      return []
    },
  ],
])('%s says how long keys are trusted', async (_, flagsOf) => {
  const { service, cli } = await setUp()
  const flags = await flagsOf(cli, service.url)
  loseAnswers(service)
  await cli.run(...keyed)
  recover(service)
  hideHistory(service)
  later(2 * day)

  const { code } = await cli.run('payments', 'resume', 'last', ...flags)

  expect(code).toBe(0)
  expect(service.count('/api/payments')).toBe(2)
})

test('a life of keys that is not a time is refused, as a flag and in the profile', async () => {
  const { service, cli } = await setUp()

  const flag = await cli.run(...keyed, '--key-life', 'soon')
  const profile = await cli.run('profiles', 'set', 'default', '--base-url', service.url, '--key-life', '1s')

  expect([flag.code, profile.code]).toEqual([2, 2])
  expect(`${flag.stderr}${profile.stderr}`).toContain('Give a time from 1m to 3650d')
})

test('nothing is sent again while the history can not be read', async () => {
  const { service, cli } = await paymentInDoubt()
  service.before = ({ path }) => (path === '/api/payments/history' ? [503, 'Later'] : undefined)

  const one = await cli.run('payments', 'resume', 'last', '--retries', '0')
  const all = await cli.run('payments', 'resume', '--retries', '0')

  expect([one.code, all.code]).toEqual([10, 10])
  expect(one.stderr).toContain('Later')
  expect(service.count('/api/payments')).toBe(1)
})

test("nothing is sent again while a gateway answers for the service's history", async () => {
  const { service, cli } = await paymentInDoubt()
  service.before = ({ path }, response) => {
    if (path !== '/api/payments/history') return undefined
    response.writeHead(403).end('{"message": "Forbidden"}')
    return 'handled'
  }

  const one = await cli.run('payments', 'resume', 'last', '--retries', '0')
  const all = await cli.run('payments', 'resume', '--retries', '0')

  expect([one.code, all.code]).toEqual([10, 10])
  expect(service.count('/api/payments')).toBe(1)
})

test('a program leaves old keys in doubt, unless it names another life of keys', async () => {
  const { service, cli } = await paymentInDoubt()
  hideHistory(service)
  later(2 * day)
  const journal = openJournal(cli.stateDir)
  const client = createClient({ baseUrl: service.url, token: 'token-of-the-test' })
  try {
    const wary = await resumePayments({ client, journal })
    const trusting = await resumePayments({ client, journal, keyLife: 3 * day })

    expect([wary.unknown.length, trusting.settled.length]).toEqual([1, 1])
    expect(service.count('/api/payments')).toBe(2)
  } finally {
    journal.close()
    await client.close()
  }
})

/** Makes the service answer requests for the history with this status. */
function refuseHistory(service: Service, status: number): void {
  service.before = ({ path }) => (path === '/api/payments/history' ? [status, 'No history today'] : undefined)
}

test('nobody is asked to repeat an old key while the history cannot be reached', async () => {
  const { service, cli } = await paymentInDoubt()
  refuseHistory(service, 503)
  later(2 * day)

  const { code, stderr } = await cli.ask('y\r', 'payments', 'resume', 'last', '--retries', '0')

  expect(stderr).not.toContain('Send this payment again?')
  expect(stderr).not.toContain('the history does not have it')
  expect(code).toBe(10)
  expect(service.count('/api/payments')).toBe(1)
})

test('the question about an old key says why the history may lack the payment', async () => {
  const { service, cli } = await paymentInDoubt()
  refuseHistory(service, 403)
  later(2 * day)

  const asked = await cli.ask('n\r', 'payments', 'resume', 'last')
  const unasked = await cli.run('payments', 'resume', 'last')

  for (const { code, stderr } of [asked, unasked]) {
    expect(stderr).not.toContain('the history does not have it')
    expect(stderr).toContain('it may have been made (No history today), it was sent 48 h ago')
    expect([2, 10]).toContain(code)
  }
  expect(service.count('/api/payments')).toBe(1)
})

test('the summary of a batch does not say that rows in doubt are sent again if they are not', async () => {
  const { service, cli } = await setUp()
  loseAnswers(service)
  await cli.run(...batch(cli))
  recover(service)
  refuseHistory(service, 503)
  const unread = await cli.run(...batch(cli))
  recover(service)
  hideHistory(service)
  const repeated = await cli.run(...batch(cli), '--dry-run')
  later(2 * day)
  const old = await cli.run(...batch(cli), '--dry-run')

  expect(repeated.stderr).toContain('In doubt     2: not in the history, sent again with their own keys')
  expect(unread.stderr).toContain('In doubt     2: not sent again, because the history could not be read')
  expect(old.stderr).toContain('In doubt     2: not sent again, because the service may have forgotten their keys')
  expect(`${unread.stderr}${old.stderr}`).not.toContain('sent again with')
  expect(service.count('/api/payments')).toBe(2)
})

test('the resumption of a batch says of no row that it is sent again unless it is', async () => {
  const { service, cli } = await setUp()
  loseAnswers(service)
  const lost = await cli.run('payments', 'batch', cli.file('rows.csv', fileOf(20)), '--yes', '--retries', '0')
  const [, name = ''] = /--batch (\S+)$/m.exec(lost.stderr) ?? []
  const inDoubt = service.payments.size
  recover(service)
  refuseHistory(service, 503)
  const unread = await cli.ask('n\r', 'payments', 'resume', '--batch', name, '--retries', '0')
  recover(service)

  const found = await cli.ask('n\r', 'payments', 'resume', '--batch', name)

  for (const { stderr } of [unread, found]) {
    expect(stderr).toMatch(new RegExp(`Send ${20 - inDoubt} rows of batch ${name} .*default\\)\\?`))
    expect(stderr).not.toContain('sent again')
  }
})
