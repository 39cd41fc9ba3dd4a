import { describe, expect, it, onTestFinished } from 'vitest'
import { type EmulatorOptions, startEmulator } from '../../emulator/index.ts'
import { announce } from '../../src/config/running_emulators.ts'
import { announcementOf } from '../config/ready.ts'
import { startReceiver } from '../emulator/control/receiver.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'
import { failure, startStub } from '../support/stub.ts'

/** An emulator until the test ends, and payctl with the emulator's address in the environment. */
async function start(options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  const env = { PAYCTL_BASE_URL: emulator.baseUrl, PAYCTL_TOKEN: emulator.token }
  const payctl = (...argv: string[]) => runPayctl(argv, { env })
  /** Runs a command that must succeed, and returns its JSON output. */
  const read = async (...argv: string[]) => {
    const { code, stdout, stderr } = await payctl(...argv, '--json')
    expect(code, stderr).toBe(0)
    return JSON.parse(stdout)
  }
  const account = emulator.accounts().find(({ currency }) => currency === 'CRC')
  return { emulator, env, payctl, read, account: account?.id ?? '', iban: account?.iban ?? '' }
}

describe('payctl emulator', () => {
  it('finds the emulator that runs, as --emulator does', async () => {
    const { emulator } = await start()
    const state = await temporaryDirectory()
    announce(state, announcementOf(emulator))
    for (const flags of [[], ['--emulator'], ['--profile', 'emulator']]) {
      const run = await runPayctl(['emulator', 'status', ...flags, '-o', 'tsv'], { env: { PAYCTL_STATE_DIR: state } })
      expect(run).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('demo') })
    }
  })

  it('ends with 12 when none runs, or none answers', async () => {
    const none = await runPayctl(['emulator', 'status'])
    expect(none).toEqual({
      code: 12,
      stdout: '',
      stderr: 'error: No emulator is running.\nnext:  payctl emulate\n',
    })
    const { payctl, emulator } = await start()
    await emulator.close()
    expect((await payctl('emulator', 'reset')).code).toBe(12)
    expect((await payctl('emulator', 'status', '--retries', '0')).code).toBe(12)
  })

  it('sends no access token: its target may not be an emulator', async () => {
    const stub = await startStub([404, failure('Not Found.')])
    const env = { PAYCTL_BASE_URL: stub.url, PAYCTL_TOKEN: 'secret-of-the-service' }
    expect((await runPayctl(['emulator', 'reset'], { env })).code).toBe(3)
    expect(stub.received).toHaveLength(1)
    expect(stub.received[0]?.headers.authorization).toBeUndefined()
  })

  it('takes the control token from the environment or a flag, wherever it stands', async () => {
    const { payctl, env } = await start({ controlToken: 'c0ntrol' })
    const without = await payctl('emulator', 'status')
    expect(without).toMatchObject({ code: 4, stdout: '' })
    expect(without.stderr).toContain('  Set PAYCTL_CONTROL_TOKEN')
    expect((await payctl('emulator', 'status', '--control-token', 'wrong')).code).toBe(4)
    expect((await payctl('emulator', 'status', '--control-token', 'c0ntrol')).code).toBe(0)
    expect((await payctl('emulator', '--control-token', 'c0ntrol', 'clock', 'freeze')).code).toBe(0)
    const set = { env: { ...env, PAYCTL_CONTROL_TOKEN: 'c0ntrol' } }
    expect((await runPayctl(['emulator', 'status'], set)).code).toBe(0)
    const traced = await runPayctl(['emulator', 'status', '-v'], set)
    expect(traced.stderr).not.toContain('c0ntrol')
  })

  it('sends the control token of the environment to the emulator of the environment only', async () => {
    const stub = await startStub([404, failure('Not Found.')])
    const env = { PAYCTL_BASE_URL: 'http://127.0.0.1:4010', PAYCTL_CONTROL_TOKEN: 'c0ntrol' }
    const { code, stderr } = await runPayctl(['emulator', 'status', '--base-url', stub.url], { env })
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        `error: PAYCTL_CONTROL_TOKEN belongs to http://127.0.0.1:4010 (PAYCTL_BASE_URL), and is not sent to ${stub.url}.`,
      ),
    })
    expect(stub.received).toEqual([])
  })

  it.each([
    [],
    ['status'],
    ['reset'],
    ['credit'],
    ['rail'],
    ['fees'],
    ['limits'],
    ['fx'],
    ['scenarios'],
    ['faults'],
    ['faults', 'add'],
    ['faults', 'clear'],
    ['faults', 'remove'],
    ['registry'],
    ['registry', 'add'],
    ['registry', 'remove'],
    ['users'],
    ['users', 'create'],
    ['token'],
    ['token', 'list'],
    ['token', 'revoke'],
    ['deliveries'],
    ['deliveries', 'show'],
    ['deliveries', 'resend'],
    ['payment'],
    ['account'],
    ['wait'],
    ['rate-limit'],
    ['clock'],
    ['clock', 'freeze'],
    ['clock', 'unfreeze'],
    ['clock', 'advance'],
    ['clock', 'set'],
    ['clock', 'at'],
    ['clock', 'run-until-idle'],
    ['clock', 'speed'],
  ])('%s %s has help with examples', async (...path) => {
    const { code, stdout } = await runPayctl(['help', 'emulator', ...path.filter(Boolean)])
    expect(code).toBe(0)
    expect(stdout).toMatch(/\nExamples:\n {2}\$ .*payctl emulator/)
    expect(stdout).toMatchSnapshot()
  })
})

describe('payctl emulator payment', () => {
  it('moves a payment to the given status, now or later, and lists the possible ones', async () => {
    const { read, payctl, account } = await start()
    const send = async () => {
      const order = ['--from', account, '--to', '87000001', '--amount', '10']
      return (await read('payments', 'send', ...order, '--yes')).id
    }
    const [first, second] = [await send(), await send()]
    expect(await read('emulator', 'payment', first, 'completed')).toMatchObject({ id: first, status: 'completed' })
    const again = await payctl('emulator', 'payment', first, 'failed')
    expect(again).toMatchObject({ code: 6, stdout: '' })
    expect(again.stderr).toContain('The payment is completed, which is final')

    const later = await read('emulator', 'payment', second, 'failed', '--reason', 'limit_exceeded', '--after', '2h')
    expect(later).toMatchObject({ status: 'pending' })
    await read('emulator', 'clock', 'advance', '2h')
    expect(await read('payments', 'get', second)).toMatchObject({
      status: 'failed',
      error_message: 'The payment is outside the limits of the destination account',
    })
    expect((await payctl('emulator', 'payment', first, 'nowhere')).code).toBe(2)
    const credit = await read('emulator', 'payment', first, 'return')
    expect(credit).toMatchObject({ transfer_type: 'credit', description: expect.stringMatching(/^Return of \d{25}$/) })
    expect((await payctl('emulator', 'payment', first, 'return')).code).toBe(6)
    expect((await payctl('emulator', 'payment', first, 'return', '--after', '2h')).code).toBe(2)
  })
})

describe('payctl emulator wait', () => {
  it('ends when it has happened, or with 6 and what was seen', async () => {
    const { read, payctl, account } = await start({ settle: 30 })
    const { id } = await read('payments', 'send', '--from', account, '--to', '87000001', '--amount', '10', '--yes')
    const done = { payment: { id, status: 'completed' } }
    expect(await read('emulator', 'wait', '--payment', id)).toEqual(done)
    expect(await read('emulator', 'wait', '--idle')).toEqual({ idle: { sending: false, next_due_at: null } })
    expect((await payctl('emulator', 'wait', '--idle')).stdout).toBe('idle\tsending\ntrue\tfalse\n')
    const failed = await payctl('emulator', 'wait', '--payment', id, '--status', 'failed')
    expect(failed).toMatchObject({ code: 6, stdout: '' })
    expect(failed.stderr).toContain('The payment is completed, not failed, and will never be')
    const none = await payctl('emulator', 'wait', '--deliveries', '2', '--wait-timeout', '20ms')
    expect(none).toMatchObject({ code: 6, stdout: '' })
    expect(none.stderr).toContain('Delivered: 0 of 2, pending: 0, exhausted: 0, after 20 ms')
    const requests = await payctl('emulator', 'wait', '--requests', '1', '--endpoint', 'payments.create')
    expect(requests.stdout).toMatch(/^came\tanswered\n/)
    const more = await payctl('emulator', 'wait', '--max-requests', '0', '--endpoint', 'payments.create')
    expect(more.code).toBe(6)
    expect((await payctl('emulator', 'wait', '--requests', '1', '--endpoint', 'payments.make')).code).toBe(2)
    expect((await payctl('emulator', 'wait')).code).toBe(2)
  })

  it('refuses a limit that would have no effect', async () => {
    const { payctl, account } = await start({ settle: 30 })
    await payctl('payments', 'send', '--from', account, '--to', '87000001', '--amount', '10', '--yes')
    for (const line of [
      '--requests 1 --url http://127.0.0.1:8080/hook',
      '--idle --event payment.failed',
      '--idle --endpoint payments.create',
      '--requests 1 --status failed',
    ]) {
      const { code, stderr } = await payctl('emulator', 'wait', ...line.split(' '))
      const [, , flag] = /^(.*) (--\w+) \S+$/.exec(line) ?? []
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${flag} has no effect`) })
    }
  })
})

describe('payctl emulator account and rate-limit', () => {
  it('sets what an account can spend, and its status', async () => {
    const { read, payctl, account } = await start()
    const spend = ['payments', 'send', '--from', account, '--to', '87000001', '--amount', '10', '--yes']
    expect(await read('emulator', 'account', account, '--balance', '1500.25')).toMatchObject({
      balance: { value: 150_025 },
    })
    expect(await read('emulator', 'account', account, '--balance', '0')).toMatchObject({ balance: { value: 0 } })
    expect((await payctl(...spend)).stderr).toContain('Insufficient balance')
    expect(await read('emulator', 'account', account, '--status', 'closed')).toMatchObject({ status: 'closed' })
    expect((await payctl(...spend)).stderr).toContain('Source account is closed')
    expect(await read('emulator', 'account', account)).toMatchObject({ status: 'closed', balance: { value: 0 } })
  })

  it('sets the limit of requests, and uses it up', async () => {
    const { read, payctl } = await start()
    await read('emulator', 'clock', 'freeze')
    expect(await read('emulator', 'rate-limit', '--set', '10/min')).toMatchObject({ limit: 10, exhausted: false })
    expect(await read('emulator', 'rate-limit', '--exhaust')).toMatchObject({ limit: 10, exhausted: true })
    expect((await payctl('user', '--retries', '0')).code).toBe(11)
    expect(await read('emulator', 'rate-limit', '--set', 'off')).toMatchObject({ limit: null })
    expect((await payctl('user')).code).toBe(0)
    expect((await payctl('emulator', 'rate-limit')).stdout).toContain('off')
  })
})

describe('payctl emulator credit', () => {
  it('credits an account by its phone, IBAN or id', async () => {
    const { read, account, iban, emulator } = await start()
    const before = emulator.accounts().find(({ id }) => id === account)?.balance ?? 0
    const spaced = iban.replace(/(.{4})/g, '$1 ')
    expect(await read('emulator', 'credit', '--to', '8800-1234', '--amount', '1500.25')).toMatchObject({
      transfer_type: 'credit',
      channel: 'sinpe_movil',
      amount: { value: 150_025, currency: 'CRC' },
    })
    await read('emulator', 'credit', '--to', spaced, '--amount-minor', '5')
    const full = await read(
      ...['emulator', 'credit', '--to', account, '--amount', '1', '--from-iban', 'CR05 0152 0200 1026 2840 66'],
      ...['--name', 'Ana Vargas', '--document', '3101999888', '--description', 'Factura 12'],
    )
    expect(full).toMatchObject({
      payer: { iban: 'CR05015202001026284066', name: 'Ana Vargas', document_number: '3101999888', document_type: 3 },
      description: 'Factura 12',
    })
    expect(emulator.accounts().find(({ id }) => id === account)?.balance).toBe(before + 150_025 + 5 + 100)
    expect(await read('payments', 'history', '--type', 'credit')).toHaveLength(3)
  })

  it.each([
    [['--amount', '1'], 2],
    [['--to', '88001234'], 2],
    [['--to', '88001234', '--amount', '1,000'], 2],
    [['--to', '88001234', '--amount', '1', '--amount-minor', '1'], 2],
    [['--to', '88001234', '--amount', '1', '--from-iban', 'x', '--from-phone', 'y'], 2],
    [['--to', '89999999', '--amount', '1'], 7],
    [['--to', '88001234', '--amount', '1', '--from-phone', '1'], 7],
  ])('%j ends with %i', async (flags, code) => {
    const { payctl } = await start()
    const run = await payctl('emulator', 'credit', ...flags)
    expect(run).toMatchObject({ code, stdout: '' })
    expect(run.stderr).toMatch(/error: .+/)
  })

  it('schedules a credit, lists it, lets it arrive and cancels another', async () => {
    const { read, payctl, account } = await start({ clock: '2030-01-05T12:00:00Z' })
    const none = await payctl('emulator', 'credit', 'list', '-o', 'table')
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('No scheduled credits.') })

    const sinpe_reference = '2026010537083000000000961'
    const credit = ['emulator', 'credit', '--to', '8800-1234', '--amount', '500']
    const later = await read(...credit, '--after', '2h', '--reference', sinpe_reference)
    expect(later).toMatchObject({
      ...{ status: 'scheduled', due_at: '2030-01-05T14:00:00.000000Z', account_id: account, sinpe_reference },
      amount: { value: 50_000 },
    })
    const then = await read(...credit, '--at', '2030-01-05T08:30')
    expect(then).toMatchObject({ due_at: '2030-01-05T14:30:00.000000Z' })
    expect(await read('emulator', 'credit', 'list')).toEqual([then, later])
    expect(await read('emulator', 'credit', 'list', '--all')).toEqual([then, later])
    expect(await read('emulator', 'credit', 'list', '--sort', 'due_at')).toEqual([later, then])
    const columns = ['--columns', 'status,due_at,sinpe_reference', '-o', 'tsv']
    expect(await payctl('emulator', 'credit', 'list', '--per-page', '1', '--page', '2', ...columns)).toMatchObject({
      code: 0,
      stdout: `status\tdue_at\tsinpe_reference\nscheduled\t2030-01-05T14:00:00.000000Z\t${sinpe_reference}\n`,
    })

    expect(await read('emulator', 'credit', 'cancel', then.id.slice(-6))).toEqual(then)
    await read('emulator', 'clock', 'advance', '2h')
    expect(await read('emulator', 'credit', 'list')).toEqual([{ ...later, status: 'received' }])
    expect(await read('payments', 'get', later.id)).toMatchObject({ status: 'completed', sinpe_reference })
    expect(await payctl('emulator', 'credit', 'cancel', later.id)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('The credit was received: only a scheduled credit can be cancelled'),
    })
  })

  it.each([
    [['--after', '1h', '--at', '2030-01-05'], 2, 'cannot be used with'],
    [['--at', '2020-01-05'], 7, 'The time is in the past'],
    [['--after', '2'], 2, 'Give a number with its unit'],
    [['--reference', '20260105370'], 7, 'must be 25 digits'],
  ])('with %j changes nothing', async (flags, code, message) => {
    const { read, payctl } = await start()
    const run = await payctl('emulator', 'credit', '--to', '8800-1234', '--amount', '500', ...flags)
    expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
    expect(await read('emulator', 'credit', 'list')).toEqual([])
    expect(await read('payments', 'history')).toEqual([])
  })

  it('names what is missing', async () => {
    const { payctl } = await start()
    expect(await payctl('emulator', 'credit', '--amount', '5')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The account is missing.'),
    })
  })

  it('ends with 6 when the rail is offline', async () => {
    const { payctl } = await start()
    await payctl('emulator', 'rail', 'sinpe_movil', 'offline')
    expect((await payctl('emulator', 'credit', '--to', '88001234', '--amount', '1')).code).toBe(6)
  })
})

describe('payctl emulator rail, fees and fx', () => {
  it('show and set', async () => {
    const { read, payctl } = await start()
    const under_way = { pin: 'complete', sinpe_movil: 'complete' }
    const noMaintenance = {
      maintenance: { pin: [], sinpe_movil: [] },
      maintenance_until: { pin: null, sinpe_movil: null },
    }
    expect(await read('emulator', 'rail')).toEqual({
      ...{ pin: 'online', sinpe_movil: 'online', under_way },
      ...noMaintenance,
    })
    expect(await read('emulator', 'rail', 'pin', 'offline')).toMatchObject({ pin: 'offline', sinpe_movil: 'online' })
    const hanging = await read('emulator', 'rail', 'pin', 'offline', '--under-way', 'hang')
    expect(hanging).toMatchObject({ pin: 'offline', under_way: { pin: 'hang', sinpe_movil: 'complete' } })
    expect(await read('payments', 'service-status')).toMatchObject({ overall_status: 'partial' })
    const usual = { pin: 100, pin_usd: 100, sinpe_movil: 0, own_accounts: 'same' }
    expect(await read('emulator', 'fees')).toEqual(usual)
    const few = await read('emulator', 'fees', '--pin', '0', '--sinpe-movil', '2.50')
    expect(few).toEqual({ ...usual, pin: 0, sinpe_movil: 250 })
    const banded = ['--pin', '100000:0,2.50', '--pin-usd', '0.30', '--own-accounts', 'free']
    expect(await read('emulator', 'fees', ...banded)).toEqual({
      pin: [
        { up_to: 10_000_000, fee: 0 },
        { up_to: null, fee: 250 },
      ],
      pin_usd: 30,
      sinpe_movil: 250,
      own_accounts: 'free',
    })
    const set = await read('emulator', 'fx', '--bid', '500', '--ask', '510', '--spread', '0.004')
    expect(set).toMatchObject({ service: { bid: 498, ask: 512.04 }, offline: false })
    expect(await read('emulator', 'fx', '--offline')).toMatchObject({ offline: true, bid: 500 })
    expect(await read('emulator', 'fx', '--online', '--bid', 'auto', '--ask', 'auto')).toMatchObject({
      offline: false,
      bid: null,
      ask: null,
    })
    const { stdout } = await payctl('emulator', 'fees')
    expect(stdout).toBe('pin\tpin_usd\tsinpe_movil\town_accounts\n100000.00:0.00,2.50\t0.30\t2.50\tfree\n')
  })

  it('set a timetable of a rail, change it and take it away', async () => {
    const { read, payctl } = await start()
    const windows = ['02:00-04:00', 'sun 22:00-23:30']
    const flags = ['--maintenance', '02:00-04:00', '--maintenance', 'SUN 22:00-23:30', '--under-way', 'hang']
    expect(await read('emulator', 'rail', 'pin', ...flags)).toMatchObject({
      under_way: { pin: 'hang', sinpe_movil: 'complete' },
      maintenance: { pin: windows, sinpe_movil: [] },
    })
    expect(await read('emulator', 'rail', 'pin', '--under-way', 'timeout')).toMatchObject({
      under_way: { pin: 'timeout' },
      maintenance: { pin: windows },
    })
    const { stdout } = await payctl('emulator', 'rail', '-o', 'csv')
    expect(stdout).toContain('pin_maintenance,sinpe_movil_maintenance,pin_maintenance_until')
    expect(stdout).toContain('"02:00-04:00, sun 22:00-23:30"')
    expect(await read('emulator', 'rail', 'pin', '--maintenance', '23:30-01:00')).toMatchObject({
      maintenance: { pin: ['23:30-01:00'] },
    })
    expect(await read('emulator', 'rail', 'pin', '--maintenance', 'off')).toMatchObject({
      under_way: { pin: 'complete' },
      maintenance: { pin: [] },
    })
  })

  it.each([
    [['rail', 'swift']],
    [['rail', 'pin', 'broken']],
    [['rail', 'pin', 'offline', '--under-way', 'sink']],
    [['rail', 'pin', '--maintenance', '2:00-4:00']],
    [['rail', 'pin', '--maintenance', 'sunday 02:00-04:00']],
    [['rail', '--maintenance', '02:00-04:00']],
    [['rail', '--under-way', 'hang']],
    [['fees', '--pin', '-1']],
    [['fees', '--pin', '2.505']],
    [['fees', '--pin', '2.50,']],
    [['fees', '--pin', '100:1']],
    [['fees', '--pin', '100:1:2,3']],
    [['fees', '--own-accounts', 'cheap']],
    [['fx', '--bid', 'high']],
    [['fx', '--online', '--offline']],
  ])('%j is a usage error', async (argv) => {
    const { payctl } = await start()
    expect(await payctl('emulator', ...argv)).toMatchObject({ code: 2, stdout: '' })
  })

  it('pass on what the emulator refuses', async () => {
    const { payctl } = await start()
    const { code, stderr } = await payctl('emulator', 'fx', '--bid', '510', '--ask', '500')
    expect(code).toBe(7)
    expect(stderr).toContain('The ask (500) is below the bid (510)')
  })
})

describe('payctl emulator clock', () => {
  it('freezes, advances, is set and runs on', async () => {
    const { read } = await start()
    const { now } = await read('emulator', 'clock', 'freeze')
    const advanced = await read('emulator', 'clock', 'advance', '1h')
    expect(Date.parse(advanced.now) - Date.parse(now)).toBe(3_600_000)
    expect(await read('emulator', 'clock')).toEqual({ ...advanced, offset_ms: expect.any(Number) })
    expect(await read('emulator', 'clock', 'set', '2040-01-05')).toMatchObject({ now: '2040-01-05T06:00:00.000Z' })
    expect(await read('emulator', 'clock', 'set', '2040-01-05T12:00:00Z')).toMatchObject({ frozen: true })
    expect(await read('emulator', 'clock', 'unfreeze')).toMatchObject({ frozen: false })
    const at = await read('emulator', 'clock', 'at', '2040-02-01', '--delivery-timeout', '200ms')
    expect(at).toMatchObject({ now: '2040-02-01T06:00:00.000Z', frozen: true })
    expect(await read('emulator', 'clock', 'run-until-idle', '--within', '1h')).toMatchObject({ idle: true })
    expect(await read('emulator', 'clock', 'speed', '60')).toMatchObject({ speed: 60 })
  })

  it('takes a payment to its end', async () => {
    const { read, account } = await start()
    const { id } = await read('payments', 'send', '--from', account, '--to', '87000001', '--amount', '10', '--yes')
    await read('emulator', 'clock', 'advance', '2d')
    expect(await read('payments', 'get', id)).toMatchObject({ status: 'completed' })
  })

  it.each([
    [['advance'], 2],
    [['advance', '5'], 2],
    [['advance', '-1h'], 2],
    [['advance', '999d'], 2],
    [['set', 'tomorrow'], 2],
    [['set', '2040-13-01'], 2],
    [['set', '2020-01-01'], 7],
  ])('%j ends with %i', async (argv, code) => {
    const { payctl } = await start()
    expect((await payctl('emulator', 'clock', ...argv)).code).toBe(code)
  })
})

describe('payctl emulator token and users', () => {
  it('make a token that works, alone on stdout', async () => {
    const { payctl, env } = await start()
    const { stdout } = await payctl('emulator', 'token', '--scopes', 'read-user', '--expires-in', '1h')
    expect(stdout).toMatch(/^payctl_token_\S+\n$/)
    const as = { env: { ...env, PAYCTL_TOKEN: stdout.trim() } }
    expect((await runPayctl(['user'], as)).code).toBe(0)
    expect((await runPayctl(['accounts', 'list'], as)).code).toBe(5)
    await payctl('emulator', 'clock', 'advance', '1h')
    expect((await runPayctl(['user'], as)).code).toBe(4)
  })

  it('for another user, revoked by its id', async () => {
    const { read, env } = await start()
    const user = await read('emulator', 'users', 'create', '--name', 'Luis Mora', '--phone', '6123-4567')
    const minted = await read('emulator', 'token', '--user', user.id)
    const as = { env: { ...env, PAYCTL_TOKEN: minted.token } }
    expect(JSON.parse((await runPayctl(['user', '--json'], as)).stdout)).toMatchObject({ id: user.id })
    expect(await read('emulator', 'users')).toContainEqual(user)
    expect(await read('emulator', 'token', 'list')).toContainEqual(expect.objectContaining({ id: minted.id }))
    await read('emulator', 'token', 'revoke', String(minted.id))
    expect((await runPayctl(['user'], as)).code).toBe(4)
  })

  it.each([
    [['token', '--scopes', 'everything'], 2],
    [['token', '--scopes', ','], 2],
    [['token', '--user', 'me'], 2],
    [['token', 'revoke', 'x'], 2],
    [['token', 'revoke', '999'], 3],
    [['token', '--user', '01900000-0000-7000-8000-00000000ffff'], 7],
    [['users', 'create'], 2],
    [['users', 'create', '--name', 'A', '--phone', '88001234'], 7],
  ])('%j ends with %i', async (argv, code) => {
    const { payctl } = await start()
    expect(await payctl('emulator', ...argv)).toMatchObject({ code, stdout: '' })
  })
})

describe('payctl emulator scenarios and registry', () => {
  it('list who to pay for which end, in a table that fits a terminal', async () => {
    const { env, read } = await start({ settle: 1000 })
    const { stdout } = await runPayctl(['emulator', 'scenarios', '--no-color'], { env, terminal: 80 })
    expect(stdout).toMatchSnapshot()
    expect(await read('emulator', 'scenarios')).toContainEqual(
      expect.objectContaining({ address: '87000013', status: 'failed', state_code: 'account_closed', after_ms: 1000 }),
    )
  })

  it('add and remove an entry', async () => {
    const { read, payctl } = await start()
    const add = ['emulator', 'registry', 'add', '--phone', '7111-2222', '--name', 'Beatriz', '--document', '0109990888']
    const entry = await read(...add, '--outcome', 'failed', '--state-code', 'account_blocked')
    expect(entry).toMatchObject({ address: '71112222', outcome: 'failed', state_code: 'account_blocked' })
    expect((await payctl(...add)).code).toBe(6)
    expect(await read('phone', '71112222')).toMatchObject([{ name: 'Beatriz' }])
    expect(await read('emulator', 'registry')).toContainEqual(entry)
    expect(await read('emulator', 'registry', 'remove', '7111 2222')).toEqual(entry)
    expect((await payctl('emulator', 'registry', 'remove', '71112222')).code).toBe(3)
  })

  it.each([
    [['add', '--name', 'A', '--document', '0109990888'], 7],
    [['add', '--iban', 'CR37012345678901234567', '--name', 'A', '--document', '0109990888'], 7],
    [['add', '--phone', '71112222', '--name', 'A'], 2],
    [['add', '--phone', '71112222', '--name', 'A', '--document', '0109990888', '--outcome', 'lost'], 2],
    [['remove'], 2],
  ])('%j ends with %i', async (argv, code) => {
    const { payctl } = await start()
    expect(await payctl('emulator', 'registry', ...argv)).toMatchObject({ code, stdout: '' })
  })
})

describe('payctl emulator faults', () => {
  it('has an endpoint answer with an error as often as asked, and no longer', async () => {
    const { read, payctl } = await start()
    const rule = { id: 1, endpoint: 'accounts.list', status: 503, times: 2 }
    expect(await read('emulator', 'faults', 'add', 'accounts.list', '503', '--times', '2')).toEqual({
      ...rule,
      matched: 0,
      fired: 0,
    })
    expect(await read('emulator', 'faults')).toEqual([{ ...rule, matched: 0, fired: 0 }])
    const list = ['accounts', 'list', '--retries', '0']
    expect(await payctl(...list)).toMatchObject({
      code: 12,
      stderr: expect.stringContaining('Unable to retrieve account balance'),
    })
    expect(await read('emulator', 'faults')).toEqual([{ ...rule, times: 1, matched: 1, fired: 1 }])
    expect((await payctl(...list)).code).toBe(12)
    expect((await payctl(...list)).code).toBe(0)
    expect(await read('emulator', 'faults')).toEqual([])
  })

  it('goes on until it is cleared', async () => {
    const { read, payctl } = await start()
    const rule = await read('emulator', 'faults', 'add', 'user.get', '401', '--always')
    expect(rule).toEqual({ id: 1, endpoint: 'user.get', status: 401, times: null, matched: 0, fired: 0 })
    for (let n = 0; n < 3; n += 1) expect((await payctl('user')).code).toBe(4)
    expect(await read('emulator', 'faults', 'clear')).toEqual([{ ...rule, matched: 3, fired: 3 }])
    expect((await payctl('user')).code).toBe(0)
  })

  it('ends one rule, and no other', async () => {
    const { read, payctl } = await start()
    await read('emulator', 'faults', 'add', 'user.get', '401', '--always')
    const other = await read('emulator', 'faults', 'add', 'oauth.token', '--error', 'invalid_grant')
    expect(await read('emulator', 'faults', 'remove', '1')).toMatchObject({ id: 1, endpoint: 'user.get' })
    expect((await payctl('user')).code).toBe(0)
    expect(await read('emulator', 'faults')).toEqual([other])
    expect((await payctl('emulator', 'faults', 'remove', '1')).code).toBe(3)
  })

  it('is over after a reset', async () => {
    const { read, payctl } = await start()
    await read('emulator', 'faults', 'add', 'user.get', '401')
    await read('emulator', 'reset')
    expect((await payctl('user')).code).toBe(0)
  })

  it('loses the answer to a payment, and payctl ends with that one payment', async () => {
    const { read, payctl, account } = await start()
    await read('emulator', 'faults', 'add', 'payments.create', '--fault', 'lose_answer')
    const sent = await read('payments', 'send', '--from', account, '--to', '8700-0001', '--amount', '15', '--yes')
    expect(await read('payments', 'history')).toMatchObject([{ id: sent.id }])
    expect(await read('emulator', 'faults', '--all')).toMatchObject([{ fault: 'lose_answer', times: 0, fired: 1 }])
    expect(await payctl('payments', 'intents', '--json')).toMatchObject({ code: 0 })
    expect(await read('emulator', 'status')).toMatchObject({ payments: { pending: 1, completed: 0, processing: 0 } })
  })

  it('takes all that a rule can say', async () => {
    const { read } = await start()
    const fault = async (...argv: string[]) => {
      const { id: ___, matched: _, fired: __, ...rule } = await read('emulator', 'faults', 'add', ...argv)
      return rule
    }
    expect(
      await fault(
        ...['--method', 'GET', '--path', '/api/accounts/**', '--status', '429', '--retry-after', '30', '--times', '4'],
        ...['--delay', '2s', '--spread', '500ms', '--after', '3', '--probability', '0.25', '--seed', '7'],
      ),
    ).toEqual({
      ...{ method: 'GET', path: '/api/accounts/**', status: 429, retry_after: 30, times: 4 },
      ...{ delay_ms: 2000, spread_ms: 500, after: 3, probability: 0.25, seed: 7 },
    })
    const deliveries = ['--event', 'payment.completed', '--fault', 'duplicate']
    expect(await fault(...deliveries, '--until', '2099-01-05')).toEqual({
      ...{ event: 'payment.completed', fault: 'duplicate', until: '2099-01-05T00:00-06:00', times: null },
    })
    expect(await read('emulator', 'faults', 'clear')).toHaveLength(2)
  })

  it('shows rules for people', async () => {
    const { payctl } = await start()
    const rules = [
      ['payments.create', '500'],
      ['--fault', 'reset', '--always'],
      ['--method', 'POST', '--path', '/api/payments', '--delay', '1s', '--spread', '500ms'],
      ['--event', '*', '--fault', 'drop'],
      ['--event', 'payment.failed', '--delay', '1m'],
    ]
    for (const rule of rules) expect((await payctl('emulator', 'faults', 'add', ...rule)).code).toBe(0)
    const { stdout } = await payctl('emulator', 'faults', '-o', 'table')
    expect(stdout.replaceAll(/ +$/gm, '')).toMatchInlineSnapshot(`
      "ID  ENDPOINT            STATUS  TIMES   FAULT  ERROR  DELAY MS      MATCHED  FIRED
      1   payments.create     500     1                                   0        0
      2   any request                 always  reset                       0        0
      3   POST /api/payments          1                     1000 to 1500  0        0
      4   any delivery                1       drop                        0        0
      5   payment.failed              1                     60000         0        0
      "
    `)
  })

  it.each([
    [['--always'], 2, 'Give a status, --fault or --delay'],
    [['user.get', '401', '--status', '401'], 2, 'twice'],
    [['user.get', '--fault', 'burn'], 2, '--fault'],
    [['user.get', '401', '--probability', '1.5'], 2, '--probability'],
    [['user.get', '401', '--until', 'tomorrow'], 2, '--until'],
    [['--event', 'payment.completed', '--status', '500'], 7, 'duplicate, drop, reorder'],
    [['accounts.lst', '503'], 2, 'Did you mean accounts.list?'],
    [['accounts.list', 'x'], 2, 'status'],
    [['accounts.list', '503', '--times', '0'], 2, '--times'],
    [['accounts.list', '503', '--times', '2', '--always'], 2, '--always'],
    [['accounts.list', '404'], 7, 'accounts.list does not answer 404; its errors are 401, 403, 422, 429, 503'],
  ])('add %j ends with %i', async (argv, code, why) => {
    const { payctl } = await start()
    expect(await payctl('emulator', 'faults', 'add', ...argv)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(why),
    })
  })
})

describe('payctl emulator deliveries', () => {
  it('lists, shows and sends again', async () => {
    const { read, payctl, emulator, account } = await start()
    const receiver = await startReceiver()
    await fetch(`${emulator.baseUrl}/api/webhooks/subscriptions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${emulator.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: receiver.url, events: ['transaction.received'] }),
    })
    await read('emulator', 'credit', '--to', account, '--amount', '1')
    await read('emulator', 'credit', '--to', account, '--amount', '2')
    await read('emulator', 'clock', 'advance', '1s')
    const page = await payctl('emulator', 'deliveries', '--per-page', '1')
    expect(page.stdout).toContain('whd_000000000002')
    expect(page.stderr).toBe('1 of 2 deliveries. More: --page 2, --all\n')
    expect(await read('emulator', 'deliveries', '--all', '--per-page', '1')).toHaveLength(2)
    const id = 'whd_000000000001'
    expect(await read('emulator', 'deliveries', 'show', id)).toMatchObject({
      status: 'delivered',
      history: [{ number: 1 }],
    })
    await read('payments', 'send', '--from', account, '--to', '87000001', '--amount', '1', '--yes')
    const { now } = await read('emulator', 'clock', 'freeze')
    expect(await read('emulator', 'deliveries', 'resend', id)).toMatchObject({ status: 'pending' })
    expect(await read('emulator', 'clock', 'advance', '0s')).toMatchObject({ now })
    expect(receiver.received).toHaveLength(3)
    expect((await payctl('emulator', 'deliveries', 'show', 'whd_000000000009')).code).toBe(3)
    expect((await payctl('emulator', 'deliveries', 'show', 'nine')).code).toBe(7)
  })
})

describe('payctl emulator status and reset', () => {
  it('show the world in numbers, and put it back', async () => {
    const { read, payctl, account } = await start()
    const before = await read('emulator', 'status')
    await read('payments', 'send', '--from', account, '--to', '87000001', '--amount', '10', '--yes')
    const { stdout } = await payctl('emulator', 'status', '-o', 'csv')
    expect(stdout.split('\r\n').join('\n')).toContain('1 pending')
    const { clock: _, fx: __, world: ___, ...after } = await read('emulator', 'reset')
    expect(before).toMatchObject(after)
    expect(await read('payments', 'history')).toEqual([])
  })
})
