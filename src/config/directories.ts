import { homedir, platform } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../commands/context.ts'

/** Where running emulators and payment intents are kept. */
export function stateDirectory(env: Environment, system: string = platform()): string {
  const { PAYCTL_STATE_DIR: own, XDG_STATE_HOME: xdg, LOCALAPPDATA: windows, HOME: home = homedir() } = env
  if (own) return own
  if (xdg) return join(xdg, 'payctl')
  if (system === 'darwin') return join(home, 'Library', 'Application Support', 'payctl')
  if (system === 'win32') return join(windows ?? join(home, 'AppData', 'Local'), 'payctl')
  return join(home, '.local', 'state', 'payctl')
}
