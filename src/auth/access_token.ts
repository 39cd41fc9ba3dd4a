import { checkedUrl, isSameUrl } from '../config/base_url.ts'
import type { Target } from '../config/target.ts'
import { saidBy } from '../errors/cli_error.ts'
import { credentialsFile } from '../files/directories.ts'
import { asText, type Said, say } from '../words/text.ts'
import { type Credentials, canRenew, hasExpired, isDue } from './credentials.ts'
import { readCredentials, replaceCredentials, secureCredentialsFile } from './credentials_file.ts'
import { AnotherLogin, expired, notLoggedIn, requireSameService } from './refusals.ts'
import type { RenewalOptions } from './renewal.ts'

// Selects the access token of a run: from the flag or PAYCTL_TOKEN, from the profile's login (renewed when due), or
// from the running emulator, in this order.

/** Supplies a client's access token before every attempt. */
export interface TokenSource {
  token(): Promise<string>
  /**
   * Call after a 401, with the token that was refused. Resolves to true if `token` now returns another token of the
   * same user.
   */
  renew(refused: string): Promise<boolean>
  /** Id of the login; undefined for a token without a login, or if an older payctl made the login. */
  readonly loginId: string | undefined
  /** Returns a source for the same user; `signal` ends that source's renewals. */
  until(signal: AbortSignal): TokenSource
}

export type LoginOptions = Omit<RenewalOptions, 'profile' | 'forced'>

/** Throws CliError (exit 4) if a token, a login and an emulator are all missing. */
export async function tokenSource(target: Target, options: LoginOptions): Promise<TokenSource> {
  const { profile, emulator, token } = target
  if (token !== undefined) return fixed(token)
  const credentials = await findCredentials(target, options)
  if (credentials) return renewing(credentials, target, options)
  if (emulator) return fixed(emulator.token)
  throw notLoggedIn(profile)
}

function fixed(token: string): TokenSource {
  const source = { token: async () => token, renew: async () => false, loginId: undefined, until: () => source }
  return source
}

/**
 * Returns the token that a request would carry now, and the login of the token, if any. Changes nothing: renews no
 * login, changes no file mode.
 */
export async function currentToken(
  target: Target,
  configDir: string,
): Promise<{ readonly token: string | undefined; readonly credentials?: Credentials }> {
  if (target.token !== undefined) return { token: target.token }
  const credentials = await readCredentials(configDir, target.profile)
  if (!credentials || !isOfEmulator(credentials, target)) return { token: target.emulator?.token }
  if (!isSameUrl(credentials.base_url, target.baseUrl) || hasExpired(credentials, Date.now()))
    return { token: undefined, credentials }
  checkedUrl(target.baseUrl, 'The base URL', credentials.access_token)
  return { token: credentials.access_token, credentials }
}

/**
 * Reads the credentials of the login for this target; undefined if there are none. Throws CliError if the credentials
 * belong to another service.
 */
export async function findCredentials(target: Target, options: LoginOptions): Promise<Credentials | undefined> {
  const { configDir, note } = options
  const { profile, baseUrl } = target
  const mode = await secureCredentialsFile(configDir)
  if (mode !== undefined) {
    note(
      say`${credentialsFile(configDir)} could be read by others (mode ${mode.toString(8)}); now only you can read it. If somebody else uses this machine, log in again.`,
    )
  }
  const credentials = await readCredentials(configDir, profile)
  if (!credentials) return undefined
  if (!isOfEmulator(credentials, target)) {
    const { emulator } = target
    const hasOutlivedWorld = emulator !== undefined && isSameUrl(credentials.base_url, baseUrl)
    if (hasOutlivedWorld) await drop(credentials, target, options)
    return undefined
  }
  requireSameService(credentials, target)
  checkedUrl(baseUrl, 'The base URL', credentials.access_token)
  checkedUrl(credentials.auth_url, 'The auth URL', credentials.access_token)
  return credentials
}

/**
 * False if the login can't be valid at the target. A login at an emulator ends when its world ends or is reset, or when
 * the emulator ends. At a running emulator, a login at any other URL is ignored: the emulator's own token is used.
 */
function isOfEmulator({ emulator_world, base_url }: Credentials, { baseUrl, emulator }: Target): boolean {
  if (emulator_world !== undefined && emulator_world !== emulator?.world) return false
  return !emulator || isSameUrl(base_url, baseUrl)
}

/** Removes the login. The run uses the emulator's own token, even if the login can't be removed. */
async function drop(last: Credentials, { profile }: Target, { configDir, note }: LoginOptions): Promise<void> {
  await replaceCredentials(configDir, profile, { last, next: undefined }).catch(() => false)
  note(
    say`The login of profile '${profile}' ended with the world in which it was made: this run uses the emulator’s own token.`,
  )
}

/** A source that renews its token when due. */
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
    until: (current, signal) => renewing(current, target, { ...options, signal }),
  })
}

/**
 * Time limits of a renewal that is not urgent, in milliseconds: for the wait for other processes, and for the
 * connection.
 */
const haste = 5_000

const inHaste = ({ timeout = haste }: LoginOptions) => ({
  retries: 0,
  timeout: Math.min(timeout, haste),
  haste: AbortSignal.timeout(haste),
})

interface RenewingLogin {
  readonly profile: string
  /** Returns newer credentials, or `current` if none are newer. `urgent`: `current` is no longer valid. */
  readonly renew: (current: Credentials, urgency: { readonly urgent: boolean }) => Promise<Credentials>
  readonly until: (current: Credentials, signal: AbortSignal) => TokenSource
  readonly note: (text: Said) => void
  readonly signal: AbortSignal
}

/** Milliseconds between renewal attempts while the token is valid. */
const pause = 30_000

/** A token source that renews its token shortly before expiry, as often as needed. All callers share one renewal. */
function createTokenSource(first: Credentials, login: RenewingLogin): TokenSource {
  let current = first
  let renewing: Promise<void> | undefined
  let isEarly = false
  let notBefore = 0
  /** Set when another login has ended the source: every later renewal throws this error. */
  let ended: AnotherLogin | undefined
  const renew = async (urgent: boolean): Promise<void> => {
    if (ended) throw ended
    if (renewing && isEarly && urgent) {
      // An early renewal gives up soon. If it fails, a caller whose token is no longer valid starts another renewal.
      const last = current
      await renewing.catch(() => {})
      return current === last ? await renew(true) : undefined
    }
    if (!renewing) isEarly = !urgent
    renewing ??= login
      .renew(current, { urgent })
      .then((fresh) => {
        current = fresh
      })
      .catch((error) => {
        if (error instanceof AnotherLogin) ended = error
        throw error
      })
      .finally(() => {
        renewing = undefined
      })
    await renewing
  }
  /** While the old token is valid, a failed renewal only causes a note. */
  const renewEarly = async (): Promise<void> => {
    try {
      await renew(false)
    } catch (error) {
      if (ended || login.signal.aborted) throw error
      if (hasExpired(current, Date.now())) {
        // Another process held the lock, so no request was sent: renews again.
        if (error instanceof DOMException && error.name === 'TimeoutError') return await renew(true)
        throw error
      }
      notBefore = Date.now() + pause
      login.note(
        say`The login ends at ${String(current.expires_at)} and could not be renewed yet: ${asText(saidBy(error))}`,
      )
    }
  }
  return {
    async token() {
      if (ended) throw ended
      const [now, last] = [Date.now(), current.access_token]
      if (hasExpired(current, now)) {
        await renew(true)
        if (current.access_token === last) throw expired(current, login.profile)
      } else if (isDue(current, now) && canRenew(current) && now >= notBefore) await renewEarly()
      return current.access_token
    },
    async renew(refused) {
      if (current.access_token === refused) await renew(true)
      return current.access_token !== refused
    },
    get loginId() {
      return current.login_id
    },
    until: (signal) => login.until(current, signal),
  }
}
