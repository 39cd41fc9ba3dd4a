import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Announcement, Ready } from '../../src/config/running_emulators.ts'
import { isRunning } from '../../src/run/processes.ts'
import { freePort } from '../support/free_port.ts'
import { freshMachine } from '../support/installed_payctl.ts'
import { serve } from '../support/server.ts'
import { startRun } from '../support/started.ts'
import { openPayctl } from '../support/terminal.ts'

/** A machine on which no emulator remains when the test ends. */
async function machine() {
  const { env, home } = await freshMachine()
  const folder = join(home, 'state', 'emulators')
  const announced = () =>
    (existsSync(folder) ? readdirSync(folder) : [])
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Announcement)
  onTestFinished(() => {
    for (const { pid } of announced()) if (isRunning(pid, null)) process.kill(pid, 'SIGKILL')
  })
  const run = (...args: readonly string[]) => startRun(args, { env, process: true, stdin: 'ignore' })
  const detach = async (...flags: readonly string[]) => {
    const { exitCode, stdout, stderr } = await run('emulate', '--detach', '--port', '0', '--json', ...flags)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    return JSON.parse(stdout) as Ready
  }
  return { env, home, folder, announced, run, detach }
}

const isAnswered = async ({ base_url, token }: Ready): Promise<boolean> => {
  const answer = fetch(`${base_url}/api/user`, { headers: { Authorization: `Bearer ${token}` } })
  return await answer.then(
    ({ ok }) => ok,
    () => false,
  )
}

describe('payctl emulate --detach', () => {
  it('returns when the emulator answers, which runs on until it is stopped and leaves nothing', async () => {
    const { run, detach, folder } = await machine()
    const ready = await detach()
    expect(await isAnswered(ready)).toBe(true)
    const listed = JSON.parse((await run('emulator', 'list', '--json')).stdout)
    const known = { base_url: ready.base_url, pid: ready.pid, version: ready.version }
    const worlds = { worlds: 1, world_names: ['default'] }
    const since = expect.stringMatching(/^\d{4}-.+Z$/)
    expect(listed).toEqual([{ ...known, name: null, status: 'ready', since, ...worlds }])
    const stopped = await run('emulator', 'stop')
    expect(stopped).toMatchObject({ exitCode: 0, stderr: '' })
    expect(isRunning(ready.pid, null)).toBe(false)
    expect(await isAnswered(ready)).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })

  it('that was killed leaves files which the next emulator removes, even if another process has its number', async () => {
    const { run, detach, folder, env } = await machine()
    const killed = await detach()
    process.kill(killed.pid, 'SIGKILL')
    await expect.poll(() => isRunning(killed.pid, null)).toBe(false)
    // Announces a running process that is not an emulator, as if it had reused the process id of an emulator.
    for (const end of ['json', 'log']) {
      renameSync(join(folder, `${killed.pid}.${end}`), join(folder, `${process.pid}.${end}`))
    }
    const file = join(folder, `${process.pid}.json`)
    writeFileSync(file, readFileSync(file, 'utf8').replace(`"pid":${killed.pid}`, `"pid":${process.pid}`))
    const next = startRun(['emulate', '--port', '0', '--json'], { env, process: true })
    onTestFinished(() => void next.kill('SIGKILL'))
    await once(next.stdout, 'data')
    expect(readdirSync(folder)).toEqual([`${next.pid}.json`])
    expect(await run('emulator', 'stop')).toMatchObject({ exitCode: 0 })
  })

  it('says to people how to stop it, and only its owner can read its log', async () => {
    const { run, folder, announced } = await machine()
    const { exitCode, stdout, stderr } = await run('emulate', '--detach', '--port', '0')
    const [one] = announced()
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    expect(stderr).toContain(`It runs as process ${one?.pid}.`)
    expect(stderr).toContain(`payctl emulator stop ${one?.base_url}`)
    const log = join(folder, `${one?.pid}.log`)
    expect(stderr).toContain(log)
    expect((statSync(log).mode & 0o777).toString(8)).toBe('600')

    const named = await run('emulate', '--detach', '--port', '0', '--name', 'ci')
    expect(named.stderr).toMatch(/Stop it: payctl emulator stop ci$/)
    expect(await run('emulator', 'stop', 'ci')).toMatchObject({ exitCode: 0 })
    expect(announced()).toEqual([one])
  })

  it('survives the terminal it was started in', async () => {
    const { env, announced, run } = await machine()
    const terminal = openPayctl(['emulate', '--detach', '--port', '0'], { env })
    expect(await terminal.ended).toBe(0)
    const [one] = announced()
    expect(await isAnswered(one as Announcement)).toBe(true)
    expect(await run('emulator', 'stop', String(one?.pid))).toMatchObject({ exitCode: 0 })
  })

  it('shows no secret in the list of processes or in the log', async () => {
    const { detach, home, folder } = await machine()
    const controlToken = join(home, 'control-token')
    writeFileSync(controlToken, 'control-token-of-the-test')
    const client = 'shop:client-secret-of-the-test@http://127.0.0.1:1/callback'
    const secrets = ['--token=token-of-the-test', '--control-token-file', controlToken, '--oauth-client', client]
    const ready = await detach(...secrets, '-v')
    expect(ready.token).toBe('token-of-the-test')
    expect(await isAnswered(ready)).toBe(true)
    const clients = `${ready.control_url}/_emulator/oauth-clients`
    expect((await fetch(clients)).status).toBe(401)
    const headers = { Authorization: 'Bearer control-token-of-the-test' }
    expect(await (await fetch(clients, { headers })).text()).toContain('"shop"')
    const shown = process.platform === 'linux' ? readFileSync(`/proc/${ready.pid}/cmdline`, 'latin1') : ''
    const log = readFileSync(join(folder, `${ready.pid}.log`), 'utf8')
    expect(log).toContain('GET  /api/user  200')
    for (const text of [shown, log]) expect(text).not.toMatch(/of-the-test/)
  })

  it('keeps the newest of a log that grows, and no more than 8 MiB', async () => {
    const { detach, folder } = await machine()
    const { base_url, pid } = await detach('-v')
    const log = join(folder, `${pid}.log`)
    const sizes: number[] = []
    const query = 'x'.repeat(14_000)
    for (let at = 0; at < 30; at += 1) {
      await Promise.all(Array.from({ length: 25 }, (_, nth) => fetch(`${base_url}/nowhere?${at}-${nth}-${query}`)))
      sizes.push(statSync(log).size)
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8 * 1024 * 1024)
    expect(Math.max(...sizes)).toBeGreaterThan(7 * 1024 * 1024)
    expect(sizes.at(-1)).toBeLessThan(Math.max(...sizes))
    expect(readFileSync(log, 'utf8')).toContain('/nowhere?29-')
  })

  it('fails as the emulator does, with its words and exit code', async () => {
    const { run, detach, folder } = await machine()
    const { base_url } = await detach()
    const { port } = new URL(base_url)
    const before = readdirSync(folder)
    expect(await run('emulate', '--detach', '--port', port)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `error: Port ${port} is taken.\n  Take any free port with --port 0`,
    })
    const asJson = await run('emulate', '--detach', '--json', '--data', '/nowhere/at/all.db')
    expect(asJson).toMatchObject({ exitCode: 2, stdout: '' })
    expect(JSON.parse(asJson.stderr).error).toMatchObject({ code: 'usage' })
    expect(await run('emulate', '--detach', '--', 'true')).toMatchObject({ exitCode: 2 })
    expect(readdirSync(folder)).toEqual(before)
  })

  it('gives a port that two ask for at once to one of them', async () => {
    const { run, announced } = await machine()
    const port = String(await freePort())
    const both = await Promise.all([1, 2].map(() => run('emulate', '--detach', '--port', port)))
    expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2])
    expect(announced()).toHaveLength(1)
  })

  it.each([
    ['while it starts', '.starting.log'],
    ['when it has just begun to answer', '.json'],
  ])('is called off by Ctrl-C %s, or was not', async (_, file) => {
    const { run, folder, announced } = await machine()
    const starting = run('emulate', '--detach', '--port', '0')
    while (!(existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(file)))) await turn()
    starting.kill('SIGINT')
    const { exitCode } = await starting
    // The process may have ended before the signal came.
    expect([0, 130]).toContain(exitCode)
    expect(announced()).toHaveLength(exitCode === 0 ? 1 : 0)
    if (exitCode === 130) expect(readdirSync(folder)).toEqual([])
  })
})

describe('payctl emulate --name', () => {
  it('is how other commands find one of several', async () => {
    const { run, detach } = await machine()
    const shop = await detach('--name', 'shop')
    const other = await detach()
    const { stdout } = await run('emulator', 'list', '--json')
    expect(JSON.parse(stdout)).toMatchObject([{ name: null }, { name: 'shop', base_url: shop.base_url }])
    const asked = await run('user', '--emulator=shop', '--verbose')
    expect(asked.stderr).toContain(shop.base_url)
    const twin = await run('emulate', '--port', '0', '--name', 'shop')
    expect(twin).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('An emulator called shop is running') })
    expect(await run('emulator', 'stop', 'shop')).toMatchObject({ exitCode: 0 })
    expect([await isAnswered(shop), await isAnswered(other)]).toEqual([false, true])
    expect(await run('emulator', 'stop', new URL(other.base_url).port)).toMatchObject({ exitCode: 0 })
    expect(await isAnswered(other)).toBe(false)
  })

  it.each(['4011', 'a/b', 'Shop', ''])('is refused as %s', async (name) => {
    const { run } = await machine()
    expect((await run('emulate', '--port', '0', '--name', name)).exitCode).toBe(2)
  })
})

describe('payctl emulator stop', () => {
  it('wants a name where several run, and stops all with --all', async () => {
    const { run, detach, announced } = await machine()
    const [one, other] = [await detach(), await detach()]
    const { exitCode, stderr } = await run('emulator', 'stop')
    expect(exitCode).toBe(2)
    expect(stderr).toContain(one.base_url)
    expect(stderr).toContain('\nnext:  payctl emulator stop <name>')
    expect(announced()).toHaveLength(2)
    expect(await run('emulator', 'stop', one.base_url.replace('127.0.0.1', 'localhost'))).toMatchObject({ exitCode: 0 })
    expect([await isAnswered(one), await isAnswered(other)]).toEqual([false, true])
    expect(await run('emulator', 'stop', '--all')).toMatchObject({ exitCode: 0 })
    expect(await isAnswered(other)).toBe(false)
  })

  it('says that none runs, and with --all succeeds', async () => {
    const { run, detach } = await machine()
    await detach()
    await run('emulator', 'stop')
    expect(await run('emulator', 'stop')).toMatchObject({
      exitCode: 12,
      stderr: 'error: None of the emulators that you started is running.\nnext:  payctl emulator list',
    })
    expect(await run('emulator', 'stop', '--all')).toMatchObject({ exitCode: 0, stderr: 'No emulator is running.' })
  })

  it('sends no signal to a process that has the number, or the port, of an emulator', async () => {
    const { run, detach, folder, announced } = await machine()
    const { pid } = await detach()
    const [announcement] = announced()
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => isRunning(pid, null)).toBe(false)
    const base_url = await serve((_, response) => response.end('{"data":{"proof":"x","world":"w"}}'))
    const other = startRun(['emulate', '--port', '0'], { env: { PAYCTL_STATE_DIR: '/nowhere' }, process: true })
    onTestFinished(() => void other.kill('SIGKILL'))
    const forged = { ...announcement, pid: other.pid, base_url, process_start: null }
    writeFileSync(join(folder, `${other.pid}.json`), JSON.stringify(forged))
    const { exitCode, stderr } = await run('emulator', 'stop')
    expect(exitCode).toBe(12)
    expect(stderr).toContain(`has not proven its identity, so process ${other.pid} got no signal.`)
    expect(isRunning(other.pid as number, null)).toBe(true)
    expect(JSON.parse((await run('emulator', 'list', '--json')).stdout)).toMatchObject([{ status: 'silent' }])
  })

  it('ends the command that an emulator runs', async () => {
    const { run, env } = await machine()
    const running = startRun(['emulate', '--', 'sh', '-c', 'echo started; sleep 1000'], { env, process: true })
    onTestFinished(() => void running.kill('SIGKILL'))
    await once(running.stdout, 'data')
    expect(await run('emulator', 'stop')).toMatchObject({ exitCode: 0 })
    expect(await running).toMatchObject({ exitCode: 143 })
  })
})

describe('payctl emulator wait ready', () => {
  it('returns as soon as an emulator answers', async () => {
    const { run, detach } = await machine()
    const waiting = run('emulator', 'wait', 'ready', '--json')
    const { base_url, world } = await detach()
    expect(await waiting).toMatchObject({ exitCode: 0, stderr: '' })
    expect(JSON.parse((await waiting).stdout)).toEqual({ base_url, world })
    const named = await run('emulator', 'wait', 'ready', '--base-url', base_url, '--json')
    expect(JSON.parse(named.stdout)).toEqual({ base_url, world })
  })

  it('says in the end what it found instead', async () => {
    const { run } = await machine()
    const ready = ['emulator', 'wait', 'ready', '--wait-timeout', '100ms']
    expect(await run(...ready)).toMatchObject({
      exitCode: 12,
      stderr: expect.stringContaining('No emulator was ready within 0.1 s. Last attempt: none is running.'),
    })
    const url = await serve((_, response) => response.end('[]'))
    expect(await run(...ready, '--base-url', url)).toMatchObject({ exitCode: 12 })
  })
})
