import { checkedUrl, isSameUrl } from '../config/base_url.ts'
import type { Target } from '../config/target.ts'
import { errorMessage } from '../errors/cli_error.ts'
import { credentialsFile } from '../files/directories.ts'
import type { Globals } from '../run/invocation.ts'
import { type Credentials, canRenew, hasExpired, isDue } from './credentials.ts'
import { readCredentials, replaceCredentials, secureCredentialsFile } from './credentials_file.ts'
import { expired, notLoggedIn, requireSameService } from './refusals.ts'
import type { RenewalOptions } from './renewal.ts'

// Which access token a run uses: the one that is given (a flag or PAYCTL_TOKEN), else that of the profile's login, which
// is renewed when it is due, else that of the running emulator.

/** Where a client gets its access token, before every attempt. */
export interface TokenSource {
  token(): Promise<string>
  /** After a 401: whether `token` gives another one now. */
  renew(refused: string): Promise<boolean>
}

export type LoginOptions = Omit<RenewalOptions, 'profile' | 'forced'>

/** Throws CliError with exit 4 when there is neither a token nor a login nor an emulator. `globals` word the hint. */
export async function tokenSource(target: Target, options: LoginOptions, globals: Globals): Promise<TokenSource> {
  const { profile, emulator, token } = target
  if (token !== undefined) return fixed(token)
  const credentials = await findCredentials(target, options)
  if (credentials) return renewing(credentials, target, options)
  if (emulator) return fixed(emulator.token)
  throw notLoggedIn(profile, globals)
}

const fixed = (token: string): TokenSource => ({ token: async () => token, renew: async () => false })

export interface Standing {
  /** What a request could carry now: given, of the login, or the running emulator's. */
  readonly token: string | undefined
  /** The login, where it is what the run would use. */
  readonly credentials?: Credentials | undefined
}

/** For a look that must leave everything as it is: no login is renewed, and no file mode is changed. */
export async function tokenAsItStands(target: Target, configDir: string): Promise<Standing> {
  if (target.token !== undefined) return { token: target.token }
  const credentials = await readCredentials(configDir, target.profile)
  if (!credentials || !isOfEmulator(credentials, target)) return { token: target.emulator?.token }
  if (!isSameUrl(credentials.base_url, target.baseUrl) || hasExpired(credentials, Date.now()))
    return { token: undefined, credentials }
  checkedUrl(target.baseUrl, 'The base URL', credentials.access_token)
  return { token: credentials.access_token, credentials }
}

/**
 * The credentials that a login left for this target, or undefined when there are none. Throws CliError when they are
 * for another service.
 */
export async function findCredentials(target: Target, options: LoginOptions): Promise<Credentials | undefined> {
  const { configDir, note } = options
  const { profile, baseUrl } = target
  const mode = await secureCredentialsFile(configDir)
  if (mode !== undefined) {
    note(
      `${credentialsFile(configDir)} could be read by others (mode ${mode.toString(8)}); now only by you. If somebody else uses this machine, log in anew.`,
    )
  }
  const credentials = await readCredentials(configDir, profile)
  if (!credentials) return undefined
  if (!isOfEmulator(credentials, target)) {
    if (hasOutlivedWorld(credentials, target)) await drop(credentials, target, options)
    return undefined
  }
  requireSameService(credentials, target)
  checkedUrl(baseUrl, 'The base URL', credentials.access_token)
  checkedUrl(credentials.auth_url, 'The auth URL', credentials.access_token)
  return credentials
}

/**
 * Whether a login counts at the target. Of an emulator it lasts as long as the world that it was made in: that ends
 * with a reset, or with the emulator, whose port goes to the next. And where one runs that nobody has logged in at, its
 * own token serves, whatever the profile is logged in at.
 */
function isOfEmulator({ emulator_world, base_url }: Credentials, { baseUrl, emulator }: Target): boolean {
  if (emulator_world !== undefined && emulator_world !== emulator?.world) return false
  return !emulator || isSameUrl(base_url, baseUrl)
}

const hasOutlivedWorld = ({ base_url }: Credentials, { baseUrl, emulator }: Target): boolean =>
  emulator !== undefined && isSameUrl(base_url, baseUrl)

/** The run goes on with the emulator's own token; where nothing can be written the next one finds the same. */
async function drop(last: Credentials, { profile }: Target, { configDir, note }: LoginOptions): Promise<void> {
  await replaceCredentials(configDir, profile, { last, next: undefined }).catch(() => false)
  note(`The login of profile '${profile}' ended with the world that it was made in: using the emulator’s own token.`)
}

/** A token that is renewed when it is due. */
function renewing(credentials: Credentials, target: Target, options: LoginOptions): TokenSource {
  const { profile } = target
  const { note, signal } = options
  return createTokenSource(credentials, {
    profile,
    note,
    signal,
    async renew(current, { urgent }) {
      const { renewCredentials } = await import('./renewal.ts')
      return await renewCredentials(current, { ...options, profile, ...(!urgent && inHaste(options)) })
    },
  })
}

/** Milliseconds for what comes before a renewal that can be done without. */
const haste = 5_000

const inHaste = ({ timeout = haste }: LoginOptions) => ({
  retries: 0,
  timeout: Math.min(timeout, haste),
  haste: AbortSignal.timeout(haste),
})

interface Sources {
  readonly profile: string
  /** Fresher credentials than these, or the same when there are none. `urgent`: these are of no more use. */
  readonly renew: (current: Credentials, urgency: { readonly urgent: boolean }) => Promise<Credentials>
  readonly note: (text: string) => void
  readonly signal: AbortSignal
}

/** Milliseconds to leave a renewal alone that failed while the token is still good. */
const pause = 30_000

/** A token that is renewed shortly before it expires, however long the run. All callers share one renewal. */
function createTokenSource(first: Credentials, sources: Sources): TokenSource {
  let current = first
  let renewing: Promise<void> | undefined
  let notBefore = 0
  const renew = (urgent: boolean): Promise<void> => {
    renewing ??= sources
      .renew(current, { urgent })
      .then((fresh) => {
        current = fresh
      })
      .finally(() => {
        renewing = undefined
      })
    return renewing
  }
  /** The old token serves as long as it lives. */
  const renewEarly = async (): Promise<void> => {
    try {
      await renew(false)
    } catch (error) {
      if (sources.signal.aborted || hasExpired(current, Date.now())) throw error
      notBefore = Date.now() + pause
      sources.note(`The login ends at ${current.expires_at} and could not be renewed yet: ${errorMessage(error)}`)
    }
  }
  return {
    async token() {
      const [now, last] = [Date.now(), current.access_token]
      if (hasExpired(current, now)) {
        await renew(true)
        if (current.access_token === last) throw expired(current, sources.profile)
      } else if (isDue(current, now) && canRenew(current) && now >= notBefore) await renewEarly()
      return current.access_token
    },
    async renew(refused) {
      if (current.access_token === refused) await renew(true)
      return current.access_token !== refused
    },
  }
}
