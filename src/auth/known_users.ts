import { mkdirSync, readFileSync } from 'node:fs'
import { usersFile } from '../files/directories.ts'
import { replaceText } from '../files/private_file.ts'

/** A user as the service named it. */
export interface KnownUser {
  readonly id: string
  readonly email: string
}

/** As many as a machine with many tokens has; the oldest go. */
const most = 100

/**
 * Whose a token or login is, so that a service that is no emulator need not be asked in every run. `holder` stands for
 * the token, which is nowhere in the file. A file that can't be read or written costs a request and nothing else.
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
