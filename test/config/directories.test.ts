import { userInfo } from 'node:os'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { configDirectory, stateDirectory } from '../../src/files/directories.ts'
import { payctlCommand } from '../support/program.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

it.each([
  [{ HOME: '/h' }, 'linux', '/h/.local/state/payctl'],
  [{ HOME: '/h', XDG_STATE_HOME: '/x' }, 'linux', '/x/payctl'],
  [{ HOME: '/h' }, 'darwin', '/h/Library/Application Support/payctl'],
  [{ HOME: '/h', LOCALAPPDATA: '/l' }, 'win32', '/l/payctl'],
  [{ HOME: '/h', XDG_STATE_HOME: '/x', PAYCTL_STATE_DIR: '/own' }, 'linux', '/own'],
  [{ HOME: '/h', XDG_STATE_HOME: 'relative' }, 'linux', '/h/.local/state/payctl'],
  [{ PAYCTL_STATE_DIR: 'own' }, 'linux', `${process.cwd()}/own`],
])('the state directory with %j on %s is %s', (env, system, directory) => {
  expect(stateDirectory(env, system)).toBe(directory)
})

it.each([
  [{ HOME: '/h' }, 'linux', '/h/.config/payctl'],
  [{ HOME: '/h', XDG_CONFIG_HOME: '/x' }, 'linux', '/x/payctl'],
  [{ HOME: '/h' }, 'darwin', '/h/Library/Preferences/payctl'],
  [{ HOME: '/h', APPDATA: '/a' }, 'win32', '/a/payctl'],
  [{ HOME: '/h' }, 'win32', '/h/AppData/Roaming/payctl'],
  [{ HOME: '/h', XDG_CONFIG_HOME: '/x', PAYCTL_CONFIG_DIR: '/own' }, 'linux', '/own'],
  [{ HOME: '/h', XDG_CONFIG_HOME: 'relative' }, 'linux', '/h/.config/payctl'],
  [{ PAYCTL_CONFIG_DIR: 'own' }, 'linux', `${process.cwd()}/own`],
])('the config directory with %j on %s is %s', (env, system, directory) => {
  expect(configDirectory(env, system)).toBe(directory)
})

it('are in the home of the user where HOME is empty, not where payctl is started', async () => {
  const { base, cwd } = { base: { PATH: process.env.PATH ?? '', HOME: '' }, cwd: await temporaryDirectory() }
  const { stdout } = await execa(...payctlCommand(['config', 'path', '--json']), {
    env: base,
    extendEnv: false,
    cwd,
  })
  for (const path of Object.values(JSON.parse(stdout))) expect(path).toMatch(new RegExp(`^${userInfo().homedir}/`))
})
