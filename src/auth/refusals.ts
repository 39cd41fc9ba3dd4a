import { isSameUrl } from '../config/base_url.ts'
import { CliError, saidBy } from '../errors/cli_error.ts'
import type { Exit } from '../errors/exit_codes.ts'
import type { LogIn, NextStep } from '../errors/next_step.ts'
import { asText, foreign, type Said, say } from '../words/text.ts'
import type { Credentials } from './credentials.ts'

export const notLoggedIn = (profile: string): CliError =>
  new CliError('unauthenticated', say`Not logged in (profile ${profile}).`, {
    kind: 'log_in',
    profile,
    reason: 'never_logged_in',
  })

export const loggedOut = (profile: string): CliError =>
  new CliError('unauthenticated', say`Profile '${profile}' was logged out meanwhile.`, { kind: 'log_in', profile })

/** Error for a login that can't be renewed. If `renewal_began_at` is set, the answer to an earlier renewal was lost. */
export function loginAgain({ renewal_began_at }: Credentials, profile: string): CliError {
  const message =
    renewal_began_at === undefined
      ? 'The login has ended: the service no longer renews it.'
      : say`The login has ended: a renewal at ${renewal_began_at} was cut off before its answer came, and can't be repeated.`
  return new CliError('unauthenticated', message, { kind: 'log_in', profile })
}

/**
 * Error for a renewal that was refused because of the service or the client, not because of the login. The login stays
 * saved, and its renewal can be tried again.
 */
export function notRenewed(refusal: OAuthRefusal, profile: string): CliError {
  const { code, exit, message } = refusal
  const why = message.includes(code) ? saidBy(refusal) : say`${asText(saidBy(refusal))} (${code})`
  const next = { kind: 'log_in', profile, reason: 'renewal_failed' } as const
  return new CliError(
    exit === 'unavailable' ? exit : 'unauthenticated',
    say`The login could not be renewed: ${asText(why)}`,
    next,
  )
}

/** Error for an expired token without a refresh token. */
export const expired = ({ expires_at }: Credentials, profile: string): CliError =>
  new CliError('unauthenticated', say`The login expired at ${String(expires_at)}.`, { kind: 'log_in', profile })

/** Throws unless the token was issued for this service. */
export function requireSameService(
  { base_url }: Credentials,
  { profile, baseUrl }: { readonly profile: string; readonly baseUrl: string },
): void {
  if (isSameUrl(base_url, baseUrl)) return
  throw new CliError(
    'unauthenticated',
    say`Profile '${profile}' is logged in to ${base_url}, and its token is not sent to ${baseUrl}.`,
    { kind: 'log_in_at_service', baseUrl },
  )
}

/** Ends a run if somebody has logged in to the run's profile since the run began, perhaps as another user. */
export class AnotherLogin extends CliError {
  constructor(profile: string, why: Said) {
    super(
      'unauthenticated',
      say`Somebody logged in to profile '${profile}' while this run was under way, perhaps as another user: ${asText(why)}. Nothing more was sent.`,
      { kind: 'log_in', profile, reason: 'user_changed' },
    )
  }
}

/** Returns the login command to repeat, with `scopes` if they are given. */
export type LoginAgain = (scopes?: string) => LogIn

/** A refusal by the authorization server, with OAuth's `code`. */
export class OAuthRefusal extends CliError {
  override readonly name = 'OAuthRefusal'
  readonly code: string
  readonly #text: string

  /** `text` is the server's explanation, or empty. */
  constructor(code: string, text: string, again?: LoginAgain) {
    const known = Object.hasOwn(refusals, code) ? refusals[code] : undefined
    const [exit, what, next] = known ?? ['rejected', say`The service refused the login (${code})`]
    const message = text === '' ? say`${asText(what)}.` : say`${asText(what)}: ${foreign(text)}`
    super(exit, message, typeof next === 'function' ? again && next(again) : next)
    this.code = code
    this.#text = text
  }

  /** Returns this refusal with the command to log in again. */
  to(again: LoginAgain): OAuthRefusal {
    return new OAuthRefusal(this.code, this.#text, again)
  }
}

type Refusal = readonly [exit: Exit, what: Said, next?: string | NextStep | ((again: LoginAgain) => LogIn)]

const refusals: Readonly<Record<string, Refusal>> = {
  access_denied: [
    'forbidden',
    'Access was denied on the service’s page',
    (again) => ({ ...again(), reason: 'access_denied' }),
  ],
  invalid_client: [
    'unauthenticated',
    'The service does not accept the client id or its secret',
    { kind: 'check_client' },
  ],
  invalid_grant: ['unauthenticated', 'The code is wrong, used or expired', (again) => again()],
  invalid_scope: [
    'rejected',
    'At least one requested scope is not allowed for this client',
    (again) => ({ ...again('read-user,read-accounts'), reason: 'scope_refused' }),
  ],
  unauthorized_client: ['forbidden', 'The client is not allowed to log in this way'],
  server_error: ['unavailable', 'The service failed to log you in', 'Try again later'],
  temporarily_unavailable: ['unavailable', 'The service is overloaded', 'Try again later'],
}
