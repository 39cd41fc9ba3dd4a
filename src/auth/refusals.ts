import { isSameUrl } from '../config/base_url.ts'
import { loginCommand } from '../config/profile.ts'
import { CliError } from '../errors/cli_error.ts'
import type { Globals } from '../run/invocation.ts'
import type { Credentials } from './credentials.ts'
import type { OAuthRefusal } from './oauth_refusal.ts'

export const notLoggedIn = (profile: string, globals?: Globals): CliError =>
  new CliError(
    'unauthenticated',
    `Not logged in (profile ${profile}).`,
    `${loginCommand(profile, globals)}. Or set PAYCTL_TOKEN; with a running emulator, --emulator brings its token.`,
  )

export const loggedOut = (profile: string): CliError =>
  new CliError('unauthenticated', `Profile '${profile}' was logged out meanwhile.`, loginCommand(profile))

/** If `renewal_began_at` is set, the reason is an earlier renewal whose answer was lost. */
export function loginAgain({ renewal_began_at }: Credentials, profile: string): CliError {
  const why =
    renewal_began_at === undefined
      ? 'the service does not renew it any more'
      : `a renewal at ${renewal_began_at} was cut off, and the service gives each only once`
  return new CliError('unauthenticated', `The login has ended: ${why}.`, `Log in again: ${loginCommand(profile)}`)
}

/** A refusal may be an error of the service or of the client, so the login is kept and can be tried again. */
export function notRenewed(refusal: OAuthRefusal, profile: string): CliError {
  const { code, exit, message } = refusal
  const why = message.includes(code) ? message : `${message} (${code})`
  const hint = `Try payctl auth refresh later, or log in again: ${loginCommand(profile)}`
  return new CliError(exit === 'unavailable' ? exit : 'unauthenticated', `The login could not be renewed: ${why}`, hint)
}

/** The token has expired and there is no refresh token. */
export const expired = ({ expires_at }: Credentials, profile: string): CliError =>
  new CliError('unauthenticated', `The login expired at ${expires_at}.`, `Log in again: ${loginCommand(profile)}`)

/** A token goes only to the service that it was made for. */
export function requireSameService(
  { base_url }: Credentials,
  { profile, baseUrl }: { readonly profile: string; readonly baseUrl: string },
): void {
  if (isSameUrl(base_url, baseUrl)) return
  throw new CliError(
    'unauthenticated',
    `Profile '${profile}' is logged in at ${base_url}, and its token is not sent to ${baseUrl}.`,
    `Use a profile of its own: payctl login --profile <name> --base-url ${baseUrl}. Or set PAYCTL_TOKEN`,
  )
}
