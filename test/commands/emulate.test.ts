import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { portsToTry, startOnPort } from '../../src/commands/emulate/start.ts'
import type { Ready } from '../../src/config/running_emulators.ts'
import { type Finished, runPayctl, temporaryDirectory } from '../support/run_payctl.ts'
import { takenPort } from '../support/server.ts'

/** An emulator that runs until the test ends or stops it. */
const startEmulator = (...flags: readonly string[]) => startEmulatorIn({}, ...flags)

async function startEmulatorIn(env: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  const state = await temporaryDirectory()
  const stop = new AbortController()
  const readyFile = join(state, 'ready.json')
  const argv = ['emulate', '--port', '0', '--ready-file', readyFile, ...flags]
  const finished = runPayctl(argv, { env: { ...env, PAYCTL_STATE_DIR: state }, signal: stop.signal })
  onTestFinished(async () => {
    stop.abort('SIGTERM')
    await finished
  })
  const ready = await vi.waitFor(async () => JSON.parse(await readFile(readyFile, 'utf8')) as Ready, 25_000)
  return { ready, readyFile, state, stop: (signal: string) => stop.abort(signal), finished }
}

describe('emulate', () => {
  it('announces itself to people on stderr, and answers', async () => {
    const { ready, state, stop, finished } = await startEmulator()
    const run = await runPayctl(['--emulator', 'accounts', 'list', '--json'], { env: { PAYCTL_STATE_DIR: state } })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const [account] = JSON.parse(run.stdout)
    stop('SIGINT')
    const { code, stdout, stderr } = await finished
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    for (const shown of [
      ready.base_url,
      ready.token,
      ready.client_secret,
      account.owner_name,
      account.id.slice(-4),
      account.balance.formatted,
    ]) {
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
      stderr: 'error: No emulator is running.\nnext:  payctl emulate\n',
    })
  })

  it('takes its ready file away when it stops, unless another emulator has put its own there', async () => {
    const one = await startEmulator()
    one.stop('SIGTERM')
    await one.finished
    await expect(stat(one.readyFile)).rejects.toMatchObject({ code: 'ENOENT' })

    const other = await startEmulator()
    await writeFile(other.readyFile, 'of another')
    other.stop('SIGTERM')
    await other.finished
    expect(await readFile(other.readyFile, 'utf8')).toBe('of another')
  })

  it('on all addresses, gives URLs that lead to it, and says where it listens', async () => {
    const secrets = ['--token', 'A-token-of-our-own-0123456789', '--control-token', 'A-control-token-0123456789']
    const { ready, stop, finished } = await startEmulator('--host', '0.0.0.0', ...secrets)
    expect(ready).toMatchObject({ host: '0.0.0.0', base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) })
    expect(ready.control_url).toBe(ready.base_url)
    const answer = await fetch(`${ready.base_url}/api/user`, { headers: { Authorization: `Bearer ${ready.token}` } })
    expect(answer.status).toBe(200)
    stop('SIGTERM')
    expect((await finished).stderr).toMatch(/Listens on +0\.0\.0\.0/)
  })

  it('says by its public URL where it is, and is found on this machine all the same', async () => {
    const { ready, state, stop, finished } = await startEmulator('--public-url', 'http://Emulator:4010/')
    const url = 'http://emulator:4010'
    expect(ready).toMatchObject({ base_url: url, auth_url: url, control_url: url })
    const run = await runPayctl(['--emulator', 'accounts', 'list'], { env: { PAYCTL_STATE_DIR: state } })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    stop('SIGTERM')
    const { stderr } = await finished
    expect(stderr).toMatch(/^payctl emulator \S+ +http:\/\/emulator:4010 +no real money\n/)
    expect(stderr).toContain(ready.local_url)
  })

  it('writes with -v a line for each request, without secrets', async () => {
    const { ready, stop, finished } = await startEmulator('-v', '--control-token', 'let-me-steer')
    const headers = { Authorization: 'Bearer let-me-steer' }
    await fetch(`${ready.base_url}/api/accounts?page=2&token=of-somebody`, { headers })
    await fetch(`${ready.base_url}/_emulator/state?x=let-me-steer`, { headers })
    await fetch(`${ready.base_url}/nowhere\u009b`)
    stop('SIGTERM')
    const { stderr } = await finished
    const lines = stderr.split('\n').filter((line) => /^\d\d:/.test(line))
    const time = String.raw`^\d\d:\d\d:\d\d  `
    expect(lines).toEqual([
      expect.stringMatching(`${time}GET  /api/accounts\\?page=2&token=\\*\\*\\*  401  \\d+ ms  accounts\\.list$`),
      expect.stringMatching(`${time}GET  /_emulator/state\\?x=\\*\\*\\*  200  \\d+ ms  control\\.state$`),
      expect.stringMatching(`${time}GET  /nowhere%C2%9B  404  \\d+ ms$`),
    ])
  })

  it('is silent about requests without -v', async () => {
    const { ready, stop, finished } = await startEmulator()
    await fetch(`${ready.base_url}/api/accounts`)
    stop('SIGTERM')
    expect((await finished).stderr).not.toContain('/api/accounts')
  })

  it('refuses a seed and a spread that are not those of the data file', async () => {
    const data = join(await temporaryDirectory(), 'world.db')
    const run = await runPayctl(['emulate', '--data', data, '--', 'true'])
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const same = await runPayctl(['emulate', '--data', data, '--seed', 'demo', '--', 'true'])
    expect(same).toMatchObject({ code: 0, stderr: '' })
    const other = await runPayctl(['emulate', '--data', data, '--seed', 'empty', '--', 'true'])
    expect(other).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `error: ${data} already holds a world made from the seed demo; --seed empty would change nothing.\n` +
        '  Leave --seed out, or name a new file.\n',
    })
    const spread = await runPayctl(['emulate', '--data', data, '--fx-spread', '0.01', '--', 'true'])
    expect(spread).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '  Leave --fx-spread out, and set the spread once the emulator is running: payctl emulator fx --spread 0.01\n',
      ),
    })
  })

  it.each([
    [
      ['--host', '0.0.0.0', '--rng-seed', '7'],
      'error: Bound to 0.0.0.0, the emulator can be reached from other machines, and anyone who knows --rng-seed knows its secrets.\n' +
        '  Leave --rng-seed out, or --host and --public-url.\n',
    ],
    [
      ['--host', '0.0.0.0'],
      'error: Bound to 0.0.0.0, the emulator can be reached from other machines and needs secrets of your own: the token is missing.\n' +
        '  Give two different secrets (openssl rand -hex 20) with --token-file and --control-token-file, or leave out --host and --public-url.\n',
    ],
    [['--host', ''], "error: The option --host takes a string, but got ''.\n  Change it, or leave --host out.\n"],
    [
      ['--fx-spread', '0.6'],
      'error: The option --fx-spread takes a fraction from 0 to 0.5, but got 0.6.\n  Change it, or leave --fx-spread out.\n',
    ],
    [
      ['--maintenance', 'pin=00:00-24:00'],
      'error: The option --maintenance takes a window of a rail, like pin=02:00-04:00; all windows of a rail must leave it time online, but got windows that cover the whole week as pin.\n  Change it, or leave --maintenance out.\n',
    ],
    [
      ['--public-url', 'https://me:hidden@pay.test'],
      'error: The option --public-url takes an http or https URL without user name, query or fragment, but got one with a user name or password.\n  Change it, or leave --public-url out.\n',
    ],
    [
      ['--seed', 'demo', '--seed-file', 'a.yaml'],
      'error: The options --seed and --seed-file exclude each other. A seed file can extend the demo.\n  Leave --seed or --seed-file out.\n',
    ],
    [['--data', '.'], 'error: . is not a file.\n  Give --data the path of a file.\n'],
  ])('names options by their flags: %j', async (flags, stderr) => {
    expect(await runPayctl(['emulate', ...flags, '--', 'true'])).toEqual({ code: 2, stdout: '', stderr })
  })

  it.each([
    { flags: ['--rate-limit', 'off'], limit: null },
    { flags: ['--rate-limit', '7/min'], limit: '7' },
    { flags: [], limit: '6000' },
  ])('limits requests by $flags', async ({ flags, limit }) => {
    const { ready } = await startEmulator(...flags)
    const answer = await fetch(`${ready.base_url}/api/user`, { headers: { Authorization: `Bearer ${ready.token}` } })
    expect({ status: answer.status, limit: answer.headers.get('X-RateLimit-Limit') }).toEqual({ status: 200, limit })
  })

  it('takes the token of its flags', async () => {
    const { ready } = await startEmulator('--token', 'my-token')
    expect(ready.token).toBe('my-token')
  })

  describe('its secrets', () => {
    const token = '5f2b8c1e9a7d4036b1c8'
    const controlToken = 'c7d1e05a93f64b28807d'
    const clientSecret = '90ab12ef56cd34780a1b'
    const open = ['--host', '0.0.0.0']

    it('come from files, so that nobody reads them in the list of processes', async () => {
      const folder = await temporaryDirectory()
      const file = async (secret: string) => {
        const path = join(folder, secret)
        await writeFile(path, `${secret}\n`)
        return path
      }
      const files = ['--token-file', await file(token), '--control-token-file', await file(controlToken)]
      const { ready, stop, finished } = await startEmulator(
        ...open,
        ...files,
        '--client-secret-file',
        await file(clientSecret),
      )
      expect(ready).toMatchObject({ token, client_secret: clientSecret })
      const state = `http://127.0.0.1:${new URL(ready.base_url).port}/_emulator/state`
      expect((await fetch(state)).status).toBe(401)
      expect((await fetch(state, { headers: { Authorization: `Bearer ${controlToken}` } })).status).toBe(200)
      stop('SIGTERM')
      const { stderr } = await finished
      expect(stderr).not.toContain('Other users')
      for (const secret of [token, controlToken, clientSecret]) expect(stderr).not.toContain(secret)
      expect(stderr).toContain('(that of --token-file)')
    })

    it('come from the environment, which a flag outranks', async () => {
      const env = {
        PAYCTL_EMULATOR_TOKEN: 'token-of-the-environment',
        PAYCTL_EMULATOR_CONTROL_TOKEN: controlToken,
        PAYCTL_EMULATOR_CLIENT_SECRET: clientSecret,
        PAYCTL_TOKEN: 'token-of-the-real-service',
      }
      const { ready } = await startEmulatorIn(env, ...open)
      expect(ready).toMatchObject({ token: env.PAYCTL_EMULATOR_TOKEN, client_secret: clientSecret })
      const other = await startEmulatorIn(env, '--token', token)
      expect(other.ready.token).toBe(token)
    })

    it('come from files that the environment names, as containers have them', async () => {
      const folder = await temporaryDirectory()
      const [tokenFile, controlFile] = [join(folder, 'token'), join(folder, 'control')]
      await Promise.all([writeFile(tokenFile, `${token}\n`), writeFile(controlFile, controlToken)])
      const env = { PAYCTL_EMULATOR_TOKEN_FILE: tokenFile, PAYCTL_EMULATOR_CONTROL_TOKEN_FILE: controlFile }
      const { ready, state, stop, finished } = await startEmulatorIn(env, ...open)
      expect(ready.token).toBe(token)
      const steering = { PAYCTL_STATE_DIR: state, PAYCTL_CONTROL_TOKEN_FILE: controlFile }
      expect(await runPayctl(['emulator', 'clock', 'freeze'], { env: steering })).toMatchObject({ code: 0 })
      stop('SIGTERM')
      expect((await finished).stderr).toContain('(that of PAYCTL_EMULATOR_TOKEN_FILE)')
      const both = await runPayctl(['emulate'], { env: { ...env, PAYCTL_EMULATOR_TOKEN: token } })
      expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('are both set') })
      expect(both.stderr).not.toContain(token)
    })

    it('are not those of the service', async () => {
      const { ready } = await startEmulatorIn({ PAYCTL_TOKEN: 'token-of-the-real-service', PAYCTL_CLIENT_SECRET: 'x' })
      expect(ready).toMatchObject({ token: 'payctl-demo-token', client_secret: 'payctl-demo-secret' })
    })

    it('should not be arguments where others can reach it: that is said', async () => {
      const flags = ['--token', token, '--control-token', controlToken]
      const { stop, finished } = await startEmulator(...open, ...flags)
      stop('SIGTERM')
      expect((await finished).stderr).toContain(
        'Other users of this machine can read --token and --control-token: use --token-file and ' +
          '--control-token-file, or PAYCTL_EMULATOR_TOKEN and PAYCTL_EMULATOR_CONTROL_TOKEN, instead.',
      )
    })

    it.each([
      [['--token', 'a', '--control-token', 'b'], 'the token has fewer than 20 characters'],
      [['--token', token, '--control-token', token], 'two of them are the same'],
      [['--token', 'payctl-demo-token', '--control-token', controlToken], 'the token is a well-known one'],
      [['--token-file', '/nowhere/at/all'], "--token-file can't be read"],
      [['--token-file', '/dev/null'], '--token-file is empty'],
      [['--token', token, '--token-file', '/dev/null'], '--token and --token-file are both given'],
      [['--control-token', 'two words'], '--control-token has spaces'],
      [['--token', ''], '--token is empty'],
    ])('%j are a usage error', async (flags, why) => {
      const { code, stderr } = await runPayctl(['emulate', '--port', '0', ...open, ...flags])
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) })
    })
  })

  it.each([
    ['--port', '70000'],
    ['--settle', '5'],
    ['--public-url', 'emulator'],
    ['--public-url', 'https://me:secret@pay.test'],
    ['--public-url', 'https://pay.example.com'],
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
    expect(stderr).toMatch(/error: .+\n(( {2}|next: {2}).+\n)+$/)
  })

  it.each([
    ['pin=5s,sinpe=3s', 'Give each rail (pin, sinpe_movil) its time, not sinpe=3s.'],
    ['pin=5s,3s', 'Give each rail (pin, sinpe_movil) its time, not 3s.'],
    ['pin=5s,pin=3s', 'The rail pin is there twice.'],
    ['pin=', 'Give a number with its unit: 500ms, 30s, 2m, 1h.'],
    ['pin=-5s', 'Give a number with its unit: 500ms, 30s, 2m, 1h.'],
    ['3s..15', 'Give a number with its unit: 500ms, 30s, 2m, 1h.'],
    ['15s..3s', 'The range ends before it begins: write 3s..15s.'],
    ['1s..2s..3s', 'Give a range with two ends: 3s..15s.'],
    ['sinpe_movil=manual..3s', 'Give a number with its unit: 500ms, 30s, 2m, 1h.'],
  ])('--settle %s is a usage error: %s', async (times, why) => {
    const { code, stdout, stderr } = await runPayctl(['emulate', '--port', '0', '--settle', times])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(why)
  })

  it.each([
    [[], { pin: 1000, sinpe_movil: 1000 }, '1000'],
    [
      ['--settle', '3s..15s'],
      { pin: { from: 3000, to: 15_000 }, sinpe_movil: { from: 3000, to: 15_000 } },
      '3000..15000',
    ],
    [
      ['--settle', 'sinpe_movil=3s..15s,pin=5s'],
      { pin: 5000, sinpe_movil: { from: 3000, to: 15_000 } },
      'pin 5000, sinpe_movil 3000..15000',
    ],
    [['--settle', 'pin=manual,sinpe_movil=0s'], { pin: 'manual', sinpe_movil: 0 }, 'pin manual, sinpe_movil 0'],
    [['--settle', 'sinpe_movil=instant'], { pin: 1000, sinpe_movil: 0 }, 'pin 1000, sinpe_movil 0'],
  ])('%j: payments take as long as it says', async (flags, settle_ms, shown) => {
    const { state } = await startEmulator(...flags)
    const status = (...more: readonly string[]) =>
      runPayctl(['--emulator', 'emulator', 'status', ...more], { env: { PAYCTL_STATE_DIR: state } })
    expect(JSON.parse((await status('--json')).stdout)).toMatchObject({ settle_ms })
    expect((await status()).stdout).toContain(shown)
  })

  it('registers and pays an IBAN with wrong check digits with --lenient-iban; payments send still refuses it', async () => {
    const wrong = 'CR37012345678901234567'
    const { ready, state } = await startEmulator('--lenient-iban', '--settle', 'instant')
    const payctl = (...argv: readonly string[]) =>
      runPayctl(['--emulator', ...argv], { env: { PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: state } })
    const holder = ['--name', 'Ana Prueba', '--document', '0109990888']
    expect(await payctl('emulator', 'registry', 'add', '--iban', wrong, ...holder)).toMatchObject({ code: 0 })

    const account = ready.accounts[0]?.id
    const fields = [`source_account_id=${account}`, `recipient_iban=${wrong}`, 'amount=100'].flatMap((one) => [
      '--field',
      one,
    ])
    const paid = await payctl('api', 'payments.create', ...fields, '-H', 'X-Idempotency-Key: k', '--jq', '.data.id')
    expect(paid).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) })
    const sent = await payctl('payments', 'send', '--from', 'CRC', '--to', wrong, '--amount', '1', '--yes')
    expect(sent).toMatchObject({ code: 2, stderr: expect.stringContaining('its check digits are 37') })
  })

  it('refuses a port that is taken', async () => {
    const port = await takenPort()
    const { code, stderr } = await runPayctl(['emulate', '--port', String(port)])
    expect(code).toBe(2)
    expect(stderr).toBe(`error: Port ${port} is taken.\n  Take any free port with --port 0\n`)
  })
})

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

/** Runs a script as the emulator's child; the script can write to the file named in its environment. */
async function emulateChild(script: string, signal?: AbortSignal): Promise<Finished & { readonly written: string }> {
  const directory = await temporaryDirectory()
  const file = join(directory, 'written')
  const source = `const write = (text) => require('fs').writeFileSync(${JSON.stringify(file)}, text);${script}`
  const settings = { env: { PAYCTL_STATE_DIR: directory }, ...(signal && { signal }) }
  const run = await runPayctl(['emulate', '--', process.execPath, '-e', source], settings)
  return { ...run, written: await readFile(file, 'utf8').catch(() => '') }
}

describe('emulate with a command', () => {
  it('gives it the address of the emulator and returns its exit code, printing nothing itself', async () => {
    const run = await emulateChild(`
      const { PAYCTL_BASE_URL: url, PAYCTL_TOKEN: token } = process.env
      fetch(url + '/api/user', { headers: { authorization: 'Bearer ' + token } })
        .then(({ status }) => write(JSON.stringify([status, Object.keys(process.env).filter((name) => /^PAYCTL/.test(name)).sort()])))
        .then(() => process.exit(7))`)
    expect(run).toMatchObject({ code: 7, stdout: '', stderr: '' })
    const names = ['AUTH_URL', 'BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'TOKEN'].map((name) => `PAYCTL_${name}`)
    expect(JSON.parse(run.written)).toEqual([200, expect.arrayContaining(names)])
  })

  it('gives it the user, the accounts, and all else of the ready line', async () => {
    const { code, written } = await emulateChild(`
      const { PAYCTL_BASE_URL: url, PAYCTL_TOKEN: token, PAYCTL_USER_ID, PAYCTL_ACCOUNT_CRC, PAYCTL_ACCOUNT_USD } = process.env
      const get = async (path) => (await (await fetch(url + path, { headers: { authorization: 'Bearer ' + token } })).json()).data
      Promise.all([get('/api/user'), get('/api/accounts')]).then(([user, accounts]) => write(JSON.stringify({
        user, accounts, told: { user: PAYCTL_USER_ID, crc: PAYCTL_ACCOUNT_CRC, usd: PAYCTL_ACCOUNT_USD },
        ready: JSON.parse(process.env.PAYCTL_READY) })))`)
    expect(code).toBe(0)
    const { user, accounts, told, ready } = JSON.parse(written)
    const ids = accounts.data.map(({ id }: { readonly id: string }) => id)
    expect(told).toEqual({ user: user.id, crc: expect.any(String), usd: expect.any(String) })
    expect(ids).toEqual(expect.arrayContaining([told.crc, told.usd]))
    expect(ready).toMatchObject({ event: 'ready', user_id: user.id, world: expect.any(String) })
    expect(ready.accounts).toContainEqual({ id: told.crc, iban: expect.any(String), currency: 'CRC' })
  })

  it('gives it the control URL of the emulator, and of no other one', async () => {
    vi.stubEnv('PAYCTL_CONTROL_TOKEN', 'of another emulator')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const file = join(await temporaryDirectory(), 'written')
    const steer = `
      const { PAYCTL_CONTROL_URL: url, PAYCTL_CONTROL_TOKEN: token } = process.env
      fetch(url + '/_emulator/state', token && { headers: { authorization: 'Bearer ' + token } })
        .then(({ status }) => require('fs').writeFileSync(process.argv[1], status + ' ' + token))`
    const told = async (...flags: string[]) => {
      expect(await runPayctl(['emulate', ...flags, '--', process.execPath, '-e', steer, file])).toMatchObject({
        code: 0,
      })
      return readFile(file, 'utf8')
    }
    expect(await told('--control-token', 'let-me-steer')).toBe('200 let-me-steer')
    expect(await told()).toBe('200 undefined')
  })

  it.each([[['--']], [['--', '']], [['--seed', 'demo', '--']], [['']]])('%j is not a command', async (words) => {
    const { code, stderr } = await runPayctl(['emulate', ...words])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: The command after -- is empty.\n  Name one, or leave -- out\n',
    })
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
