import { chmodSync, chownSync, existsSync, linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { demo } from '../../emulator/worlds/seed.ts'
import { freshMachine, fromNow, loggedInMachine, loginAt } from './logged_in.ts'
import { allow, callbackOf, startLogin } from './login_session.ts'
import { type Settings, startStrictService } from './strict_service.ts'

const expired = { expiresIn: -1000 }

describe('a token goes to its own service only', () => {
  it.each([
    ['a flag', (url: string) => ({ args: ['--base-url', url], env: {} })],
    ['the environment', (url: string) => ({ args: [], env: { PAYCTL_BASE_URL: url } })],
  ])('when %s names another base URL', async (_, named) => {
    const [service, other] = [await startStrictService(), await startStrictService()]
    const { start } = await loggedInMachine(service, expired)
    const { args, env } = named(other.url)

    for (const command of [['user'], ['auth', 'token'], ['auth', 'refresh'], ['auth', 'status']]) {
      const { exitCode, stderr, stdout } = await start([...command, ...args], { env })
      expect({ command, exitCode, stderr }).toMatchObject({ exitCode: 4, stderr: expect.stringContaining(service.url) })
      expect(stdout).toBe('')
    }
    expect([...service.received, ...other.received]).toEqual([])
  })

  it.each([
    ['/one', '/two'],
    ['/one', ''],
    ['', '/two'],
    ['/one', '/one/two'],
    ['/one', '/ONE'],
    ['/one', '/one%2f'],
  ])('when it was made for the path %j of a host and %j is named', async (own, other) => {
    const service = await startStrictService()
    const machine = await freshMachine()
    const [base_url, named] = [`${service.url}${own}`, `${service.url}${other}`]
    machine.keep({ default: { ...loginAt(service), base_url } })
    machine.configure({ default: { base_url: named } })

    for (const run of [['user'], ['user', '--base-url', named]]) {
      const { exitCode, stderr } = await machine.start(run)
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 4,
        stderr: expect.stringContaining(`is logged in to ${base_url}`),
      })
    }
    expect(service.received).toEqual([])
    const { stdout } = await machine.start(['doctor', '--json'])
    expect(JSON.parse(String(stdout))).toContainEqual(expect.objectContaining({ check: 'login', status: 'fail' }))
    expect(service.received.filter((line) => line.includes('Bearer'))).toEqual([])
  })

  it('when the profile was turned to another', async () => {
    const [service, other] = [await startStrictService(), await startStrictService()]
    const machine = await loggedInMachine(service)
    machine.configure({ default: { base_url: other.url } })

    expect((await machine.start(['user'])).exitCode).toBe(4)
    expect([...service.received, ...other.received]).toEqual([])
  })

  it('when the service answers with a redirect', async () => {
    const other = await startStrictService()
    const service = await startStrictService({
      onCall(response) {
        response.writeHead(307, { location: `${other.url}/api/user` }).end()
        return false
      },
    })
    const { start } = await loggedInMachine(service)

    expect((await start(['user'])).exitCode).toBe(12)
    expect(other.received).toEqual([])
  })

  it('and refresh token and client secret to its own OAuth server, whatever is named now', async () => {
    const [service, other] = [await startStrictService(), await startStrictService()]
    const { start } = await loggedInMachine(service, expired)

    const byFlag = await start(['user', '--auth-url', other.url])
    const byVariable = await start(['auth', 'refresh'], { env: { PAYCTL_AUTH_URL: other.url } })

    expect([byFlag.exitCode, byVariable.exitCode, service.refreshes]).toEqual([0, 0, 2])
    expect(other.received).toEqual([])
  })

  it('not even after a redirect of the OAuth server', async () => {
    const other = await startStrictService()
    const service = await startStrictService({
      onRefresh(response) {
        response.writeHead(308, { location: `${other.url}/oauth/token` }).end()
        return false
      },
    })
    const { start } = await loggedInMachine(service, expired)

    expect((await start(['user'])).exitCode).toBe(12)
    expect(other.received).toEqual([])
  })
})

describe('precedence', () => {
  it('a flag outranks the environment, that outranks the login', async () => {
    const service = await startStrictService()
    const { start } = await loggedInMachine(service)
    const env = { PAYCTL_TOKEN: 'token-of-the-environment' }

    await start(['user', '--token', 'token-of-the-flag'], { env })
    await start(['user'], { env })
    await start(['user'])

    expect(service.received.map((line) => /Bearer (\S+)/.exec(line)?.[1])).toEqual([
      'token-of-the-flag',
      'token-of-the-environment',
      expect.stringContaining('s3cret-access'),
    ])
    expect(service.refreshes).toBe(0)
  })
})

describe('secrets', () => {
  const failing: Readonly<Record<string, Settings>> = {
    'all goes well': {},
    'the service repeats everything in its errors': {
      onRefresh(response, { body }) {
        const echo = Object.values(body).join(' ')
        response.writeHead(400, { 'x-echo': echo }).end(JSON.stringify({ error: `bad ${echo}`, message: echo }))
        return false
      },
    },
    'the answer is cut off': {
      onRefresh(response) {
        response
          .writeHead(200, { 'content-length': 1000 })
          .write('{"access_token":"s3cret-cut-off","refresh_token":"s3c')
        setImmediate(() => response.destroy())
        return false
      },
    },
    'the answer is not JSON': {
      onRefresh(response) {
        response.end('access_token=s3cret-form&refresh_token=s3cret-form-2')
        return false
      },
    },
  }

  it.each(Object.entries(failing))('are in no trace and no error when %s', async (_, settings) => {
    const service = await startStrictService(settings)
    const { start } = await loggedInMachine(service, expired)

    for (const flags of [['-v'], ['-v', '--json'], []]) {
      for (const command of [['user'], ['auth', 'refresh'], ['auth', 'status']]) {
        const { stdout, stderr } = await start([...command, ...flags, '--retries', '0'])
        expect(`${stdout}${stderr}`).not.toContain('s3cret')
      }
    }
    expect(service.refreshes).toBeGreaterThan(0)
  })

  it('are not in the trace of a login, nor in what its process shows of itself', async () => {
    const service = await startStrictService()
    const session = await startLogin({ baseUrl: service.url }, ['-v'], {
      env: { PAYCTL_CLIENT_ID: 'me', PAYCTL_CLIENT_SECRET: 's3cret-of-the-client' },
    })
    const address = await session.address()
    const back = callbackOf(address)
    back.search = `${new URLSearchParams({ code: 's3cret-code', state: address.searchParams.get('state') ?? '' })}`
    const page = await (await fetch(back)).text()

    expect(await session.terminal.ended).toBe(0)
    const request = service.received.find((line) => line.includes('authorization_code')) ?? ''
    const { code_verifier: verifier } = JSON.parse(request.slice(request.indexOf('{')))
    expect(session.terminal.written).toContain('/oauth/token')
    expect(session.terminal.written + page).not.toContain('s3cret')
    expect(session.terminal.written + page).not.toContain(verifier)
  })

  it('of a login at the emulator are in no trace of any command', async () => {
    const emulator = await startEmulator({ rateLimit: null })
    const session = await startLogin(emulator, ['-v'])
    await allow(session)
    expect(await session.terminal.ended).toBe(0)
    const first = session.credentials()
    const runs = []
    for (const command of [['auth', 'refresh'], ['user'], ['accounts', 'list'], ['auth', 'status'], ['logout']]) {
      runs.push(await session.start([...command, '-v']))
    }
    await emulator.close()
    const written = session.terminal.written + runs.map(({ stdout, stderr }) => `${stdout}${stderr}`).join()
    for (const secret of [first.access_token, first.refresh_token, demo.clientSecret])
      expect(written).not.toContain(secret)
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0])
  })
})

const damagedBy = (change: object): string => {
  const urls = { base_url: 'https://a.example', auth_url: 'https://a.example' }
  const entry = { kind: 'oauth', ...urls, access_token: 's3cret', obtained_at: fromNow(0), ...change }
  return JSON.stringify({ version: 1, profiles: { default: entry } })
}

describe('the credentials file', () => {
  it.each([
    ['is not JSON', '{"version":1,"profiles":{"default":{"access_token":"s3cret', 'is not JSON'],
    ['is empty', '', 'is not JSON'],
    ['is something else', '[]', 'it is not a JSON object'],
    ['has a damaged entry', '{"version":1,"profiles":{"default":{"access_token":"s3cret"}}}', 'is damaged'],
    ['has values of other types', damagedBy({ renewal_began_at: {} }), 'is damaged'],
    ['has a user who is none', damagedBy({ user: { name: 5 } }), 'is damaged'],
    ['was written by a newer payctl', '{"version":2,"logins":{"default":"s3cret"}}', 'newer payctl'],
  ])('that %s is reported, and left unchanged', async (_, content, said) => {
    const service = await startStrictService()
    const machine = await freshMachine()
    machine.keep({})
    writeFileSync(machine.file, content)

    for (const command of [['user'], ['auth', 'status'], ['auth', 'token'], ['auth', 'refresh']]) {
      const { exitCode, stderr } = await machine.start([...command, '--base-url', service.url])
      expect({ command, exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(said) })
      expect(stderr).not.toContain('s3cret')
    }
    expect(readFileSync(machine.file, 'utf8')).toBe(content)
    expect(service.received).toEqual([])
    // A user with a token needs none of these files.
    expect((await machine.start(['user', '--base-url', service.url, '--token', service.issue().access])).exitCode).toBe(
      0,
    )
  })

  it('keeps the logins of other profiles through all changes', async () => {
    const service = await startStrictService()
    const machine = await freshMachine()
    const logins = { default: loginAt(service, expired), other: loginAt(service), 'with.dots': loginAt(service) }
    machine.keep(logins)
    machine.configure({ default: { base_url: service.url } })

    expect((await machine.start(['user'])).exitCode).toBe(0)
    expect((await machine.start(['logout'])).exitCode).toBe(0)

    expect(machine.credentials()).toBeUndefined()
    expect(machine.credentials('other')).toEqual(logins.other)
    expect(machine.credentials('with.dots')).toEqual(logins['with.dots'])
  })

  it('stays as it was where the disk takes only a part of the new one', async () => {
    const service = await startStrictService()
    const machine = await freshMachine()
    machine.keep(Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`p${at}`, loginAt(service)])))
    const before = readFileSync(machine.file, 'utf8')
    expect(before.length).toBeGreaterThan(1100)

    // The file can't grow beyond a kilobyte: the system cuts the first write short there, without an error.
    const command = ['login', '--with-token', '-p', 'new', '--base-url', service.url]
    const { exitCode, stderr } = await machine.start(command, {
      through: ['bash', '-c', 'ulimit -f 1; exec "$@"', 'bash'],
      stdin: 'pipe',
      input: service.issue().access,
    })

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("can't be written") })
    expect(readFileSync(machine.file, 'utf8')).toBe(before)
    expect(readdirSync(machine.configDir).filter((name) => name.includes('tmp'))).toEqual([])
  })

  it.runIf(process.getuid?.() === 0)('in a folder that is closed keeps no renewal, and doctor says so', async () => {
    const service = await startStrictService()
    const machine = await loggedInMachine(service)
    const nobody = 65_534
    chmodSync(machine.home, 0o777)
    for (const path of [machine.file, join(machine.configDir, 'config.json')]) chownSync(path, nobody, nobody)
    chmodSync(machine.configDir, 0o755)

    const { stdout } = await machine.start(['doctor', '--json'], { uid: nobody, gid: nobody })

    expect(JSON.parse(String(stdout))).toContainEqual(
      expect.objectContaining({ check: 'credentials', status: 'warn', detail: expect.stringContaining('renewed') }),
    )
  })

  // Only root can start a process as another user.
  it.runIf(process.getuid?.() === 0)('of another user, open to all, is not used, and doctor says so', async () => {
    const service = await startStrictService()
    const machine = await loggedInMachine(service)
    chmodSync(machine.home, 0o777)
    chmodSync(machine.configDir, 0o755)
    chmodSync(machine.file, 0o644)
    chmodSync(join(machine.configDir, 'config.json'), 0o644)

    for (const command of ['user', 'doctor']) {
      expect(service.received).toEqual([])
      const { exitCode, stdout, stderr } = await machine.start([command], { uid: 65_534, gid: 65_534 })
      expect({ command, exitCode, said: `${stdout}${stderr}` }).toMatchObject({
        exitCode: 4,
        said: expect.stringContaining('Set PAYCTL_CONFIG_DIR'),
      })
    }
  })

  it('is replaced and never written over, inside a snap too', async () => {
    const service = await startStrictService()
    const machine = await loggedInMachine(service, expired)
    const old = join(machine.home, 'old')
    linkSync(machine.file, old)
    const before = readFileSync(old, 'utf8')

    expect((await machine.start(['user'], { env: { SNAP: '/snap/payctl/1' } })).exitCode).toBe(0)

    expect(service.refreshes).toBe(1)
    expect(readFileSync(old, 'utf8')).toBe(before)
  })

  it('logout removes what a killed payctl left of it', async () => {
    const service = await startStrictService()
    const machine = await loggedInMachine(service)
    const remains = join(machine.configDir, 'credentials.json.tmp-0123456789abcdef')
    writeFileSync(remains, 's3cret')

    await machine.start(['logout'])

    expect(existsSync(remains)).toBe(false)
  })
})
