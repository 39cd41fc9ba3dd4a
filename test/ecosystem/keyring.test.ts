import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loggedInMachine, loginAt } from '../auth/logged_in.ts'
import { type StrictService, startStrictService } from '../auth/strict_service.ts'
import { blocksOf } from '../docs/guide_blocks.ts'
import type { StartOptions } from '../support/started.ts'
import { startSession } from './keyring_session.ts'

// Logins in gnome-keyring, with the built payctl. The tests without a keyring are in test/auth/keyring.test.ts.

/** The commands of the guide. */
const [toKeyring = [], toFile = []] = blocksOf('logging-in.md', 'Where the login is saved')
  .flatMap(({ text }) => text.split('\n'))
  .filter((line) => line.startsWith('payctl config set'))
  .map((line) => line.replace(/ *#.*/, '').split(' ').slice(1))

const itemsScript = fileURLToPath(new URL('keyring_items.cjs', import.meta.url))
const killScript = fileURLToPath(new URL('kill_in_move.cjs', import.meta.url))

/** A machine whose login is in its credentials file, and the session of the user. */
async function desktop(service: StrictService, life: { readonly expiresIn?: number } = {}) {
  const machine = await loggedInMachine(service, life)
  let session = await startSession(machine.home)
  const run = async (args: readonly string[], options: Partial<StartOptions> = {}) => {
    const env = { ...session.env, ...options.env }
    const { exitCode, stdout, stderr } = await machine.start(args, { process: true, ...options, env })
    return { code: exitCode, stdout: String(stdout), stderr: String(stderr) }
  }
  return {
    ...machine,
    run,
    file: () => readFileSync(machine.file, 'utf8'),
    saved: () => JSON.parse(readFileSync(machine.file, 'utf8')),
    /** Removes the item `remove`, if given, then returns the names of payctl's items in the keyring. */
    async items(remove = ''): Promise<readonly string[]> {
      const env = { REMOVE_ITEM: remove }
      const { stdout } = await run(['--version'], { nodeArgs: ['--require', itemsScript], env })
      return JSON.parse(stdout.split('\n')[0] ?? '')
    },
    endSession: () => session.end(),
    async newSession(options: { readonly locked: boolean }) {
      await session.end()
      session = await startSession(machine.home, options)
    },
  }
}

const nameOf = ({ stdout }: { readonly stdout: string }): string => JSON.parse(stdout).name

describe('a login in the keyring', () => {
  it('leaves no secret in the file, and is used, renewed and moved back', async () => {
    const service = await startStrictService()
    const { run, file, saved, credentials } = await desktop(service, { expiresIn: -1000 })
    const before = credentials()

    const move = await run(toKeyring)
    expect(move).toMatchObject({ code: 0, stdout: '' })
    expect(move.stderr).toContain('Logins are now saved in the system’s keyring (1 login).')
    expect(file()).not.toContain('s3cret')
    expect(saved()).toMatchObject({ store: 'keyring', profiles: {}, keyring: { profiles: ['default'] } })

    expect(nameOf(await run(['user', '--json']))).toBe('Ana')
    expect(nameOf(await run(['user', '--json']))).toBe('Ana')
    expect([service.refreshes, service.reuses]).toEqual([1, 0])
    expect(file()).not.toContain('s3cret')
    expect(JSON.parse((await run(['auth', 'status', '--json'])).stdout).source).toBe('keyring')
    const doctor = JSON.parse((await run(['doctor', '--json'])).stdout)
    expect(doctor).toContainEqual(
      expect.objectContaining({ check: 'credentials', status: 'ok', detail: 'in the system’s keyring' }),
    )

    expect((await run(toFile)).code).toBe(0)
    expect(saved()).not.toHaveProperty('keyring')
    expect(credentials()).toMatchObject({ user: before.user, client_secret: before.client_secret })
    expect(credentials().refresh_token).not.toBe(before.refresh_token)
    expect(nameOf(await run(['user', '--json']))).toBe('Ana')
  })

  it('is renewed once by several processes', async () => {
    const service = await startStrictService()
    const { run } = await desktop(service, { expiresIn: -1000 })
    await run(toKeyring)

    const runs = await Promise.all(Array.from({ length: 5 }, () => run(['user', '--json'])))

    expect(runs.map(nameOf)).toEqual(Array.from({ length: 5 }, () => 'Ana'))
    expect([service.refreshes, service.reuses, service.alive]).toEqual([1, 0, true])
  })

  it('is moved while processes renew and use it', async () => {
    const service = await startStrictService({ life: 2 })
    const { run } = await desktop(service, { expiresIn: -1000 })

    const uses = Array.from({ length: 6 }, () => run(['user', '--json']))
    const moves = (async () => {
      const codes: unknown[] = []
      for (const move of [toKeyring, toFile, toKeyring, toFile]) codes.push((await run(move)).code)
      return codes
    })()

    expect((await Promise.all(uses)).map(nameOf)).toEqual(uses.map(() => 'Ana'))
    expect(await moves).toEqual([0, 0, 0, 0])
    expect([service.reuses, service.alive]).toEqual([0, true])
  })

  it('is made there by payctl login, and removed by payctl logout', async () => {
    const service = await startStrictService()
    const { run, file, saved } = await desktop(service)
    await run(toKeyring)
    const { access } = service.issue()

    const login = ['login', '-p', 'ci', '--base-url', service.url, '--with-token']
    expect(await run(login, { input: access, stdin: 'pipe' })).toMatchObject({ code: 0 })
    expect(file()).not.toContain(access)
    expect(saved().keyring.profiles).toEqual(['default', 'ci'])
    expect(nameOf(await run(['user', '--json', '-p', 'ci']))).toBe('Ana')

    expect((await run(['logout', '-p', 'ci'])).stderr).toContain('are gone from this machine')
    expect(saved().keyring.profiles).toEqual(['default'])
    expect(await run(['user', '-p', 'ci'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Not logged in (profile ci)'),
    })
    expect(nameOf(await run(['user', '--json']))).toBe('Ana')
  })

  it('is not shared with another configuration folder', async () => {
    const service = await startStrictService()
    const { run, saved } = await desktop(service)
    const { keep, configDir, start } = await loggedInMachine(service)
    await run(toKeyring)
    keep({})
    const env = { PAYCTL_CONFIG_DIR: configDir }
    expect((await run(toKeyring, { env })).code).toBe(0)
    expect(await run(['user'], { env })).toMatchObject({ code: 4, stderr: expect.stringContaining('Not logged in') })
    expect(saved().keyring.profiles).toEqual(['default'])
    expect((await start(['user'])).exitCode).toBe(4)
  })
})

describe('a keyring that is away', () => {
  it.each([
    ['is locked', (at: Awaited<ReturnType<typeof desktop>>) => at.newSession({ locked: true })],
    ['has ended with its session', (at: Awaited<ReturnType<typeof desktop>>) => at.endSession()],
  ])('because it %s ends every command that needs a login, and nothing is sent', async (_, leave) => {
    const service = await startStrictService()
    const at = await desktop(service)
    await at.run(toKeyring)
    const before = at.file()
    await leave(at)

    const { access } = service.issue()
    const token = { input: access, stdin: 'pipe' } as const
    const commands = [['user'], ['auth', 'status'], ['logout'], toFile]
    for (const args of commands) {
      const { code, stdout, stderr } = await at.run(args)
      expect({ args, code, stdout }).toEqual({ args, code: 4, stdout: '' })
      expect(stderr).toMatch(/^error: The system’s keyring can't be used: .+\.$/m)
      expect(stderr).toContain('Start and unlock the keyring, or give the token in PAYCTL_TOKEN')
      expect(stderr).not.toContain('s3cret')
    }
    expect(service.calls).toBe(0)
    const login = await at.run(['login', '--base-url', service.url, '--with-token'], token)
    expect(login).toMatchObject({ code: 4, stderr: expect.stringContaining('keyring can') })
    expect(at.file()).toBe(before)
    expect(nameOf(await at.run(['user', '--json'], { env: { PAYCTL_TOKEN: access } }))).toBe('Ana')

    await at.newSession({ locked: false })
    expect(nameOf(await at.run(['user', '--json']))).toBe('Ana')
  })

  it('leaves the logins in the file if it is locked before a move', async () => {
    const service = await startStrictService()
    const at = await desktop(service)
    const before = at.file()
    // The first use creates the keyring of the user.
    expect((await at.run(toKeyring)).code).toBe(0)
    expect((await at.run(toFile)).code).toBe(0)
    await at.newSession({ locked: true })

    expect(await at.run(toKeyring)).toMatchObject({ code: 4, stderr: expect.stringContaining('keyring can') })

    expect(at.saved().profiles).toEqual(JSON.parse(before).profiles)
    expect(nameOf(await at.run(['user', '--json']))).toBe('Ana')
  })
})

it('an item that the user removed ends the run with the next step', async () => {
  const service = await startStrictService()
  const at = await desktop(service)
  await at.run(toKeyring)
  const [item] = await at.items()
  expect(await at.items(item)).toEqual([])

  const { code, stderr } = await at.run(['user'])

  expect(code).toBe(4)
  expect(stderr).toContain("The keyring has no login of profile 'default'")
  expect(stderr).toContain('payctl login')
  expect(service.calls).toBe(0)
})

describe('a move that is killed', () => {
  it.each([
    ['to the keyring', toKeyring, toFile],
    ['to the file', toFile, toKeyring],
  ])('%s at any step leaves every login usable, and can be repeated', async (_, move, back) => {
    const service = await startStrictService()
    const { run, saved, keep, configure, credentials, items } = await desktop(service)
    keep({ default: credentials(), prod: loginAt(service) })
    configure({ default: { base_url: service.url }, prod: { base_url: service.url } })
    if (move === toFile) await run(toKeyring)
    let step = 0
    for (let code: number | undefined; code !== 0; ) {
      step += 1
      code = (await run(move, { nodeArgs: ['--require', killScript], env: { KILL_AT_STEP: String(step) } })).code
      for (const profile of ['default', 'prod']) {
        const user = await run(['user', '-p', profile])
        expect({ step, profile, code: user.code, stderr: user.stderr }).toMatchObject({ code: 0, stderr: '' })
      }
      if (code === 0) break
      expect((await run(move)).code).toBe(0)
      expect((await run(back)).code).toBe(0)
    }
    expect(step).toBeGreaterThan(8)
    const names = ['default', 'prod']
    const { store, keyring, profiles } = saved()
    if (move === toKeyring) {
      expect({ store, listed: keyring.profiles, profiles }).toEqual({ store: 'keyring', listed: names, profiles: {} })
      expect(await items()).toHaveLength(2)
    } else {
      expect({ store, keyring, names: Object.keys(profiles) }).toEqual({ store: 'file', keyring: undefined, names })
      expect(await items()).toEqual([])
    }
  })

  it('leaves no copy in the keyring after a logout', async () => {
    const { run, saved, items } = await desktop(await startStrictService())
    for (let step = 1; !(await items()).some((name) => name.startsWith('default ')); step += 1) {
      await run(toKeyring, { nodeArgs: ['--require', killScript], env: { KILL_AT_STEP: String(step) } })
    }
    expect(saved().store).not.toBe('keyring')
    expect((await run(['doctor'])).stdout).toContain('a move to or from the keyring did not finish')

    expect((await run(['logout'])).code).toBe(0)

    expect(await items()).toEqual([])
    expect(saved().profiles).toEqual({})
  })
})
