import { readSettings, type SettingsFormat } from '../config/settings.ts'
import { makeFolder, usersFile } from '../files/directories.ts'
import { replaceContent } from '../files/private_file.ts'

/** A user as the service names them. */
export interface KnownUser {
  readonly id: string
  readonly email: string
}

type Users = Readonly<Record<string, KnownUser>>

const usersSettings: SettingsFormat<{ readonly users: Users }> = {
  noun: 'users',
  fileIn: usersFile,
  entry: 'user',
  empty: { users: {} },
  schema: {
    type: 'object',
    required: ['users'],
    properties: {
      users: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          required: ['id', 'email'],
          properties: { id: { type: 'string' }, email: { type: 'string' } },
        },
      },
    },
  },
}

/** Maximum number of remembered users; the oldest are dropped. */
const most = 100

/**
 * Reads the remembered user of a token or login, so that a run does not have to ask a remote service each time.
 * `holder` is the login's id or a digest of the token: the file does not contain the token. If the file can't be read
 * or written, payctl asks the service.
 */
export const knownUser = (stateDir: string, holder: string): KnownUser | undefined => read(stateDir)[holder]

export const rememberUser = (stateDir: string, holder: string, user: KnownUser): void =>
  change(stateDir, (users) => ({ ...Object.fromEntries(Object.entries(users).slice(1 - most)), [holder]: user }))

export const forgetUser = (stateDir: string, holder: string): void =>
  change(stateDir, ({ [holder]: _, ...others }) => others)

function read(stateDir: string): Users {
  try {
    return readSettings(usersSettings, stateDir).users
  } catch {
    return {}
  }
}

/** Writes at once and without a lock: the process may end soon, and a lost entry costs one request. */
function change(stateDir: string, edit: (users: Users) => Users): void {
  try {
    makeFolder(stateDir)
    replaceContent(usersFile(stateDir), JSON.stringify({ version: 1, users: edit(read(stateDir)) }))
  } catch {}
}
