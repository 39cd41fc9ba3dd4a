import { chmod, readdir, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { platform } from 'node:process'
import { changeSettings, readSettings, type SettingsFormat } from '../config/settings.ts'
import { CliError, quoted } from '../errors/cli_error.ts'
import { credentialsFile } from '../files/directories.ts'
import { type Credentials, parseCredentials } from './credentials.ts'

/** Entries by profile. Each entry is checked when its profile is used: a damaged entry does not affect the others. */
interface Content {
  readonly profiles: Readonly<Record<string, unknown>>
}

/** Messages never repeat the file's text, which contains secrets. */
const credentialsSettings: SettingsFormat<Content> = {
  noun: 'credentials',
  fileIn: credentialsFile,
  entry: 'profile',
  empty: { profiles: {} },
  remedy: (file) => `Fix it, or remove it and log in again: rm ${quoted(file)}`,
  schema: { type: 'object', required: ['profiles'], properties: { profiles: { type: 'object' } } },
}

/** Credentials of a profile; undefined if there are none. Throws CliError if the file can't be used. */
export function readCredentials(configDir: string, profile: string): Credentials | undefined {
  const { profiles } = readSettings(credentialsSettings, configDir)
  if (!Object.hasOwn(profiles, profile)) return undefined
  const credentials = parseCredentials(profiles[profile])
  if (credentials) return credentials
  const file = credentialsFile(configDir)
  throw new CliError('usage', `The entry of profile '${profile}' in ${file} is damaged.`, { kind: 'log_in', profile })
}

/** Credentials that a login will replace: a damaged entry counts as none. */
export function formerCredentials(configDir: string, profile: string): Credentials | undefined {
  const { profiles } = readSettings(credentialsSettings, configDir)
  return (Object.hasOwn(profiles, profile) && parseCredentials(profiles[profile])) || undefined
}

export async function storeCredentials(configDir: string, profile: string, credentials: Credentials): Promise<void> {
  await change(configDir, (profiles) => ({ ...profiles, [profile]: credentials }))
}

/**
 * Replaces `last` with `next`, or removes it, only if the file still has `last`: a login or logout in the meantime
 * stays. Returns true if it changed the file.
 */
export async function replaceCredentials(
  configDir: string,
  profile: string,
  { last, next }: { readonly last: Credentials; readonly next: Credentials | undefined },
): Promise<boolean> {
  let replaced = false
  await change(configDir, (profiles) => {
    const there = Object.hasOwn(profiles, profile) ? parseCredentials(profiles[profile]) : null
    replaced = there?.access_token === last.access_token && there.refresh_token === last.refresh_token
    const { [profile]: _, ...others } = profiles
    return replaced ? { ...others, ...(next && { [profile]: next }) } : profiles
  })
  return replaced
}

/** Removes the login, and drafts of killed processes. Returns true if there was a login. */
export async function forgetCredentials(configDir: string, profile: string): Promise<boolean> {
  let found = false
  const file = await realpath(credentialsFile(configDir)).catch(() => undefined)
  if (file === undefined) return false
  await change(configDir, (profiles) => {
    found = Object.hasOwn(profiles, profile)
    const { [profile]: _, ...others } = profiles
    return found ? others : profiles
  })
  for (const name of await readdir(dirname(file))) {
    if (name.startsWith(`${basename(file)}.tmp-`)) await rm(join(dirname(file), name), { recursive: true, force: true })
  }
  return found
}

/** Removes other users' permissions. Returns the file's former mode; undefined if nothing changed. */
export async function secureCredentialsFile(configDir: string): Promise<number | undefined> {
  const file = credentialsFile(configDir)
  const { mode } = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return { mode: 0 }
    throw error
  })
  if (platform === 'win32' || (mode & 0o077) === 0) return undefined
  await chmod(file, 0o600).catch((error: Error) => {
    throw new CliError(
      'unauthenticated',
      `${file} can be read by other users of this machine, and that can't be changed: ${error.message}. It is not used.`,
      'Set PAYCTL_CONFIG_DIR to a directory of your own, and log in there',
    )
  })
  return mode & 0o777
}

/** Ignores Ctrl-C: new tokens must be saved, and other processes hold the lock for only one write. */
const change = (configDir: string, edit: (profiles: Content['profiles']) => Content['profiles']): Promise<void> =>
  changeSettings(credentialsSettings, configDir, (content) => {
    const profiles = edit(content.profiles)
    return profiles === content.profiles ? content : { profiles }
  })
