import { chmod, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { platform } from 'node:process'
import { CliError, quoted } from '../errors/cli_error.ts'
import { credentialsFile } from '../files/directories.ts'
import { refuseSharedFolder } from '../files/read_json.ts'
import { howToUpdate } from '../version.ts'
import { type Credentials, parseCredentials } from './credentials.ts'

/** Version of the format. A file with a higher version, from a newer payctl, is left unchanged. */
interface Content {
  readonly version: 1
  readonly profiles: Readonly<Record<string, unknown>>
}

/** Credentials of a profile; undefined if there are none. Throws CliError if the file can't be read. */
export async function readCredentials(configDir: string, profile: string): Promise<Credentials | undefined> {
  const { profiles } = await readContent(configDir)
  if (!Object.hasOwn(profiles, profile)) return undefined
  const credentials = parseCredentials(profiles[profile])
  if (credentials) return credentials
  const file = credentialsFile(configDir)
  throw new CliError('usage', `The entry of profile '${profile}' in ${file} is damaged.`, { kind: 'log_in', profile })
}

/** Credentials that a login will replace: a damaged entry counts as none. */
export async function formerCredentials(configDir: string, profile: string): Promise<Credentials | undefined> {
  const { profiles } = await readContent(configDir)
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

/** Also removes drafts of killed processes. Returns true if there was a login. */
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
  const { mode } = await stat(file).catch(noneIfMissing)
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

type Profiles = Content['profiles']

/** Reads, edits and writes under the file's lock; does not write without a change. */
async function change(configDir: string, edit: (profiles: Profiles) => Profiles): Promise<void> {
  const [{ withLock }, { replaceJson }] = await Promise.all([
    import('../lock/lock.ts'),
    import('../files/replace_json.ts'),
  ])
  const file = credentialsFile(configDir)
  await withLock(join(configDir, 'credentials.lock'), never, async () => {
    const { profiles } = await readContent(configDir)
    const edited = edit(profiles)
    if (edited === profiles) return
    const changed = (content: object) => ({ ...content, version: 1, profiles: edited })
    replaceJson(file, changed, (reason) => writeError(file, reason))
  })
}

/** Ignores Ctrl-C: new tokens must be saved, and other processes hold the lock for only one write. */
const never = new AbortController().signal

async function readContent(configDir: string): Promise<Content> {
  refuseSharedFolder(configDir)
  const file = credentialsFile(configDir)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new CliError('usage', `The credentials can't be read: ${error.message}`, `Look at it: ls -l ${quoted(file)}`)
  })
  return text === undefined ? { version: 1, profiles: {} } : parseContent(text, file)
}

/** Never repeats the file's text: it contains secrets. */
function parseContent(text: string, file: string): Content {
  const remedy = `Fix it, or remove it and log in again: rm ${quoted(file)}`
  let content: Partial<Record<keyof Content, unknown>>
  try {
    content = JSON.parse(text)
  } catch {
    throw new CliError('usage', `${file} is not JSON. It is left as it is.`, remedy)
  }
  if (Number(content?.version) > 1) {
    const message = `${file} was written by a newer payctl. It is left as it is.`
    throw new CliError('usage', message, howToUpdate)
  }
  const { version, profiles } = content ?? {}
  if (version !== 1 || typeof profiles !== 'object' || profiles === null) {
    throw new CliError('usage', `${file} does not hold credentials. It is left as it is.`, remedy)
  }
  return content as Content
}

const writeError = (file: string, reason: string): CliError =>
  new CliError(
    'usage',
    `The credentials file ${file} can't be written: ${reason}. It is as it was.`,
    `Make room, let this user write in ${dirname(file)}, or set PAYCTL_CONFIG_DIR to another directory`,
  )

function noneIfMissing(error: NodeJS.ErrnoException): { mode: number } {
  if (error.code === 'ENOENT') return { mode: 0 }
  throw error
}
