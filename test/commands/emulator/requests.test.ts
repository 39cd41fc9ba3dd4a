import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type EmulatorOptions, startEmulator } from '../../../emulator/index.ts'
import { announce } from '../../../src/config/running_emulators.ts'
import { announcementOf } from '../../config/ready.ts'
import { crcAccount } from '../../e2e/machine.ts'
import { runPayctl, temporaryDirectory } from '../run_payctl.ts'

/** An emulator that this machine knows of, and requests to it. */
async function start(options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ settle: 'manual', ...options })
  onTestFinished(() => emulator.close())
  const state = await temporaryDirectory()
  announce(state, announcementOf(emulator))
  const env = { PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: join(state, 'config'), NO_COLOR: '1' }
  const payctl = (line: readonly string[] | string, more: Parameters<typeof runPayctl>[1] = {}) =>
    runPayctl(typeof line === 'string' ? line.split(' ') : line, { env, ...more })
  const send = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const { status } = await fetch(`${emulator.baseUrl}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${emulator.token}`, 'Content-Type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    return status
  }
  const order = { source_account_id: crcAccount(emulator), amount: 150_025, recipient_phone: '87000001' }
  return { emulator, payctl, send, order }
}

describe('payctl emulator requests', () => {
  it('lists what the world was asked, with what is out of the ordinary', async () => {
    const { payctl, send, order, emulator } = await start()
    expect(await payctl('emulator requests')).toMatchObject({ code: 0, stderr: 'No requests.\n' })
    await send('/api/user')
    await send('/api/payments', order)
    await emulator.control.faults.add({ endpoint: 'payments.create', fault: 'lose_answer' })
    await send('/api/payments', order, { 'X-Idempotency-Key': 'k' }).catch(() => {})
    await send('/api/payments', order, { 'X-Idempotency-Key': 'k' })
    await send('/api/nowhere')
    const { stdout } = await payctl('emulator requests -o table', { terminal: 80 })
    expect(stdout.replaceAll(/\d\d:\d\d:\d\d/g, '12:00:00').split('\n')).toEqual([
      'ID  AT (UTC)  ENDPOINT          STATUS  REMARK',
      'r1  12:00:00  user.get          200',
      'r2  12:00:00  payments.create   400     a payment has to have a key',
      'r3  12:00:00  payments.create   201     the answer was lost; fault: lose_answer',
      'r4  12:00:00  payments.create   201     its key was known',
      'r5  12:00:00  GET /api/nowhere  404     there is no such path',
      '',
    ])
    const failed = await payctl('emulator requests --status 4xx --endpoint payments.create --json')
    expect(JSON.parse(failed.stdout)).toMatchObject([{ id: 'r2', broke: [{ kind: 'missing_key' }] }])
    const shown = await payctl('emulator requests show r3 -o tsv')
    expect(shown.stdout).toContain('hold -1,500.25 CRC available of')
    expect(await payctl('emulator requests show r9')).toMatchObject({ code: 3, stdout: '' })
  })

  it('goes on with each as it is answered, through a reset, until it is interrupted', async () => {
    const { payctl, send, emulator } = await start()
    await send('/api/user')
    const interruption = new AbortController()
    let seen: string[] = []
    let came = () => {}
    const onStdout = (text: string) => {
      seen = text.trim().split('\n')
      came()
    }
    const next = (count: number) =>
      new Promise<void>((resolve) => {
        came = () => seen.length >= count && resolve()
        came()
      })
    const running = payctl('emulator requests --follow -o ndjson', { signal: interruption.signal, onStdout })
    await next(1)
    await send('/api/accounts')
    await next(2)
    await emulator.control.reset()
    await send('/api/nowhere')
    await next(3)
    interruption.abort('SIGINT')
    expect((await running).code).toBe(130)
    expect(seen.map((line) => JSON.parse(line).path)).toEqual(['/api/user', '/api/accounts', '/api/nowhere'])
    expect(await payctl('emulator requests --follow --json')).toMatchObject({ code: 2 })
  })
})

describe('payctl emulator show', () => {
  it('tells the story of a payment in lines that fit a screen', async () => {
    const { payctl, send, order } = await start()
    await send('/api/payments', order, { 'X-Idempotency-Key': 'k' })
    const { stdout } = await payctl('emulator show r1 -o table', { terminal: 80 })
    const lines = stdout.replaceAll(/\d\d:\d\d:\d\d/g, '12:00:00').split('\n')
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
    expect(lines.slice(0, 4)).toMatchObject([
      expect.stringMatching(/^AT \(UTC\) +KIND +WHAT +AMOUNT$/),
      '12:00:00  request  r1 201 POST /api/payments',
      expect.stringMatching(/^12:00:00 {2}status {3}the payment is pending +1,500.25 CRC$/),
      expect.stringMatching(/^12:00:00 {2}entry {4}hold: available of .* +-1,500.25 CRC$/),
    ])
    const [request] = JSON.parse((await payctl('emulator show r1 --json')).stdout)
    expect(request).toMatchObject({ kind: 'request', id: 'r1', status: '201' })
    expect(await payctl('emulator show r2')).toMatchObject({ code: 3, stdout: '' })
  })
})

describe('payctl emulator sql', () => {
  it('prints rows in each format, and says where there are more', async () => {
    const { payctl } = await start()
    const query = "SELECT currency, count(*) AS accounts, count(*) + 1 FROM accounts WHERE status = 'active' GROUP BY 1"
    const csv = await payctl(['emulator', 'sql', query, '-o', 'csv', '--limit', '1'])
    expect(csv).toMatchObject({
      code: 0,
      stdout: 'currency,accounts,count(*) + 1\nCRC,2,3\n',
      stderr: 'There are more than these 1 rows: --limit, up to 100000\n',
    })
    const json = await payctl(['emulator', 'sql', query, '--json'])
    expect(JSON.parse(json.stdout)).toEqual([
      { currency: 'CRC', accounts: 2, 'count(*) + 1': 3 },
      { currency: 'USD', accounts: 1, 'count(*) + 1': 2 },
    ])
    const wrong = await payctl(['emulator', 'sql', 'DELETE FROM accounts'])
    expect(wrong).toMatchObject({ code: 7, stdout: '', stderr: expect.stringContaining('Only a SELECT is run.') })
  })

  it('lists the tables where it is asked nothing', async () => {
    const { payctl } = await start()
    const { stdout } = await payctl('emulator sql -o tsv')
    expect(stdout).toMatch(/^table\tcolumns\nusers\tid, name, /)
  })
})

describe('payctl emulator report', () => {
  it('shows what was wrong, and fails where it is to', async () => {
    const { payctl, send } = await start()
    await send('/api/nowhere')
    const { code, stdout } = await payctl('emulator report -o tsv')
    expect(code).toBe(0)
    expect(stdout).toContain('violations\t1\tdefault: r1 GET /api/nowhere, 404: there is no such path\n')
    expect(await payctl('emulator report --fail-on late')).toMatchObject({ code: 0 })
    const failed = await payctl('emulator report --fail-on late,violations')
    expect(failed).toMatchObject({ code: 6, stderr: 'The run fails by its report: 1 violations.\n' })
    expect(await payctl('emulator report --fail-on lateness')).toMatchObject({ code: 2 })
    const { endpoints } = JSON.parse((await payctl('emulator report --json')).stdout)
    expect(endpoints[0]).toMatchObject({ endpoint: 'user.get', requests: 0 })
  })
})
