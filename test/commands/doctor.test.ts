import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { FindingRow } from '../../src/commands/doctor/finding.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { announceAll, ready } from '../config/ready.ts'
import { startProxy } from '../support/proxy.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'
import { failure, type Reply, startStub, success } from '../support/stub.ts'
import { account, page } from './completion/accounts.ts'

type Variables = Readonly<Record<string, string>>

/** A separate home: empty folders for configuration and state. */
async function home() {
  const folder = await temporaryDirectory()
  const [config, state] = [join(folder, 'config'), join(folder, 'state')]
  const examine = async (env: Variables = {}, ...flags: readonly string[]) => {
    const { code, stdout, stderr } = await runPayctl([...flags, 'doctor', '--json'], {
      env: { PAYCTL_CONFIG_DIR: config, PAYCTL_STATE_DIR: state, ...env },
    })
    expect(stderr).toBe('')
    const findings = JSON.parse(stdout) as FindingRow[]
    const of = (check: string) => findings.find((finding) => finding.check === check)
    return { code, findings, of, stdout }
  }
  return { folder, config, state, examine }
}

const user = { id: 'u', name: 'Ana', email: 'a@x', email_verified_at: null, created_at: 'c', updated_at: 'u' }
const rail = (status: string) => ({ status, available: status === 'online', message: '' })
const rails = (pin = 'online') =>
  success({ overall_status: pin, pin_service: rail(pin), sinpe_service: rail('online'), last_checked: 'now' })

interface Answers {
  readonly status?: Reply
  readonly user?: Reply
  readonly webhooks?: Reply
}

/** A service with the endpoints that doctor requests; a test may replace answers. */
async function serve({ status = [200, rails()], user: who = [200, success(user)], webhooks }: Answers = {}) {
  const of = (path: string): Reply => {
    if (path.includes('service-status')) return status
    if (path.includes('/user')) return who
    if (path.includes('webhooks')) return webhooks ?? [200, success([])]
    return [200, success(page([account]))]
  }
  const stub = await startStub((response, request) => {
    const reply = of(request.url ?? '')
    if (typeof reply === 'function') return reply(response, request)
    const [code, body, headers] = reply
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(code, { 'Content-Type': 'application/json', ...headers }).end(text)
  })
  return { stub, env: { PAYCTL_BASE_URL: stub.url, PAYCTL_TOKEN: 'token-of-the-test' } }
}

describe('doctor', () => {
  it('works where nothing is set up, finds no fault there, and leaves it like that', async () => {
    const { folder, examine } = await home()
    const { code, findings, of } = await examine()
    expect(code).toBe(0)
    expect(findings.filter(({ status }) => status !== 'ok').map(({ check }) => check)).toEqual(['target'])
    expect(of('target')).toMatchObject({ status: 'warn', hint: expect.stringContaining('payctl emulate') })
    expect(await readdir(folder)).toEqual([])
  })

  it('finds everything well at a service that works', async () => {
    const { examine, state, config } = await home()
    await mkdir(config)
    await mkdir(state)
    await writeFile(join(config, 'config.json'), JSON.stringify({ profiles: { work: {} } }), { mode: 0o600 })
    openJournal(state).close()
    const { stub, env } = await serve()
    const before = await Promise.all([readdir(config), readdir(state)])
    const { code, findings, of, stdout } = await examine(env)
    expect(code).toBe(0)
    expect(findings.map(({ status }) => status)).toEqual(findings.map(() => 'ok'))
    expect(findings.map(({ check }) => check)).toEqual([
      ...['payctl', 'node', 'config', 'state', 'journal', 'emulator', 'target', 'credentials'],
      ...['service', 'encryption', 'clock', 'rails', 'token', 'scopes'],
    ])
    expect(of('config')?.detail).toContain('work')
    expect(of('token')?.detail).toContain('Ana')
    expect(stdout).not.toContain('token-of-the-test')
    expect(stub.received.every(({ method }) => method === 'GET')).toBe(true)
    expect(stub.received.find(({ url }) => url.includes('service-status'))?.headers.authorization).toBeUndefined()
    const files = (await Promise.all([readdir(config), readdir(state)])).map((names) =>
      names.filter((name) => !/-(wal|shm)$/.test(name)),
    )
    expect(files).toEqual(before)
  })

  it('prints a line for each check on a terminal, with what to do below it, however narrow', async () => {
    const { config, state } = await home()
    const env = { PAYCTL_CONFIG_DIR: config, PAYCTL_STATE_DIR: state, NO_COLOR: '1' }
    const { code, stdout } = await runPayctl(['doctor'], { env, terminal: 40 })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok {4}payctl {4}\S.*\nok {4}node {6}\S.*\n/)
    const words = stdout.replaceAll(/\n {16}/g, ' ')
    expect(words).toMatch(/^warn {2}target {4}No service is set.* set PAYCTL_BASE_URL.+ payctl init\n$/m)
    expect(stdout).toContain('\n                Work offline')
    const short = stdout.split('\n').filter((line) => line.trim().includes(' ') && !line.includes('/'))
    expect(Math.max(...short.map(({ length }) => length))).toBeLessThanOrEqual(40)
  })

  it('is exit 2 for the first fault that must be fixed, whatever else fails', async () => {
    const { config, examine } = await home()
    await mkdir(config)
    await writeFile(join(config, 'config.json'), '{"profiles": 7}')
    const { env } = await serve({ user: [401, failure('Unauthenticated.')] })
    const { code, of } = await examine(env)
    expect(code).toBe(2)
    expect(of('config')).toMatchObject({ status: 'fail', hint: expect.stringContaining('set it aside') })
  })

  it('fails where the profile in use is gone, or has no address', async () => {
    const { config, examine } = await home()
    await mkdir(config)
    await writeFile(join(config, 'config.json'), JSON.stringify({ current: 'gone', profiles: { work: {} } }))
    for (const flags of [[], ['-p', 'work'], ['-p', 'wrok']]) {
      const { code, of } = await examine({}, ...flags)
      expect(code).toBe(2)
      expect(of('target')).toMatchObject({ status: 'fail', hint: expect.any(String) })
    }
  })

  it('is interrupted at once', async () => {
    const interrupt = new AbortController()
    const { env } = await serve({ status: () => interrupt.abort('SIGINT') })
    const run = await runPayctl(['doctor'], { env, signal: interrupt.signal })
    expect(run).toEqual({ code: 130, stdout: '', stderr: 'error: Interrupted.\n' })
  })
})

describe('doctor on files', () => {
  it('warns of a config file that others can change', async () => {
    const { config, examine } = await home()
    await mkdir(config)
    const file = join(config, 'config.json')
    await writeFile(file, '{}')
    await chmod(file, 0o666)
    const { code, of } = await examine()
    expect(code).toBe(0)
    expect(of('config')).toMatchObject({ status: 'warn', hint: `chmod go-w ${file}` })
  })

  it('fails where payments could not be written down', async () => {
    const { folder, examine } = await home()
    await writeFile(join(folder, 'state'), '')
    const { code, of } = await examine()
    expect(code).toBe(2)
    expect(of('state')).toMatchObject({ status: 'fail', hint: expect.stringContaining('PAYCTL_STATE_DIR') })
  })

  it('points to payments whose outcome is unknown', async () => {
    const { state, examine } = await home()
    const journal = openJournal(state)
    const body = { source_account_id: account.id, amount: 1, recipient_phone: '88887777' }
    const sender = { profile: 'default', base_url: 'http://127.0.0.1:1', user: 'maria', world: null }
    const intent = journal.prepare({ ...sender, idempotency_key: 'a', body })
    expect((await examine()).of('journal')?.status).toBe('ok')
    journal.markSent(intent.id)
    const { code, of } = await examine()
    journal.close()
    expect(code).toBe(0)
    expect(of('journal')).toMatchObject({ status: 'warn', hint: expect.stringContaining('payctl payments resume') })
  })

  it('fails on a journal that is newer, broken or not to be written', async () => {
    const { state, examine } = await home()
    openJournal(state).close()
    const file = join(state, 'journal.db')
    const database = new Sqlite(file)
    database.pragma('user_version = 999')
    database.close()
    expect(await examine()).toMatchObject({ code: 2 })
    expect((await examine()).of('journal')).toMatchObject({
      status: 'fail',
      hint: expect.stringContaining('Install a newer payctl'),
    })
    await writeFile(file, 'no database at all, but text that is long enough to be one'.repeat(20))
    const { code, of } = await examine()
    expect(code).toBe(2)
    expect(of('journal')).toMatchObject({ status: 'fail', hint: expect.stringContaining('payments history') })
    await chmod(file, 0o644)
    expect(await readFile(file, 'utf8')).toContain('no database')
  })

  it('doubts an announced emulator that gives no proof', async () => {
    const { state, examine } = await home()
    const { url } = await startStub([200, rails()])
    announceAll(state, [ready({ base_url: url })])
    const { of } = await examine()
    expect(of('emulator')).toMatchObject({
      status: 'warn',
      detail: `none is running; announced, but not proven to be an emulator of this user: ${url}; payctl sends nothing there`,
    })
  })

  it('counts what dead emulators left, and leaves it there', async () => {
    const { state, examine } = await home()
    await mkdir(join(state, 'emulators'), { recursive: true })
    await writeFile(
      join(state, 'emulators', '999999999.json'),
      JSON.stringify({ pid: 999999999, token: 'secret-token' }),
    )
    const { of, stdout } = await examine()
    expect(of('emulator')?.detail).toContain('none is running; announcements of emulators that have ended: 1')
    expect(stdout).not.toContain('secret-token')
    expect(await readdir(join(state, 'emulators'))).toEqual(['999999999.json'])
  })
})

describe('doctor on the service', () => {
  it.each([
    ['refuses the token', { user: [401, failure('Unauthenticated.')] }, 4, 'token'],
    ['is at fault', { status: [500, failure('Unable to check service status')] }, 12, 'service'],
    ['is another', { status: [200, '<html>'] }, 12, 'service'],
    ['has no such path', { status: [404, failure('Not found')] }, 3, 'service'],
    ['redirects', { status: [302, '', { Location: 'https://elsewhere.example/' }] }, 12, 'service'],
  ] as const)('that %s', async (_, answers, exit, check) => {
    const { env } = await serve(answers)
    const { code, of, findings } = await (await home()).examine(env)
    expect(code).toBe(exit)
    expect(of(check)).toMatchObject({ status: 'fail', detail: expect.any(String), hint: expect.any(String) })
    expect(findings.filter(({ status }) => status === 'fail')).toHaveLength(1)
  })

  it('that is not there, or does not answer', async () => {
    const { examine } = await home()
    expect(await examine({ PAYCTL_BASE_URL: 'http://127.0.0.1:1', PAYCTL_TOKEN: 't' })).toMatchObject({ code: 12 })
    const stub = await startStub(() => {})
    const { code, of } = await examine({ PAYCTL_BASE_URL: stub.url, PAYCTL_TOKEN: 't' }, '--timeout', '500ms')
    expect(code).toBe(12)
    expect(of('service')?.detail).toContain('no answer within 500 ms')
    expect(of('token')).toBeUndefined()
  })

  it('distinguishes a token without a scope from one that is refused', async () => {
    const missing: Reply = [403, failure('Invalid scope(s) provided.')]
    const { env } = await serve({ user: missing, webhooks: missing })
    const { code, of } = await (await home()).examine(env)
    expect(code).toBe(0)
    expect(of('token')?.status).toBe('ok')
    expect(of('scopes')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('has read-accounts, send-payments; lacks read-user, manage-webhooks'),
    })
  })

  it('warns of a missing token, of rails that are down and of a clock that is wrong', async () => {
    const date = new Date(Date.now() - 90_000).toUTCString()
    const { stub } = await serve({ status: [200, rails('offline'), { Date: date }] })
    const { code, of } = await (await home()).examine({ PAYCTL_BASE_URL: stub.url })
    expect(code).toBe(0)
    expect(of('token')).toMatchObject({ status: 'warn' })
    expect(of('rails')).toMatchObject({ status: 'warn', detail: expect.stringContaining('PIN offline') })
    expect(of('clock')).toMatchObject({ status: 'warn', detail: expect.stringMatching(/(89|90|91) s ahead of/) })
    expect(stub.received).toHaveLength(1)
  })

  it('takes the moved clock of an emulator for no fault', async () => {
    const headers = { Date: 'Thu, 05 Jan 2040 18:00:00 GMT', 'X-Emulator-World': 'one' }
    const { stub } = await serve({ status: [200, rails('online'), headers] })
    const { of } = await (await home()).examine({ PAYCTL_BASE_URL: stub.url })
    expect(of('clock')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/ s behind the service's; the service is an emulator whose clock was moved$/),
    })
  })

  it('refuses to send a token in the clear, and says so', async () => {
    const { code, of } = await (await home()).examine({ PAYCTL_BASE_URL: 'http://api.example.com', PAYCTL_TOKEN: 't' })
    expect(code).toBe(2)
    expect(of('target')).toMatchObject({ status: 'fail', hint: 'Use https://api.example.com' })
  })

  it('goes through the proxy that is set, and names it without its password', async () => {
    const { examine } = await home()
    const { host, tunnels } = await startProxy({ refusal: '403 Forbidden' })
    const there = { PAYCTL_BASE_URL: 'https://api.example.com', https_proxy: `http://bo:pass-word@${host}` }

    const { code, of, stdout } = await examine(there)

    expect(of('proxy')).toMatchObject({ status: 'ok', detail: `requests go through ${host} (https_proxy)` })
    expect(code).toBe(12)
    expect(tunnels.map(({ target }) => target)).toEqual(['api.example.com:443'])
    expect(stdout).not.toContain('pass-word')
    expect(
      (await examine({ PAYCTL_BASE_URL: 'http://127.0.0.1:1', HTTP_PROXY: 'http://p:1' })).of('proxy'),
    ).toMatchObject({
      detail: 'not used for http://127.0.0.1:1 (HTTP_PROXY)',
    })
    expect(await examine({ ...there, https_proxy: 'socks5://bo:pass-word@p:1' })).toMatchObject({ code: 2 })
  })

  it.each([
    [null, 'service', 12],
    [7, 'service', 12],
    [[], 'service', 12],
    [{}, 'rails', 0],
    [{ pin_service: 'up', sinpe_service: null }, 'rails', 0],
  ])('bears with %j as its status', async (data, check, exit) => {
    const { env } = await serve({ status: [200, success(data)] })
    const { code, of } = await (await home()).examine(env)
    expect(code).toBe(exit)
    expect(of(check)).toMatchObject({ status: exit === 0 ? 'warn' : 'fail', hint: expect.any(String) })
  })

  it('shows nothing that a hostile service could do a terminal harm with', async () => {
    const { env } = await serve({ user: [200, success({ ...user, name: '\u001b[31mAna\nok  token' })] })
    const { state, config } = await home()
    const surroundings = { ...env, PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: config, NO_COLOR: '1' }
    const { stdout } = await runPayctl(['doctor'], { env: surroundings, terminal: 80 })
    expect(stdout).toContain('accepted by the service, as [31mAna ok  token\n')
  })

  it('is well on a running emulator', async () => {
    const { state, examine } = await home()
    const stop = new AbortController()
    const readyFile = join(await temporaryDirectory(), 'ready.json')
    const argv = ['emulate', '--port', '0', '--ready-file', readyFile]
    const finished = runPayctl(argv, { env: { PAYCTL_STATE_DIR: state }, signal: stop.signal })
    onTestFinished(async () => {
      stop.abort('SIGTERM')
      await finished
    })
    await vi.waitFor(async () => JSON.parse(await readFile(readyFile, 'utf8')), 10_000)
    const { code, findings } = await examine({}, '--emulator')
    expect(code).toBe(0)
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([])
  })
})
