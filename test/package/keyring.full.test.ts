import { readFileSync } from 'node:fs'
import { execa } from 'execa'
import { beforeAll, expect, it } from 'vitest'
import { loggedInMachine } from '../auth/logged_in.ts'
import { startStrictService } from '../auth/strict_service.ts'
import { installPrograms } from '../ecosystem/install.ts'
import { startSession } from '../ecosystem/keyring_session.ts'
import { builtPackages } from './built_packages.ts'

let file = ''

beforeAll(async () => {
  await installPrograms({ 'dbus-run-session': 'dbus', 'gnome-keyring-daemon': 'gnome-keyring' })
  file = (await builtPackages()).file
}, 600_000)

it('the single file moves logins to the keyring of the system, uses them there, and moves them back', async () => {
  const service = await startStrictService()
  const { home, env, file: credentials } = await loggedInMachine(service)
  const session = await startSession(home)
  const run = async (...args: readonly string[]) => {
    const settings = { env: { HOME: home, ...env, ...session.env }, extendEnv: false, reject: false } as const
    const { exitCode, stdout } = await execa(file, args, settings)
    return { code: exitCode, stdout }
  }
  const ana = { code: 0, stdout: expect.stringContaining('Ana') }

  expect(await run('config', 'set', 'credentials', 'keyring')).toMatchObject({ code: 0 })
  expect(readFileSync(credentials, 'utf8')).not.toContain('s3cret')
  expect(await run('user', '--json')).toMatchObject(ana)

  expect(await run('config', 'set', 'credentials', 'file')).toMatchObject({ code: 0 })
  expect(readFileSync(credentials, 'utf8')).toContain('s3cret')
  expect(await run('user', '--json')).toMatchObject(ana)

  await run('config', 'set', 'credentials', 'keyring')
  await session.end()
  expect(await run('user')).toMatchObject({ code: 4 })
})
