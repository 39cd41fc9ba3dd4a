import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type EmulatorOptions, startEmulator } from '../../../emulator/index.ts'
import { announce } from '../../../src/config/running_emulators.ts'
import { announcementOf } from '../../config/ready.ts'
import { crcAccount } from '../../e2e/machine.ts'
import { full } from '../../support/full.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'
import { startStub, success } from '../../support/stub.ts'

/** An emulator that this machine knows, and requests to it. */
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

/** A run that follows the log. */
function follow(payctl: Awaited<ReturnType<typeof start>>['payctl'], ...flags: string[]) {
  const interruption = new AbortController()
  let seen: string[] = []
  let came = () => {}
  const onStdout = (text: string) => {
    seen = text.trim().split('\n')
    came()
  }
  const argv = ['emulator', 'requests', '--follow', '-o', 'ndjson', ...flags]
  const running = payctl(argv, { signal: interruption.signal, onStdout })
  return {
    /** Resolves when this many requests are printed. */
    next: (count: number) =>
      new Promise<void>((resolve) => {
        came = () => seen.length >= count && resolve()
        came()
      }),
    async end(): Promise<readonly { id: string; path: string }[]> {
      interruption.abort('SIGINT')
      expect(await running).toMatchObject({ code: 130, stderr: '' })
      return seen.map((line) => JSON.parse(line))
    },
  }
}

/** Number of requests to follow; in the full tests one answer can't contain them all. */
const most = full ? 2300 : 150

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
      'r5  12:00:00  GET /api/nowhere  404     the path does not exist',
      'r4  12:00:00  payments.create   201     its key was known',
      'r3  12:00:00  payments.create   201     the answer was lost; fault: lose_answer',
      'r2  12:00:00  payments.create   400     a payment must have a key',
      'r1  12:00:00  user.get          200',
      '',
    ])
    const failed = await payctl('emulator requests --status 4xx --endpoint payments.create --json')
    expect(JSON.parse(failed.stdout)).toMatchObject([{ id: 'r2', broke: [{ kind: 'missing_key' }] }])
    const shown = await payctl('emulator requests show r3 -o tsv')
    expect(shown.stdout).toContain('hold -1,500.25 CRC available of')
    expect(await payctl('emulator requests show r9')).toMatchObject({ code: 3, stdout: '' })
  })

  it('prints a page, the newest or all, and says where the others are', async () => {
    const { payctl, send } = await start()
    for (let sent = 0; sent < 17; sent += 1) await send(sent % 2 === 0 ? '/api/user' : '/api/nowhere')
    const numbers = async (flags: string) => {
      const { code, stdout, stderr } = await payctl(`emulator requests -o csv ${flags}`.trim())
      expect(code, stderr).toBe(0)
      const ids = stdout.trimEnd().split('\n').slice(1)
      return { ids: ids.map((row) => Number(row.slice(1, row.indexOf(',')))), stderr }
    }
    const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => from - at)
    const more = '15 of 17 requests. More: --page 2, --all\n'
    expect(await numbers('')).toEqual({ ids: down(17, 3), stderr: more })
    expect(await numbers('--page 2')).toEqual({ ids: [2, 1], stderr: '' })
    expect(await numbers('--page 3 --per-page 8')).toEqual({ ids: [1], stderr: '' })
    const none = 'Page 4 does not exist: the last of 17 requests are on page 3.\n'
    expect(await numbers('--page 4 --per-page 8')).toEqual({ ids: [], stderr: none })
    expect(await numbers('--all --per-page 4')).toEqual({ ids: down(17, 1), stderr: '' })
    expect(await numbers('--limit 7 --per-page 3')).toEqual({ ids: down(17, 11), stderr: '' })
    expect(await numbers('--status 4xx --limit 3')).toEqual({ ids: [16, 14, 12], stderr: '' })
    const { stdout } = await payctl('emulator requests --per-page 2 --envelope --json')
    expect(JSON.parse(stdout)).toMatchObject({
      data: [{ id: 'r17' }, { id: 'r16' }],
      total: 17,
      last_page: 9,
      last: 17,
    })
    for (const wrong of ['--all --page 2', '--limit 3 --all', '--follow --page 2', '--limit 0', '--per-page 1001']) {
      expect(await payctl(`emulator requests ${wrong}`)).toMatchObject({ code: 2, stdout: '' })
    }
  })

  it('goes on with each as it is answered, through a reset, until it is interrupted', async () => {
    const { payctl, send, emulator } = await start()
    await send('/api/user')
    const following = follow(payctl)
    await following.next(1)
    await send('/api/accounts')
    await following.next(2)
    await emulator.control.reset()
    await send('/api/nowhere')
    await following.next(3)
    expect((await following.end()).map(({ path }) => path)).toEqual(['/api/user', '/api/accounts', '/api/nowhere'])
    expect(await payctl('emulator requests --follow --json')).toMatchObject({ code: 2 })
  })

  it('follows many that come at once: each is printed once, in order', async () => {
    const { payctl, send } = await start({ rateLimit: null })
    const many = async (count: number) => {
      for (let sent = 0; sent < count; sent += 50) {
        await Promise.all(Array.from({ length: Math.min(50, count - sent) }, () => send('/api/user')))
      }
    }
    await many(30)
    const following = follow(payctl, '--limit', '20')
    await following.next(20)
    await many(most)
    await send('/api/nowhere')
    await following.next(20 + most + 1)
    const ids = (await following.end()).map(({ id }) => Number(id.slice(1)))
    expect(ids).toEqual(Array.from({ length: 20 + most + 1 }, (_, at) => 11 + at))
  })

  it('says how many were missed where they came faster than they could be printed', async () => {
    const all = [3, 20_000].map((last) => ({ last, dropped: Math.max(0, last - 10_000), data: [{ id: `r${last}` }] }))
    const interruption = new AbortController()
    const asked: string[] = []
    const stub = await startStub((response, { url = '' }) => {
      asked.push(url)
      const [page] = url.includes('wait_ms') ? all.splice(0, 1) : [{ data: [], last: 2, dropped: 0 }]
      if (page) response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(success(page)))
      else interruption.abort('SIGINT')
    })
    const env = { PAYCTL_BASE_URL: stub.url }
    const run = await runPayctl(['emulator', 'requests', '-f', '-o', 'ndjson'], { env, signal: interruption.signal })
    expect(run).toMatchObject({ code: 130, stdout: expect.stringMatching(/"r3".*\n.*"r20000"/) })
    expect(run.stderr).toBe('9,997 requests missing: requests came faster than they could be printed.\n')
    expect(asked.filter((url) => url.includes('wait_ms')).map((url) => /since=(\d+)/.exec(url)?.[1])).toEqual([
      '2',
      '3',
      '20000',
    ])
  })
})

describe('payctl emulator show', () => {
  it('shows the timeline of a payment in lines that fit a screen', async () => {
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
      stderr: 'There are more rows: raise --limit, which is 1, to at most 100000\n',
    })
    const json = await payctl(['emulator', 'sql', query, '--json'])
    expect(JSON.parse(json.stdout)).toEqual([
      { currency: 'CRC', accounts: 2, 'count(*) + 1': 3 },
      { currency: 'USD', accounts: 1, 'count(*) + 1': 2 },
    ])
    const wrong = await payctl(['emulator', 'sql', 'DELETE FROM accounts'])
    expect(wrong).toMatchObject({ code: 7, stdout: '', stderr: expect.stringContaining('Only a SELECT is run.') })
  })

  it('keeps columns with the same name apart', async () => {
    const { payctl } = await start()
    const query = "SELECT 'a' AS id, 'b' AS id, 'c' AS id_2, 'd' AS id"
    const json = await payctl(['emulator', 'sql', query, '--json'])
    expect(JSON.parse(json.stdout)).toEqual([{ id: 'a', id_3: 'b', id_2: 'c', id_4: 'd' }])
    expect((await payctl(['emulator', 'sql', query, '-o', 'csv'])).stdout).toBe('id,id_3,id_2,id_4\na,b,c,d\n')
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
    expect(stdout).toContain('violations\t1\tdefault: r1 GET /api/nowhere, 404: the path does not exist\n')
    expect(await payctl('emulator report --fail-on late')).toMatchObject({ code: 0 })
    const failed = await payctl('emulator report --fail-on late,violations')
    expect(failed).toMatchObject({ code: 6, stderr: 'The run fails because of its report: 1 violations.\n' })
    expect(await payctl('emulator report --fail-on lateness')).toMatchObject({ code: 2 })
    const { endpoints } = JSON.parse((await payctl('emulator report --json')).stdout)
    expect(endpoints[0]).toMatchObject({ endpoint: 'user.get', requests: 0 })
  })
})
