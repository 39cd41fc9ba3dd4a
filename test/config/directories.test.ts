import { expect, it } from 'vitest'
import { configDirectory, stateDirectory } from '../../src/config/directories.ts'

it.each([
  [{ HOME: '/h' }, 'linux', '/h/.local/state/payctl'],
  [{ HOME: '/h', XDG_STATE_HOME: '/x' }, 'linux', '/x/payctl'],
  [{ HOME: '/h' }, 'darwin', '/h/Library/Application Support/payctl'],
  [{ HOME: '/h', LOCALAPPDATA: '/l' }, 'win32', '/l/payctl'],
  [{ HOME: '/h', XDG_STATE_HOME: '/x', PAYCTL_STATE_DIR: '/own' }, 'linux', '/own'],
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
  [{ PAYCTL_CONFIG_DIR: 'own' }, 'linux', `${process.cwd()}/own`],
])('the config directory with %j on %s is %s', (env, system, directory) => {
  expect(configDirectory(env, system)).toBe(directory)
})
