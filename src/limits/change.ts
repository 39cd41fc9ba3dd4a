import { CliError } from '../errors/cli_error.ts'
import type { Journal } from '../journal/journal.ts'
import { isLooser, type ProfileLimits } from './limits.ts'
import { changeLimits, type LimitsFile, readLimits } from './limits_file.ts'

/** A change to one profile's limits. */
export interface LimitsChange {
  readonly profile: string
  /** Maps the current limits to the new limits; undefined: no limits. Throws for an invalid change. */
  readonly to: (before: ProfileLimits | undefined) => ProfileLimits | undefined | Promise<ProfileLimits | undefined>
  /** Asks a person to agree to looser limits. Throws if no person can be asked. */
  readonly agreeToLoosen: (before: ProfileLimits | undefined, after: ProfileLimits | undefined) => Promise<void>
  readonly configDir: string
  readonly journal: Journal
  readonly signal: AbortSignal
}

/**
 * Changes limits. Tightening needs no agreement; loosening needs the agreement of a person. Writes only what the person
 * agreed to: fails if the limits have changed in the meantime. Returns the limits before and after, and whether the
 * change loosened them.
 */
export async function changeProfile({ profile, to, agreeToLoosen, configDir, journal, signal }: LimitsChange) {
  const before = find(readLimits(configDir), profile)
  const after = await to(before)
  // The journal remembers limits that are missing from the limits file. Lost limits can't be compared, so any change
  // may loosen them.
  const isLost = !before && journal.counted.notedProfiles().some((noted) => noted.profile === profile)
  const isLoosened = isLost || isLooser(before, after)
  if (isLoosened) await agreeToLoosen(before, after)
  await changeLimits(
    configDir,
    (file) => {
      if (JSON.stringify(find(file, profile)) !== JSON.stringify(before)) {
        const message = 'Another process has changed the limits in the meantime. This command changed nothing.'
        throw new CliError('conflict', message, { kind: 'run_again' })
      }
      // Runs before the file is written, so that the journal reveals the loss if the file is lost at any time after
      // that.
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

/** Restarts the counts from zero in this journal, after use of another journal or clock. Only a person may do this. */
export async function restartCounts({
  configDir,
  journal,
  signal,
}: Omit<LimitsChange, 'profile' | 'to' | 'agreeToLoosen'>): Promise<void> {
  await changeLimits(configDir, ({ profiles }) => ({ journal: journal.counted.journalId, profiles }), signal)
  journal.inTransaction(() => journal.counted.clear())
}

const find = ({ profiles }: LimitsFile, name: string): ProfileLimits | undefined =>
  profiles.find(({ profile }) => profile === name)
