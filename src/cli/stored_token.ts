import { findCredentials, type LoginOptions, type TokenSource, tokenSource } from '../auth/access_token.ts'
import type { Credentials } from '../auth/credentials.ts'
import type { Context } from './command.ts'

/** Options of the run for renewing a login. */
export function renewalOf(context: Context): LoginOptions {
  const { configDir, signal, trace, proxyFor, globals } = context
  const { timeout, retries = 3 } = globals
  return { configDir, signal, trace, proxyFor, timeout, retries, note: (text) => context.output.note(text) }
}

/** The login that this run uses, or undefined. Throws CliError if it is at another service. */
export async function storedCredentials(context: Context): Promise<Credentials | undefined> {
  return await findCredentials(await context.target(), renewalOf(context))
}

/** The token that this run uses. Throws CliError with exit 4 when there is none. */
export async function storedToken(context: Context): Promise<TokenSource> {
  return await tokenSource(await context.target(), renewalOf(context))
}
