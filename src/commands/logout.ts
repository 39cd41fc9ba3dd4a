import { forgetCredentials } from '../auth/credentials_file.ts'
import { type Context, command } from '../cli/command.ts'
import { withHint } from '../cli/next_step.ts'
import { nothing } from '../cli/prints.ts'
import { emulatorProfile, findProfile, profileInUse } from '../config/profile.ts'
import { say } from '../words/text.ts'

export const logout = command({
  summary: 'Forget the login',
  about: 'Forget the login of the profile; the profile stays. The tokens stay valid at the service until they expire.',
  prints: nothing,
  examples: ['payctl logout', 'payctl logout --profile prod'],
  async run(_, context) {
    const { globals, env, output, configDir, translate } = context
    const profile = profileInUse(globals, env, () => context.config)
    const found = await forgetCredentials(configDir, profile)
    const again = { kind: 'log_in', profile, words: 'Again' } as const
    if (!found) await requireProfile(profile, context)
    output.note(
      found
        ? withHint(
            say`Logged out: the tokens of profile '${profile}' are gone from this machine.`,
            again,
            globals,
            translate,
          )
        : say`Profile '${profile}' was not logged in.`,
    )
    if (env.PAYCTL_TOKEN) output.note('PAYCTL_TOKEN is still set, so payctl still uses it.')
  },
})

/** Refuses unknown names: after a typing error the user must not think that the login is gone. */
async function requireProfile(profile: string, { config }: Context): Promise<void> {
  if (profile === emulatorProfile || findProfile(config, profile)) return
  const { unknownProfile } = await import('../config/target.ts')
  throw unknownProfile(profile, config)
}
