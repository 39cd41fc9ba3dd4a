import { request } from 'node:http'
import { spawn } from '@lydell/node-pty'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { payctlCommand } from '../../support/program.ts'
import { addressOf, rig } from './rig.ts'

const set = async () => {
  const world = await rig()
  const running = await world.tail().listening()
  return { ...world, running, ...(await addressOf(world.subscriptions)) }
}

const event = (data: unknown) =>
  JSON.stringify({ event: 'payment.created', data, timestamp: '2026-01-05T12:00:00-06:00' })

describe('the receiver of webhooks tail', () => {
  it('refuses and does not show what lacks the secret', async () => {
    const { url, deliver, running } = await set()
    const attempts = [{}, { 'X-Payctl-Tail-Secret': 'guess' }, { 'X-Payctl-Tail-Secret': '' }]
    for (const headers of attempts) {
      const { status } = await fetch(url, { method: 'POST', headers, body: event({ id: 'forged' }) })
      expect(status).toBe(401)
    }
    expect((await deliver(event({ id: 'true' }))).status).toBe(200)
    const [first] = await running.events(1)
    expect(first?.data?.id).toBe('true')
    await running.stop()
    expect(running.stdout + running.stderr).not.toContain('forged')
  })

  it('refuses what lacks the secret before its body has come', async () => {
    const { url } = await set()
    const status = await new Promise((resolve, reject) => {
      const sending = request(url, { method: 'POST', headers: { 'Content-Length': '1000000' } })
      sending.on('response', (response) => resolve(response.statusCode)).on('error', reject)
      sending.write('{')
      onTestFinished(() => void sending.destroy())
    })
    expect(status).toBe(401)
  })

  it('listens on loopback, takes POST only, and no more than 1 MiB', async () => {
    const { url, deliver, running, subscriptions } = await set()
    const [subscription] = await subscriptions()
    const headers = subscription?.headers ?? {}
    expect((await fetch(url, { headers })).status).toBe(405)
    expect((await deliver('x'.repeat(1024 * 1024 + 1))).status).toBe(413)
    expect((await deliver('x'.repeat(1024 * 1024))).status).toBe(200)
    const [line] = await running.events(1)
    expect(line?.raw).toHaveLength(1024 * 1024)
    expect(new URL(url).hostname).toBe('127.0.0.1')
  })

  it('refuses more than 1 MiB of unknown length', async () => {
    const { url, subscriptions } = await set()
    const [subscription] = await subscriptions()
    const status = await new Promise((resolve, reject) => {
      const sending = request(url, { method: 'POST', headers: { ...subscription?.headers } })
      sending.on('response', (response) => resolve(response.statusCode)).on('error', reject)
      // The body does not end, and is no longer than the part that the receiver reads: a further write, to the closed
      // connection, would lose the answer.
      sending.write(Buffer.alloc(1024 * 1024 + 1, 'x'))
      onTestFinished(() => void sending.destroy())
    })
    expect(status).toBe(413)
  })

  it.each([
    ['text', 'no JSON at all'],
    ['nothing', ''],
    ['a list', '[1,2]'],
    ['an abyss', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['an abyss in an event', `{"event":"x","data":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`],
  ])('shows %s as it is, and acknowledges it', async (_, body) => {
    const { deliver, running } = await set()
    expect((await deliver(body)).status).toBe(200)
    const [line] = await running.events(1)
    expect(line).toMatchObject({ event: null, data: null, raw: body })
  })

  it.each([
    ['null', null],
    ['wrong types', { id: 5, amount: 'much', payee: [], payer: null, status: {} }],
    ['half a payment', { id: 'x', amount: { value: 1.5 }, payee: { name: 7 } }],
  ])('shows data that is %s in every format', async (_, data) => {
    const { tail, subscriptions } = await rig()
    for (const format of ['table', 'ndjson', 'csv', 'yaml']) {
      const running = await tail(['-o', format, '--limit', '1', '--print-body']).listening()
      const { deliver } = await addressOf(subscriptions)
      await deliver(event(data))
      expect(await running.finished).toMatchObject({ code: 0 })
      expect(running.stdout).toContain('payment.created')
    }
  })

  it('shows a delivery that comes again once, and acknowledges it each time', async () => {
    const { deliver, running } = await set()
    for (const attempt of ['1', '2', '3']) {
      const headers = { 'X-Webhook-Id': 'whd_1', 'X-Webhook-Attempt': attempt }
      expect((await deliver(event({ id: 'a' }), headers)).status).toBe(200)
    }
    // Without the headers that name deliveries, payctl recognises a repeated delivery by its body.
    for (const body of [event({ id: 'b' }), event({ id: 'b' }), event({ id: 'c' })]) await deliver(body)
    expect((await running.events(3)).map(({ data }) => data?.id)).toEqual(['a', 'b', 'c'])
    await running.stop()
    expect(running.lines).toHaveLength(3)
  })
})

describe('webhooks tail on a terminal', () => {
  it('writes a line for each event that fits, without what remote text wants to do to the terminal', async () => {
    const { env, subscriptions, pay } = await rig()
    const terminal = spawn(...payctlCommand(['webhooks', 'tail', '--print-body']), {
      cols: 100,
      rows: 40,
      env: { ...process.env, ...env, NO_COLOR: '1', TERM: 'xterm' },
    })
    onTestFinished(() => terminal.kill('SIGKILL'))
    let screen = ''
    terminal.onData((text) => {
      screen += text
    })
    const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)))
    await vi.waitFor(() => expect(screen).toContain('Ctrl-C stops.'), 10_000)
    const { deliver } = await addressOf(subscriptions)
    const hostile = '\u001b]0;owned\u0007\u001b[2J\u009b31mEvil\u202e name\r\nsecond line'
    const data = { id: `${hostile}`, status: hostile, payee: { name: hostile }, amount: { formatted: hostile } }
    await deliver(JSON.stringify({ event: hostile, data }))
    await deliver(`${hostile} raw`)
    const noAmounts = [
      { value: 77_700, currency: 'C', formatted: '777.00 CRC' },
      { value: 7.77, currency: 'CRC', formatted: '777.00 CRC' },
      { currency: '-1 CRC' },
      { formatted: '777.00 CRC' },
    ]
    for (const [at, amount] of noAmounts.entries()) await deliver(event({ id: `no-amount-${at}`, amount }))
    await pay()
    await vi.waitFor(() => expect(screen).toMatch(/payment\.created .+10\.00 CRC {2}Carlos/), 10_000)
    terminal.write('\u0003')
    expect(await ended).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(screen).not.toMatch(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e]/)
    expect(screen).toContain('unt-3')
    const amounts = screen.split('\r\n').filter((text) => /^\d\d:\d\d:\d\d/.test(text) && /unt-\d/.test(text))
    expect(amounts.join()).not.toMatch(/777|7\.77|-C|CRC/)
    for (const line of screen.split('\r\n').filter((text) => /^\d\d:\d\d:\d\d/.test(text))) {
      expect(line.length).toBeLessThanOrEqual(100)
    }
    expect(await subscriptions()).toEqual([])
  })
})
