import { join } from 'node:path'
import { saidBy } from '../errors/cli_error.ts'
import { withLock } from '../lock/lock.ts'
import { clearTimeout, setTimeout } from '../real_time.ts'
import { asText, type Said, say } from '../words/text.ts'
import { type Credentials, isDue } from './credentials.ts'
import { readCredentials, replaceCredentials } from './credentials_file.ts'
import { loggedOut, loginAgain, notRenewed, OAuthRefusal, requireSameService } from './refusals.ts'
import { requireSameUser } from './same_user.ts'
import { expiry, type Grant, requestToken, type TokenEndpoint } from './token_endpoint.ts'

export interface RenewalOptions {
  readonly configDir: string
  readonly profile: string
  /** True: tries even if the service refused the refresh token before. */
  readonly forced?: boolean
  readonly signal: AbortSignal
  /** Ends the wait for other processes, but not a renewal that has begun. */
  readonly haste?: AbortSignal
  /** Time limit for a connection, in milliseconds. */
  readonly timeout: number | undefined
  readonly retries: number
  readonly trace: TokenEndpoint['trace']
  readonly proxyFor: TokenEndpoint['proxyFor']
  readonly note: (text: Said) => void
}

/**
 * Returns credentials of the same user, newer than `seen`. One process asks the service; the others read its result. A
 * refresh token works only once, so the file is written before anything is sent: this proves that new tokens can be
 * saved. Returns `seen` itself if it has no refresh token and no newer login is saved. Throws CliError (exit 4) if only
 * a new login helps, and for a login of another user.
 */
export async function renewCredentials(seen: Credentials, options: RenewalOptions): Promise<Credentials> {
  const { credentials, isOurs } = await newest(seen, options)
  if (!isOurs) await requireSameUser(seen, credentials, options)
  return credentials
}

/**
 * `isOurs`: the credentials are `seen`, or this process has renewed `seen`. Other credentials come from another process
 * or a later login.
 */
interface Newest {
  readonly credentials: Credentials
  readonly isOurs: boolean
}

async function newest(seen: Credentials, options: RenewalOptions): Promise<Newest> {
  const { configDir, profile, signal, haste } = options
  if (seen.refresh_token === undefined) return await replacement(seen, options)
  const lock = join(configDir, `credentials.${encodeURIComponent(profile)}.lock`)
  const waiting = haste ? AbortSignal.any([signal, haste]) : signal
  return await withLock(lock, waiting, async () => {
    const last = await readCredentials(configDir, profile)
    if (!last) throw loggedOut(profile)
    requireSameService(last, { profile, baseUrl: seen.base_url })
    const isNews = last.access_token !== seen.access_token
    if (isNews && !isDue(last, Date.now())) return others(last)
    if (last.refresh_token === undefined) return { credentials: last, isOurs: !isNews }
    if (last.renewal_refused_at !== undefined && !options.forced) throw loginAgain(last, profile)
    const { credentials, isOurs } = await renew(last, options)
    return { credentials, isOurs: isOurs && !isNews }
  })
}

const others = (credentials: Credentials): Newest => ({ credentials, isOurs: false })

async function renew(last: Credentials, options: RenewalOptions): Promise<Newest> {
  const { configDir, profile } = options
  // Proves that the file can be written, before the old refresh token is used up.
  const begun = { ...last, renewal_began_at: new Date().toISOString() }
  if (!(await replaceCredentials(configDir, profile, { last, next: begun }))) return await successor(last, options)
  const start = Date.now()
  let hadEffect = false
  const onEffect = () => {
    hadEffect = true
  }
  let grant: Grant
  try {
    grant = await patiently(options, (signal) => ask(begun, { ...options, signal, onEffect }))
  } catch (error) {
    if (!hadEffect) await replaceCredentials(configDir, profile, { last: begun, next: last })
    if (!(error instanceof OAuthRefusal)) throw error
    return await refused(error, { last, begun }, options)
  }
  const next = renewed(last, grant, start)
  const isKept = await replaceCredentials(configDir, profile, { last: begun, next }).catch((error: Error) => {
    options.note(say`The renewed login could not be saved, so you will have to log in again: ${asText(saidBy(error))}`)
    return true
  })
  return isKept ? { credentials: next, isOurs: true } : await successor(last, options)
}

/**
 * Minimum time to wait for the answer, in milliseconds, even if --timeout is shorter: without the answer, the login is
 * lost.
 */
const answerTimeout = 30_000

function ask(
  { auth_url, refresh_token = '', client_id = '', client_secret = '' }: Credentials,
  options: RenewalOptions & Pick<TokenEndpoint, 'onEffect'>,
) {
  const { signal, timeout, retries, trace, onEffect, proxyFor } = options
  return requestToken(
    { grant_type: 'refresh_token', client_id, client_secret, refresh_token },
    {
      authUrl: auth_url,
      signal,
      timeout,
      answerTimeout: Math.max(timeout ?? 0, answerTimeout),
      retries,
      trace,
      onEffect,
      proxyFor,
    },
  )
}

/** The renewed credentials. The answer may omit an unchanged refresh token and unchanged scopes. */
function renewed(last: Credentials, grant: Grant, start: number): Credentials {
  const { expires_at: _, renewal_began_at, renewal_refused_at, ...kept } = last
  return {
    ...kept,
    access_token: grant.accessToken,
    ...(grant.refreshToken !== undefined && { refresh_token: grant.refreshToken }),
    ...(grant.scopes && { scopes: grant.scopes }),
    ...expiry(grant, start),
  }
}

/**
 * Handles a refusal of the refresh token. If the file now contains other credentials, uses them. Otherwise marks the
 * refused credentials but does not delete them, because the refusal may be an error of the service.
 */
async function refused(
  error: OAuthRefusal,
  { last, begun }: { readonly last: Credentials; readonly begun: Credentials },
  options: RenewalOptions,
): Promise<Newest> {
  if (error.code !== 'invalid_grant') {
    await replaceCredentials(options.configDir, options.profile, { last: begun, next: last })
    throw notRenewed(error, options.profile)
  }
  const next = { ...last, renewal_refused_at: new Date().toISOString() }
  const isLast = await replaceCredentials(options.configDir, options.profile, { last: begun, next })
  if (isLast) throw loginAgain(next, options.profile)
  return await successor(last, options)
}

/**
 * Reads the replacement for `seen`, which has no refresh token: a login that the user has made since, or else `seen`
 * itself.
 */
async function replacement(seen: Credentials, { configDir, profile }: RenewalOptions): Promise<Newest> {
  const current = await readCredentials(configDir, profile)
  if (!current || current.access_token === seen.access_token) return { credentials: seen, isOurs: true }
  requireSameService(current, { profile, baseUrl: seen.base_url })
  return others(current)
}

/** Reads the credentials of a login that was made since `last` was read. */
async function successor(last: Credentials, { configDir, profile }: RenewalOptions): Promise<Newest> {
  const current = await readCredentials(configDir, profile)
  if (!current) throw loggedOut(profile)
  requireSameService(current, { profile, baseUrl: last.base_url })
  return others(current)
}

/** Milliseconds to wait for an answer after Ctrl-C. */
const grace = 5_000

/** Waits for the answer once the refresh token has been sent: without the answer, the login is lost. */
async function patiently<T>({ signal }: RenewalOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => stop.abort(signal.reason), grace)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await work(stop.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
