import { existsSync, mkdirSync, statSync } from 'node:fs'
import { homedir, platform, userInfo } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../run/invocation.ts'

/** Environment variables that name a directory, and the directory's default path below the home directory. */
const places = {
  state: {
    variables: { own: 'PAYCTL_STATE_DIR', xdg: 'XDG_STATE_HOME', win32: 'LOCALAPPDATA' },
    usual: { darwin: 'Library/Application Support', win32: 'AppData/Local', others: '.local/state' },
  },
  config: {
    variables: { own: 'PAYCTL_CONFIG_DIR', xdg: 'XDG_CONFIG_HOME', win32: 'APPDATA' },
    usual: { darwin: 'Library/Preferences', win32: 'AppData/Roaming', others: '.config' },
  },
} as const

/** Folder for payctl's records, such as running emulators and payment intents. */
export const stateDirectory = (env: Environment, system: string = platform()): string => directory('state', env, system)

/** Folder for settings, such as profiles and credentials. */
export const configDirectory = (env: Environment, system: string = platform()): string =>
  directory('config', env, system)

function directory(kind: keyof typeof places, env: Environment, system: string): string {
  const { variables, usual } = places[kind]
  const own = env[variables.own]
  const xdg = env[variables.xdg]
  if (own) return resolve(own)
  if (xdg && isAbsolute(xdg)) return join(xdg, 'payctl')
  const home = homeOf(env)
  if (system === 'darwin') return join(home, usual.darwin, 'payctl')
  if (system === 'win32') return join(env[variables.win32] ?? join(home, usual.win32), 'payctl')
  return join(home, usual.others, 'payctl')
}

/** Ignores an empty HOME: it would put secrets in the current directory. */
const homeOf = ({ HOME: own }: Environment): string => own || homedir() || userInfo().homedir

/** Profiles; no secrets. */
export const configFile = (configDir: string): string => join(configDir, 'config.json')

export const aliasFile = (configDir: string): string => join(configDir, 'aliases.json')

export const credentialsFile = (configDir: string): string => join(configDir, 'credentials.json')

export const payeesFile = (configDir: string): string => join(configDir, 'payees.json')

/** Layouts of payment files, which map a file's headings to the columns that payctl reads. */
export const layoutsFile = (configDir: string): string => join(configDir, 'layouts.json')

/** Payment limits of profiles. */
export const limitsFile = (configDir: string): string => join(configDir, 'limits.json')

/** Users by the id of their login or a digest of their token; the file contains no token. */
export const usersFile = (stateDir: string): string => join(stateDir, 'users.json')

/** Log of payment requests and the decisions behind them. */
export const auditFile = (stateDir: string): string => join(stateDir, 'audit.ndjson')

export const journalFile = (stateDir: string): string => join(stateDir, 'journal.db')

/**
 * Folder of the records of `webhooks tail`: its subscriptions, the payments that it has shown, and recent deliveries.
 */
export const webhooksFolder = (stateDir: string): string => join(stateDir, 'webhooks')

/** Saved copies of the most recent deliveries, for `webhooks replay last`. */
export const recentDeliveriesFile = (stateDir: string): string => join(webhooksFolder(stateDir), 'recent.ndjson')

/**
 * Makes a folder and the missing folders above it, for their owner only unless `mode` says more. Throws the file
 * system's error. Node's own `recursive` never returns in a file system such as /proc, where a new folder is ENOENT
 * although the folder above it exists.
 */
export function makeFolder(path: string, mode = 0o700): void {
  if (isFolder(path)) return
  const above = dirname(path)
  if (above !== path && !existsSync(above)) makeFolder(above, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (!isFolder(path)) throw error // otherwise another process has made the folder meanwhile
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
