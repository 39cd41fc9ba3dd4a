import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freshMachine } from '../support/installed_payctl.ts'

it('config path prints where the file is or would be, and makes nothing', async () => {
  const { run, file, configDir } = await freshMachine()
  expect(await run(['config', 'path'])).toEqual({ code: 0, stdout: `${file}\n`, stderr: '' })
  expect(existsSync(configDir)).toBe(false)
})

it('config path --json names all places', async () => {
  const { run, home, file } = await freshMachine()
  const { stdout } = await run(['config', 'path', '--json'])
  expect(JSON.parse(stdout)).toEqual({
    config: file,
    credentials: join(home, 'config', 'credentials.json'),
    state: join(home, 'state'),
    journal: join(home, 'state', 'journal.db'),
    limits: join(home, 'config', 'limits.json'),
    audit: join(home, 'state', 'audit.ndjson'),
  })
})

it('config path follows XDG_CONFIG_HOME, and HOME', async () => {
  const { run, home } = await freshMachine()
  const env = { PAYCTL_CONFIG_DIR: '', HOME: home }
  expect((await run(['config', 'path'], { env: { ...env, XDG_CONFIG_HOME: '/xdg' } })).stdout).toBe(
    '/xdg/payctl/config.json\n',
  )
  const { stdout } = await run(['config', 'path'], { env })
  expect(stdout).toMatch(new RegExp(`^${home}/.+/payctl/config.json\n$`))
})
