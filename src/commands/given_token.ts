import { emulatorProfile } from '../config/profile.ts'
import type { Context, Target } from './context.ts'

/**
 * The token that was given for this run, which outranks a login. That of a running emulator does not: it is what is
 * left where nobody has logged in.
 */
export const givenToken = (target: Target, run: Pick<Context, 'globals' | 'env'>): string | undefined =>
  isEmulators(target, run) ? undefined : target.token

export const isEmulators = ({ profile, token }: Target, { globals, env }: Pick<Context, 'globals' | 'env'>): boolean =>
  profile === emulatorProfile && globals.token === undefined && (globals.emulator || token !== env.PAYCTL_TOKEN)
