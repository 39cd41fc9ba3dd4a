import { accessSync, constants, existsSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { geteuid, platform, versions } from 'node:process'
import { type Credentials, canRenew, hasExpired } from '../../auth/credentials.ts'
import { readSavedLogins } from '../../auth/credentials_file.ts'
import { requireSameService } from '../../auth/refusals.ts'
import type { Context } from '../../cli/command.ts'
import { configSettings } from '../../config/profile.ts'
import { provenEmulators } from '../../config/proven_emulators.ts'
import { type Announcement, announcedEmulators } from '../../config/running_emulators.ts'
import { readSettings } from '../../config/settings.ts'
import type { Target } from '../../config/target.ts'
import { errorMessage, quoted } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { configFile, credentialsFile } from '../../files/directories.ts'
import { type Inspection, inspectJournal } from '../../journal/inspect.ts'
import { zonedTime } from '../../run/time.ts'
import { howToUpdate, version } from '../../version.ts'
import { type Finding, fail, failedWith, ok, warn } from './finding.ts'

/** The versions of payctl and Node. bin/payctl.js has checked that Node is new enough. */
export const machine: readonly Finding[] = [ok('payctl', `${version} on ${platform}`), ok('node', versions.node)]

export function configuration({ configDir }: Context): Finding {
  const file = configFile(configDir)
  try {
    const names = Object.keys(readSettings(configSettings, configDir).profiles)
    if (!existsSync(file)) return ok('config', `none yet: ${file}`)
    const mode = modeOf(file) ?? 0
    if (mode & 0o022) {
      const detail = `${file} can be changed by other users of this machine (mode ${octal(mode)}): they can decide where tokens go`
      return warn('config', detail, `chmod go-w ${quoted(file)}`)
    }
    return ok('config', `${file}, ${names.length === 0 ? 'no profiles' : `profiles: ${names.join(', ')}`}`)
  } catch (error) {
    return failedWith('config', error)
  }
}

/** True if no flag, variable or profile names a service. */
export function isUnconfigured(context: Context): boolean {
  const { globals, env } = context
  const named = [globals.baseUrl, globals.profile, globals.emulator, env.PAYCTL_BASE_URL, env.PAYCTL_PROFILE]
  if (named.some((place) => place !== undefined)) return false
  const { current, profiles } = context.config
  return current === undefined && Object.keys(profiles).length === 0
}

/** Minimum number of free bytes: with fewer, a batch may be too large for the journal. */
const enough = 20 * 1024 * 1024

/** Checks the folder of the journal: no payment is sent without the journal. */
export function state({ stateDir }: Context): Finding {
  const obstacle = closedFolder(stateDir)
  if (obstacle) return fail('state', `${obstacle}: no payment can be sent`, otherStateDir)
  const free = freeSpace(stateDir)
  if (free < enough)
    return warn('state', `${stateDir}: ${Math.floor(free / 1024 ** 2)} MiB left on its disk`, 'Make room')
  const mode = modeOf(stateDir) ?? 0
  if (mode & 0o022) {
    const detail = `${stateDir} can be changed by other users of this machine (mode ${octal(mode)})`
    return warn('state', detail, `chmod go-w ${quoted(stateDir)}`)
  }
  return ok('state', existsSync(stateDir) ? stateDir : `${stateDir}, created when needed`)
}

const otherStateDir = {
  exit: 'usage',
  next: 'Let this user write there, or set PAYCTL_STATE_DIR to another directory',
} as const

export function journal({ stateDir }: Context): Finding {
  try {
    return (
      inspectJournal(stateDir, journalFinding) ??
      ok('journal', 'none yet: payctl has not sent a payment with this state directory')
    )
  } catch (error) {
    const next = toRun(['payments', 'history'], 'Set the file aside once you know what has been paid. To find out')
    return fail('journal', `it can't be read: ${errorMessage(error)}`, { exit: 'usage', next })
  }
}

function journalFinding({ file, version, newest, inDoubt }: Inspection): Finding {
  if (version > newest) {
    const detail = `${file} was written by a newer payctl: nothing can be sent`
    return fail('journal', detail, { exit: 'usage', next: howToUpdate })
  }
  const obstacle = writeObstacle(file)
  if (obstacle) return fail('journal', `${obstacle}: no payment can be sent`, otherStateDir)
  const mode = modeOf(file) ?? 0
  if (mode & 0o077) {
    return warn(
      'journal',
      `${file} can be read by other users of this machine (mode ${octal(mode)})`,
      `chmod 600 ${quoted(file)}`,
    )
  }
  const doubts = version === 0 ? 0 : inDoubt()
  if (doubts === 0) return ok('journal', `${file}, nothing unsettled`)
  const detail = `${doubts} ${doubts === 1 ? 'payment' : 'payments'} whose outcome is unknown`
  return warn('journal', detail, toRun(['payments', 'resume'], 'Find their outcomes'))
}

/** Checks the credentials file and the login in use. Shows no secrets. */
export async function credentials(
  { configDir }: Context,
  target: Target,
  login: Credentials | undefined,
): Promise<readonly Finding[]> {
  const file = credentialsFile(configDir)
  if (!existsSync(file)) return [ok('credentials', `none yet: ${file}`)]
  const finding = (await keyringFinding(configDir)) ?? credentialsFileFinding(file, login)
  return login ? [finding, loginFinding(login, target)] : [finding]
}

const otherConfigDir = 'Let this user write there, or set PAYCTL_CONFIG_DIR to another directory'

/** Finding about the logins in the keyring; undefined if the keyring has no logins. */
async function keyringFinding(configDir: string): Promise<Finding | undefined> {
  const { store, keyring } = readSavedLogins(configDir)
  if (!keyring) return undefined
  if (store !== 'keyring') {
    const detail = 'a move to or from the keyring did not finish: copies of logins may remain in the keyring'
    return warn('credentials', detail, toRun(['config', 'set', 'credentials', 'file'], 'To remove them'))
  }
  try {
    const { openKeyring } = await import('../../auth/keyring.ts')
    await (await openKeyring(keyring.id)).read('')
    return ok('credentials', 'in the system’s keyring')
  } catch (error) {
    return failedWith('credentials', error)
  }
}

function credentialsFileFinding(file: string, login: Credentials | undefined): Finding {
  const mode = modeOf(file) ?? 0
  if ((mode & 0o077) === 0) {
    const obstacle = login && canRenew(login) ? closedFolder(dirname(realpathSync(file))) : undefined
    return obstacle
      ? warn('credentials', `${obstacle}: the login can't be renewed`, otherConfigDir)
      : ok('credentials', file)
  }
  const detail = `${file} can be read by other users of this machine (mode ${octal(mode)})`
  if (isOwn(file)) return warn('credentials', detail, `chmod 600 ${quoted(file)}`)
  const next = 'Set PAYCTL_CONFIG_DIR to a directory of your own, and log in there'
  return fail('credentials', `${detail}, and belongs to one of them: it is not used`, { exit: 'unauthenticated', next })
}

function loginFinding(login: Credentials, target: Target): Finding {
  try {
    requireSameService(login, target)
  } catch (error) {
    return failedWith('login', error)
  }
  const next = { kind: 'log_in', profile: target.profile } as const
  const who = `${login.kind === 'oauth' ? 'login' : 'dashboard token'}${login.user ? ` of ${login.user.name}` : ''}`
  const expired = hasExpired(login, Date.now())
  if (expired && !canRenew(login))
    return fail('login', `${who}: it ended at ${zonedTime(login.expires_at)}`, { exit: 'unauthenticated', next })
  if (login.renewal_refused_at !== undefined) {
    return warn('login', `${who}: good until ${zonedTime(login.expires_at)}, and the service no longer renews it`, next)
  }
  if (expired)
    return ok('login', `${who}: it expired at ${zonedTime(login.expires_at)}, and the next command renews it`)
  return ok('login', `${who}${login.expires_at === undefined ? '' : `, until ${zonedTime(login.expires_at)}`}`)
}

/** Time limit for an emulator to prove its identity, in milliseconds. */
const proofTimeoutMs = 5000

export async function emulators({ stateDir, signal, globals }: Context): Promise<Finding> {
  try {
    const { running, stale } = announcedEmulators(stateDir)
    const left =
      stale.length === 0
        ? ''
        : `; announcements of emulators that have ended: ${stale.length}; the next command with --emulator removes them`
    const { proven, doubtful } = await provenEmulators(running, { signal, timeout: globals.timeout ?? proofTimeoutMs })
    const urls = (of: readonly Announcement[]) => of.map(({ base_url }) => base_url).join(', ')
    const detail = `${proven.length === 0 ? 'none is running' : `running: ${urls(proven)}`}${left}`
    if (doubtful.length === 0) return ok('emulator', detail)
    const doubt = `${detail}; announced, but not proven to be an emulator of this user: ${urls(doubtful)}; payctl sends nothing there`
    return warn('emulator', doubt, toRun(['emulate'], 'If the emulator hangs, end it and start it again'))
  } catch (error) {
    const hint = 'Let this user read the file, or set PAYCTL_STATE_DIR to another directory'
    return warn('emulator', `--emulator will find no emulator: ${errorMessage(error)}`, hint)
  }
}

const variables = ['HTTPS_PROXY', 'HTTP_PROXY'].flatMap((name) => [name, name.toLowerCase()])

/** Finding about the proxy that the environment names; hides the proxy's password. */
export async function proxy({ baseUrl }: Target, context: Context): Promise<readonly Finding[]> {
  const named = variables.filter((name) => context.env[name] !== undefined)
  if (named.length === 0) return []
  try {
    const used = await context.proxyFor(baseUrl)
    const detail = used === undefined ? `not used for ${baseUrl}` : `requests go through ${new URL(used).host}`
    return [ok('proxy', `${detail} (${named.join(', ')})`)]
  } catch (error) {
    return [failedWith('proxy', error)]
  }
}

/** Mode of a file or folder, like 0o600; undefined if the file is missing, or if the system has no modes. */
function modeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && platform !== 'win32' ? found.mode & 0o777 : undefined
}

/** True if this user can change the mode of the file. */
const isOwn = (path: string): boolean => [0, statSync(path).uid].includes(geteuid?.() ?? 0)

/** The mode as chmod takes it: `640`. */
const octal = (mode: number): string => mode.toString(8).padStart(3, '0')

/**
 * Reason why this user can't write to a folder, or undefined. For a missing folder, the nearest existing parent folder
 * decides.
 */
function closedFolder(path: string): string | undefined {
  const existing = nearestExisting(path)
  return statSync(existing).isDirectory() ? writeObstacle(existing) : `${existing} is not a folder`
}

/** Reason why this user can't write to an existing path, or undefined. */
function writeObstacle(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK)
    return undefined
  } catch {
    return `this user can't write to ${path}`
  }
}

/** Free bytes on the disk of the path, which can be missing. */
function freeSpace(path: string): number {
  const { bavail, bsize } = statfsSync(nearestExisting(path))
  return bavail * bsize
}

const nearestExisting = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
