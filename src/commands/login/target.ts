import { randomUUID } from 'node:crypto'
import type { Credentials } from '../../auth/credentials.ts'
import { storeCredentials } from '../../auth/credentials_file.ts'
import type { Context } from '../../cli/command.ts'
import { openClient, requireNamedEmulator } from '../../cli/connection.ts'
import { checkedUrl, isSameUrl } from '../../config/base_url.ts'
import { emulatorProfile, findProfile, type Profile, profileInUse } from '../../config/profile.ts'
import type { Target } from '../../config/target.ts'
import { errorMessage, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { permitted } from '../../errors/service_errors.ts'
import { printable } from '../../run/sanitise.ts'
import { foreign, say } from '../../words/text.ts'
import { profileName } from '../profiles/values.ts'

/** The target of a login, and the settings of the login's profile; these settings are empty for a new profile. */
export interface LoginTarget {
  readonly target: Target
  readonly saved: Profile
}

/**
 * Resolves the target of a login. A new profile is allowed if the run names a base URL. A profile for another service
 * is refused: a login never changes existing settings.
 */
export async function loginTarget(context: Context): Promise<LoginTarget> {
  const { resolveTarget } = await import('../../config/target.ts')
  const { globals, env, config } = context
  const name = profileInUse(globals, env, () => config)
  const saved = findProfile(config, name) ?? newProfile(name)
  const target = await resolveTarget({
    globals,
    // Ignores PAYCTL_TOKEN: the login outlives the variable.
    env: { ...env, PAYCTL_TOKEN: undefined },
    stateDir: context.stateDir,
    signal: context.signal,
    config: () => (globals.baseUrl === undefined ? config : withProfile(config, name, saved)),
    note: (text) => context.output.note(text),
  })
  requireNamedEmulator(target) // a login is saved: with several emulators the user chooses
  const { base_url } = saved
  if (name !== emulatorProfile && base_url !== undefined && !isSameUrl(base_url, target.baseUrl)) {
    throw new UsageError(
      say`Profile '${name}' is for ${base_url}, and this login is for ${target.baseUrl}.`,
      toRun(['login', '--profile', '<name>', '--base-url', target.baseUrl], 'Use another profile'),
    )
  }
  checkedUrl(target.baseUrl, 'The base URL', mayNotBeSeen)
  checkedUrl(target.authUrl, 'The auth URL', mayNotBeSeen)
  return { target, saved }
}

/** Settings of a new profile, which are empty. Throws UsageError for a name that no profile can have. */
function newProfile(name: string): Profile {
  if (name === emulatorProfile) return {}
  try {
    profileName(name)
    return {}
  } catch (error) {
    throw new UsageError(say`'${name}' can't be the name of a profile.`, foreign(errorMessage(error)))
  }
}

/** Placeholder for the token, which does not exist yet. */
const mayNotBeSeen = 'token'

const withProfile = (config: Context['config'], name: string, profile: Profile): Context['config'] => ({
  ...config,
  profiles: { ...config.profiles, [name]: profile },
})

/** Saves the profile first, because credentials are useless without their service. */
export async function keepLogin(credentials: Credentials, login: LoginTarget, context: Context): Promise<void> {
  const { profile, emulator } = login.target
  await keepTarget(context, login, credentials.client_id)
  await storeCredentials(context.configDir, profile, {
    ...credentials,
    login_id: randomUUID(),
    ...(emulator && { emulator_world: emulator.world }),
  })
}

/** Adds missing settings to the profile, so that the next command and login find the service. */
async function keepTarget(context: Context, { target, saved }: LoginTarget, clientId?: string): Promise<void> {
  const { profile, baseUrl, authUrl } = target
  const kept = {
    base_url: baseUrl,
    ...(!isSameUrl(authUrl, baseUrl) && { auth_url: authUrl }),
    ...(clientId !== undefined && { client_id: clientId }),
  }
  const isKnown = Object.keys(kept).every((key) => saved[key as keyof typeof kept] !== undefined)
  if (profile === emulatorProfile || isKnown) return
  const [{ configSettings }, { changeSettings }] = await Promise.all([
    import('../../config/profile.ts'),
    import('../../config/settings.ts'),
  ])
  await changeSettings(
    configSettings,
    context.configDir,
    (config) => withProfile(config, profile, { ...kept, ...findProfile(config, profile) }),
    context.signal,
  )
  if (saved.base_url === undefined) context.output.note(say`Profile '${profile}' goes to ${baseUrl} from now on.`)
}

/**
 * Asks the service for the user of the token; undefined if the token is valid but lacks the scope read-user. Throws the
 * client's errors.
 */
export async function whoIs(token: string, baseUrl: string, context: Context): Promise<Credentials['user']> {
  const client = await openClient(context, baseUrl, { token, signal: context.signal })
  try {
    const user = await permitted(client.call('user.get'))
    return user ? { id: text(user.id), name: text(user.name), email: text(user.email) } : undefined
  } finally {
    await client.close()
  }
}

/** Cleans a text from the service before the text is saved and shown. */
const text = (value: string | null | undefined): string => printable(value ?? '').slice(0, 200)
