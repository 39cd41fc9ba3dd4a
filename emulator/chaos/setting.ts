import {
  type ChaosBody,
  type ChaosFault,
  type ChaosKind,
  ChaosProfile,
  type ChaosProfileName,
  chaosAlternatives,
  chaosProfileNames,
  chaosProfiles,
  endpoints,
  eventNames,
} from '../../src/contract/index.ts'
import { type ChaosOption, EmulatorRefusal } from '../options.ts'
import { ContentRefusal, type Problem, shapeProblems } from '../seed_file/problems.ts'
import { readYamlFile } from '../seed_file/read.ts'

/** Seed of a world's draws, and probability of each fault. */
export interface ChaosSetting {
  readonly seed: number
  readonly name: ChaosProfileName | 'custom'
  readonly profile: ChaosProfile
}

/** Error for a chaos profile that can't be used. */
export class ProfileRefusal extends ContentRefusal {
  constructor(problems: readonly Problem[], file?: string) {
    super({ subject: 'The chaos profile', schema: 'payctl/chaos-profile.schema.json' }, problems, file)
    this.name = 'ProfileRefusal'
  }
}

/** Reads and checks the profile that an option names. Throws a ProfileRefusal, or an EmulatorRefusal. */
export async function chaosOf({ seed, profile, profileFile }: ChaosOption): Promise<ChaosSetting> {
  if (profileFile === undefined) return settingOf({ seed, ...(profile !== undefined && { profile }) })
  if (profile !== undefined) {
    throw new EmulatorRefusal('Both a profile and a profile file are given.', 'Leave one of them out.')
  }
  const kind = `${chaosProfileNames.join(', ')}, or a profile`
  const { content, locate } = await readYamlFile(profileFile, { kind, Refusal: ProfileRefusal })
  const problems = problemsOf(content)
  if (problems.length > 0) throw new ProfileRefusal(locate(problems), profileFile)
  return { seed, name: 'custom', profile: content as ChaosProfile }
}

/** Checks a profile, which is a name or an object. Throws a ProfileRefusal. */
export function settingOf({ seed, profile = 'mild' }: ChaosBody): ChaosSetting {
  if (typeof profile === 'string') return { seed, name: profile, profile: chaosProfiles[profile] }
  const problems = problemsOf(profile)
  if (problems.length > 0) throw new ProfileRefusal(problems)
  return { seed, name: 'custom', profile: structuredClone(profile) }
}

function problemsOf(given: unknown): readonly Problem[] {
  const problems = shapeProblems(given, ChaosProfile)
  if (problems.length > 0) return problems
  const profile = given as ChaosProfile
  return [
    ...Object.entries(chaosAlternatives).flatMap(tooMuch(profile)),
    ...(profile.faults ?? []).flatMap((fault, at) => {
      const places = placesOf(fault)
      if (places.includes(fault.at)) return []
      const message = `${fault.kind} happens at ${places.length > 2 ? `${places[0]} and the like` : places[0]}`
      return [{ path: ['faults', at, 'at'], message }]
    }),
  ]
}

/** Endpoints, events or series to which a kind of fault can apply. */
function placesOf({ kind }: ChaosFault): readonly string[] {
  const { requests, deliveries } = chaosAlternatives
  if (requests.some((known) => known === kind)) return Object.keys(endpoints)
  if (deliveries.some((known) => known === kind)) return eventNames
  return [kind === 'expired_tokens' ? 'tokens' : 'rails']
}

/** Faults that exclude each other must have shares that add up to 1 or less. */
const tooMuch =
  (profile: ChaosProfile) =>
  ([subject, kinds]: readonly [string, readonly ChaosKind[]]): readonly Problem[] => {
    const given = kinds.filter((kind) => profile[kind])
    const sum = given.reduce((total, kind) => total + (profile[kind] ?? 0), 0)
    if (sum <= 1 + Number.EPSILON * kinds.length) return []
    const message = `the shares of ${given.join(', ')} are ${Number(sum.toFixed(6))} together; all ${subject} are 1`
    return [{ path: given.slice(-1), message }]
  }
