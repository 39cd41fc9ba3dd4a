import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { tokenSource } from '../../src/auth/access_token.ts'
import { withLock } from '../../src/lock/lock.ts'
import { everyNth, full } from '../support/full.ts'
import { fromNow, loggedInMachine, loginAt } from './logged_in.ts'
import { startStrictService } from './strict_service.ts'

const expired = { expiresIn: -1000 }
const aboutToExpire = { expiresIn: 30_000 }

/** Fakes payctl's timers in this process. The timers of the service's sockets stay real. */
function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('a login', () => {
  it('is used as it is while it lives', async () => {
    const service = await startStrictService()
    const { start } = await loggedInMachine(service)

    const { stdout, exitCode } = await start(['user', '--json'])

    expect({ exitCode, name: JSON.parse(String(stdout)).name, refreshes: service.refreshes }).toEqual({
      exitCode: 0,
      name: 'Ana',
      refreshes: 0,
    })
  })

  it.each([
    ['that has expired', expired],
    ['that is about to', aboutToExpire],
  ])('%s is renewed first, once, and kept', async (_, life) => {
    const service = await startStrictService()
    const { start, credentials } = await loggedInMachine(service, life)
    const before = credentials()

    const first = await start(['user'])
    const second = await start(['user'])

    expect([first.exitCode, second.exitCode, service.refreshes, service.calls]).toEqual([0, 0, 1, 2])
    const after = credentials()
    expect(after.access_token).not.toBe(before.access_token)
    expect(after.refresh_token).not.toBe(before.refresh_token)
    expect(Date.parse(after.expires_at ?? '') - Date.parse(after.obtained_at)).toBe(3600_000)
    expect(after).not.toHaveProperty('renewal_began_at')
    expect(after).toMatchObject({ client_secret: before.client_secret, user: before.user })
  })

  it('of a short life is not renewed at each use', async () => {
    const service = await startStrictService({ life: 50 })
    const { start } = await loggedInMachine(service, expired)

    for (let run = 0; run < 3; run += 1) expect((await start(['user'])).exitCode).toBe(0)

    expect(service.refreshes).toBe(1)
  })

  it('that the service refuses although it should live is renewed, and the request repeated', async () => {
    const service = await startStrictService()
    const { start } = await loggedInMachine(service)
    service.expire()

    const { exitCode } = await start(['user'])

    expect([exitCode, service.refreshes, service.calls]).toEqual([0, 1, 2])
  })

  it('that is refused again after it was renewed is not renewed for ever', async () => {
    const service = await startStrictService({
      onCall(response) {
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"success":false,"message":"No."}')
        return false
      },
    })
    const { start } = await loggedInMachine(service)

    const { exitCode, stderr } = await start(['user'])

    expect([exitCode, service.refreshes, service.calls]).toEqual([4, 1, 2])
    expect(stderr).toContain('payctl login')
  })
})

const many = full ? 20 : 8

describe(`${many} processes`, () => {
  const cases: readonly [string, { expiresIn?: number }, boolean][] = [
    ['at expiry', expired, false],
    ['shortly before it', aboutToExpire, false],
    ['with a token that is refused', {}, true],
  ]
  test.each(everyNth(cases, cases.length))(
    '%s renew it once, and all succeed',
    async (_, life, isRefused) => {
      const service = await startStrictService()
      const { start } = await loggedInMachine(service, life)
      if (isRefused) service.expire()

      const runs = await Promise.all(Array.from({ length: many }, () => start(['user', '--json'], { process: true })))

      expect(runs.filter(({ exitCode }) => exitCode !== 0).map(({ stderr }) => stderr)).toEqual([])
      expect({ refreshes: service.refreshes, reuses: service.reuses, alive: service.alive }).toEqual({
        refreshes: 1,
        reuses: 0,
        alive: true,
      })
    },
    60_000,
  )
})

describe('a race that was lost', () => {
  it('ends with the credentials of who won it', async () => {
    // An older payctl, or a payctl with a copy of the file, used the refresh token first.
    const service = await startStrictService({
      async onRefresh(response) {
        machine.keep({ default: { ...loginAt(service), refresh_token: 'of the winner' } })
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}')
        return false
      },
    })
    const machine = await loggedInMachine(service, expired)

    const { exitCode } = await machine.start(['user'])

    expect(exitCode).toBe(0)
    expect(machine.credentials().refresh_token).toBe('of the winner')
  })

  it('that nobody has won leaves the credentials where they are, marked, and says what to do', async () => {
    const service = await startStrictService()
    const machine = await loggedInMachine(service, expired)
    const before = { ...machine.credentials(), refresh_token: 'unknown-refresh-token' }
    machine.keep({ default: before })

    const first = await machine.start(['user'])
    const second = await machine.start(['user'])

    for (const { exitCode, stderr } of [first, second]) {
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('payctl login') })
    }
    expect([service.refreshes, service.calls]).toEqual([1, 0])
    expect(machine.credentials()).toMatchObject({
      refresh_token: before.refresh_token,
      access_token: before.access_token,
    })
    const status = await machine.start(['auth', 'status', '--json'])
    expect({ code: status.exitCode, renewal: JSON.parse(String(status.stdout)).renewal }).toEqual({
      code: 4,
      renewal: 'refused',
    })
    await machine.start(['auth', 'refresh'])
    expect(service.refreshes).toBe(2)
  })

  it('against a logout leaves it logged out', async () => {
    const service = await startStrictService({
      async onRefresh() {
        expect((await machine.start(['logout'])).exitCode).toBe(0)
        return true
      },
    })
    const machine = await loggedInMachine(service, expired)

    const { exitCode, stderr } = await machine.start(['user', '-v'])

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 4 })
    expect(machine.credentials()).toBeUndefined()
  })
})

describe('a service that can not renew', () => {
  const failures = {
    'hangs up': (response: { destroy(): void }) => response.destroy(),
    'answers 500': (response: { writeHead(status: number): { end(): void } }) => response.writeHead(500).end(),
    'answers a page': (response: { end(text: string): void }) => response.end('<html>'),
  } as const

  it.each(Object.entries(failures))('%s: the old token serves while it lives', async (_, fail) => {
    const service = await startStrictService({
      onRefresh(response) {
        fail(response as never)
        return false
      },
    })
    const { start, credentials } = await loggedInMachine(service, aboutToExpire)
    const { access_token, refresh_token } = credentials()

    const { exitCode, stderr } = await start(['user'])

    expect({ exitCode, refreshes: service.refreshes }).toEqual({ exitCode: 0, refreshes: 1 })
    expect(stderr).toContain('could not be renewed yet')
    expect(credentials()).toMatchObject({ access_token, refresh_token })
  })

  it('is asked once, however many requests the old token serves for', async () => {
    const refuse = (status: number) => (response: ServerResponse) => {
      response.writeHead(status).end(JSON.stringify({ success: false, message: 'No', data: null }))
      return false
    }
    const service = await startStrictService({ onRefresh: refuse(500), onCall: refuse(404) })
    const { start } = await loggedInMachine(service, aboutToExpire)

    await start(['phone', '88881234', '88881235', '88881236', '--concurrency', '1'])

    expect([service.calls, service.refreshes]).toEqual([3, 1])
  })

  it.each(Object.entries(failures))('%s: with an expired one it is exit 12, and nothing is lost', async (_, fail) => {
    let broken = true
    const service = await startStrictService({
      onRefresh(response) {
        if (broken) fail(response as never)
        return !broken
      },
    })
    const { start } = await loggedInMachine(service, expired)

    expect((await start(['user', '--retries', '0'])).exitCode).toBe(12)
    broken = false
    expect((await start(['user'])).exitCode).toBe(0)
  })
})

it('a refused token is renewed with all retries, although a single attempt to renew it early is under way', async () => {
  const service = await startStrictService({
    onRefresh(response) {
      if (service.refreshes === 1) response.writeHead(500).end()
      return service.refreshes > 1
    },
  })
  const { configDir, credentials } = await loggedInMachine(service, aboutToExpire)
  const target = {
    ...{ profile: 'default', baseUrl: service.url, authUrl: service.url, token: undefined, emulator: undefined },
    unnamedEmulators: [],
    settings: { clientId: undefined, fxProvider: 'upstream', from: undefined, keyLife: undefined },
  }
  const { signal } = new AbortController()
  const options = { configDir, signal, timeout: undefined, retries: 3, trace: undefined, proxyFor: undefined }
  const source = await tokenSource(target, { ...options, note: () => {} })
  const { access_token: old } = credentials()

  const [, isRenewed] = await Promise.all([source.token(), source.renew(old)])

  expect(isRenewed).toBe(true)
  expect(await source.token()).toBe(credentials().access_token)
})

it.each(['invalid_client', 'invalid_request', 'unauthorized_client'])(
  'a service that refuses a renewal with %s leaves the login, and it is exit 4 and said what to do',
  async (error) => {
    let refuses = true
    const service = await startStrictService({
      onRefresh(response) {
        if (refuses) response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
        return !refuses
      },
    })
    const machine = await loggedInMachine(service, expired)

    const { exitCode, stderr } = await machine.start(['user'])
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 4,
      stderr: expect.stringMatching(new RegExp(`could not be renewed.*\\(${error}\\).*\n.*\nnext:  payctl login`)),
    })
    refuses = false
    expect((await machine.start(['user'])).exitCode).toBe(0)
  },
)

describe('an answer that is lost after the service has renewed', () => {
  it('costs the login no sooner than it would have ended, and then it is said why', async () => {
    let lost = true
    const service = await startStrictService({
      onRefresh(response, { rotate }) {
        if (!lost) return true
        lost = false
        rotate()
        response.destroy()
        return false
      },
    })
    const machine = await loggedInMachine(service, expired)

    expect((await machine.start(['user'])).exitCode).toBe(12)
    const { exitCode, stderr } = await machine.start(['user'])

    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 4,
      stderr: expect.stringMatching(/cut off.*\n.*payctl login/),
    })
    expect(machine.credentials().client_secret).toBe('s3cret-of-the-client')
  })
})

describe('a renewal that certainly had no effect', () => {
  it('because it found no server is not taken for one that was cut off', async () => {
    const service = await startStrictService()
    const machine = await loggedInMachine(service, expired)
    machine.keep({ default: { ...loginAt(service, expired), auth_url: 'http://127.0.0.1:1' } })

    expect((await machine.start(['user', '--retries', '0'])).exitCode).toBe(12)

    expect(machine.credentials()).not.toHaveProperty('renewal_began_at')
  })

  it.each([
    [429, 11],
    [503, 12],
  ])('because the server answered %i is not taken for one that was cut off', async (status, exit) => {
    const service = await startStrictService({
      onRefresh(response) {
        response.writeHead(status).end()
        return false
      },
    })
    const machine = await loggedInMachine(service, expired)

    expect((await machine.start(['user', '--retries', '0'])).exitCode).toBe(exit)

    expect(machine.credentials()).not.toHaveProperty('renewal_began_at')
  })
})

describe('an answer that comes late', () => {
  it.each([
    ['while the token lives', aboutToExpire],
    ['when it has expired', expired],
  ])('is waited for, longer than --timeout, %s: it is the only copy of the next refresh token', async (_, life) => {
    useFakeTimers()
    const service = await startStrictService({
      async onRefresh() {
        await vi.advanceTimersByTimeAsync(1000)
        return true
      },
    })
    const { start } = await loggedInMachine(service, life)

    expect((await start(['user', '--timeout', '300ms'], { process: false })).exitCode).toBe(0)
    vi.useRealTimers()
    expect((await start(['user'])).exitCode).toBe(0)
    expect(service).toMatchObject({ refreshes: 1, reuses: 0 })
  })
})

describe('a full disk', () => {
  const nodeArgs = ['--require', fileURLToPath(new URL('full_disk.cjs', import.meta.url))]

  it('costs no login: sends nothing whose answer could not be saved', async () => {
    const service = await startStrictService()
    const { start, file } = await loggedInMachine(service, expired)
    const before = readFileSync(file, 'utf8')

    const { exitCode, stderr } = await start(['user'], { nodeArgs })

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("can't be written") })
    expect([service.refreshes, readFileSync(file, 'utf8')]).toEqual([0, before])
    expect((await start(['user'])).exitCode).toBe(0)
  })

  it('does not matter while the token is valid', async () => {
    const service = await startStrictService()
    const { start } = await loggedInMachine(service, aboutToExpire)
    const { exitCode, stderr } = await start(['user'], { nodeArgs })
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('could not be renewed yet'),
    })
    expect(service.refreshes).toBe(0)
  })
})

describe('kill -9', () => {
  const killAtStep = fileURLToPath(new URL('../e2e/kill_at_step.cjs', import.meta.url))

  it('at each step of a renewal leaves the old login, the new one, or one that says to log in again', async () => {
    const ends = { whole: 0, lost: 0 }
    for (let step = 1; ; step += full ? 1 : 4) {
      const { start, credentials } = await loggedInMachine(await startStrictService(), expired)
      const cut = await start(['user'], {
        nodeArgs: ['--require', killAtStep],
        env: { KILL_AT_STEP: String(step) },
      })
      if (cut.signal !== 'SIGKILL') {
        expect({ step, exitCode: cut.exitCode }).toEqual({ step, exitCode: 0 })
        break
      }
      expect(credentials().client_secret).toBe('s3cret-of-the-client')
      const { exitCode, stderr } = await start(['user'])
      if (exitCode === 0) ends.whole += 1
      else {
        expect({ exitCode, stderr }).toMatchObject({
          exitCode: 4,
          stderr: expect.stringMatching(/cut off.*\n.*payctl login/),
        })
        ends.lost += 1
      }
    }
    expect(ends.whole).toBeGreaterThan(0)
    expect(ends.lost).toBeGreaterThan(0)
  }, 120_000)
})

describe('Ctrl-C', () => {
  it('while a renewal is on its way waits for the answer and keeps it', async () => {
    useFakeTimers()
    const service = await startStrictService({
      async onRefresh() {
        ;(await running).run.kill('SIGINT')
        await vi.advanceTimersByTimeAsync(4000)
        return true
      },
    })
    const machine = await loggedInMachine(service, expired)
    const run = machine.start(['user'], { process: false })
    const running = Promise.resolve({ run })

    expect((await run).exitCode).toBe(130)
    vi.useRealTimers()

    expect(machine.credentials()).not.toHaveProperty('renewal_began_at')
    expect((await machine.start(['user'])).exitCode).toBe(0)
    expect(service.refreshes).toBe(1)
  })
})

it('a clock that is wrong by years does not matter: the life counts from when the answer came', async () => {
  const service = await startStrictService()
  const { start, keep } = await loggedInMachine(service)
  keep({ default: { ...loginAt(service), obtained_at: fromNow(-9e10), expires_at: fromNow(-8e10) } })

  expect((await start(['user'])).exitCode).toBe(0)
  expect((await start(['user'])).exitCode).toBe(0)
  expect(service.refreshes).toBe(1)
})

it('that expires while another process holds the lock is renewed when the lock is free', async () => {
  const service = await startStrictService()
  const { start, configDir } = await loggedInMachine(service, aboutToExpire)
  const never = new AbortController().signal
  const [holding, haste] = [Promise.withResolvers<void>(), new AbortController()]
  const holder = withLock(join(configDir, 'credentials.default.lock'), never, () => holding.promise)
  const hastes = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(haste.signal)
  const run = start(['user'], { process: false })
  await vi.waitFor(() => expect(hastes).toHaveBeenCalled())

  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime(Date.now() + 60_000)
  haste.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  holding.resolve()
  await holder

  const { exitCode } = await run
  expect({ exitCode, refreshes: service.refreshes }).toEqual({ exitCode: 0, refreshes: 1 })
})
