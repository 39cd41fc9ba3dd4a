import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withLock } from '../../src/lock/lock.ts'
import { freshMachine, loggedInMachine, loginAt } from '../auth/logged_in.ts'
import { startStrictService } from '../auth/strict_service.ts'

const parsed = (text: unknown) => JSON.parse(String(text))

describe('auth status', () => {
  it('says that nobody is logged in, and how to', async () => {
    const { start, configDir } = await freshMachine()
    for (const flags of [[], ['--base-url', 'http://127.0.0.1:1']]) {
      const { exitCode, stdout, stderr } = await start(['auth', 'status', ...flags])
      expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 4, stdout: '' })
      expect(stderr).toContain(`next:  ${['payctl login', ...flags].join(' ')}`)
    }
    const { stderr } = await start(['auth', 'status', '--json'])
    expect(parsed(stderr).error.code).toBe('unauthenticated')
    expect(existsSync(configDir)).toBe(false)
  })

  it('says for whom, which scopes, until when and where they are, and asks nobody', async () => {
    const service = await startStrictService()
    const { start, file, credentials } = await loggedInMachine(service)

    const { exitCode, stdout } = await start(['auth', 'status', '--json'])

    expect({ exitCode, status: parsed(stdout) }).toEqual({
      exitCode: 0,
      status: {
        profile: 'default',
        base_url: service.url,
        auth_url: service.url,
        kind: 'oauth',
        user: { id: 'u1', name: 'Ana', email: 'ana@example.com' },
        scopes: ['read-user', 'read-accounts'],
        expires_at: credentials().expires_at,
        renewal: 'automatic',
        source: file,
      },
    })
    expect(service.received).toEqual([])
  })

  it('ends with exit 4 when the service has refused to renew the login, however long its token has to live', async () => {
    const service = await startStrictService()
    const { start, keep, configure } = await freshMachine()
    keep({ prod: { ...loginAt(service), renewal_refused_at: new Date().toISOString() } })
    configure({ prod: { base_url: service.url } })

    const { exitCode, stdout, stderr } = await start(['auth', 'status', '-p', 'prod', '--json'])

    expect({ exitCode, stderr }).toEqual({
      exitCode: 4,
      stderr: 'The service has refused to renew the login. Log in again: payctl login --profile prod',
    })
    expect(parsed(stdout)).toMatchObject({ renewal: 'refused', user: { name: 'Ana' } })
    expect(service.received).toEqual([])
  })

  it.each([
    ['--token', ['--token', 'given'], {}],
    ['PAYCTL_TOKEN', [], { PAYCTL_TOKEN: 'given' }],
  ])('names %s as the source of a token that was given', async (source, flags, env) => {
    const service = await startStrictService()
    const { start } = await loggedInMachine(service)

    const { exitCode, stdout } = await start(['auth', 'status', '--json', ...flags], { env })

    expect({ exitCode, status: parsed(stdout) }).toMatchObject({
      exitCode: 0,
      status: { kind: 'given', source, user: null, scopes: null },
    })
  })

  it('is exit 0 for an expired login that renews itself, 4 for one that does not', async () => {
    const service = await startStrictService()
    const machine = await loggedInMachine(service, { expiresIn: -1000 })
    expect((await machine.start(['auth', 'status'])).exitCode).toBe(0)

    const { refresh_token: _, ...login } = loginAt(service, { expiresIn: -1000 })
    machine.keep({ default: login })
    const { exitCode, stderr } = await machine.start(['auth', 'status'])
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('payctl login') })
    expect((await machine.start(['user'])).exitCode).toBe(4)
    expect(service.received).toEqual([])
  })
})

describe('auth token', () => {
  it('prints the token alone on a line', async () => {
    const service = await startStrictService()
    const { start, credentials } = await loggedInMachine(service)
    const { stdout, stderr } = await start(['auth', 'token'], { stripFinalNewline: false })
    expect({ stdout, stderr }).toEqual({ stdout: `${credentials().access_token}\n`, stderr: '' })
  })

  it('renews it first when it is due', async () => {
    const service = await startStrictService()
    const { start, credentials } = await loggedInMachine(service, { expiresIn: 1000 })
    const { stdout } = await start(['auth', 'token'])
    expect([stdout, service.refreshes]).toEqual([credentials().access_token, 1])
  })

  it('prints an object with --json', async () => {
    const service = await startStrictService()
    const { start, credentials } = await loggedInMachine(service)
    const { access_token } = credentials()
    expect(parsed((await start(['auth', 'token', '--json'])).stdout)).toEqual({
      access_token,
      token_type: 'Bearer',
      base_url: service.url,
    })
  })

  it('prints nothing when there is none', async () => {
    const { start } = await freshMachine()
    const { exitCode, stdout } = await start(['auth', 'token', '--base-url', 'http://127.0.0.1:1'])
    expect([exitCode, stdout]).toEqual([4, ''])
  })
})

describe('auth refresh', () => {
  it('renews a login that would have lived on', async () => {
    const service = await startStrictService()
    const { start, credentials } = await loggedInMachine(service)
    const before = credentials()

    const { exitCode, stdout } = await start(['auth', 'refresh', '--json'])

    expect([exitCode, service.refreshes]).toEqual([0, 1])
    expect(credentials().access_token).not.toBe(before.access_token)
    expect(parsed(stdout).expires_at).toBe(credentials().expires_at)
  })

  it('has nothing to renew in a token that was given, or of a dashboard', async () => {
    const service = await startStrictService()
    const machine = await loggedInMachine(service)
    expect((await machine.start(['auth', 'refresh'], { env: { PAYCTL_TOKEN: 'given' } })).exitCode).toBe(2)
    const { refresh_token: _, ...login } = loginAt(service)
    machine.keep({ default: { ...login, kind: 'dashboard' } })
    expect((await machine.start(['auth', 'refresh'])).exitCode).toBe(2)
    expect(service.received).toEqual([])
  })
})

describe('logout', () => {
  it('forgets the login and keeps the profile, as often as it is asked', async () => {
    const service = await startStrictService()
    const { start, configDir, credentials } = await loggedInMachine(service)
    const config = readFileSync(join(configDir, 'config.json'), 'utf8')

    for (const said of ['Logged out', 'was not logged in']) {
      const { exitCode, stdout, stderr } = await start(['logout'])
      expect({ exitCode, stdout, stderr }).toMatchObject({
        exitCode: 0,
        stdout: '',
        stderr: expect.stringContaining(said),
      })
    }

    expect(credentials()).toBeUndefined()
    expect(readFileSync(join(configDir, 'config.json'), 'utf8')).toBe(config)
    expect((await start(['user'])).exitCode).toBe(4)
    expect(service.received).toEqual([])
  })

  it('of a profile that there is not says so, and which was meant', async () => {
    const service = await startStrictService()
    const machine = await loggedInMachine(service)
    machine.keep({ prod: loginAt(service), gone: loginAt(service) })
    machine.configure({ prod: { base_url: service.url } })

    const { exitCode, stderr } = await machine.start(['logout', '-p', 'prdo'])

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean prod?') })
    expect(machine.credentials('prod')).toBeDefined()
    // A login remains after its profile was removed from config.json.
    expect((await machine.start(['logout', '-p', 'gone'])).exitCode).toBe(0)
    expect(machine.credentials('gone')).toBeUndefined()
  })

  it('does nothing where nobody ever logged in', async () => {
    const { start, configDir } = await freshMachine()
    expect((await start(['logout'])).exitCode).toBe(0)
    expect(existsSync(configDir)).toBe(false)
  })

  it('comes with the profile that is deleted', async () => {
    const service = await startStrictService()
    const machine = await freshMachine()
    machine.keep({ shop: loginAt(service), other: loginAt(service) })
    machine.configure({ shop: { base_url: service.url } })

    expect((await machine.start(['profiles', 'delete', 'shop', '--yes'])).exitCode).toBe(0)

    expect(machine.credentials('shop')).toBeUndefined()
    expect(machine.credentials('other')).toBeDefined()
  })
})

it('a payctl that hangs while it renews keeps no other from using a token that lives', async () => {
  const service = await startStrictService()
  const { start, configDir } = await loggedInMachine(service, { expiresIn: 30_000 })
  const never = new AbortController().signal

  await withLock(join(configDir, 'credentials.default.lock'), never, async () => {
    const { exitCode, stderr } = await start(['user'])
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('could not be renewed yet'),
    })
  })
  expect(service.refreshes).toBe(0)
})
