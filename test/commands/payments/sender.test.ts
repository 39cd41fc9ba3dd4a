import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type EmulatorOptions, startEmulator } from '../../../emulator/index.ts'
import { worldHeader } from '../../../src/contract/headers.ts'
import { selfSigned } from '../../support/certificate.ts'
import { freshMachine } from '../../support/installed_payctl.ts'
import { startProxy } from '../../support/proxy.ts'
import { temporaryDirectory } from '../../support/run_payctl.ts'
import { listen } from '../../support/server.ts'
import { rowsOf } from './batch_file.ts'
import { fileOf } from './batch_service.ts'
import { hinted, later, type Payctl, payctl } from './payctl.ts'
import {
  account,
  dropPayments,
  hideHistory,
  iban,
  isPayment,
  loseAnswers,
  paymentOf,
  recover,
  type Service,
  startService,
} from './service.ts'

const order = ['payments', 'send', '--from', account, '--to', iban, '--amount', '10', '--retries', '0']
const send = [...order, '--yes']
const json = async (cli: Payctl, ...argv: readonly string[]) => JSON.parse((await cli.run(...argv, '--json')).stdout)
const intents = (cli: Payctl, ...flags: readonly string[]) => json(cli, 'payments', 'intents', ...flags)

/** A machine on which alice and bob work with one service, each with separate keys. */
const machine = async () => {
  const service = await startService()
  const cli = payctl(service.url)
  return { service, cli, alice: cli.as({ token: 'alice' }), bob: cli.as({ token: 'bob' }) }
}

const batchIn = (cli: Payctl, text = fileOf(5)): string[] => [
  'payments',
  'batch',
  cli.file('a.csv', text),
  '--yes',
  '-o',
  'ndjson',
]

const lost = async (service: Service, cli: Payctl) => {
  loseAnswers(service)
  const { stderr } = await cli.run(...send)
  recover(service)
  return hinted(stderr)
}

describe('an intent', () => {
  test('of alice is not resumed by bob, whose key would pay again', async () => {
    const { service, alice, bob } = await machine()
    const resume = await lost(service, alice)

    const { code, stderr } = await bob.run(...resume)
    const all = await bob.run('payments', 'resume')

    expect([code, all.code]).toEqual([2, 0])
    expect(stderr).toContain('sent by another user (id-of-alice, profile default), not by bob@example.com')
    expect(hinted(stderr)).toEqual(resume)
    expect(all.stderr).toContain('1 was made by another user of this service')
    expect(service.received.filter(isPayment)).toHaveLength(1)
    expect((await alice.run(...resume)).code).toBe(0)
    expect(service.payments.size).toBe(1)
  })

  test('of alice leaves bob the same key, for his own payment', async () => {
    const { service, alice, bob } = await machine()
    const keyed = [...send, '--idempotency-key', 'order-17']

    const codes = [(await alice.run(...keyed)).code, (await bob.run(...keyed)).code, (await alice.run(...keyed)).code]

    expect(codes).toEqual([0, 0, 0])
    expect([...service.payments.keys()]).toEqual(['alice order-17', 'bob order-17'])
    expect(await intents(bob)).toMatchObject([{ user: 'id-of-bob' }, { user: 'id-of-alice' }])
  })

  test('of the same user is the same, by whichever token', async () => {
    const { service, cli } = await machine()
    const resume = await lost(service, cli)

    expect((await cli.as({ token: 'another-of-anas' }).run(...resume)).code).toBe(0)
    expect(service.payments.size).toBe(1)
  })

  test.each(['HTTP://127.0.0.1', 'http://127.1', 'http://2130706433', 'http://0x7f.1'])(
    'is known at %s as well, which is the same service',
    async (origin) => {
      const { service, cli } = await machine()
      const elsewhere = cli.as({ baseUrl: `${origin}:${new URL(service.url).port}//` })
      expect((await cli.run(...batchIn(cli))).code).toBe(0)

      const [, , file = ''] = batchIn(cli)
      expect(await json(elsewhere, 'payments', 'batch', file, '--dry-run')).toMatchObject({
        sent_before: 5,
        to_send: 0,
      })
      const resume = await lost(service, elsewhere)
      expect((await cli.run(...resume)).code).toBe(0)
      expect(service.payments.size).toBe(6)
    },
  )
})

test('of a batch, only what its own user has sent counts as sent', async () => {
  const { service, alice, bob } = await machine()

  const runs = [await alice.run(...batchIn(alice)), await bob.run(...batchIn(bob)), await alice.run(...batchIn(alice))]

  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(runs[2]?.stderr).toContain('all 5 sent before')
  expect(service.payments.size).toBe(10)
})

test('a batch of alice is not finished by bob', async () => {
  const { service, alice, bob } = await machine()
  service.before = (request) => (isPayment(request) ? [401, 'Unauthenticated.'] : undefined)
  expect((await alice.run(...batchIn(alice), '--batch-id', 'nightly')).code).toBe(4)
  recover(service)

  const { code, stderr } = await bob.run('payments', 'resume', '--batch', 'nightly', '--yes')

  expect(code).toBe(3)
  expect(stderr).toContain('another user')
  expect(service.payments.size).toBe(0)
})

test('of a batch id that alice and bob both have, each finishes only their own rows', async () => {
  const { service, alice, bob } = await machine()
  service.before = (request) => (isPayment(request) ? [401, 'Unauthenticated.'] : undefined)
  for (const cli of [alice, bob]) {
    expect((await cli.run(...batchIn(cli), '--batch-id', 'nightly')).code).toBe(4)
  }
  recover(service)

  const resume = ['payments', 'resume', '--batch', 'nightly', '--yes']
  expect((await bob.run(...resume)).code).toBe(0)
  expect(service.payments.size).toBe(5)
  expect((await alice.run(...resume)).code).toBe(0)
  expect(service.payments.size).toBe(10)
})

describe('a token that may not read its user', () => {
  const nameless = async () => {
    const at = await machine()
    const { identify } = at.service
    at.service.identify = () => [403, 'Invalid scope(s) provided.']
    return { ...at, identify }
  }

  test('pays, and resumes what it sent itself', async () => {
    const { service, alice } = await nameless()

    const resume = await lost(service, alice)

    expect(await intents(alice)).toMatchObject([{ user: expect.stringMatching(/^token:[0-9a-f]{32}$/) }])
    expect((await alice.run(...resume)).code).toBe(0)
    expect(service.payments.size).toBe(1)
  })

  test.each(['token:0123456789abcdef0123456789abcdef', 'login:7'])(
    'is known by itself also where the service calls its user %s, like payctl calls those that have no name',
    async (id) => {
      const { service, alice, bob } = await machine()
      service.identify = () => [200, { id, name: 'Alice', email: 'alice@example.com' }]
      const resume = await lost(service, alice)

      const users = (await intents(alice)).map(({ user }: { readonly user: string }) => user)
      const stranger = await bob.run(...resume)

      expect(users).toEqual([expect.stringMatching(/^token:[0-9a-f]{32}$/)])
      expect(users).not.toContain(id)
      expect(stranger.code).toBe(10)
      expect(service.received.filter(isPayment)).toHaveLength(1)
    },
  )

  test('finds what it sent on any page of the history, once the service says whose it is', async () => {
    const { service, alice, identify } = await nameless()
    const resume = await lost(service, alice)
    await alice.run(...send)
    await alice.run(...send)
    service.identify = identify
    service.pageSize = 1

    const { code } = await alice.run(...resume)

    expect(code).toBe(0)
    expect(service.received.filter(isPayment)).toHaveLength(3)
  })

  test('does not repeat what another token sent, nor pay its key again, until that is clear', async () => {
    const { service, alice, bob } = await nameless()
    dropPayments(service)
    const { stderr } = await alice.run(...send, '--idempotency-key', 'order-17')
    recover(service)
    const resume = hinted(stderr)

    const runs = [
      await bob.run(...resume),
      await bob.run('payments', 'resume'),
      await bob.run(...send, '--idempotency-key', 'order-17'),
      await bob.run(...resume, '--sent-by', 'bob@example.com'),
    ]

    expect(runs.map(({ code }) => code)).toEqual([10, 10, 10, 2])
    expect(runs[0]?.stderr).toContain('scope read-user')
    expect(service.received.filter(isPayment)).toHaveLength(1)
  })

  test('does not pay a file of which another token may have paid one row', async () => {
    const { service, alice, bob } = await nameless()
    dropPayments(service)
    await alice.run(...batchIn(alice, fileOf(1)), '--retries', '0')
    recover(service)

    const { code, stderr } = await bob.run(...batchIn(bob, fileOf(2)))

    expect({ code, stderr }).toEqual({ code: 10, stderr: expect.stringContaining('1 row of this file is in doubt') })
    expect(service.payments.size).toBe(0)
  })

  test('finds in its history what it sent when it had another token', async () => {
    const { service, cli } = await nameless()
    const resume = await lost(service, cli)
    const next = cli.as({ token: 'another-of-anas' })

    const { code, stdout } = await next.run(...resume, '--json')

    expect(code).toBe(0)
    expect(JSON.parse(stdout).id).toBe([...service.payments.values()][0]?.id)
    expect(service.received.filter(isPayment)).toHaveLength(1)
    expect((await next.run(...batchIn(next))).code).toBe(0)
    expect((await cli.run(...batchIn(cli))).stderr).toContain('all 5 sent before')
    expect(service.payments.size).toBe(6)
  })

  describe.each([
    ['not taken', 401],
    ['refused', 422],
  ])('whose payment was %s with a token that may, and then paid by it', (_, status) => {
    /** The service forgets the key between the two runs, so it would pay again. */
    const paidByOther = async (argv: (cli: Payctl) => readonly string[]) => {
      const { service, cli, identify } = await nameless()
      const { identify: refuseIdentity } = service
      service.identify = identify
      service.before = (request) => (isPayment(request) ? [status, 'Not now'] : undefined)
      await cli.run(...argv(cli))
      const [first] = await intents(cli)
      recover(service)
      service.identify = refuseIdentity
      expect((await cli.run(...argv(cli))).code).toBe(0)
      service.identify = identify
      service.before = (request) => (isPayment(request) ? [201, paymentOf(request)] : undefined)
      return { service, cli, first, asked: service.received.filter(isPayment).length }
    }

    test('by send, it is found and not sent again', async () => {
      const keyed = [...send, '--idempotency-key', 'order-17']
      const { service, cli, asked } = await paidByOther(() => keyed)

      const { code } = await cli.run(...keyed)

      expect(code).toBe(0)
      expect(service.received.filter(isPayment)).toHaveLength(asked)
    })

    test('by resume, it is found and not sent again', async () => {
      const { service, cli, first, asked } = await paidByOther(() => [...send, '--idempotency-key', 'order-17'])

      const { code } = await cli.run('payments', 'resume', first.id, '--yes')

      expect(code).toBe(0)
      expect(service.received.filter(isPayment)).toHaveLength(asked)
    })

    test.each<[string, (batch: string, cli: Payctl) => readonly string[]]>([
      ['batch', (_, cli) => batchIn(cli, fileOf(2))],
      ['resume --batch', (batch) => ['payments', 'resume', '--batch', batch, '--yes']],
      ['batch retry', (batch) => ['payments', 'batch', 'retry', batch, '--failed', '--yes']],
    ])('by %s, no row is sent again', async (_, argvOf) => {
      const { service, cli, first, asked } = await paidByOther((at) => batchIn(at, fileOf(2)))

      await cli.run(...argvOf(first.batch, cli))

      expect(service.received.filter(isPayment)).toHaveLength(asked)
    })
  })

  test.each([
    ['paid', 0],
    ['recorded', 3],
  ])('whose unsent rows were %s with a token that may is not asked to send them twice', async (what, sent) => {
    const { service, cli, identify } = await nameless()
    const refuse = () => {
      service.before = (request) => (isPayment(request) ? [401, 'Unauthenticated.'] : undefined)
    }
    const argv = [...batchIn(cli, fileOf(3)), '--batch-id', 'nightly']
    refuse()
    await cli.run(...argv)
    service.identify = identify
    if (what === 'paid') recover(service)
    await cli.run(...argv)
    const { length: asked } = service.received.filter(isPayment)
    recover(service)
    // The service has forgotten the keys, so it would pay again.
    service.before = (request) => (isPayment(request) ? [201, paymentOf(request)] : undefined)

    const { code, stderr } = await cli.run('payments', 'resume', '--batch', 'nightly', '--yes')

    expect(code).toBe(0)
    expect(stderr).toContain(sent === 0 ? 'has no unfinished rows' : 'Sending 3 rows of batch nightly')
    expect(service.received.filter(isPayment)).toHaveLength(asked + sent)
  })

  test('does not send a failed row again that a token without a user has repeated', async () => {
    const { service, cli, identify } = await nameless()
    const argv = [...batchIn(cli, fileOf(1)), '--batch-id', 'nightly']
    const retry = ['payments', 'batch', 'retry', 'nightly', '--yes']
    await cli.run(...argv)
    const fail = () => {
      for (const [key, payment] of service.payments) service.payments.set(key, { ...payment, status: 'failed' })
    }
    fail()
    service.statuses = ['failed']
    expect((await cli.run(...retry)).code).toBe(0)
    service.identify = identify
    await cli.run(...argv)

    const { code, stderr } = await cli.run(...retry)

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('perhaps paid by a login whose user is not known'),
    })
    expect(service.received.filter(isPayment)).toHaveLength(2)
  })

  describe.each<[string, (cli: Payctl) => readonly string[]]>([
    ['send', () => [...send, '--idempotency-key', 'order-17']],
    ['batch', (cli) => batchIn(cli, fileOf(1))],
  ])('whose payment by %s the history does not show yet', (_, argv) => {
    const paidUnshown = async () => {
      const { service, cli, identify } = await nameless()
      expect((await cli.run(...argv(cli))).code).toBe(0)
      service.identify = identify
      hideHistory(service)
      return { service, cli }
    }

    test('is not sent with a token that may, and nothing is claimed of it', async () => {
      const { service, cli } = await paidUnshown()

      const { code, stderr } = await cli.run(...argv(cli))

      expect({ code, stderr }).toMatchObject({
        code: 10,
        stderr: expect.stringContaining('does not show yet who paid'),
      })
      expect(service.received.filter(isPayment)).toHaveLength(1)
    })

    test("is another user's if ten minutes later it is not there: the key is free", async () => {
      const { service, cli } = await paidUnshown()
      later(11 * 60_000)

      await cli.run(...argv(cli))

      expect(service.received.filter(isPayment)).toHaveLength(2)
    })
  })

  test('does not take for its own what has the key of it in the history and paid something else', async () => {
    const { service, cli } = await nameless()
    const resume = await lost(service, cli)
    for (const [key, payment] of service.payments) {
      service.payments.set(key, { ...payment, amount: { ...payment.amount, value: 7 } })
    }
    const next = cli.as({ token: 'another-of-anas' })

    const runs = [await next.run(...resume), await next.run('payments', 'resume')]

    expect(runs.map(({ code }) => code)).toEqual([10, 10])
    expect(await intents(next)).toMatchObject([{ status: 'unknown', payment_id: null }])
    expect(service.received.filter(isPayment)).toHaveLength(1)
  })

  test('whose user a person names is taken at that word only by a token of that user', async () => {
    const { service, alice, bob, identify } = await nameless()
    dropPayments(service)
    const resume = hinted((await alice.run(...send)).stderr)
    recover(service)
    service.identify = identify

    const stranger = await bob.run(...resume, '--sent-by', 'alice@example.com')
    const herself = await alice.run(...resume, '--sent-by', 'ALICE@example.com')

    expect([stranger.code, herself.code]).toEqual([2, 0])
    expect(stranger.stderr).toContain('this run sends as bob@example.com')
    expect([...service.payments.keys()]).toEqual([expect.stringMatching(/^alice /)])
  })
})

describe('before money leaves, service, user and profile are named', () => {
  const place = (service: Service) => `at ${new URL(service.url).host} as ana@example.com (profile default)`

  test('in the question', async () => {
    const { service, cli } = await machine()

    const { code, stderr } = await cli.ask('n\n', ...order, '--quiet')

    expect(code).toBe(2)
    expect(stderr).toContain('Send 10.00 CRC to Luis Solano?')
    expect(stderr).toContain(`At        ${new URL(service.url).host}`)
    expect(stderr).toMatch(/ not marked live, as ana@example\.com \(default\)$/m)
  })

  test('in one line with --yes', async () => {
    const { service, cli } = await machine()

    const one = await cli.run(...send)
    const batch = await cli.run(...batchIn(cli))

    const [payment] = service.payments.values()
    // payctl does not request the currency of the account, because the answer contains it.
    expect(one.stderr).toBe(
      `Sending 10.00 to CR05 0152 0200 1026 2840 66 ${place(service)}\n` +
        `Sent 10.00 CRC to CR05 0152 0200 1026 2840 66. Payment ${payment?.id} is pending\n`,
    )
    expect(batch.stderr).toMatch(/^ +At +127\.0\.0\.1:\d+ +not marked live, as ana@example\.com \(default\)$/m)
  })

  test('for an emulator on this machine as no real money', async () => {
    const service = await startEmulator()
    onTestFinished(() => service.close())
    const cli = payctl(service.baseUrl, { token: service.token })
    const [{ id = '' } = {}] = service.accounts().filter(({ currency }) => currency === 'CRC')

    const { stderr } = await cli.run('payments', 'send', '--from', id, '--to', '87000001', '--amount', '1', '--yes')

    const { port } = new URL(service.baseUrl)
    expect(stderr.split('\n')[0]).toBe(
      `Sending 1.00 to 8700 0001 at the emulator on port ${port} as maria.fernandez@example.com, no real money`,
    )
  })

  test.each([
    ['an escape', 'ana\u001b[2Kbob@example.com'],
    ['a claim', 'ana at the emulator, no real money'],
    ['no end', 'a'.repeat(5000)],
    ['another direction', 'ana\u202emoc.elpmaxe'],
  ])('by the id where the name of the user has %s', async (_, email) => {
    const { service, cli } = await machine()
    service.identify = () => [200, { id: 'user-7', name: 'Ana', email }]

    const { stderr } = await cli.run(...send)

    expect(stderr).toContain(`at ${new URL(service.url).host} as user-7 (profile default)\n`)
    expect(stderr).not.toContain(email.slice(0, 20))
  })
})

/** A service beyond this machine, and payctl as a process on a machine that trusts the service. */
const remote = async () => {
  const host = 'api.payctl.test'
  const service = await startService()
  const { key, cert } = selfSigned(host)
  const front = createServer({ key, cert }, (socket) => {
    const inner = connect(Number(new URL(service.url).port), '127.0.0.1')
    for (const end of [socket, inner]) end.on('error', () => socket.destroy(void inner.destroy()))
    socket.pipe(inner).pipe(socket)
  })
  const port = await listen(front)
  const proxy = await startProxy({ port: port })
  const { home, run } = await freshMachine()
  writeFileSync(join(home, 'ca.pem'), cert)
  const state = join(home, 'own-state')
  const env = {
    HTTPS_PROXY: `http://${proxy.host}`,
    NODE_EXTRA_CA_CERTS: join(home, 'ca.pem'),
    PAYCTL_BASE_URL: `https://${host}`,
    PAYCTL_STATE_DIR: state,
    PAYCTL_TOKEN: 'a-secret-token',
  }
  return { service, state, pay: (more = {}) => run(send, { process: true, env: { ...env, ...more } }) }
}

describe('a service beyond this machine', () => {
  test('is asked once for each token, and the token is not saved', async () => {
    const { service, state, pay } = await remote()

    const runs = [await pay(), await pay(), await pay({ PAYCTL_TOKEN: 'bob' })]

    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(runs[1]?.stderr).toContain('at api.payctl.test as ana@example.com (profile default)')
    expect(service.identified).toBe(2)
    const file = join(state, 'users.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    for (const name of readdirSync(state))
      expect(readFileSync(join(state, name), 'latin1')).not.toContain('a-secret-token')
    writeFileSync(file, '{"version": 1, "users": [')
    expect((await pay()).code).toBe(0)
    expect(service.identified).toBe(3)
  })

  test('that says it is an emulator is not believed, and asked in every run', async () => {
    const { service, pay } = await remote()
    service.headers[worldHeader] = 'one'

    const runs = [await pay(), await pay()]

    expect(runs.map(({ code }) => code)).toEqual([0, 0])
    expect(runs[1]?.stderr).toContain('at api.payctl.test, which says it is an emulator, as ana@example.com')
    expect(runs[1]?.stderr).not.toContain('no real money')
    expect(service.identified).toBe(2)
  })

  test('that has become an emulator is asked again', async () => {
    const { service, pay } = await remote()
    await pay()
    service.headers[worldHeader] = 'one'

    const codes = [(await pay()).code, (await pay()).code]

    expect(codes).toEqual([10, 0])
  })
})

describe('what was asked of a service', () => {
  test('on this machine is asked in every run, as an emulator may have taken its place', async () => {
    const { service, cli } = await machine()
    await cli.run(...send)
    await cli.run(...send)
    expect(service.identified).toBe(2)
    expect(existsSync(join(cli.stateDir, 'users.json'))).toBe(false)
  })

  test('that reads only is not asked', async () => {
    const { service, cli } = await machine()
    for (const argv of [
      ['accounts', 'list'],
      ['payments', 'history'],
      ['payments', 'intents'],
      ['payments', 'resume'],
    ]) {
      expect((await cli.run(...argv)).code).toBe(0)
    }
    expect(service.identified).toBe(0)
  })
})

describe('the world of an emulator', () => {
  const emulator = async (options: EmulatorOptions = {}) => {
    const started = await startEmulator({ settle: 0, ...options })
    onTestFinished(() => started.close())
    return started
  }
  const payroll = ({ accounts }: Awaited<ReturnType<typeof emulator>>): string => {
    const [account] = accounts().filter(({ currency }) => currency === 'CRC')
    return `to,amount,description,from\n${Array.from({ length: 5 }, (_, at) => `87000001,${at + 1},,${account?.id}`).join('\n')}`
  }
  const paid = async (cli: Payctl) => (await json(cli, 'payments', 'history')).length

  test('is empty after a reset: a batch is sent again, and payments in doubt stay in the old world', async () => {
    const service = await emulator()
    const cli = payctl(service.baseUrl, { token: service.token })
    const argv = batchIn(cli, payroll(service))
    expect((await cli.run(...argv)).code).toBe(0)
    expect((await cli.run(...argv)).stderr).toContain('all 5 sent before')
    const [{ id }] = await intents(cli)

    await service.control.reset()
    const again = await cli.run(...argv)
    const resumed = await cli.run('payments', 'resume', id)

    expect(again.code).toBe(0)
    expect(rowsOf(again.stdout)).toHaveLength(5)
    expect(again.stderr).not.toContain('sent before')
    expect(await paid(cli)).toBe(5)
    expect(resumed.code).toBe(6)
    expect(resumed.stderr).toContain('existed only there')
  })

  test('is another one with another emulator on the same port, and the same one with the same data', async () => {
    const data = join(await temporaryDirectory(), 'world.db')
    const first = await emulator({ data })
    const port = Number(new URL(first.baseUrl).port)
    const cli = payctl(first.baseUrl, { token: first.token })
    const argv = batchIn(cli, payroll(first))
    const counts: (readonly number[])[] = []
    const pay = async () => counts.push([(await cli.run(...argv)).code, await paid(cli)])
    await pay()
    await first.close()

    const second = await emulator({ port })
    await pay()
    await second.close()
    await emulator({ port, data })
    await pay()

    expect(counts).toEqual([
      [0, 5],
      [0, 5],
      [0, 5],
    ])
    expect((await cli.run(...argv)).stderr).toContain('all 5 sent before')
  })

  /** Moves the service to the world `to` when a payment arrives; null: the service is no longer an emulator. */
  const move = (service: Service, from: string | null, to: string | null) => {
    if (from !== null) service.headers[worldHeader] = from
    service.before = (request, response) => {
      if (!isPayment(request)) return undefined
      if (to === null) {
        delete service.headers[worldHeader]
        response.removeHeader(worldHeader)
      } else {
        service.headers[worldHeader] = to
        response.setHeader(worldHeader, to)
      }
      return undefined
    }
  }

  test.each([
    ['one', 'two'],
    ['one', null],
    [null, 'one'],
  ])('that changes from %s to %s under a payment leaves it in doubt, not sent', async (from, to) => {
    const { service, cli } = await machine()
    move(service, from, to)

    const { code, stdout, stderr } = await cli.run(...send, '--idempotency-key', 'order-17')
    const [{ id, world, status }] = await intents(cli)
    const resumed = await cli.run('payments', 'resume', id)
    const again = await cli.run(...send, '--idempotency-key', 'order-17')

    expect([code, stdout, world, status]).toEqual([10, '', from, 'unknown'])
    expect(stderr).toContain('different world')
    expect([resumed.code, again.code]).toEqual([from === null || to === null ? 2 : 6, 0])
    expect(service.payments.size).toBe(1)
  })

  test('that changes under a payment makes a refusal say nothing of it', async () => {
    const { service, cli } = await machine()
    service.headers[worldHeader] = 'one'
    service.before = (request, response) => {
      if (!isPayment(request)) return undefined
      response.setHeader(worldHeader, 'two')
      return [422, 'Unknown account']
    }

    expect((await cli.run(...send)).code).toBe(10)
    expect(await intents(cli)).toMatchObject([{ status: 'unknown' }])
  })

  test.each([
    ['a failure', { status: 503, exit: 10, left: 'unknown' }],
    ['a refusal for now', { status: 429, exit: 6, left: 'prepared' }],
  ])('that shows on %s of a payment has it not tried again', async (_, { status, exit, left }) => {
    const { service, cli } = await machine()
    service.headers[worldHeader] = 'one'
    service.before = (request, response) => {
      if (!isPayment(request)) return undefined
      service.headers[worldHeader] = 'two'
      response.setHeader(worldHeader, 'two')
      recover(service)
      return [status, 'Not now']
    }

    const { code, stderr } = await cli.run(...send, '--retries', '2')

    expect(code).toBe(exit)
    expect(stderr).toContain('different world')
    expect(service.received.filter(isPayment)).toHaveLength(1)
    expect(await intents(cli)).toMatchObject([{ status: left, world: 'one' }])
  })

  test('that changes before what is in doubt is sent again keeps it from leaving', async () => {
    const { service, cli } = await machine()
    service.headers[worldHeader] = 'one'
    const resume = await lost(service, cli)
    expect((await cli.run('limits', 'set', '--per-day', '500000', 'CRC')).code).toBe(0)
    hideHistory(service)
    const { before } = service
    service.before = (request, response) => {
      if (!request.path.startsWith('/api/accounts/')) return before(request, response)
      service.headers[worldHeader] = 'two'
      response.setHeader(worldHeader, 'two')
      return undefined
    }

    const { code, stderr } = await cli.run(...resume)

    expect(code).toBe(10)
    expect(stderr).toContain('different world')
    expect(service.received.filter(isPayment)).toHaveLength(1)
  })

  test('that does not show on a page of what stands before it has not changed', async () => {
    const { service, cli } = await machine()
    service.headers[worldHeader] = 'one'
    let failures = 1
    service.before = (request, response) => {
      if (!isPayment(request) || failures === 0) return undefined
      failures -= 1
      response.removeHeader(worldHeader)
      return [503, 'No upstream']
    }

    expect((await cli.run(...send, '--retries', '1')).code).toBe(0)
    expect(await intents(cli)).toMatchObject([{ status: 'settled', world: 'one' }])
  })

  test('that does not show on a page in place of an answer has not changed', async () => {
    const { service, cli } = await machine()
    service.headers[worldHeader] = 'one'
    service.before = (request, response) => {
      if (!isPayment(request)) return undefined
      response.removeHeader(worldHeader)
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<form>Log in to the hotel</form>')
      return 'handled'
    }

    const { code, stderr } = await cli.run(...send, '--retries', '0')

    expect(code).toBe(10)
    expect(stderr).not.toContain('world')
    expect(await intents(cli)).toMatchObject([{ status: 'unknown', world: 'one' }])
  })

  test('that changes under a batch stops it, and the next run pays each row in the new one', async () => {
    const { service, cli } = await machine()
    service.headers[worldHeader] = 'one'
    const argv = [...batchIn(cli), '--concurrency', '1']
    service.before = (request, response) => {
      if (!isPayment(request) || service.payments.size < 2) return undefined
      service.payments.clear()
      service.headers[worldHeader] = 'two'
      response.setHeader(worldHeader, 'two')
      return undefined
    }

    const { code, stdout, stderr } = await cli.run(...argv)
    recover(service)
    const again = await cli.run(...argv)

    expect(code).toBe(10)
    expect(rowsOf(stdout).map(({ status }) => status)).toEqual(['pending', 'pending', 'unknown', 'not_sent'])
    expect(stderr).toContain('2 not sent')
    expect(stderr).toContain('Run the same command again')
    expect(again.code).toBe(0)
    expect(service.payments.size).toBe(5)
  })
})

describe('what the service has not accepted', () => {
  /** Saves a payment or batch that the service refuses because of the token. */
  const unsent = async (argv: (cli: Payctl) => readonly string[]) => {
    const { service, cli } = await machine()
    service.before = (request) => (isPayment(request) ? [401, 'Unauthenticated.'] : undefined)
    await cli.run(...argv(cli))
    recover(service)
    return { service, cli }
  }

  test('is resumed by name only after a yes', async () => {
    const { service, cli } = await unsent(() => send)
    const [{ id, status }] = await intents(cli)

    const silent = await cli.run('payments', 'resume', id)
    const refused = await cli.ask('n\n', 'payments', 'resume', id)
    expect(service.payments.size).toBe(0)
    const agreed = await cli.run('payments', 'resume', id, '--yes')

    expect([status, silent.code, refused.code, agreed.code]).toEqual(['prepared', 2, 2, 0])
    expect(silent.stderr).toContain('--yes')
    expect(silent.stderr).toContain('The service has not accepted the payment.')
    expect(refused.stderr).toMatch(/ as ana@example\.com \(default\)[\s\S]*Send 10\.00 CRC to Luis Solano\?/)
    expect(agreed.stderr).toMatch(/^Sending 10\.00 to .* as ana@example\.com/)
    expect(service.payments.size).toBe(1)
  })

  test('is resumed as a batch only after a yes to so many rows and so much', async () => {
    const { service, cli } = await unsent((cli) => [...batchIn(cli), '--batch-id', 'nightly'])
    const resume = ['payments', 'resume', '--batch', 'nightly']

    const silent = await cli.run(...resume)
    const refused = await cli.ask('n\n', ...resume)
    expect(service.payments.size).toBe(0)
    const agreed = await cli.run(...resume, '--yes')

    expect([silent.code, refused.code, agreed.code]).toEqual([2, 2, 0])
    for (const { stderr } of [silent, refused, agreed]) {
      expect(stderr).toMatch(
        /5 rows of batch nightly that the service has not accepted, 5\.60 CRC, at .* as ana@example\.com/,
      )
    }
    expect(service.payments.size).toBe(5)
  })

  test('is asked for, and what is in doubt is not', async () => {
    const { service, cli } = await machine()
    loseAnswers(service)
    await cli.run(...batchIn(cli), '--batch-id', 'nightly', '--retries', '0')
    recover(service)

    const { code, stderr } = await cli.run('payments', 'resume', '--batch', 'nightly')

    expect(code).toBe(0)
    expect(stderr).toContain('Finding the outcome of 5 rows in doubt of batch nightly')
    expect(service.payments.size).toBe(5)
  })
})
