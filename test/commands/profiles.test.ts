import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { spawn } from '@lydell/node-pty'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshMachine } from '../support/installed_payctl.ts'
import { payctlCommand, payctlInShell } from '../support/program.ts'
import { startStub, success } from '../support/stub.ts'

const prod = ['profiles', 'set', 'prod', '--base-url', 'https://api.example.com']

const entry = (changes: object) => ({
  name: 'prod',
  current: false,
  built_in: false,
  base_url: 'https://api.example.com',
  auth_url: null,
  client_id: null,
  fx_provider: null,
  from: null,
  key_life: null,
  lang: null,
  output: null,
  live: false,
  ...changes,
})

describe('profiles', () => {
  it('are made, changed, chosen, listed and deleted', async () => {
    const { run, file } = await freshMachine()
    const made = await run([...prod, '--client-id', 'me', '--fx-provider', 'bccr', '--json'])
    expect(JSON.parse(made.stdout)).toEqual(entry({ client_id: 'me', fx_provider: 'bccr' }))
    expect(made.stderr).toContain('payctl profiles use prod')

    const changed = await run([
      'profiles',
      'set',
      'prod',
      '--auth-url',
      'https://a.example/',
      '--unset',
      'fx-provider',
      '--json',
    ])
    expect(JSON.parse(changed.stdout)).toEqual(entry({ client_id: 'me', auth_url: 'https://a.example' }))
    expect((await run(['profiles', 'use', 'prod'])).code).toBe(0)

    const { stdout } = await run(['profiles', 'list', '--json'])
    expect(JSON.parse(stdout)).toEqual([
      entry({ current: true, client_id: 'me', auth_url: 'https://a.example' }),
      entry({ name: 'emulator', built_in: true, base_url: null }),
    ])
    const deleted = await run(['profiles', 'delete', 'prod', '--yes', '--json'])
    expect(JSON.parse(deleted.stdout)).toMatchObject({ name: 'prod', current: false })
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ version: 1, profiles: {} })
  })

  it('say on which machine a command acts, and in which format', async () => {
    const { run } = await freshMachine()
    const stub = await startStub([200, success({ id: 'u', name: 'Ana' })])
    await run(['profiles', 'set', 'here', '--base-url', stub.url, '--output', 'json'])
    await run(['profiles', 'use', 'here'])
    const env = { PAYCTL_TOKEN: 'token-of-the-test' }
    const { code, stdout } = await run(['user'], { env })
    expect({ code, user: JSON.parse(stdout) }).toMatchObject({ code: 0, user: { name: 'Ana' } })
    expect((await run(['user', '-o', 'tsv'], { env })).stdout).toMatch(/^id\t/)
    expect((await run(['user'], { env: { ...env, PAYCTL_OUTPUT: 'tsv' } })).stdout).toMatch(/^id\t/)
    const refused = await run(['user'])
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'unauthenticated' } })
    const misspelt = await run(['user', '--jsn'], { env: { PAYCTL_PROFILE: 'here' } })
    expect(JSON.parse(misspelt.stderr)).toMatchObject({ error: { code: 'usage' } })
    expect((await run(['--emulator', 'user'])).stderr).toContain('error: No emulator is running.')
  })

  it('are shown on a terminal with a mark at the one in use', async () => {
    const { run } = await freshMachine()
    await run(prod)
    await run(['profiles', 'use', 'emulator'])
    const { stdout } = await run(['profiles', 'list', '-o', 'table'])
    expect(stdout.replaceAll(/ +$/gm, '')).toBe(
      [
        'NAME      CURRENT  BASE URL                     LIVE  CLIENT ID',
        'prod               https://api.example.com',
        'emulator  *        the emulator that runs here',
        '',
      ].join('\n'),
    )
  })

  it.each(['use default', 'list'])('report after `%s` that the environment takes precedence', async (verb) => {
    const { run } = await freshMachine()
    const { stderr } = await run(['profiles', ...verb.split(' ')], { env: { PAYCTL_PROFILE: 'other' } })
    expect(stderr).toBe(
      'PAYCTL_PROFILE is set in this shell, to other, and takes precedence over the chosen profile.\n',
    )
  })

  it('report that a login does not move to another base URL', async () => {
    const { run } = await freshMachine()
    await run(prod)
    expect((await run([...prod, '--client-id', 'me'])).stderr).toBe('')
    const { stderr } = await run(['profiles', 'set', 'prod', '--base-url', 'https://new.example'])
    expect(stderr).toMatch(
      /^A login at https:\/\/api\.example\.com can’t be used at https:\/\/new\.example\. .*login --profile prod/,
    )
  })
})

describe('the command that emulate runs', () => {
  const script = '"$@" user --json && echo "$PAYCTL_PROFILE, $PAYCTL_FX_PROVIDER"'

  it.each([
    [[], 'emulator, \n'],
    [['--fx-provider', 'bccr'], 'emulator, bccr\n'],
  ])('has nothing to do with the user’s profiles: %j', async (flags, last) => {
    const { run, configDir, file } = await freshMachine()
    await mkdir(configDir)
    await writeFile(file, 'nothing that could be read')
    const env = { PAYCTL_PROFILE: 'mine', PAYCTL_FX_PROVIDER: 'mine' }
    const child = ['/bin/sh', '-c', script, 'sh', ...payctlCommand().flat()]
    const { code, stdout } = await run(['emulate', ...flags, '--', ...child], { env, process: true })
    expect(code).toBe(0)
    expect(stdout.endsWith(last)).toBe(true)
  })
})

describe('profiles refuses', () => {
  it.each([
    [['set', 'new'], 'No value is given for profile new.'],
    [['set', 'new', '--client-id', 'me'], 'has no base URL'],
    [['set', 'new', '--unset', 'client-id'], 'has no base URL'],
    [['set', 'prod', '--unset', 'base-url'], 'Give one of auth-url'],
    [['set', 'prod', '--unset', 'token'], 'Give one of auth-url'],
    [['set', 'prod', '--unset', 'client-id', '--client-id', 'x'], 'both given and unset'],
    [['set', 'prod', '--base-url', 'api.example.com'], 'is not the address of a service'],
    [['set', 'prod', '--base-url', 'http://api.example.com'], 'could read the token'],
    [['set', 'prod', '--base-url', 'https://me:pass@api.example.com'], 'user name or password'],
    [['set', 'prod', '--auth-url', 'http://api.example.com'], 'could read the token'],
    [['set', 'prod', '--token', 'secret-token'], 'A profile does not store a token.'],
    [['set', 'prod', '--client-id', 'a b'], 'without spaces'],
    [['set', 'prod', '--fx-provider', '../x'], 'Give a name'],
    [['set', 'prod', '--output', 'xml'], 'Allowed choices'],
    [['set', 'emulator', '--base-url', 'https://x.example'], 'built in'],
    [['set', '../prod', '--base-url', 'https://x.example'], 'Give 1 to 64'],
    [['set', '', '--base-url', 'https://x.example'], 'Give 1 to 64'],
    [['set', 'a'.repeat(65), '--base-url', 'https://x.example'], 'Give 1 to 64'],
    [['use', 'prd'], "Profile 'prd' does not exist."],
    [['use', '__proto__'], "Profile '__proto__' does not exist."],
    [['delete', 'prd', '--yes'], "Profile 'prd' does not exist."],
    [['delete', 'default', '--yes'], "Profile 'default' does not exist."],
    [['delete', 'emulator', '--yes'], 'is built in'],
    [['delete', 'prod'], "can't ask without a terminal"],
  ])('%j and changes nothing', async (args, message) => {
    const { run, file } = await freshMachine()
    await run(prod)
    const before = await readFile(file, 'utf8')
    const { code, stdout, stderr } = await run(['profiles', ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toMatch(/^error: .+\n(( {2}|next: {2}).+\n)+$/)
    expect(stderr).not.toContain('secret-token')
    expect(await readFile(file, 'utf8')).toBe(before)
  })
})

it('profiles delete without a terminal says who can delete a profile with limits', async () => {
  const { run } = await freshMachine()
  await run(prod)
  await run(['profiles', 'set', 'prod', '--live'])
  for (const flags of [[], ['--yes']]) {
    const { code, stderr } = await run(['profiles', 'delete', 'prod', ...flags])
    expect(code).not.toBe(0)
    expect(stderr).toContain('at a terminal')
    expect(stderr).not.toContain('--yes')
  }
  expect(JSON.parse((await run(['profiles', 'list', '--json'])).stdout)).toContainEqual(
    expect.objectContaining({ name: 'prod' }),
  )
})

describe('profiles delete on a terminal', () => {
  it.each([
    ['y\r', 0, {}],
    ['\r', 2, { prod: expect.anything() }],
    ['\x03', 130, { prod: expect.anything() }],
  ])('asks, and %j ends with %i', async (keys, code, profiles) => {
    const { run, env, file } = await freshMachine()
    await run(prod)
    const terminal = spawn(...payctlCommand(['profiles', 'delete', 'prod']), { env, cols: 100, rows: 20 })
    onTestFinished(() => terminal.kill('SIGKILL'))
    let screen = ''
    terminal.onData((text) => {
      if (!screen.includes('(y/N)') && `${screen}${text}`.includes('(y/N)')) terminal.write(keys)
      screen += text
    })
    const ended = await new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)))
    expect(screen).toContain('Delete the profile prod (https://api.example.com) and its login?')
    expect(ended).toBe(code)
    expect(JSON.parse(await readFile(file, 'utf8')).profiles).toEqual(profiles)
  })
})

describe('the config folder', () => {
  it('loses nothing when twenty change it at once', async () => {
    const { run, file, configDir } = await freshMachine()
    const names = Array.from({ length: 20 }, (_, at) => `p${at}`)
    const runs = await Promise.all(
      names.map((name) => run(['profiles', 'set', name, '--base-url', `https://${name}.example`])),
    )
    expect(runs.map(({ code }) => code)).toEqual(names.map(() => 0))
    expect(Object.keys(JSON.parse(await readFile(file, 'utf8')).profiles).sort()).toEqual([...names].sort())
    expect((await readdir(configDir)).sort()).toEqual(['config.json', 'config.lock'])
  })

  it.each([0, 0o022, 0o077])('is its owner’s alone with umask %o', async (umask) => {
    const { configDir, file, env } = await freshMachine()
    const { execa } = await import('execa')
    const line = `umask ${umask.toString(8)}; ${payctlInShell} ${prod.join(' ')}`
    await execa('/bin/sh', ['-c', line], { env, extendEnv: false })
    const modes = [configDir, file, `${configDir}/config.lock`].map(async (path) => (await stat(path)).mode & 0o777)
    expect(await Promise.all(modes)).toEqual([0o700, 0o600, 0o600])
  })

  it('takes back what others may read of its file', async () => {
    const { run, file, configDir } = await freshMachine()
    await mkdir(configDir)
    await writeFile(file, '{}')
    await chmod(file, 0o666)
    await run(prod)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('that can not be written is an error that says so, and can be read', async () => {
    const { run, file, home, configDir } = await freshMachine()
    await run(prod)
    // User id of nobody if the tests run as root, because root can open every folder.
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    if (user.uid !== undefined) {
      await Promise.all([home, configDir, file].map((path) => chown(path, user.uid, user.gid)))
    }
    await chmod(configDir, 0o500)
    const { code, stderr } = await run(['profiles', 'use', 'prod'], user)
    await chmod(configDir, 0o700)
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: .+\n {2}Make room, let this user write in /),
    })
    expect(stderr).toContain(configDir)
    expect(JSON.parse(await readFile(file, 'utf8')).current).toBeUndefined()
    expect((await run(['profiles', 'list'], user)).stdout).toContain('api.example.com')
  })

  it('that is a file is an error that says so', async () => {
    const { run, configDir } = await freshMachine()
    await writeFile(configDir, '')
    for (const args of [['profiles', 'list'], prod]) {
      const { code, stderr } = await run(args)
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(configDir) })
    }
  })
})

describe('a config file that can not be understood', () => {
  it.each([
    ['broken', '{"profiles":'],
    ['newer', '{"version": 2, "profiles": []}'],
  ])('because it is %s stops what needs it, by name, and stays as it is', async (word, text) => {
    const { run, configDir, file } = await freshMachine()
    await mkdir(configDir)
    await writeFile(file, text)
    for (const args of [['user'], ['-p', 'prod', 'user'], ['profiles', 'list'], ['profiles', 'use', 'default'], prod]) {
      const { code, stdout, stderr } = await run(args)
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' })
      expect(stderr).toMatch(/^error: .+\n(( {2}|next: {2}).+\n)+$/)
      expect(stderr).toContain(file)
      expect(stderr).toContain(word)
    }
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('is ignored, with a note, where it decides only the format', async () => {
    const { run, configDir, file } = await freshMachine()
    await mkdir(configDir)
    await writeFile(file, 'nothing')
    const { code, stdout, stderr } = await run(['config', 'path'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${file}\n` })
    expect(stderr).toMatch(/^The config file .+ is broken: .+ This command ignored the file\.\n$/)
    expect((await run(['config', 'path', '--quiet'])).stderr).toBe('')
    expect((await run(['--emulator', 'user'])).stderr).toMatch(/^error: No emulator is running\.\n/)
  })

  it('has a profile with a format that does not exist', async () => {
    const { run, configDir, file } = await freshMachine()
    await mkdir(configDir)
    await writeFile(file, '{"profiles": {"default": {"output": "xml"}}}')
    const { code, stderr } = await run(['profiles', 'list'])
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("The profile's output is 'xml'"),
    })
  })
})
