import { type Credentials, canRenew } from '../../auth/credentials.ts'
import { placeOfLogins } from '../../auth/credentials_file.ts'
import type { Context } from '../../cli/command.ts'
import type { Target } from '../../config/target.ts'
import { columnsOf, field, time } from '../../output/columns.ts'
import { foreign } from '../../words/text.ts'

/** A login for output, without token and secrets. */
export interface LoginStatus {
  readonly profile: string
  readonly base_url: string
  readonly auth_url: string | null
  readonly kind: 'oauth' | 'dashboard' | 'given' | 'emulator'
  readonly user: Credentials['user'] | null
  readonly scopes: readonly string[] | null
  readonly expires_at: string | null
  /** Renewal after the login expires; `refused`: the service has already refused to renew the login. */
  readonly renewal: 'automatic' | 'none' | 'refused'
  /** The flag, the variable or the file that the token comes from, or `keyring`, or `emulator`. */
  readonly source: string
}

export const statusColumns = columnsOf<LoginStatus>(
  'profile',
  field('user', ({ user }) => user?.name),
  field('email', ({ user }) => user?.email),
  field('scopes', ({ scopes }) => scopes?.join(' ')),
  time('expires_at'),
  { ...field('renewal'), text: ({ renewal }: LoginStatus) => foreign(renewal) },
  { ...field('kind'), text: ({ kind }: LoginStatus) => foreign(kind) },
  'base_url',
  'auth_url',
  'source',
)

export function statusOf(credentials: Credentials, profile: string, { configDir }: Context): LoginStatus {
  const { kind, base_url, auth_url, user, scopes, expires_at, renewal_refused_at } = credentials
  const ended = renewal_refused_at === undefined ? 'none' : 'refused'
  return {
    profile,
    base_url,
    auth_url: kind === 'oauth' ? auth_url : null,
    kind,
    user: user ?? null,
    scopes: scopes ?? null,
    expires_at: expires_at ?? null,
    renewal: canRenew(credentials) ? 'automatic' : ended,
    source: placeOfLogins(configDir),
  }
}

/** Status of a token without a login; nothing else is known about the token. */
export const givenStatus = (
  { profile, baseUrl, authUrl }: Target,
  source: '--token' | 'PAYCTL_TOKEN' | 'emulator',
): LoginStatus => ({
  profile,
  base_url: baseUrl,
  auth_url: authUrl,
  kind: source === 'emulator' ? 'emulator' : 'given',
  user: null,
  scopes: null,
  expires_at: null,
  renewal: 'none',
  source,
})
