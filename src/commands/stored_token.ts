import type { Credentials } from '../auth/credentials.ts'
import { notLoggedIn } from '../auth/refusals.ts'
import type { RenewalOptions } from '../auth/renewal.ts'
import { findCredentials, sourceOf } from '../auth/stored_access.ts'
import type { TokenSource } from '../auth/token_source.ts'
import type { Context } from './context.ts'

/** What renewing a login takes of a run. */
export function renewalOf(context: Context, signal = context.signal): Omit<RenewalOptions, 'profile' | 'forced'> {
  const { configDir, trace, proxyFor, globals } = context
  const { timeout, retries = 3 } = globals
  return { configDir, signal, trace, proxyFor, timeout, retries, note: (text) => context.output.note(text) }
}

/** The login that this run uses, or undefined. Throws CliError when it is one at another service. */
export async function storedCredentials(context: Context): Promise<Credentials | undefined> {
  return await findCredentials(await context.target(), renewalOf(context))
}

/** The token of the login, or of the running emulator; `signal` ends its renewal. Throws CliError with exit 4 when there is neither. */
export async function storedToken(context: Context, signal = context.signal): Promise<TokenSource> {
  const target = await context.target()
  const credentials = await storedCredentials(context)
  if (credentials) return sourceOf(credentials, target, renewalOf(context, signal))
  const { profile, emulator } = target
  if (!emulator) throw notLoggedIn(profile, context.globals)
  return { token: async () => emulator.token, renew: async () => false }
}
