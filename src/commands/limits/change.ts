import type { Context } from '../../cli/command.ts'
import { openJournal } from '../../journal/journal.ts'
import { changeProfile } from '../../limits/change.ts'
import type { ProfileLimits } from '../../limits/limits.ts'
import { serviceOf } from '../../limits/used.ts'
import { agreeToLoosen, changesOf } from './loosen.ts'
import { payeesIfReadable } from './rows.ts'

type Change = (before: ProfileLimits | undefined) => ProfileLimits | undefined

/** Changes the limits of a profile; what loosens them a person must agree to. */
export async function changeLimitsOf(profile: string, to: Change, context: Context) {
  const { configDir, stateDir, signal } = context
  const saved = await payeesIfReadable(configDir)
  const journal = openJournal(stateDir)
  try {
    return await changeProfile({
      ...{ profile, to, configDir, journal, signal },
      agreeToLoosen: (before, after) => agreeToLoosen({ profile, what: changesOf(before, after, saved) }, context),
    })
  } finally {
    journal.close()
  }
}

/** Limits that do not limit yet, for the service and the user that the profile leads to, as far as they are known. */
export async function newLimits(profile: string, context: Context): Promise<ProfileLimits> {
  const services = await context.target().then(
    ({ baseUrl }) => [serviceOf(baseUrl)],
    () => [],
  )
  return { profile, services, users: services.length === 0 ? null : await userOf(context) }
}

/** Null where nobody is logged in, or the service does not say. */
async function userOf(context: Context): Promise<readonly string[] | null> {
  try {
    const client = await context.client()
    const { id } = await client.call('user.get')
    return id ? [id] : null
  } catch {
    context.signal.throwIfAborted()
    context.output.note(
      'It is not known who logs in with this profile, so the limits hold for all users of its service.',
    )
    return null
  }
}
