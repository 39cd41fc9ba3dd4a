import { forgetCredentials } from '../../auth/credentials_file.ts'
import { type Context, command } from '../../cli/command.ts'
import { withHint } from '../../cli/next_step.ts'
import { object } from '../../cli/prints.ts'
import { type Config, configSettings, currentProfile, defaultProfile, emulatorProfile } from '../../config/profile.ts'
import { changeSettings } from '../../config/settings.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { say } from '../../words/text.ts'
import { columns, entryOf } from './list.ts'

export const remove = command({
  summary: 'Delete one, with its login',
  about:
    'Delete a profile, after asking, and forget its login, whose tokens stay valid at the service until they expire. Only ' +
    'a person at a terminal can delete a profile that is live or has limits: see payctl limits.',
  args: { '<name>': { about: 'the profile', of: 'profile' } },
  flags: { '-y, --yes': { about: 'do not ask' } },
  prints: object(async () => (await import('../schema/machine_shapes.ts')).profile),
  examples: ['payctl profiles delete prod', 'payctl profiles delete prod --yes'],
  async run({ name, yes }, context) {
    await requireOwn(name, context.config)
    if (!yes) await ask(name, context)
    const { isMarkedLive, removeLimits } = await import('./live.ts')
    const entry = entryOf(name, context.config, isMarkedLive(name, context))
    await removeLimits(name, context)
    await forget(name, context)
    await context.output.record({ ...entry, current: false }, columns)
    if (!entry.current) return
    const another = toRun(['profiles', 'use', '<name>'], 'To choose another')
    context.output.note(
      withHint(say`The profile in use is now ${defaultProfile}.`, another, context.globals, context.translate),
    )
  },
})

async function requireOwn(name: string, config: Config): Promise<void> {
  if (name === emulatorProfile) {
    throw new UsageError(
      say`The profile ${emulatorProfile} is built in and can't be deleted.`,
      'To stop an emulator, press Ctrl-C where it runs',
    )
  }
  if (Object.hasOwn(config.profiles, name)) return
  const { unknownProfile } = await import('../../config/target.ts')
  throw unknownProfile(name, config)
}

async function ask(name: string, context: Context): Promise<void> {
  const { requireAskable, requireYes } = await import('../../cli/prompts.ts')
  const { interactive } = context
  const byPerson = 'The profile has limits or is live, so a person must agree: run the command at a terminal'
  const { readLimits } = await import('../../limits/limits_file.ts')
  const limited = !interactive && readLimits(context.configDir).profiles.some(({ profile }) => profile === name)
  requireAskable('delete', say`the profile ${name}`, { interactive, ...(limited && { otherwise: byPerson }) })
  const { base_url } = entryOf(name, context.config)
  await requireYes(say`Delete the profile ${name} (${String(base_url)}) and its login?`, context, 'nothing was deleted')
}

/** Removes the secrets first, so that an interruption leaves no secret without a profile. */
async function forget(name: string, { configDir, signal }: Context): Promise<void> {
  const change = (config: Config): Config => {
    const { [name]: _, ...profiles } = config.profiles
    const isCurrent = currentProfile(config) === name
    return isCurrent ? { profiles } : { ...config, profiles }
  }
  await forgetCredentials(configDir, name)
  await changeSettings(configSettings, configDir, change, signal)
}
