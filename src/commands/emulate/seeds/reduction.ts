import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ChaosFault } from '../../../contract/chaos_profile.ts'
import type { ReportCheck } from '../../../contract/emulator_names.ts'
import { makeFolder } from '../../../files/directories.ts'
import { replaceContent } from '../../../files/private_file.ts'
import { monotonicClock } from '../../../real_time.ts'
import type { Ended } from '../chaos.ts'
import { fewest } from './fewest.ts'
import type { SeedProcesses } from './process.ts'

/** Members of a chaos profile that affect its listed faults. */
interface Manner {
  readonly retry_after_s?: number
  readonly slow_ms?: number
}

interface Search {
  readonly processes: SeedProcesses
  readonly seed: number
  readonly manner: Manner
  /** Maximum number of runs. */
  readonly limit: number
  readonly signal: AbortSignal
  /** Reports the number of remaining faults and the number of runs so far. */
  readonly progress: (left: number, runs: number) => void
}

/** Time limit of a search, in milliseconds. */
const longestSearch = 600_000

/** Number of final runs, which show whether the remaining faults make the command fail every time. */
const proofs = 3

/** Result of a search for the fewest faults that make a command fail. */
export interface Reduction {
  /** Number of faults in the failed run. */
  readonly of: number
  /**
   * `found`: these faults made the command fail. `calm`: the command failed without faults. `unsteady`: the same faults
   * did not make the command fail again, so no fault can be left out.
   */
  readonly outcome: 'found' | 'calm' | 'unsteady'
  readonly faults: readonly ChaosFault[]
  readonly runs: number
  /** True if the search ran out of runs or time, or was interrupted. */
  readonly isCutOff: boolean
  /** Number of runs with these faults after the search, and number of these runs that failed. */
  readonly proofs: number
  readonly failed: number
}

/** The failure to look for: other failures may have other causes. */
export const failureOf = ({ code, failing }: Ended): string =>
  ['paid_twice', 'handled_twice'].find((check) => failing.some((each) => each === check)) ??
  failing[0] ??
  `exit ${code}`

/** Looks for the fewest faults of a failed run with which the command still fails in the same way. */
export async function reduce(failed: Ended, search: Search): Promise<Reduction> {
  const { processes, seed, manner, limit, signal, progress } = search
  const all = failed.chaos?.report.chaos.faults as readonly ChaosFault[]
  const wanted = failureOf(failed)
  const deadline = monotonicClock() + longestSearch
  let runs = 0
  const isOver = () => signal.aborted || runs >= limit || monotonicClock() > deadline
  const fails = async (faults: readonly ChaosFault[]): Promise<boolean> => {
    runs += 1
    const profile = join(processes.folder, `faults-${runs}.json`)
    writeFileSync(profile, JSON.stringify({ ...manner, faults }))
    const { end } = processes.start({ seed, profile })
    const run = await end
    const isSame = (check: string) => check === wanted
    return !run.isInterrupted && (run.failing.some(isSame) || (run.failing.length === 0 && failureOf(run) === wanted))
  }
  const variants = [shiftedIn(all), (rest: readonly ChaosFault[]) => rest]
  let smallest = all
  const isEnough = async (rest: readonly ChaosFault[]): Promise<boolean> => {
    const tried: string[] = []
    for (const variant of variants) {
      const faults = variant(rest)
      const text = JSON.stringify(faults)
      if (rest.length === 0 || isOver() || tried.includes(text)) continue
      tried.push(text)
      // Requires two failing runs: a failure by chance must not look like an effect of these faults.
      const isFailing = (await fails(faults)) && (await fails(faults))
      progress(rest.length, runs)
      if (!isFailing) continue
      smallest = faults
      return true
    }
    return false
  }
  const result = (outcome: Reduction['outcome'], faults: readonly ChaosFault[], failedProofs: readonly boolean[]) => ({
    of: all.length,
    outcome,
    faults,
    runs,
    isCutOff: isOver(),
    proofs: failedProofs.length,
    failed: failedProofs.filter((each) => each).length,
  })
  const [withNone, withAll] = await Promise.all([fails([]), fails(all)])
  if (withNone) return result('calm', [], [])
  if (!withAll && !(await fails(all)) && !(await fails(all))) return result('unsteady', all, [])
  const near = faultsNear(failed, wanted, all)
  const isNear = near.length < all.length && (await isEnough(near))
  await fewest(isNear ? near : all, isEnough)
  const searched = result('found', smallest, [])
  if (signal.aborted) return searched
  const shown = await Promise.all(Array.from({ length: proofs }, () => fails(smallest)))
  return { ...searched, proofs, failed: shown.filter((each) => each).length }
}

/** Faults in the world of the first finding: the other tests of a suite have their own worlds, and their own faults. */
function faultsNear({ chaos }: Ended, wanted: string, all: readonly ChaosFault[]): readonly ChaosFault[] {
  const [finding] = chaos?.report[wanted as ReportCheck]?.first ?? []
  const stream = finding && 'rng_stream' in finding ? finding.rng_stream : undefined
  return all.filter(({ rng_stream }) => rng_stream === stream)
}

/**
 * Renumbers faults for a program that repeats a request after each fault: without an earlier fault, each later fault
 * comes one request sooner.
 */
const shiftedIn =
  (all: readonly ChaosFault[]) =>
  (rest: readonly ChaosFault[]): readonly ChaosFault[] =>
    rest.map((fault) => {
      const isBefore = ({ at, rng_stream, nth }: ChaosFault) =>
        at === fault.at && rng_stream === fault.rng_stream && nth < fault.nth
      const sooner = all.filter((other) => isBefore(other) && !rest.includes(other)).length
      return { ...fault, nth: fault.nth - sooner }
    })

/** Writes faults as a chaos profile, one per line. Throws the file system's error. */
export function writeFaults(file: string, faults: readonly ChaosFault[], manner: Manner): void {
  makeFolder(dirname(file))
  const members = Object.entries(manner).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const lines = faults.map((fault) => `  - ${JSON.stringify(fault)}`)
  replaceContent(file, `${[...members, 'faults:', ...lines].join('\n')}\n`)
}

/** Describes a fault: `lost_answers at payments.create, 3rd in shop-7`. */
export function faultText({ kind, at, nth, rng_stream, rail, delay_ms }: ChaosFault): string {
  const place = at === 'tokens' || at === 'rails' ? '' : ` at ${at}`
  const details = [
    ordinal(nth),
    ...(rail === undefined ? [] : [rail]),
    ...(delay_ms === undefined ? [] : [`${delay_ms} ms`]),
    ...(rng_stream === undefined ? [] : [`in ${rng_stream}`]),
  ]
  return `${kind}${place}, ${details.join(', ')}`
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }

const ordinal = (number: number): string => `${number}${endings[ordinals.select(number)] ?? 'th'}`
