import { CliError } from '../errors/cli_error.ts'
import type { Journal } from '../journal/journal.ts'
import { isLooser, type ProfileLimits } from './limits.ts'
import { changeLimits, type LimitsFile, readLimits } from './limits_file.ts'

/** A change of the limits of one profile. */
interface LimitsChange {
  readonly profile: string
  /** From what there is to what there shall be; undefined is none. Throws for what can't be. */
  readonly to: (before: ProfileLimits | undefined) => ProfileLimits | undefined
  /** Has a person agree to looser limits. Throws where nobody can. */
  readonly agreeToLoosen: (before: ProfileLimits | undefined, after: ProfileLimits | undefined) => Promise<void>
  readonly configDir: string
  readonly journal: Journal
  readonly signal: AbortSignal
}

/**
 * Changes limits: anybody may tighten them, and only a person may loosen them. What a person agreed to is what is written:
 * another change that came between ends it. Returns the limits as they are now, and whether they are looser.
 */
export async function changeProfile({ profile, to, agreeToLoosen, configDir, journal, signal }: LimitsChange) {
  const before = find(readLimits(configDir), profile)
  const after = to(before)
  // What limits were, that the journal knows of and their file has lost, nobody can compare.
  const isLost = !before && journal.counted.notedProfiles().some((noted) => noted.profile === profile)
  const isLoosened = isLost || isLooser(before, after)
  if (isLoosened) await agreeToLoosen(before, after)
  await changeLimits(
    configDir,
    (file) => {
      if (JSON.stringify(find(file, profile)) !== JSON.stringify(before)) throw changedMeanwhile()
      // First, so that a file that is lost is missed from its first moment on.
      if (after) journal.inTransaction(() => journal.counted.note(after))
      const others = file.profiles.filter((one) => one.profile !== profile)
      const profiles = after ? [...others, after] : others
      return { journal: profiles.length === 0 ? undefined : (file.journal ?? journal.counted.journalId), profiles }
    },
    signal,
  )
  if (!after) journal.inTransaction(() => journal.counted.forget(profile))
  return { before, after, isLoosened }
}

/** Counts from zero, in this journal: after another one, or another clock, has been at work. Only for a person. */
export async function countAnew({
  configDir,
  journal,
  signal,
}: Omit<LimitsChange, 'profile' | 'to' | 'agreeToLoosen'>): Promise<void> {
  await changeLimits(configDir, ({ profiles }) => ({ journal: journal.counted.journalId, profiles }), signal)
  journal.inTransaction(() => journal.counted.clear())
}

const find = ({ profiles }: LimitsFile, name: string): ProfileLimits | undefined =>
  profiles.find(({ profile }) => profile === name)

const changedMeanwhile = (): CliError =>
  new CliError('conflict', 'The limits were changed by another process meanwhile. Nothing was changed.', {
    kind: 'run_again',
  })
