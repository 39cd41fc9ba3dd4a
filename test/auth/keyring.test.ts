import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loggedInMachine, type Machine } from './logged_in.ts'
import { startStrictService } from './strict_service.ts'

// Refusals on a machine without a keyring. test/ecosystem/keyring.test.ts tests logins in gnome-keyring.

const noPackage = ['--require', fileURLToPath(new URL('no_keyring_package.cjs', import.meta.url))]
const noBus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' }
const toKeyring = ['config', 'set', 'credentials', 'keyring']

const listed = { id: '9f0c0ffe-0000-4000-8000-000000000000', profiles: ['default'] }

/** Writes a credentials file that says that the logins are in the keyring. */
function keepInKeyring({ file, configDir }: Machine, more: object = {}): void {
  mkdirSync(configDir, { recursive: true, mode: 0o700 })
  const saved = { version: 1, store: 'keyring', keyring: listed, profiles: {}, ...more }
  writeFileSync(file, JSON.stringify(saved), { mode: 0o600 })
}

/** Runs payctl as a process: the keyring's package reads the environment of the process. */
async function run({ start }: Machine, args: readonly string[], nodeArgs: readonly string[] = []) {
  const { exitCode, stdout, stderr } = await start(args, { process: true, nodeArgs, env: noBus })
  return { code: exitCode, stdout: String(stdout), stderr: String(stderr) }
}

const absent: readonly (readonly [string, readonly string[], string, string])[] = [
  [
    'the package is not installed',
    noPackage,
    "this payctl can't use a keyring: the package @napi-rs/keyring is not installed.",
    'Install payctl with npm and its optional packages (--include=optional), or give the token in PAYCTL_TOKEN',
  ],
  // Only on Linux does payctl find the keyring by an address, which may be missing.
  ...(platform === 'linux'
    ? ([
        [
          'there is no bus',
          [],
          "The system’s keyring can't be used: ",
          'Start and unlock the keyring, or give the token in PAYCTL_TOKEN',
        ],
      ] as const)
    : []),
]

describe.each(absent)('where %s', (_, nodeArgs, why, next) => {
  it('a move to the keyring fails and leaves the login in the file', async () => {
    const service = await startStrictService()
    const machine = await loggedInMachine(service)
    const before = readFileSync(machine.file, 'utf8')

    const { code, stdout, stderr } = await run(machine, toKeyring, nodeArgs)

    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr).toContain(why)
    expect(stderr).toContain(next)
    expect(readFileSync(machine.file, 'utf8')).toBe(before)
    expect((await run(machine, ['user'], nodeArgs)).code).toBe(0)
  })

  it('a login in the keyring is neither used nor forgotten, and nothing is sent', async () => {
    const service = await startStrictService()
    const machine = await loggedInMachine(service)
    keepInKeyring(machine)
    const before = readFileSync(machine.file, 'utf8')

    for (const args of [['user'], ['logout'], ['config', 'set', 'credentials', 'file']]) {
      const { code, stderr } = await run(machine, args, nodeArgs)
      expect({ args, code }).toEqual({ args, code: 4 })
      expect(stderr).toContain(why)
      expect(stderr).toContain(next)
    }
    expect(service.received).toEqual([])
    expect(readFileSync(machine.file, 'utf8')).toBe(before)
    expect((await run(machine, ['doctor'], nodeArgs)).stdout).toContain(why)
  })
})

describe('a credentials file that names the keyring', () => {
  it('needs no keyring for a profile without a login', async () => {
    const machine = await loggedInMachine(await startStrictService())
    keepInKeyring(machine, { keyring: { ...listed, profiles: [] } })
    const { exitCode, stderr } = await machine.start(['user'])
    expect(exitCode).toBe(4)
    expect(stderr).toContain('Not logged in (profile default).')
  })

  it.each([
    [
      'logins too',
      { profiles: { default: {} } },
      'the member profiles is not empty, but the member store says keyring',
    ],
    ['no items', { keyring: undefined }, 'the member store says keyring, but the member keyring is missing'],
  ])('and has %s is refused, not guessed', async (_, more, reason) => {
    const machine = await loggedInMachine(await startStrictService())
    keepInKeyring(machine, more)
    const { exitCode, stderr } = await machine.start(['user'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(reason)
  })

  it('after an interrupted move is a finding of doctor', async () => {
    const machine = await loggedInMachine(await startStrictService())
    keepInKeyring(machine, { store: 'file', profiles: { default: machine.credentials() } })
    const { stdout } = await machine.start(['doctor'])
    expect(stdout).toContain('a move to or from the keyring did not finish')
    expect(stdout).toContain('payctl config set credentials file')
  })
})
