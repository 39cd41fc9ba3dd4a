import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../../src/testing/index.ts'
import { startPayctl } from '../../support/payctl_process.ts'
import { runPayctl } from '../../support/run_payctl.ts'
import { startStub } from '../../support/stub.ts'

async function start() {
  const emulator = await startEmulator({ settle: 'manual' })
  onTestFinished(() => emulator.close())
  const pay = () =>
    emulator.client.call('payments.create', {
      headers: { 'X-Idempotency-Key': 'k' },
      body: { source_account_id: emulator.accounts()[0]?.id ?? '', recipient_phone: '87000001', amount: 150_025 },
    })
  return { emulator, pay, env: { PAYCTL_BASE_URL: emulator.baseUrl, NO_COLOR: '1' } }
}

/** A run of the command in this process. */
function watching(env: Readonly<Record<string, string>>, { flags = [] as string[], terminal = 0 } = {}) {
  const interruption = new AbortController()
  let text = ''
  let look = () => {}
  const run = runPayctl(['emulator', 'watch', ...flags], {
    env,
    terminal,
    signal: interruption.signal,
    onStdout(all) {
      text = all
      look()
    },
  })
  return {
    run,
    interrupt: () => interruption.abort('SIGINT'),
    /** Resolves when the output matches. */
    shows: (pattern: RegExp) =>
      new Promise<void>((resolve) => {
        look = () => pattern.test(text) && resolve()
        look()
      }),
  }
}

describe('payctl emulator watch', () => {
  it('prints a line for each event on a terminal, until Ctrl-C', async () => {
    const { emulator, pay, env } = await start()
    const watch = watching(env, { terminal: 120 })
    await watch.shows(/watching the world default/)
    await pay()
    await emulator.control.clock.freeze()
    await watch.shows(/the clock is stopped/)
    watch.interrupt()
    const { code, stdout, stderr } = await watch.run
    expect([code, stderr]).toEqual([0, ''])
    const lines = stdout.replaceAll(/\d\d:\d\d:\d\d/g, '12:00:00').split('\n')
    expect(lines.map((line) => line.replaceAll(/ {2,}/g, '  ').trimEnd())).toEqual([
      'AT (UTC)  EVENT  WHAT  STATUS  AMOUNT',
      '12:00:00  open  watching the world default',
      expect.stringMatching(
        /^12:00:00 {2}payment {2}payment \.{3}\w+ to Carlos .+ over sinpe_movil {2}pending {2}1,500\.25 CRC$/,
      ),
      '12:00:00  entries  hold: from available of ...000c1 to held of ...000c1  1,500.25 CRC',
      '12:00:00  request  r1 POST /api/payments  201',
      '12:00:00  clock  the clock is stopped',
      '',
    ])
  })

  it('prints a document a line in a pipe, goes on after a reset, and ends with the world', async () => {
    const { emulator, pay } = await start()
    const world = await emulator.world({ name: 'shop' })
    const watch = watching({ PAYCTL_BASE_URL: emulator.baseUrl }, { flags: ['--world', 'shop', '--json'] })
    await watch.shows(/"open"/)
    await pay()
    await world.control.reset()
    await watch.shows(/"open"[\s\S]*"open"/)
    await emulator.control.worlds.delete({ name: 'shop' })
    const { code, stdout, stderr } = await watch.run
    expect([code, stderr]).toEqual([0, ''])
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events).toMatchObject([
      { type: 'open', world: { name: 'shop', id: world.worldId } },
      { type: 'end', reason: 'reset' },
      { type: 'open', world: { name: 'shop' } },
      { type: 'end', reason: 'deleted' },
    ])
  })

  it('ends after --limit events, and at once for a world that has ended', async () => {
    const { emulator, env } = await start()
    const one = await runPayctl(['emulator', 'watch', '--limit', '1', '-o', 'csv'], { env })
    expect(one).toMatchObject({ code: 0, stdout: expect.stringMatching(/^at,type,what,status,amount,id\n.*,open,/) })
    await (await emulator.world({ name: 'gone' })).close()
    const gone = await runPayctl(['emulator', 'watch', '--world', 'gone'], { env })
    expect(gone).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('The world gone ended') })
  })

  it.each([
    ['hides something', { name: 'a\u202eb\u001b[2J', id: '01a214c9-4bb4-7000-8000-0180015557d2' }, 0],
    ['has another shape', { name: ['shop'] }, 12],
  ])('prints nothing that a terminal obeys where an event %s', async (_, world, code) => {
    const opened = { id: 's-1', type: 'open', at: '2026-01-05T18:00:00.000000Z', world, resumed: false }
    const unknown = { id: 's-2', type: 'of a later version' }
    const ended = { id: 's-2', type: 'end', at: '2026-01-05T18:00:00.000000Z', reason: 'stopped' }
    const stub = await startStub((response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.end([unknown, opened, ended].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    })
    const run = await runPayctl(['emulator', 'watch'], {
      env: { PAYCTL_BASE_URL: stub.url, NO_COLOR: '1' },
      terminal: 80,
    })
    expect(run.code).toBe(code)
    expect(`${run.stdout}${run.stderr}`.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u)
    expect(run.stderr).not.toMatch(/\bbug\b/)
  })

  it('ends with the emulator, as a process with the built command line', async () => {
    const { emulator, pay } = await start()
    const payctl = startPayctl(emulator, ['emulator', 'watch'], { process: true })
    await once(payctl.stdout, 'data')
    await pay()
    await emulator.close()
    const { exitCode, stdout, stderr } = await payctl
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    expect(types).toEqual(['open', 'payment', 'entries', 'request', 'end'])
  })
})
