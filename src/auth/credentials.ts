import { faultIn, type Schema } from '../config/settings_schema.ts'

/** The login of one profile, as stored in the credentials file. Times are ISO, by this machine's clock. */
export interface Credentials {
  /** `dashboard`: a pasted token, with no refresh token and an unknown lifetime. */
  readonly kind: 'oauth' | 'dashboard'
  /** The only service that the access token may go to. */
  readonly base_url: string
  /** The only server that the refresh token and the client secret may go to. */
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
  /** Id that is created at login and preserved by renewals. */
  readonly login_id?: string
  /** World of the emulator that issued the tokens; they are invalid in any other world. */
  readonly emulator_world?: string
  /**
   * Start of a renewal; saved before the refresh token is sent, and removed if the renewal certainly had no effect. If a
   * later run finds this value, the renewal was interrupted.
   */
  readonly renewal_began_at?: string
  /** Time at which the service refused the refresh token for good. */
  readonly renewal_refused_at?: string
}

/** Time before expiry at which a token is renewed, in milliseconds; a tenth of the token's life if that is shorter. */
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

const text: Schema = { type: 'string' }

const schema: Schema = {
  type: 'object',
  required: ['kind', 'base_url', 'auth_url', 'access_token', 'obtained_at'],
  properties: {
    kind: { type: 'string', enum: ['oauth', 'dashboard'] },
    base_url: text,
    auth_url: text,
    access_token: text,
    obtained_at: text,
    expires_at: text,
    scopes: { type: 'array', items: text },
    user: { type: 'object', required: ['id', 'name', 'email'], properties: { id: text, name: text, email: text } },
    refresh_token: text,
    client_id: text,
    client_secret: text,
    login_id: text,
    emulator_world: text,
    renewal_began_at: text,
    renewal_refused_at: text,
  },
}

/** Checks an entry of the file, because people may have edited it; null if the entry is damaged. */
export function parseCredentials(value: unknown): Credentials | null {
  if (faultIn(value, schema, String)) return null
  const entry = value as Credentials
  const hasAll = [entry.base_url, entry.auth_url, entry.access_token].every((member) => member !== '')
  const times = [entry.obtained_at, entry.expires_at ?? entry.obtained_at]
  return hasAll && times.every((time) => !Number.isNaN(Date.parse(time))) ? entry : null
}
