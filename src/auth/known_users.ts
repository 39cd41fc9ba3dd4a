import { mkdirSync, readFileSync } from 'node:fs'
import { usersFile } from '../files/directories.ts'
import { replaceText } from '../files/private_file.ts'

/** A user as the service names them. */
export interface KnownUser {
  readonly id: string
  readonly email: string
}

/** Maximum number of remembered users; the oldest are dropped. */
const most = 100

/**
 * The remembered user of a token or login, so that not every run asks a real service. `holder` is a digest: the file
 * does not contain the token. If the file can't be read or written, the service is asked.
 */
export function knownUser(stateDir: string, holder: string): KnownUser | undefined {
  const user = read(usersFile(stateDir))[holder]
  return isUser(user) ? user : undefined
}

export const rememberUser = (stateDir: string, holder: string, user: KnownUser): void =>
  change(stateDir, (users) => ({ ...Object.fromEntries(Object.entries(users).slice(1 - most)), [holder]: user }))

export const forgetUser = (stateDir: string, holder: string): void =>
  change(stateDir, ({ [holder]: _, ...others }) => others)

type Users = Readonly<Record<string, unknown>>

function change(stateDir: string, edit: (users: Users) => Users): void {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 })
    const file = usersFile(stateDir)
    replaceText(file, JSON.stringify({ version: 1, users: edit(read(file)) }))
  } catch {}
}

function read(file: string): Users {
  try {
    const { version, users } = JSON.parse(readFileSync(file, 'utf8'))
    return version === 1 && typeof users === 'object' && users !== null ? users : {}
  } catch {
    return {}
  }
}

const isUser = (value: unknown): value is KnownUser =>
  typeof value === 'object' &&
  value !== null &&
  ['id', 'email'].every((name) => typeof (value as Users)[name] === 'string')
