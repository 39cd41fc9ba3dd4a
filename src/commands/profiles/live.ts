import type { Context } from '../../cli/command.ts'
import { isLoopback } from '../../client/base_url.ts'
import { provenEmulators } from '../../config/proven_emulators.ts'
import { runningEmulators } from '../../config/running_emulators.ts'
import { UsageError } from '../../errors/cli_error.ts'
import type { ProfileLimits } from '../../limits/limits.ts'
import { readLimits } from '../../limits/limits_file.ts'
import { serviceOf } from '../../limits/used.ts'
import { say } from '../../words/text.ts'
import { changeLimitsOf } from '../limits/change.ts'

/** Throws UsageError if an emulator answers: no real money moves there. */
export async function requireNoEmulator(baseUrl: string | undefined, { stateDir, signal }: Context): Promise<void> {
  if (baseUrl === undefined || !isLoopback(baseUrl)) return
  const { proven } = await provenEmulators(runningEmulators(stateDir), { signal, timeout: 2_000 }, baseUrl)
  if (proven.length === 0) return
  throw new UsageError(
    say`${baseUrl} is an emulator: no real money moves there, so the profile can't be live. Nothing was saved.`,
    'Mark the profile of the real service',
  )
}

/** Marks a profile as one where real money moves. Removing the mark needs a person's agreement. */
export async function markLive(
  profile: string,
  baseUrl: string | undefined,
  live: boolean,
  context: Context,
): Promise<void> {
  const services = baseUrl === undefined ? [] : [serviceOf(baseUrl)]
  const fresh: ProfileLimits = { profile, services, users: null }
  const to = (before: ProfileLimits = fresh): ProfileLimits | undefined => {
    const { live: _, ...others } = before
    if (live) return { ...others, services: [...new Set([...before.services, ...services])], live }
    return Object.keys(others).length > 3 ? others : undefined
  }
  await changeLimitsOf(profile, to, context)
}

/** Extends the limits of a profile to its new service; the limits also still apply at the old service. */
export async function followService(profile: string, baseUrl: string, context: Context): Promise<void> {
  const limits = readLimits(context.configDir).profiles.find((one) => one.profile === profile)
  if (!limits || limits.services.includes(serviceOf(baseUrl))) return
  const to = (before: ProfileLimits | undefined) =>
    before && { ...before, services: [...before.services, serviceOf(baseUrl)] }
  await changeLimitsOf(profile, to, context)
}

/** Removes the limits of a profile that is deleted. A person must agree. */
export async function removeLimits(profile: string, context: Context): Promise<void> {
  const { profiles } = readLimits(context.configDir)
  if (profiles.some((one) => one.profile === profile)) await changeLimitsOf(profile, () => undefined, context)
}

export const isMarkedLive = (profile: string, { configDir }: Pick<Context, 'configDir'>): boolean =>
  readLimits(configDir).profiles.some((one) => one.profile === profile && one.live === true)
