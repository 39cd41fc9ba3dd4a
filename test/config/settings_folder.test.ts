import { chmod, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { platform } from 'node:process'
import { describe, expect, it } from 'vitest'
import { readCredentials, storeCredentials } from '../../src/auth/credentials_file.ts'
import { aliasSettings } from '../../src/cli/short_forms.ts'
import { configSettings } from '../../src/config/profile.ts'
import { changeSettings, readSettings } from '../../src/config/settings.ts'
import { UsageError } from '../../src/errors/cli_error.ts'
import { changeLimits, readLimits } from '../../src/limits/limits_file.ts'
import { payeesSettings } from '../../src/payees/payees_file.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'

const signal = new AbortController().signal
const readConfig = (folder: string) => readSettings(configSettings, folder)
const login = {
  kind: 'dashboard',
  base_url: 'https://api.example',
  auth_url: 'https://auth.example',
  access_token: 'x',
  obtained_at: '2026-11-01T00:00:00Z',
} as const

const readers: Record<string, (folder: string) => unknown> = {
  profiles: readConfig,
  aliases: (folder) => readSettings(aliasSettings, folder),
  payees: (folder) => readSettings(payeesSettings, folder),
  limits: readLimits,
  credentials: (folder) => readCredentials(folder, 'prod'),
}

const writers: Record<string, (folder: string) => Promise<void>> = {
  profiles: (folder) => changeSettings(configSettings, folder, (config) => ({ ...config })),
  aliases: (folder) => changeSettings(aliasSettings, folder, (content) => ({ ...content })),
  payees: (folder) => changeSettings(payeesSettings, folder, (content) => ({ ...content })),
  limits: (folder) => changeLimits(folder, (limits) => limits, signal),
  credentials: (folder) => storeCredentials(folder, 'prod', login),
}

async function folderOfMode(mode: number): Promise<string> {
  const folder = await temporaryDirectory()
  await chmod(folder, mode)
  return folder
}

// Files on Windows have no modes.
describe.runIf(platform !== 'win32')('a settings folder that other users can change', () => {
  it.each(Object.entries(readers))('is refused by readers of %s', async (_, read) => {
    const ofGroup = await folderOfMode(0o770)
    await expect((async () => read(ofGroup))()).rejects.toThrow(UsageError)
    const ofAll = await folderOfMode(0o1707)
    await expect((async () => read(ofAll))()).rejects.toThrow('Other users of this machine can change')
  })

  it.each(Object.entries(writers))('is refused by writers of %s', async (name, write) => {
    const folder = await folderOfMode(0o770)
    await expect(write(folder)).rejects.toThrow(UsageError)
    const lock = `${name === 'profiles' ? 'config' : name}.lock`
    expect((await readdir(folder)).filter((file) => file !== lock)).toEqual([])
  })

  it('is refused behind a link', async () => {
    const link = join(await temporaryDirectory(), 'link')
    await symlink(await folderOfMode(0o770), link)
    expect(() => readConfig(link)).toThrow(link)
  })

  it('ends the command before any request, with the reason and the fix', async () => {
    const folder = await folderOfMode(0o775)
    await writeFile(join(folder, 'config.json'), '{"profiles": {"prod": {"base_url": "http://127.0.0.1:1"}}}')
    const { code, stderr } = await runPayctl(['user', '-p', 'prod'], { env: { PAYCTL_CONFIG_DIR: folder } })
    expect(code).toBe(2)
    expect(stderr).toContain(
      `Other users of this machine can change the settings folder ${folder} (mode 775). They could redirect tokens and payments`,
    )
    expect(stderr).toContain(`chmod go-w ${folder}`)
  })

  it('is a finding of doctor', async () => {
    const folder = await folderOfMode(0o775)
    const { stdout } = await runPayctl(['doctor', '--json'], { env: { PAYCTL_CONFIG_DIR: folder } })
    expect(stdout).toContain(`chmod go-w ${folder}`)
  })

  it.each([0o700, 0o755, 0o500])('is not one of mode %o', async (mode) => {
    expect(readConfig(await folderOfMode(mode))).toEqual({ profiles: {} })
  })
})
