import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileOf } from './batch_service.ts'
import { payctl } from './payctl.ts'
import { account, iban, isPayment, type Received, startService } from './service.ts'

const send = ['payments', 'send', '--from', account, '--to', iban, '--amount', '10', '--yes', '--retries', '1']

/** A machine with a login of alice; others can log in under the same profile while payctl runs. */
async function setUp() {
  const service = await startService()
  const cli = payctl(service.url, { token: undefined })
  const folder = join(cli.stateDir, '..', 'config')
  const logIn = (token: string, user: string) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const login = {
      ...{ kind: 'dashboard', base_url: service.url, auth_url: service.url, access_token: token },
      ...{ obtained_at: new Date().toISOString(), login_id: `login-of-${token}` },
      user: { id: `id-of-${user}`, name: user, email: `${user}@example.com` },
    }
    writeFileSync(join(folder, 'credentials.json'), JSON.stringify({ version: 1, profiles: { default: login } }), {
      mode: 0o600,
    })
  }
  logIn('alice', 'alice')
  return { service, cli, logIn }
}

const isAlices = ({ authorization }: Received) => authorization === 'Bearer alice'

const senders = (received: readonly Received[]) => received.filter(isPayment).map(({ authorization }) => authorization)

const intents = async (cli: Awaited<ReturnType<typeof setUp>>['cli']) =>
  JSON.parse((await cli.run('payments', 'intents', '--json')).stdout)

test('a payment in doubt is not repeated as the user who has logged in meanwhile', async () => {
  const { service, cli, logIn } = await setUp()
  service.afterCommit = (_, response) => {
    logIn('bob', 'bob')
    response.destroy()
    service.before = (request) => (isAlices(request) ? [401, 'Unauthenticated.'] : undefined)
    return 'handled'
  }

  const { code, stderr } = await cli.run(...send)

  expect({ code, paid: service.payments.size, senders: senders(service.received) }).toEqual({
    code: 10,
    paid: 1,
    senders: ['Bearer alice', 'Bearer alice'],
  })
  expect(stderr).toContain("logged in to profile 'default' while this run was under way")
  expect(await intents(cli)).toMatchObject([{ status: 'unknown', user: 'id-of-alice' }])
  // payctl must not search bob's history either, because the payment is alice's.
  expect(
    service.received.some(({ path, authorization }) => path.includes('history') && authorization !== 'Bearer alice'),
  ).toBe(false)
})

test('a payment that the service refused with 401 is not sent as another user', async () => {
  const { service, cli, logIn } = await setUp()
  service.before = (request) => {
    if (!isAlices(request) || !isPayment(request)) return undefined
    logIn('bob', 'bob')
    return [401, 'Unauthenticated.']
  }

  const { code, stderr } = await cli.run(...send)

  expect({ code, paid: service.payments.size }).toEqual({ code: 4, paid: 0 })
  expect(stderr).toContain('the run began as alice@example.com')
  expect(stderr).toContain('payctl login')
  expect(await intents(cli)).toMatchObject([{ status: 'prepared', user: 'id-of-alice' }])
})

test('a batch ends when another user has logged in: rows that follow are not sent', async () => {
  const { service, cli, logIn } = await setUp()
  let sent = 0
  service.before = (request) => {
    if (!isAlices(request) || !isPayment(request) || ++sent <= 2) return undefined
    logIn('bob', 'bob')
    return [401, 'Unauthenticated.']
  }

  const { code, stderr } = await cli.run(
    'payments',
    'batch',
    cli.file('a.csv', fileOf(8)),
    '--yes',
    '--concurrency',
    '1',
  )

  expect({ code, paid: service.payments.size }).toEqual({ code: expect.any(Number), paid: 2 })
  expect(code).not.toBe(0)
  expect(stderr).toContain('Somebody logged in to profile')
  expect(new Set(senders(service.received))).toEqual(new Set(['Bearer alice']))
})

test('a raw request is not repeated as another user', async () => {
  const { service, cli, logIn } = await setUp()
  service.before = (request) => {
    if (!isAlices(request)) return undefined
    logIn('bob', 'bob')
    return [401, 'Unauthenticated.']
  }

  const { code } = await cli.run('api', 'GET', '/api/accounts')

  expect(code).toBe(4)
  expect(service.received.map(({ authorization }) => authorization)).toEqual(['Bearer alice'])
})

test('a run goes on with another login of the same user, if the service says so', async () => {
  const { service, cli, logIn } = await setUp()
  logIn('first-of-ana', 'ana')
  service.before = (request) => {
    if (!isPayment(request) || request.authorization !== 'Bearer first-of-ana') return undefined
    logIn('second-of-ana', 'ana')
    return [401, 'Unauthenticated.']
  }

  const { code } = await cli.run(...send)

  expect({ code, senders: senders(service.received) }).toEqual({
    code: 0,
    senders: ['Bearer first-of-ana', 'Bearer second-of-ana'],
  })
})

test('a run ends at another login whose user the service does not say, whatever the file says', async () => {
  const { service, cli, logIn } = await setUp()
  const { identify } = service
  service.identify = (request, response) =>
    isAlices(request) ? identify(request, response) : [403, 'Invalid scope(s) provided.']
  service.before = (request) => {
    if (!isPayment(request) || !isAlices(request)) return undefined
    logIn('bob', 'alice')
    return [401, 'Unauthenticated.']
  }

  const { code, stderr } = await cli.run(...send)

  expect({ code, senders: senders(service.received) }).toEqual({ code: 4, senders: ['Bearer alice'] })
  expect(stderr).toContain('the service does not say whose login it is')
})
