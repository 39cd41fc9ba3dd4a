import { expect, it } from 'vitest'
import { stateDirectory } from '../../src/config/directories.ts'

it.each([
  [{ HOME: '/h' }, 'linux', '/h/.local/state/payctl'],
  [{ HOME: '/h', XDG_STATE_HOME: '/x' }, 'linux', '/x/payctl'],
  [{ HOME: '/h' }, 'darwin', '/h/Library/Application Support/payctl'],
  [{ HOME: '/h', LOCALAPPDATA: '/l' }, 'win32', '/l/payctl'],
  [{ HOME: '/h', XDG_STATE_HOME: '/x', PAYCTL_STATE_DIR: '/own' }, 'linux', '/own'],
])('the state directory with %j on %s is %s', (env, system, directory) => {
  expect(stateDirectory(env, system)).toBe(directory)
})
