import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { account, phone } from '../commands/payments/service.ts'
import { type LimitedPayctl, limitedPayctl, sending } from './limited_payctl.ts'

// Ways in which a script or an agent with this command line might pay past limits.

const pay = (path: string, ...more: readonly string[]) => ['api', 'POST', path, ...more]
const key = ['--header', 'X-Idempotency-Key: mine']
const fields = (amount: number) => [
  ...['-f', `source_account_id=${account}`, '-F', `amount=${amount}`, '-f', `recipient_phone=${phone}`],
]
const order = [...key, ...fields(9000)]
const body = { source_account_id: account, amount: 1, recipient_phone: phone }

/** Flags for a base URL with this path; payctl appends the endpoint's path to the base URL. */
const below = ({ service }: LimitedPayctl, path: string) => ['--base-url', `${service.url}${path}`]

const portOf = ({ service }: LimitedPayctl): string => new URL(service.url).port

const tries: Record<string, (at: LimitedPayctl) => readonly string[]> = {
  'the method in small letters': () => ['api', 'post', '/api/payments', ...order],
  'the path with slashes': () => pay('//api///payments/', ...order),
  'the path in capitals': () => pay('/API/Payments', ...order),
  'the path with escapes': () => pay('/api/%70ayments', ...order),
  'the path with dots': () => pay('/api/accounts/../payments', ...order),
  'the path with a parameter': () => pay('/api/payments;v=1', ...order),
  'an absolute URL': (at) => pay(`${at.service.url}/api/payments`, ...order),
  'the name of the endpoint': () => ['api', 'payments.create', ...order],
  'a path that goes on where the base URL ends': (at) => [...pay('/payments', ...order), ...below(at, '/api')],
  'a GET that names another method': () => ['api', '/api/payments', '-H', 'X-HTTP-Method-Override: POST', ...order],
  'pages of a GET that names another method': () => [
    ...['api', '/api/payments', '--paginate', '-H', 'X-HTTP-Method-Override: POST', ...order],
  ],
  'another path in a header': () => pay('/api/webhooks', '-H', 'X-Original-URL: /api/payments', ...order),
  'a form in place of JSON': () =>
    pay('/api/payments', '-H', 'Content-Type: application/x-www-form-urlencoded', ...key, ...fields(1)),
  'another method in the body': () => pay('/api/webhooks', '-f', '_method=PUT', ...order),
  'the amount in the query': () => pay('/api/payments?amount=9000', ...key, ...fields(1)),
  'two payees': () => pay('/api/payments', ...key, ...fields(1), '-f', 'recipient_iban=CR05015202001026284066'),
  'a payee that is not a string': () =>
    pay('/api/payments', ...key, ...fields(1).slice(0, 4), '-F', `recipient_phone[]=${phone}`),
  'the token in a header': () => pay('/api/payments', '-H', 'Authorization: Bearer another', ...key, ...fields(1)),
  'two keys': () => pay('/api/payments', ...key, '-H', 'x-idempotency-key: yours', ...fields(1)),
  'the amount in capitals': () => pay('/api/payments', ...key, ...fields(1), '-F', 'Amount=9000'),
  'the payee in capitals': () => pay('/api/payments', ...key, ...fields(1), '-f', 'Recipient_Phone=87654321'),
  'a nested payment': () => pay('/api/payments', ...key, ...fields(1), '-F', 'payment[amount]=9000'),
  'a member with an escape': (at) =>
    pay(
      '/api/payments',
      ...key,
      '--input',
      at.file('body.json', JSON.stringify(body).replace('}', ',"amou\u006et ":9000}')),
    ),
  'a description that is an object': () => pay('/api/payments', ...key, ...fields(1), '-F', 'description[amount]=9000'),
  'no key': () => pay('/api/payments', '--header', 'X-Idempotency-Key:', ...fields(1)),
  'a key that a service may cut': () =>
    pay('/api/payments', '-H', `X-Idempotency-Key: ${'k'.repeat(256)}`, ...fields(1)),
  'escaped dots': () => pay('/api/accounts/%2e%2e/payments', ...key, ...fields(1)),
  'an escaped slash': () => pay('/api%2fpayments', ...key, ...fields(1)),
  'an escaped slash in an id': () => ['api', 'DELETE', `/api/webhooks/subscriptions/x%2f..%2f..%2f..%2fpayments`],
  'a slash that is escaped twice': () => ['api', 'DELETE', `/api/webhooks/subscriptions/x%252f..%252fpayments`],
  'an escaped backslash': () => ['api', 'DELETE', `/api/webhooks/subscriptions/x%5c..%5cpayments`],
  'dots with a parameter': () => ['api', 'DELETE', '/api/webhooks/subscriptions/..;'],
  'an id with slashes': () => ['api', 'webhooks.delete', '-f', 'id=x/../../payments'],
  'localhost by name': (at) => [...sending('90'), '--yes', '--base-url', `http://localhost:${portOf(at)}`],
  'localhost in short': (at) => [...sending('90'), '--yes', '--base-url', `http://127.1:${portOf(at)}`],
  'localhost in capitals, with a dot': (at) => [
    ...[...sending('90'), '--yes', '--base-url', `http://LOCALHOST.:${portOf(at)}/`],
  ],
}

/** A profile with a limit of 10.00 CRC a day, of which 9.99 CRC is used, and another profile of the same service. */
async function setUp() {
  const at = await limitedPayctl()
  await at.run('profiles', 'set', 'other', '--base-url', at.service.url)
  await at.limit('--per-day', '10', 'CRC')
  await at.send('9.99')
  return at
}

describe('nothing is paid past limits', () => {
  test.each(Object.entries(tries))('by %s', async (_, argv) => {
    const at = await setUp()
    const tried = argv(at)
    const isElsewhere = tried.includes('--base-url')
    // The token comes from the environment, so the environment must also name the token's service.
    const env = isElsewhere ? { PAYCTL_BASE_URL: tried[tried.indexOf('--base-url') + 1] ?? '' } : {}

    const { exitCode, stderr } = await at.start(tried, { env })

    expect({ exitCode, stderr }).not.toMatchObject({ exitCode: 0 })
    expect([2, 5]).toContain(exitCode)
    expect(at.service.payments.size).toBe(1)
    expect(at.service.received.filter(({ method }) => method !== 'GET')).toHaveLength(1)
  })

  test('by another profile', async () => {
    const at = await setUp()

    const env = { PAYCTL_BASE_URL: '', PAYCTL_PROFILE: 'other' }
    const { exitCode, stderr } = await at.start([...sending('90'), '--yes'], { env })

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 5 })
    expect(at.service.payments.size).toBe(1)
  })

  test('by a short form of the command line', async () => {
    const at = await setUp()
    await at.run('alias', 'set', 'tip', sending('90').join(' '))

    expect((await at.run('tip', '--yes')).exitCode).toBe(5)
    expect(at.service.payments.size).toBe(1)
  })

  test('by answers that are piped to the question', async () => {
    const at = await setUp()

    for (const input of ['default\n', 'y\n', 'yes\nyes\ndefault\n']) {
      expect((await at.start(['limits', 'remove', 'all'], { input })).exitCode).toBe(5)
      expect((await at.start(['limits', 'recount'], { input })).exitCode).toBe(5)
    }
    expect((await at.send('90')).exitCode).toBe(5)
  })
})

describe('with a separate configuration folder a run', () => {
  const elsewhere = ({ folder }: LimitedPayctl) => ({ PAYCTL_CONFIG_DIR: join(folder, 'another') })

  test('pays nothing, by whatever command', async () => {
    const at = await setUp()
    for (const argv of [[...sending('1'), '--yes'], pay('/api/payments', ...order), pay('/api/unknown', ...order)]) {
      const { exitCode, stderr } = await at.start(argv, { env: elsewhere(at) })
      expect({ argv, exitCode, stderr }).toMatchObject({ exitCode: 5, stderr: expect.stringMatching(/limits/i) })
    }
    expect(at.service.payments.size).toBe(1)
  })

  test('changes nothing, as what the limits said is not known', async () => {
    const at = await setUp()
    await at.limit('--read-only')
    const create = ['webhooks', 'create', '--url', 'https://example.com/hook', '--events', 'all']

    const { exitCode, stderr } = await at.start(create, { env: elsewhere(at) })

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('had limits') })
    expect(at.service.count('/api/webhooks')).toBe(0)
  })
})

test('headers that change nothing are sent under limits too', async () => {
  const at = await limitedPayctl()
  await at.limit('--per-day', '100', 'CRC')

  const sent = await at.run(...pay('/api/payments', ...order, '-H', 'X-Request-Id: r1'))
  const read = await at.run('api', '/api/accounts', '-H', 'X-Anything: 1')

  expect([sent.exitCode, read.exitCode]).toEqual([0, 0])
})

test.each(['https://bank.invalid/w/another', 'https://bank.invalid/x/%252e%252e', 'https://BANK.invalid./w/a%2f..'])(
  'limits of a host hold for every path of it: %s',
  async (url) => {
    const at = await limitedPayctl()
    const home = { PAYCTL_BASE_URL: '', PAYCTL_TOKEN: '', PAYCTL_PROFILE: 'bank' }
    await at.start(['profiles', 'set', 'bank', '--base-url', 'https://bank.invalid'], { env: home })
    const set = await at.start(['limits', 'set', '--read-only'], { env: home })

    const argv = ['webhooks', 'delete', '3f2504e0-4f89-41d3-9a0c-0305e82c3301', '--yes']
    const { exitCode, stderr } = await at.start(argv, { env: { PAYCTL_BASE_URL: url } })

    expect(set).toMatchObject({ exitCode: 0 })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('allow reading only') })
  },
)
