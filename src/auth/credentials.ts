/** The login of one profile, as stored in the credentials file. Times are ISO, by this machine's clock. */
export interface Credentials {
  /** `dashboard`: a pasted token, without refresh token and with an unknown lifetime. */
  readonly kind: 'oauth' | 'dashboard'
  /** The only service that the access token may go to. */
  readonly base_url: string
  /** The only server that refresh token and client secret may go to. */
  readonly auth_url: string
  readonly access_token: string
  readonly obtained_at: string
  /** Absent if the service gave no lifetime. */
  readonly expires_at?: string
  /** Absent if unknown. */
  readonly scopes?: readonly string[]
  readonly user?: { readonly id: string; readonly name: string; readonly email: string }
  readonly refresh_token?: string
  readonly client_id?: string
  readonly client_secret?: string
  /** Created at login and preserved by renewals. */
  readonly login_id?: string
  /** World of the emulator that issued the tokens; they are invalid in another. */
  readonly emulator_world?: string
  /** Set while the refresh token is being sent. A value left behind means that the run was cut off. */
  readonly renewal_began_at?: string
  /** Time at which the service finally refused the refresh token. */
  readonly renewal_refused_at?: string
}

/** Milliseconds before expiry at which a token is renewed, or a tenth of its life if that is less. */
const margin = 60_000

/** True if the access token should be renewed before use. */
export function isDue({ expires_at, obtained_at }: Credentials, now: number): boolean {
  if (expires_at === undefined) return false
  const end = Date.parse(expires_at)
  const life = end - Date.parse(obtained_at)
  return now >= end - Math.min(margin, Math.max(life, 0) / 10)
}

export const hasExpired = ({ expires_at }: Credentials, now: number): boolean =>
  expires_at !== undefined && now >= Date.parse(expires_at)

export const canRenew = ({ refresh_token, renewal_refused_at }: Credentials): boolean =>
  refresh_token !== undefined && renewal_refused_at === undefined

/** Validates an entry of the file; null if it is invalid, because people may have edited it. */
export function parseCredentials(value: unknown): Credentials | null {
  if (typeof value !== 'object' || value === null) return null
  const entry = value as Record<string, unknown>
  const texts = ['base_url', 'auth_url', 'access_token', 'obtained_at']
  const optional = [
    'expires_at',
    'refresh_token',
    'client_id',
    'client_secret',
    'login_id',
    'emulator_world',
    'renewal_began_at',
    'renewal_refused_at',
  ]
  const times = [entry.obtained_at, entry.expires_at ?? entry.obtained_at]
  const sound =
    (entry.kind === 'oauth' || entry.kind === 'dashboard') &&
    texts.every((name) => typeof entry[name] === 'string' && entry[name] !== '') &&
    optional.every((name) => ['string', 'undefined'].includes(typeof entry[name])) &&
    times.every((time) => !Number.isNaN(Date.parse(String(time)))) &&
    isUser(entry.user) &&
    (entry.scopes === undefined || (Array.isArray(entry.scopes) && entry.scopes.every((s) => typeof s === 'string')))
  return sound ? (value as Credentials) : null
}

const isUser = (user: unknown): boolean =>
  user === undefined ||
  (typeof user === 'object' &&
    user !== null &&
    ['id', 'name', 'email'].every((name) => typeof (user as Record<string, unknown>)[name] === 'string'))
