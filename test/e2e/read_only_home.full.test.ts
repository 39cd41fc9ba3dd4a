import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { getuid, platform } from 'node:process'
import { execa, type Options } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startWorld } from '../emulator/control/world.ts'
import { payctlCommand } from '../support/program.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

/** Command that takes privileges from root, so that file modes restrict root too. */
const bound = getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []

/** A machine without a writable folder, and with only HOME set. */
async function readOnlyMachine() {
  const world = await startWorld({ settle: 0 })
  const home = join(await temporaryDirectory(), 'home')
  mkdirSync(home)
  chmodSync(home, 0o555)
  onTestFinished(() => chmodSync(home, 0o755))
  const { baseUrl, token } = world.emulator
  const bare = { PATH: process.env.PATH ?? '', HOME: home, NO_COLOR: '1' }
  const env = { ...bare, PAYCTL_BASE_URL: baseUrl, PAYCTL_TOKEN: token }
  const start = (argv: readonly string[], options: Options = {}) => {
    const [file = '', ...rest] = [...bound, ...payctlCommand(argv).flat()]
    return execa(file, rest, { env, extendEnv: false, reject: false, input: '', ...options })
  }
  const run = async (argv: readonly string[], options?: Options) => {
    const { exitCode, stdout, stderr } = await start(argv, options)
    return { code: exitCode, stdout: String(stdout), stderr: String(stderr) }
  }
  return { ...world, bare, start, run, left: () => readdirSync(home) }
}

/** Payments at the service. */
const payments = async ({ client }: Awaited<ReturnType<typeof readOnlyMachine>>) =>
  (await client.call('payments.history')).data

describe('a home that cannot be written', () => {
  it('does not matter to commands that only read', async () => {
    const machine = await readOnlyMachine()
    const { id } = await machine.pay({ recipient_phone: '87000001' })
    const reads = [
      ['accounts', 'list'],
      ['accounts', 'get', machine.colones],
      ['payments', 'get', id],
      ['payments', 'history'],
      ['payments', 'intents'],
      ['phone', '87000001', '87000013'],
      ['iban', 'CR81016100100000000006'],
      ['fx', 'rates'],
      ['webhooks', 'list'],
      ['profiles', 'list'],
      ['auth', 'status'],
      ['config', 'path'],
      ['emulator', 'status'],
      ['payments', 'send', '--from', machine.colones, '--to', '87000001', '--amount', '1', '--dry-run'],
    ]
    const ends = await Promise.all(reads.map((argv) => machine.run(argv)))
    for (const [at, { code, stdout, stderr }] of ends.entries()) {
      expect({ argv: reads[at], code, stderr }).toMatchObject({ code: 0 })
      expect(stderr).not.toMatch(/EACCES|error/)
      expect(stdout).not.toBe('')
    }
    expect(machine.left()).toEqual([])
  })

  it('is not sent from: nothing leaves, and it is said what to do', async () => {
    const machine = await readOnlyMachine()
    const flags = ['--from', machine.colones, '--to', '87000001', '--amount', '1', '--yes']
    const rows = `to,amount,description,from\n87000001,1,,${machine.colones}\n`
    const sends = [
      await machine.run(['payments', 'send', ...flags]),
      await machine.run(['payments', 'batch', '-', '--yes'], { input: rows }),
      await machine.run(['payments', 'send', ...flags, '--idempotency-key', 'k', '--wait']),
    ]
    for (const { code, stdout, stderr } of sends) {
      expect({ code, stdout, stderr }).toMatchObject({ code: 2, stdout: '' })
      expect(stderr).toMatch(/Nothing was sent by this run\.\n {2}.*PAYCTL_STATE_DIR/)
    }
    expect(await payments(machine)).toEqual([])
    expect(machine.left()).toEqual([])
  })

  it('keeps no login and no profile, and says so', async () => {
    const machine = await readOnlyMachine()
    const { PAYCTL_TOKEN: input, ...env } = { ...machine.bare, PAYCTL_TOKEN: machine.emulator.token }
    const at = ['--base-url', machine.emulator.baseUrl]
    const writes = [
      await machine.run(['login', '--with-token', ...at], { env, input }),
      await machine.run(['profiles', 'set', 'x', ...at], { env }),
    ]
    for (const { code, stdout, stderr } of writes) {
      expect({ code, stdout, stderr }).toMatchObject({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^error: .*permission is denied.*\n {2}.*PAYCTL_CONFIG_DIR/m)
      expect(stderr).not.toContain(input)
    }
  })

  it.runIf(platform === 'linux')('ends a command at once where the file system takes no folders', async () => {
    const machine = await readOnlyMachine()
    const env = { ...machine.bare, HOME: '/proc' }
    const flags = ['--base-url', machine.emulator.baseUrl, '--token', machine.emulator.token]
    const [account, limit] = [machine.colones, { env, timeout: 30_000 }]
    const writes = [
      await machine.run(['profiles', 'set', 'x', '--base-url', machine.emulator.baseUrl], limit),
      await machine.run(
        ['payments', 'send', '--from', account, '--to', '87000001', '--amount', '1', '--yes', ...flags],
        limit,
      ),
      await machine.run(['emulate', '--port', '0', '--detach'], limit),
      await machine.run(['emulate', '--port', '0', '--worlds', '/proc/worlds'], limit),
    ]
    for (const { code, stdout, stderr } of writes) {
      expect({ code, stdout, stderr }).toMatchObject({ code: 2, stdout: '' })
    }
    const words = writes.slice(0, 3).map(({ stderr }) => stderr)
    for (const stderr of words) expect(stderr).toContain('its file system takes no new folders')
    expect(await payments(machine)).toEqual([])
    expect(await machine.run(['emulate', '--', 'true'], limit)).toMatchObject({ code: 0 })
  })

  it('does not keep the emulator from starting, nor its command from running', async () => {
    const { start, run, bare } = await readOnlyMachine()
    const emulator = start(['emulate', '--port', '0', '--json'], { env: bare, buffer: false })
    const line = await new Promise((resolve) => emulator.stdout?.once('data', resolve))
    const { base_url, token } = JSON.parse(String(line))
    const headers = { Authorization: `Bearer ${token}` }
    expect((await fetch(`${base_url}/api/user`, { headers })).status).toBe(200)
    emulator.kill('SIGTERM')
    expect((await emulator).exitCode).toBe(0)
    const child = ['node', '-e', 'fetch(process.env.PAYCTL_BASE_URL).then(() => process.exit(7))']
    expect(await run(['emulate', '--', ...child], { env: bare })).toMatchObject({ code: 7 })
  })

  it('keeps webhooks tail and doctor from nothing but what they say', async () => {
    const { start, run, client } = await readOnlyMachine()
    const tail = start(['webhooks', 'tail', '--json'], { buffer: false })
    await new Promise((resolve) => tail.stderr?.on('data', (text) => /Ctrl-C/.test(String(text)) && resolve(text)))
    tail.kill('SIGTERM')
    expect((await tail).exitCode).toBe(0)
    expect((await client.call('webhooks.list')).data).toEqual([])
    const { code, stdout } = await run(['doctor', '--json'])
    const failed = JSON.parse(stdout).filter(({ status }: { status: string }) => status === 'fail')
    expect({ code, failed }).toMatchObject({ code: 2, failed: [{ check: 'state', hint: expect.any(String) }] })
  })

  it('is silent at Tab', async () => {
    const { run } = await readOnlyMachine()
    const { code, stdout, stderr } = await run(['__complete', 'words', 'accounts', 'get', ''])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('01900000-0000-7000-8000-0000000000c1')
  })
})
