import { readdir, readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { portsToTry, startOnPort } from '../../src/commands/emulate_port.ts'
import type { Ready } from '../../src/config/running_emulators.ts'
import { type Finished, runPayctl, temporaryDirectory } from './run_payctl.ts'

/** An emulator that runs until the test ends or stops it. */
async function startEmulator(...flags: readonly string[]) {
  const state = await temporaryDirectory()
  const stop = new AbortController()
  const readyFile = join(state, 'ready.json')
  const argv = ['emulate', '--port', '0', '--ready-file', readyFile, ...flags]
  const finished = runPayctl(argv, { env: { PAYCTL_STATE_DIR: state }, signal: stop.signal })
  onTestFinished(async () => {
    stop.abort('SIGTERM')
    await finished
  })
  const ready = await vi.waitFor(async () => JSON.parse(await readFile(readyFile, 'utf8')) as Ready, 10_000)
  return { ready, readyFile, state, stop: (signal: string) => stop.abort(signal), finished }
}

describe('emulate', () => {
  it('announces itself to people on stderr, and answers', async () => {
    const { ready, state, stop, finished } = await startEmulator()
    const run = await runPayctl(['--emulator', 'accounts', 'list', '--json'], { env: { PAYCTL_STATE_DIR: state } })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const [account] = JSON.parse(run.stdout).data
    stop('SIGINT')
    const { code, stdout, stderr } = await finished
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    for (const shown of [ready.base_url, ready.token, ready.client_secret, account.id, account.balance.formatted]) {
      expect(stderr).toContain(shown)
    }
  })

  it('prints one line with --json, the same as its ready file, which only its owner can read', async () => {
    const { ready, readyFile, stop, finished } = await startEmulator('--json')
    expect((await stat(readyFile)).mode & 0o777).toBe(0o600)
    stop('SIGTERM')
    expect(await finished).toEqual({ code: 0, stdout: `${JSON.stringify(ready)}\n`, stderr: '' })
    expect(ready).toMatchObject({ event: 'ready', pid: process.pid })
  })

  it('is forgotten when it stops', async () => {
    const { state, stop, finished } = await startEmulator()
    expect(await readdir(join(state, 'emulators'))).toEqual([`${process.pid}.json`])
    stop('SIGTERM')
    await finished
    expect(await readdir(join(state, 'emulators'))).toEqual([])
    const { code, stderr } = await runPayctl(['--emulator', 'user'], { env: { PAYCTL_STATE_DIR: state } })
    expect({ code, stderr }).toEqual({
      code: 12,
      stderr: 'error: No emulator is running.\nhint: Start one: payctl emulate\n',
    })
  })

  it.each([
    { flags: ['--rate-limit', 'off'], limit: null },
    { flags: ['--rate-limit', '7/min'], limit: '7' },
    { flags: [], limit: '6000' },
  ])('limits requests as told: $flags', async ({ flags, limit }) => {
    const { ready } = await startEmulator(...flags)
    const answer = await fetch(`${ready.base_url}/api/user`, { headers: { Authorization: `Bearer ${ready.token}` } })
    expect({ status: answer.status, limit: answer.headers.get('X-RateLimit-Limit') }).toEqual({ status: 200, limit })
  })

  it('takes the token it is told', async () => {
    const { ready } = await startEmulator('--token', 'my-token')
    expect(ready.token).toBe('my-token')
  })

  it.each([
    ['--port', '70000'],
    ['--settle', '5'],
    ['--rate-limit', '0'],
    ['--rate-limit', 'fast'],
    ['--token-ttl', '0'],
    ['--data', ''],
    ['--seed', 'world.json'],
    ['--host', '0.0.0.0'],
    ['--data', '/nowhere/at/all.db'],
    ['--ready-file', '/nowhere/at/all.json'],
  ])('%s %s is a usage error', async (...flags) => {
    const { code, stdout, stderr } = await runPayctl(['emulate', '--port', '0', ...flags])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/error: .+\nhint: .+\n$/)
  })

  it('refuses a port that is taken', async () => {
    const port = await takenPort()
    const { code, stderr } = await runPayctl(['emulate', '--port', String(port)])
    expect(code).toBe(2)
    expect(stderr).toBe(`error: Port ${port} is taken.\nhint: Take any free one: payctl emulate --port 0\n`)
  })
})

async function takenPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as { readonly port: number }).port
}

describe('the port', () => {
  const taken = Object.assign(new Error('taken'), { code: 'EADDRINUSE' })

  it('is 4010 or the next free one, unless asked for', async () => {
    const start = async (port: number) => {
      if (port < 4012) throw taken
      return port
    }
    expect(await startOnPort(portsToTry(undefined, false), start)).toBe(4012)
    await expect(startOnPort(portsToTry(4010, false), start)).rejects.toThrow('Port 4010 is taken.')
  })

  it('is any free one for a child process', () => {
    expect(portsToTry(undefined, true)).toEqual([0])
    expect(portsToTry(4010, true)).toEqual([4010])
  })
})

/** Runs a script as the emulator's child; it can write to the file named in its environment. */
async function emulateChild(script: string, signal?: AbortSignal): Promise<Finished & { readonly written: string }> {
  const directory = await temporaryDirectory()
  const file = join(directory, 'written')
  const source = `const write = (text) => require('fs').writeFileSync(${JSON.stringify(file)}, text);${script}`
  const settings = { env: { PAYCTL_STATE_DIR: directory }, ...(signal && { signal }) }
  const run = await runPayctl(['emulate', '--', process.execPath, '-e', source], settings)
  return { ...run, written: await readFile(file, 'utf8').catch(() => '') }
}

describe('emulate with a command', () => {
  it('tells it where the emulator is and returns its exit code, saying nothing itself', async () => {
    const run = await emulateChild(`
      const { PAYCTL_BASE_URL: url, PAYCTL_TOKEN: token } = process.env
      fetch(url + '/api/user', { headers: { authorization: 'Bearer ' + token } })
        .then(({ status }) => write(JSON.stringify([status, Object.keys(process.env).filter((name) => /^PAYCTL/.test(name)).sort()])))
        .then(() => process.exit(7))`)
    expect(run).toMatchObject({ code: 7, stdout: '', stderr: '' })
    const names = ['AUTH_URL', 'BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'TOKEN'].map((name) => `PAYCTL_${name}`)
    expect(JSON.parse(run.written)).toEqual([200, expect.arrayContaining(names)])
  })

  it('leaves nothing running', async () => {
    const { written } = await emulateChild('write(process.env.PAYCTL_BASE_URL)')
    await expect(fetch(written)).rejects.toThrow()
  })

  it.each([['SIGINT'], ['SIGTERM'], ['SIGHUP']])('passes %s on', async (name) => {
    const stop = new AbortController()
    const directory = await temporaryDirectory()
    const started = join(directory, 'started')
    const run = emulateChild(
      `process.on('${name}', () => { write('${name}'); process.exit(3) })
      require('fs').writeFileSync(${JSON.stringify(started)}, '')
      setInterval(() => {}, 1e9)`,
      stop.signal,
    )
    await vi.waitFor(() => stat(started), 10_000)
    stop.abort(name)
    expect(await run).toMatchObject({ code: 3, written: name })
  })

  it('ends with 128 and the number of the signal that killed it', async () => {
    expect(await emulateChild("process.kill(process.pid, 'SIGKILL')")).toMatchObject({ code: 137 })
  })

  it.each([
    ['no-such-command-at-all', 127, 'command not found'],
    ['/', 126, 'could not be run'],
  ])('%s ends with %i', async (command, code, why) => {
    const run = await runPayctl(['emulate', '--', command])
    expect(run).toMatchObject({ code, stdout: '' })
    expect(run.stderr).toContain(why)
  })

  it("leaves the command's own flags to the command", async () => {
    const script = 'process.exit(process.argv.includes("--json") && process.argv.includes("--port") ? 0 : 1)'
    for (const separator of [['--'], []]) {
      const argv = ['emulate', ...separator, process.execPath, '-e', script, 'x', '--json', '--port', '1']
      expect((await runPayctl(argv)).code).toBe(0)
    }
  })
})
