import { chmod, readdir, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { platform } from 'node:process'
import { changeSettings, readSettings, type SettingsFormat } from '../config/settings.ts'
import type { Schema } from '../config/settings_schema.ts'
import { CliError, quoted } from '../errors/cli_error.ts'
import { credentialsFile } from '../files/directories.ts'
import { foreign, say } from '../words/text.ts'
import { type Credentials, parseCredentials } from './credentials.ts'
import type { Keyring } from './keyring.ts'

/** Content of the credentials file. The file says where the logins are, even if they are in the keyring. */
interface SavedLogins {
  /** Place of the logins; default: this file. */
  readonly store?: 'file' | 'keyring'
  /** Entries by profile. Each entry is checked when its profile is used: a damaged entry does not affect the others. */
  readonly profiles: Readonly<Record<string, unknown>>
  /**
   * Items in the keyring that belong to this file. A profile is added to the list before its item is written, and
   * removed from the list after its item is removed. So payctl knows every item, even if a process is killed.
   */
  readonly keyring?: { readonly id: string; readonly profiles: readonly string[] }
}

const text: Schema = { type: 'string' }

/** Messages never repeat the file's text, which contains secrets. */
const credentialsSettings: SettingsFormat<SavedLogins> = {
  noun: 'credentials',
  fileIn: credentialsFile,
  entry: 'profile',
  empty: { profiles: {} },
  remedy: (file) => say`Fix the file, or remove it and log in again: ${`rm ${quoted(file)}`}`,
  schema: {
    type: 'object',
    required: ['profiles'],
    properties: {
      profiles: { type: 'object' },
      store: { type: 'string', enum: ['file', 'keyring'] },
      keyring: {
        type: 'object',
        required: ['id', 'profiles'],
        properties: { id: text, profiles: { type: 'array', items: text } },
      },
    },
  },
  faultIn({ store, keyring, profiles }) {
    if (store !== 'keyring') return undefined
    if (!keyring) return { path: ['store'], reason: 'the member store says keyring, but the member keyring is missing' }
    if (Object.keys(profiles).length === 0) return undefined
    return { path: ['profiles'], reason: 'the member profiles is not empty, but the member store says keyring' }
  },
}

export const readSavedLogins = (configDir: string): SavedLogins => readSettings(credentialsSettings, configDir)

/** Place of the logins, as messages name it: the path of the file, or `keyring`. */
export const placeOfLogins = (configDir: string): string =>
  readSavedLogins(configDir).store === 'keyring' ? 'keyring' : credentialsFile(configDir)

/**
 * Reads the credentials of a profile; undefined if there are none. Throws CliError if the entry is damaged, or if the
 * file or the keyring can't be used.
 */
export async function readCredentials(configDir: string, profile: string): Promise<Credentials | undefined> {
  const saved = readSavedLogins(configDir)
  if (saved.store === 'keyring' && !saved.keyring?.profiles.includes(profile)) return undefined
  const entry = await entryIn(saved, profile)
  if (entry === undefined && saved.store === 'keyring') {
    // Another process may have moved the login since the file was read.
    if (readSavedLogins(configDir).store !== 'keyring') return await readCredentials(configDir, profile)
    throw missingInKeyring(profile)
  }
  if (entry === undefined) return undefined
  const credentials = parseCredentials(entry)
  if (credentials) return credentials
  const place = saved.store === 'keyring' ? say`the keyring` : credentialsFile(configDir)
  throw new CliError('usage', say`The entry of profile '${profile}' in ${place} is damaged.`, {
    kind: 'log_in',
    profile,
  })
}

/**
 * Reads the credentials that a login will replace; undefined if the entry is damaged or missing. Throws CliError if the
 * new login could not be saved because the keyring can't be used.
 */
export async function formerCredentials(configDir: string, profile: string): Promise<Credentials | undefined> {
  const saved = readSavedLogins(configDir)
  if (saved.store === 'keyring' && saved.keyring) await (await opened(saved.keyring)).test()
  return parseCredentials(await entryIn(saved, profile)) ?? undefined
}

export async function storeCredentials(configDir: string, profile: string, credentials: Credentials): Promise<void> {
  // If the profile has no listed item in the keyring, a login takes two passes: the first lists the item, the second
  // writes it.
  for (let stored = false; !stored; ) {
    await changeLogins(configDir, async (saved) => {
      const next = saved.store === 'keyring' ? listed(saved, [profile]) : saved
      stored = next.keyring === saved.keyring
      return stored ? await put(saved, profile, credentials) : next
    })
  }
}

/**
 * Replaces `last` with `next`, or removes it, only if `last` is still saved: a login or logout in the meantime is not
 * undone. Returns true if it changed the login.
 */
export async function replaceCredentials(
  configDir: string,
  profile: string,
  { last, next }: { readonly last: Credentials; readonly next: Credentials | undefined },
): Promise<boolean> {
  let replaced = false
  await changeLogins(configDir, async (saved) => {
    const there = parseCredentials(await entryIn(saved, profile))
    replaced = there?.access_token === last.access_token && there.refresh_token === last.refresh_token
    if (!replaced) return saved
    return next ? await put(saved, profile, next) : await drop(saved, profile)
  })
  return replaced
}

/** Removes the login, and temporary files that killed processes left behind. Returns true if there was a login. */
export async function forgetCredentials(configDir: string, profile: string): Promise<boolean> {
  let found = false
  const file = await realpath(credentialsFile(configDir)).catch(() => undefined)
  if (file === undefined) return false
  await changeLogins(configDir, async (saved) => {
    found = Object.hasOwn(saved.profiles, profile) || saved.keyring?.profiles.includes(profile) === true
    // Under the lock, because a payctl that saves a login at the moment has such a file too.
    for (const name of await readdir(dirname(file))) {
      if (name.startsWith(`${basename(file)}.tmp-`))
        await rm(join(dirname(file), name), { recursive: true, force: true })
    }
    return found ? await drop(saved, profile) : saved
  })
  return found
}

/** Removes other users' permissions for the file. Returns the file's former mode; undefined if nothing changed. */
export async function secureCredentialsFile(configDir: string): Promise<number | undefined> {
  const file = credentialsFile(configDir)
  const { mode } = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return { mode: 0 }
    throw error
  })
  if (platform === 'win32' || (mode & 0o077) === 0) return undefined
  await chmod(file, 0o600).catch((error: Error) => {
    throw new CliError(
      'unauthenticated',
      say`${file} can be read by other users of this machine, and its permissions can't be changed: ${foreign(error.message)}. payctl does not use this file.`,
      'Set PAYCTL_CONFIG_DIR to a directory of your own, and log in there',
    )
  })
  return mode & 0o777
}

/**
 * Changes the file and the keyring, while no other process can change them. Ignores Ctrl-C: new tokens must be saved,
 * and other processes hold the lock for only one write.
 */
export const changeLogins = (
  configDir: string,
  edit: (saved: SavedLogins) => SavedLogins | Promise<SavedLogins>,
): Promise<void> => changeSettings(credentialsSettings, configDir, edit)

/** Loads the keyring's code only for users of the keyring. */
async function opened({ id }: NonNullable<SavedLogins['keyring']>): Promise<Keyring> {
  const { openKeyring } = await import('./keyring.ts')
  return await openKeyring(id)
}

/** Reads the saved entry; undefined if there is none, null for an entry of the keyring that is not JSON. */
async function entryIn({ store, keyring, profiles }: SavedLogins, profile: string): Promise<unknown> {
  if (store !== 'keyring' || !keyring) return Object.hasOwn(profiles, profile) ? profiles[profile] : undefined
  const text = await (await opened(keyring)).read(profile)
  return text === undefined ? undefined : parseEntry(text)
}

export function parseEntry(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function put(saved: SavedLogins, profile: string, credentials: Credentials): Promise<SavedLogins> {
  const { store, keyring, profiles } = saved
  if (store !== 'keyring' || !keyring) return { ...saved, profiles: { ...profiles, [profile]: credentials } }
  await (await opened(keyring)).write(profile, JSON.stringify(credentials))
  return saved
}

/** Removes the entry, and the item that an interrupted move may have left in the keyring. */
async function drop(saved: SavedLogins, profile: string): Promise<SavedLogins> {
  const { [profile]: _, ...profiles } = saved.profiles
  const { keyring } = saved
  if (!keyring?.profiles.includes(profile)) return { ...saved, profiles }
  await (await opened(keyring)).remove(profile)
  return { ...saved, profiles, keyring: { ...keyring, profiles: keyring.profiles.filter((name) => name !== profile) } }
}

/**
 * Adds these profiles to the list of items in the keyring; `keyring` stays the same object if all were listed already.
 */
export function listed(
  saved: SavedLogins,
  names: readonly string[],
): SavedLogins & Required<Pick<SavedLogins, 'keyring'>> {
  const { keyring } = saved
  const missing = names.filter((name) => !keyring?.profiles.includes(name))
  if (keyring && missing.length === 0) return { ...saved, keyring }
  const { id, profiles } = keyring ?? { id: crypto.randomUUID(), profiles: [] }
  return { ...saved, keyring: { id, profiles: [...profiles, ...missing] } }
}

const missingInKeyring = (profile: string): CliError =>
  new CliError(
    'unauthenticated',
    say`The keyring has no login of profile '${profile}': it was removed there, or the login did not finish.`,
    { kind: 'log_in', profile },
  )
