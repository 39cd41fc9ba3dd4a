import { randomUUID } from 'node:crypto'
import type { Credentials } from '../../auth/credentials.ts'
import { storeCredentials } from '../../auth/credentials_file.ts'
import { checkedUrl, isSameUrl } from '../../config/base_url.ts'
import { emulatorProfile, findProfile, type Profile, profileInUse } from '../../config/profile.ts'
import type { Target } from '../../config/target.ts'
import { errorMessage, UsageError } from '../../errors/cli_error.ts'
import { ApiError } from '../../errors/service_errors.ts'
import { printable } from '../../run/sanitise.ts'
import { openClient } from '../connection.ts'
import type { Context } from '../context.ts'
import { profileName } from '../profiles/values.ts'

/** Where a login is for: the target, and what its profile holds so far (nothing, for a new one). */
export interface LoginTarget {
  readonly target: Target
  readonly saved: Profile
}

/**
 * The target of a login. Its profile may be new, if a base URL comes with it. A profile that goes elsewhere is not for
 * this login: what it holds is never rewritten by the way.
 */
export async function loginTarget(context: Context): Promise<LoginTarget> {
  const { resolveTarget } = await import('../../config/target.ts')
  const { globals, env, config } = context
  const name = profileInUse(globals, env, () => config)
  const saved = findProfile(config, name) ?? newProfile(name)
  const target = await resolveTarget({
    globals,
    // It is no part of a login, which outlives it.
    env: { ...env, PAYCTL_TOKEN: undefined },
    stateDir: context.stateDir,
    signal: context.signal,
    config: () => (globals.baseUrl === undefined ? config : withProfile(config, name, saved)),
    note: (text) => context.output.note(text),
  })
  const { base_url } = saved
  if (name !== emulatorProfile && base_url !== undefined && !isSameUrl(base_url, target.baseUrl)) {
    throw new UsageError(
      `Profile '${name}' is for ${base_url}, and this login is for ${target.baseUrl}.`,
      `Use another profile: payctl login --profile <name> --base-url ${target.baseUrl}`,
    )
  }
  checkedUrl(target.baseUrl, 'The base URL', mayNotBeSeen)
  checkedUrl(target.authUrl, 'The auth URL', mayNotBeSeen)
  return { target, saved }
}

/** A profile that is made now, if its name can be one. */
function newProfile(name: string): Profile {
  if (name === emulatorProfile) return {}
  try {
    profileName(name)
    return {}
  } catch (error) {
    throw new UsageError(`'${name}' can't be the name of a profile.`, errorMessage(error))
  }
}

/** Stands for the token that is not there yet. */
const mayNotBeSeen = 'token'

const withProfile = (config: Context['config'], name: string, profile: Profile): Context['config'] => ({
  ...config,
  profiles: { ...config.profiles, [name]: profile },
})

/** The profile first: credentials without their service would be of no use. */
export async function keepLogin(credentials: Credentials, login: LoginTarget, context: Context): Promise<void> {
  const { profile, emulator } = login.target
  await keepTarget(context, login, credentials.client_id)
  await storeCredentials(context.configDir, profile, {
    ...credentials,
    login_id: randomUUID(),
    ...(emulator && { emulator_world: emulator.world }),
  })
}

/** Keeps in the profile what it does not say yet, so that the next command, and the next login, find the service. */
async function keepTarget(context: Context, { target, saved }: LoginTarget, clientId?: string): Promise<void> {
  const { profile, baseUrl, authUrl } = target
  const kept = {
    base_url: baseUrl,
    ...(!isSameUrl(authUrl, baseUrl) && { auth_url: authUrl }),
    ...(clientId !== undefined && { client_id: clientId }),
  }
  const isKnown = Object.keys(kept).every((key) => saved[key as keyof typeof kept] !== undefined)
  if (profile === emulatorProfile || isKnown) return
  const { changeConfig } = await import('../../config/config_file.ts')
  await changeConfig(
    context.configDir,
    (config) => withProfile(config, profile, { ...kept, ...findProfile(config, profile) }),
    context.signal,
  )
  if (saved.base_url === undefined) context.output.note(`Profile '${profile}' goes to ${baseUrl} from now on.`)
}

/**
 * Whose token it is, by the service that it is for. Undefined where it may not ask that: such a token is good all the
 * same. Throws what the client throws.
 */
export async function whoIs(token: string, baseUrl: string, context: Context): Promise<Credentials['user']> {
  const client = await openClient(context, baseUrl, { token, signal: context.signal })
  try {
    const { id, name, email } = await client.call('user.get')
    return { id: text(id), name: text(name), email: text(email) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined
    throw error
  } finally {
    await client.close()
  }
}

/** The service's own text: it is kept and shown. */
const text = (value: string | null | undefined): string => printable(value ?? '').slice(0, 200)
