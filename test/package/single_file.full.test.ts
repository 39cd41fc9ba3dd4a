import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ExecaError, execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { contents, writeSingleFile } from '../../.build/package/single_file.ts'
import { largeWorld } from '../../emulator/thread.ts'
import manifest from '../../package.json' with { type: 'json' }
import { temporaryDirectory } from '../support/run_payctl.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const platform = `linux-${process.arch}` as 'linux-x64' | 'linux-arm64'
const file = join(root, 'node_modules/.cache', `payctl-single-file-test-${process.pid}`)

beforeAll(() => writeSingleFile(platform, file))
afterAll(() => rmSync(file, { force: true }))

/** A machine without Node, whose folder for temporary files must stay empty. */
async function machine() {
  const home = await temporaryDirectory()
  const temporary = join(home, 'tmp')
  mkdirSync(temporary)
  onTestFinished(() => expect(readdirSync(temporary)).toEqual([]))
  const env = {
    HOME: home,
    TMPDIR: temporary,
    PAYCTL_CONFIG_DIR: join(home, 'config'),
    PAYCTL_STATE_DIR: join(home, 'state'),
    NO_COLOR: '1',
  }
  return {
    home,
    async run(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
      const settings = { env: { ...env, ...more }, extendEnv: false, reject: false } as const
      const { exitCode, stdout, stderr } = (await execa(file, args, settings)) as ExecaError
      return { code: exitCode, stdout: String(stdout), stderr: String(stderr) }
    },
  }
}

describe('the single file, on a machine without Node', () => {
  it('prints its version and help', async () => {
    const { run } = await machine()
    expect(await run(['--version'])).toEqual({ code: 0, stdout: manifest.version, stderr: '' })
    expect((await run(['payments', 'send', '--help'])).stdout).toContain('Usage: payctl payments send')
  })

  it('ignores NODE_OPTIONS, which is meant for other programs', async () => {
    const { run } = await machine()
    expect(await run(['--version'], { NODE_OPTIONS: '--no-such-option' })).toMatchObject({ code: 0 })
  })

  it('says so if the system has no keyring', async () => {
    const { run } = await machine()
    const { code, stderr } = await run(['config', 'set', 'credentials', 'keyring'])
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('keyring can') })
    expect(stderr).not.toContain('--include=optional')
  })

  it('speaks Spanish', async () => {
    const { run } = await machine()
    expect((await run(['payments', 'get', 'abc'], { LANG: 'es_CR.UTF-8' })).stderr).toContain('es muy corto')
  })

  it('writes to a file', async () => {
    const { run, home } = await machine()
    const output = join(home, 'help.txt')
    const done = await run(['emulate', '--port', '0', '--', '/bin/sh', '-c', '"$0" --help >"$1"', file, output])
    expect(done).toMatchObject({ code: 0 })
    expect(readFileSync(output, 'utf8')).toBe(`${(await run(['--help'])).stdout}\n`)
  })

  it.runIf(process.getuid?.() === 0)('sends nothing that a full disk can’t record', async () => {
    const { run } = await machine()
    const send = 'exec "$0" payments send --from CRC --to 87000001 --amount 5 --yes'
    const onFullDisk = `mount -t tmpfs -o size=64k tmpfs "$PAYCTL_STATE_DIR" && ${send}`
    const steps = `unshare --mount sh -c '${onFullDisk}' "$0"; echo "exit $?"; "$0" payments history --json --jq length`
    const { stdout, stderr } = await run(['emulate', '--port', '0', '--', '/bin/sh', '-c', steps, file])
    expect({ stdout, stderr }).toEqual({ stdout: 'exit 2\n0', stderr: expect.stringContaining('Nothing was sent') })
  })

  it('runs a filter, in a thread', async () => {
    const { run } = await machine()
    expect(await run(['openapi', '--jq', '.openapi'])).toEqual({ code: 0, stdout: '3.1.0', stderr: '' })
    expect(await run(['openapi', '--jq', '..['])).toMatchObject({ code: 2 })
  })

  it('queries a world, in a process', async () => {
    const { run } = await machine()
    const query = [file, 'emulator', 'sql', 'SELECT count(*) AS accounts FROM accounts', '--json']
    const { code, stdout } = await run(['emulate', '--port', '0', '--', ...query])
    expect({ code, rows: JSON.parse(stdout) }).toEqual({ code: 0, rows: [{ accounts: 3 }] })
  })

  it('starts an emulator in the background, and stops it', async () => {
    const { run } = await machine()
    const started = await run(['emulate', '--port', '0', '--detach', '--json'])
    const { base_url } = JSON.parse(started.stdout) as { base_url: string }
    expect(await run(['accounts', 'list', '--emulator', '--json', '--jq', 'length'])).toMatchObject({ stdout: '2' })
    const page = await fetch(`${base_url}/_emulator/`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')])
    expect(await run(['emulator', 'stop', base_url])).toMatchObject({ code: 0 })
  })

  it('runs seeds of chaos, each in a process', async () => {
    const { run } = await machine()
    const chaos = ['emulate', '--settle', 'instant', '--chaos-seeds', '2', '--', file, 'emulator', 'status']
    const { code, stderr } = await run(chaos)
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/2 of 2|2 seeds/) })
  })

  it('reads, exports and imports a large world, in threads that open databases', async () => {
    const { run, home } = await machine()
    const seed = join(home, 'seed.json')
    const payments = Array.from({ length: 3000 }, () => ({
      account: '01900000-0000-7000-8000-0000000000c1',
      amount: 50,
      to: '87000001',
      status: 'completed',
    }))
    writeFileSync(seed, JSON.stringify({ extends: 'demo', payments }))
    const world = join(home, 'world.db')
    const steps = `"$0" emulator story && "$0" emulator export '${world}' && "$0" emulator import --name large '${world}'`
    const done = await run(['emulate', '--seed-file', seed, '--', '/bin/sh', '-c', steps, file])
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('/w/large') })
    expect(statSync(world).size).toBeGreaterThan(largeWorld)
  })

  it('keeps compiled code only in its own folder, one for each build', async () => {
    const { run, home } = await machine()
    await run(['--help'])
    await run(['--help'])
    expect(readdirSync(join(home, '.cache/payctl')).length).toBe(2)
  })
})

it('has the files that the command line needs, for one platform', () => {
  const paths = contents('win-x64')
  expect(paths.filter((path) => path.endsWith('.node'))).toEqual([
    'node_modules/@napi-rs/keyring-win32-x64-msvc/keyring.win32-x64-msvc.node',
    'node_modules/better-sqlite3/prebuilds/win32-x64.node',
  ])
  expect(paths).toEqual(expect.arrayContaining(['bin/payctl.js', 'dist/cli/jq.wasm', 'dist/page/icon.svg']))
  expect(paths.filter((path) => path.startsWith('dist/lib/'))).toEqual([])
})
