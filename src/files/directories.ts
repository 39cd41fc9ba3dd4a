import { homedir, platform, userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../run/invocation.ts'

/** Where running emulators and payment intents are kept. */
export function stateDirectory(env: Environment, system: string = platform()): string {
  const { PAYCTL_STATE_DIR: own, XDG_STATE_HOME: xdg, LOCALAPPDATA: windows } = env
  const home = homeOf(env)
  if (own) return resolve(own)
  if (xdg && isAbsolute(xdg)) return join(xdg, 'payctl')
  if (system === 'darwin') return join(home, 'Library', 'Application Support', 'payctl')
  if (system === 'win32') return join(windows ?? join(home, 'AppData', 'Local'), 'payctl')
  return join(home, '.local', 'state', 'payctl')
}

/** Where profiles and credentials are kept. */
export function configDirectory(env: Environment, system: string = platform()): string {
  const { PAYCTL_CONFIG_DIR: own, XDG_CONFIG_HOME: xdg, APPDATA: windows } = env
  const home = homeOf(env)
  if (own) return resolve(own)
  if (xdg && isAbsolute(xdg)) return join(xdg, 'payctl')
  if (system === 'darwin') return join(home, 'Library', 'Preferences', 'payctl')
  if (system === 'win32') return join(windows ?? join(home, 'AppData', 'Roaming'), 'payctl')
  return join(home, '.config', 'payctl')
}

/** Never the current directory, where an empty HOME leads: secrets would be wherever payctl is started. */
const homeOf = ({ HOME: own }: Environment): string => own || homedir() || userInfo().homedir

export const credentialsFile = (configDir: string): string => join(configDir, 'credentials.json')

/** Whose the tokens are that have paid; no token is in it. */
export const usersFile = (stateDir: string): string => join(stateDir, 'users.json')

export const journalFile = (stateDir: string): string => join(stateDir, 'journal.db')

/** What webhooks tail keeps: records of its subscriptions, and the payments it has shown. */
export const webhooksFolder = (stateDir: string): string => join(stateDir, 'webhooks')
