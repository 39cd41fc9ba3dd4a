import { execFile } from 'node:child_process'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import type { Scope } from '../../../src/contract/index.ts'
import { machine } from '../../e2e/machine.ts'
import { full } from '../../support/full.ts'
import { payctlInShell } from '../../support/program.ts'
import { passOn, payees, rig, target } from './rig.ts'

const killAtStep = fileURLToPath(new URL('../../e2e/kill_at_step.cjs', import.meta.url))

describe('webhooks tail', () => {
  it('prints events as they come, one JSON document per line, in order', async () => {
    const { tail, pay, credit, settle } = await rig()
    const running = await tail().listening()
    const payment = await pay(payees.completed, 150_025)
    await settle()
    const failing = await pay(payees.failed)
    await settle()
    const received = await credit(700)
    const events = await running.events(7)
    expect(events.map(({ event, data }) => [event, data?.id, data?.status])).toEqual([
      ['payment.created', payment, 'pending'],
      ['payment.processing', payment, 'processing'],
      ['payment.completed', payment, 'completed'],
      ['payment.created', failing, 'pending'],
      ['payment.processing', failing, 'processing'],
      ['payment.failed', failing, 'failed'],
      ['transaction.received', received, 'completed'],
    ])
    expect(events[0]).toMatchObject({ recovered: false, attempt: 1, data: { amount: { value: 150_025 } } })
  })

  it.each([['SIGINT'], ['SIGTERM'], ['SIGHUP']] as const)('leaves nothing behind on %s', async (signal) => {
    const { tail, subscriptions, home } = await rig()
    const running = await tail().listening()
    expect(await subscriptions()).toHaveLength(1)
    const folder = join(home, 'state', 'webhooks')
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
    expect(await running.stop(signal)).toEqual({ code: 0, signal: undefined })
    expect(await subscriptions()).toEqual([])
    expect((await readdir(folder)).filter((name) => name.startsWith('tail-'))).toEqual([])
  })

  it('leaves nothing behind when its reader goes away, and says nothing of it', async () => {
    const { env, pay, settle, subscriptions } = await rig()
    const command = `${payctlInShell} webhooks tail | head -1; echo "\${PIPESTATUS[0]}"`
    const piped = promisify(execFile)('bash', ['-c', command], { env: { ...process.env, ...env } })
    await vi.waitFor(async () => expect(await subscriptions()).toHaveLength(1), 25_000)
    let isOver = false
    piped.finally(() => {
      isOver = true
    })
    while (!isOver) {
      await pay()
      await settle()
    }
    const { stdout, stderr } = await piped
    expect(stdout).toMatch(/^\{"received_at".+"event":"payment\.created".+\}\n0\n$/)
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(
        /^Listening as .+, emulator on port \d+ \(http.+, subscription [0-9a-f-]+\)\. Ctrl-C stops\.$/,
      ),
    ])
    expect(await subscriptions()).toEqual([])
  })

  it('removes what a killed tail left behind, and nothing else', async () => {
    const { tail, subscriptions, client } = await rig()
    const foreign = await client.call('webhooks.create', {
      body: { url: 'http://127.0.0.1:9/tail/other', events: ['payment.failed'] },
    })
    const living = await tail([], { process: true }).listening()
    const killed = await tail([], { process: true }).listening()
    await killed.stop('SIGKILL')
    expect(await subscriptions()).toHaveLength(3)
    const next = await tail().listening()
    expect(next.stderr).toContain('Removed a subscription of tails that were killed.')
    expect(await subscriptions()).toHaveLength(3)
    await next.stop()
    await living.stop()
    expect((await subscriptions()).map(({ id }) => id)).toEqual([foreign.id])
  })

  // Only Linux reports the start of a process.
  const reusedId = process.platform === 'linux' ? { pid: process.ppid } : {}
  it.each<[string, { readonly since?: string; readonly pid?: number }]>([
    ['after it had run for months', { since: '2026-01-01T00:00:00.000Z' }],
    ['if another process has its id now', reusedId],
  ])('removes what a killed tail left behind %s', async (_, change) => {
    const { tail, subscriptions, home } = await rig()
    const killed = await tail([], { process: true }).listening()
    await killed.stop('SIGKILL')
    const folder = join(home, 'state', 'webhooks')
    const [name = ''] = (await readdir(folder)).filter((file) => file.startsWith('tail-'))
    const record = JSON.parse(await readFile(join(folder, name), 'utf8'))
    await writeFile(join(folder, name), JSON.stringify({ ...record, ...change }))

    await (await tail().listening()).stop()

    expect(await subscriptions()).toEqual([])
  })

  it('leaves what another user’s tail left to the next one of that user', async () => {
    const { tail, subscriptions, steer } = await rig()
    const killed = await tail([], { process: true }).listening()
    await killed.stop('SIGKILL')
    const user = await steer('control.users.create', { body: { name: 'Otra Persona' } })
    const minted = await steer('control.tokens.mint', { body: { user: String(user.id) } })
    const other = await tail([], { env: { PAYCTL_TOKEN: String(minted.token) } }).listening()
    await other.stop()
    expect(await subscriptions()).toHaveLength(1)
    const next = await tail().listening()
    await next.stop()
    expect(await subscriptions()).toEqual([])
  })

  it('ends after --limit events, and takes no more', async () => {
    const { tail, pay, settle, subscriptions } = await rig()
    const running = await tail(['--limit', '2', '--events', 'payment.created']).listening()
    await Promise.all([pay(), pay(), pay(), pay()])
    expect(await running.finished).toMatchObject({ code: 0 })
    expect(running.lines.map(({ event }) => event)).toEqual(['payment.created', 'payment.created'])
    expect(await subscriptions()).toEqual([])
    await settle()
  })

  it('reports its end if fewer than --limit events came', async () => {
    const { tail, subscriptions } = await rig()
    const late = tail(['--limit', '1', '--tail-timeout', '200ms'])
    expect(await late.finished).toMatchObject({ code: 9 })
    expect(late.stderr).toContain('error: The time ran out. Events received: 0 of 1.')
    const interrupted = await tail(['--limit', '1']).listening()
    expect(await interrupted.stop()).toMatchObject({ code: 130 })
    expect(await tail(['--tail-timeout', '200ms']).finished).toMatchObject({ code: 0 })
    expect(await subscriptions()).toEqual([])
  })

  it.each([
    [
      'csv',
      /^received_at,event,recovered,payment_id,/,
      /,payment\.created,false,[0-9a-f-]{36},pending,sinpe_movil,debit,10\.00,CRC,/,
    ],
    ['tsv', /^received_at\tevent\trecovered\t/, /\tpayment\.created\tfalse\t/],
    ['tsv --columns event,payment_id,error', /^event\tpayment_id\terror\n/, /\npayment\.created\t[0-9a-f-]{36}\t\n/],
    ['yaml', /^- received_at: /, /\n {2}event: payment\.created\n/],
    ['json', /^\{"received_at":/, /"event":"payment\.created"/],
    ['table', /^\d\d:\d\d:\d\d {2}payment\.created {6} +-10\.00 CRC {2}Carlos Jiménez Mora +[0-9a-f-]{36}\n/, /\n$/],
  ])('streams %s', async (format, start, row) => {
    const { tail, pay } = await rig()
    const running = await tail(['-o', ...format.split(' ')]).listening()
    await pay()
    await running.until(({ stdout }) => row.test(stdout))
    expect(running.stdout).toMatch(start)
  })

  const half = full ? 250 : 50

  it(`shows ${4 * half} events once each, those of a payment in their order, to a reader that is slow`, async () => {
    const { tail, pay, settle } = await rig()
    const running = await tail(['--limit', String(4 * half), '--no-recover']).listening()
    const go = running.stall()
    const expected: string[] = []
    for (let count = 0; count < half; count += 50) {
      expected.push(...(await Promise.all(Array.from({ length: 50 }, () => pay()))))
    }
    const paid = settle()
    const more = Promise.all(Array.from({ length: half }, () => pay())).then(async (ids) => ids)
    go()
    expected.push(...(await more))
    await paid
    await running.finished
    const { lines } = running
    expect(lines).toHaveLength(4 * half)
    const ids = new Set(lines.map(({ delivery_id }) => delivery_id))
    expect(ids.size).toBe(4 * half)
    const order = ['payment.created', 'payment.processing', 'payment.completed']
    const perPayment = Map.groupBy(lines, ({ data }) => data?.id ?? '')
    for (const events of perPayment.values()) {
      expect(events.map(({ event }) => event)).toEqual(order.slice(0, events.length))
    }
    expect(new Set(expected)).toEqual(new Set(perPayment.keys()))
  })

  it('says why it cannot listen where the service cannot reach it', async () => {
    const { run } = await rig()
    const flags = ['--base-url', 'https://api.example.com', '--token', 'x']
    const { code, stderr } = await run(['webhooks', 'tail', ...flags])
    expect(code).toBe(2)
    expect(stderr).toContain('cannot reach 127.0.0.1')
    expect(stderr).toContain('--public-url')
  })

  it('gives the service the URL of a tunnel', async () => {
    const { tail, subscriptions } = await rig()
    const running = await tail(['--public-url', 'https://tunnel.example/hook?x=1'], { process: true }).listening()
    expect((await subscriptions()).map(({ url }) => url)).toEqual(['https://tunnel.example/hook?x=1'])
    await running.stop('SIGKILL')
    const next = await tail(['--public-url', 'https://tunnel.example/hook?x=1']).listening()
    await next.stop()
    expect(await subscriptions()).toEqual([])
  })

  it('refuses a port that is taken', async () => {
    const { tail, run, subscriptions } = await rig()
    const first = await tail([], { process: true }).listening()
    const port = /127\.0\.0\.1:(\d+)/.exec(first.stderr)?.[1] ?? ''
    const { code, stderr } = await run(['webhooks', 'tail', '--port', port])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: Port ${port} is taken.\n  Leave out --port to take any free port.`,
    })
    expect(await subscriptions()).toHaveLength(1)
  })

  it('keeps its secret out of traces, arguments and files', async () => {
    const { tail, subscriptions, home, pay } = await rig()
    const running = await tail(['-v', '--recover-interval', '50ms', '--save', join(home, 'saved')], {
      process: true,
    }).listening()
    const [subscription] = await subscriptions()
    const [secret = ''] = Object.values(subscription?.headers ?? {})
    expect(secret.length).toBeGreaterThan(40)
    await pay()
    await running.events(1)
    await running.until(
      ({ stderr }) => stderr.includes(`> GET ${subscription?.id}`) || stderr.split('> GET').length > 4,
    )
    await running.stop('SIGKILL')
    const files = await readdir(home, { recursive: true, withFileTypes: true })
    const texts = files.flatMap((file) => (file.isFile() ? [readFile(join(file.parentPath, file.name), 'utf8')] : []))
    const everything = [running.stdout, running.stderr, ...(await Promise.all(texts))].join()
    expect(everything).toContain(subscription?.id)
    expect(everything).not.toContain(secret)
  })

  it('killed at each of its steps, leaves nothing that the next tail does not remove', async () => {
    const { env, emulator, home, subscriptions } = await rig()
    const { start } = await machine(emulator)
    const killedAt = (step: number) =>
      start(['webhooks', 'tail', '--tail-timeout', '1ms'], {
        nodeArgs: ['--require', killAtStep],
        env: { ...env, KILL_AT_STEP: String(step) },
      })
    let left = 0
    // Each run removes the remains of the killed run before it, or leaves them to the next run.
    for (let step = 1; (await killedAt(step)).signal === 'SIGKILL'; step += full ? 1 : 12) {
      left = Math.max(left, (await subscriptions()).length)
    }
    expect(left).toBeGreaterThan(0)
    expect((await killedAt(0)).exitCode).toBe(0)
    expect(await subscriptions()).toEqual([])
    expect((await readdir(join(home, 'state', 'webhooks'))).filter((name) => name.startsWith('tail-'))).toEqual([])
  }, 120_000)

  it('leaves the subscription of a tail whose user was not known to that user', async () => {
    const { tail, emulator, subscriptions, steer } = await rig()
    const scopes: Scope[] = ['read-user', 'send-payments', 'manage-webhooks']
    const { token } = await steer('control.tokens.mint', { body: { scopes, user: demo.neighbour.user.id } })
    let isNamed = false
    const gateway = await target(async (response, post, request) => {
      if (request.url === '/api/user' && !isNamed) return response.writeHead(409).end()
      const answer = await passOn(emulator, request, post)
      response.writeHead(answer.status).end(await answer.text())
    })
    const through = (env = {}) =>
      tail([], { env: { PAYCTL_BASE_URL: new URL(gateway.url).origin, ...env }, process: true }).listening()
    await (await through()).stop('SIGKILL')
    isNamed = true

    await (await through({ PAYCTL_TOKEN: String(token) })).stop()
    expect(await subscriptions()).toHaveLength(1)
    const own = await through()
    expect(own.stderr).toContain('Removed a subscription of tails that were killed.')
    await own.stop()
    expect(await subscriptions()).toEqual([])
  })

  it.each([
    [404, 10],
    [408, 10],
    [409, 10],
    [504, 10],
  ])('removes the subscription that was made behind a gateway which answered %i', async (status, exit) => {
    const { run, emulator, subscriptions } = await rig()
    let made = 0
    const gateway = await target(async (response, post, request) => {
      const answer = await passOn(emulator, request, post)
      if (request.method !== 'POST') return response.writeHead(answer.status).end(await answer.text())
      made = (await subscriptions()).length
      return response.writeHead(status).end(JSON.stringify({ success: false, message: 'Too late' }))
    })

    const env = { PAYCTL_BASE_URL: new URL(gateway.url).origin }
    const { code, stderr } = await run(['webhooks', 'tail', '--retries', '0'], { env })

    expect({ code, made }).toEqual({ code: exit, made: 1 })
    expect(stderr).toContain('Too late')
    expect(await subscriptions()).toEqual([])
  })

  it('needs the scope, and says so', async () => {
    const { run, token } = await rig()
    const env = { PAYCTL_TOKEN: await token('send-payments', 'read-user') }
    const { code, stderr } = await run(['webhooks', 'tail'], { env })
    expect(code).toBe(5)
    expect(stderr).toContain('manage-webhooks')
  })
})
