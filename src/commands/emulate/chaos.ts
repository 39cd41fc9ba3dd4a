import { availableParallelism } from 'node:os'
import { platform } from 'node:process'
import type { Context } from '../../cli/command.ts'
import { argumentsWithout, commandAt } from '../../cli/global_options.ts'
import { optionsOf } from '../../cli/register.ts'
import type { ReportCheck } from '../../contract/emulator_names.ts'
import { largestChaosSeed } from '../../contract/emulator_names.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import type { Report } from '../run_report.ts'
import { flags, type Options } from './options.ts'
import { bareSecretFlags } from './secrets.ts'

/** Throws UsageError for flags that need another flag or a command, or that exclude each other. */
export function checkChaosFlags(options: Options, child: readonly string[]) {
  const { chaos, chaosProfile, chaosSeeds, chaosVerdict, chaosKill, data, worlds } = options
  if (chaosKill) checkChaosKill(options, child)
  if (chaos === undefined && (chaosProfile ?? chaosVerdict) !== undefined) {
    const flag = chaosProfile !== undefined ? '--chaos-profile' : '--chaos-verdict'
    throw new UsageError(`${flag} works only with --chaos.`, 'Add --chaos 1')
  }
  const ofSeeds = Object.entries(seedsFlags).find(([name]) => options[name as keyof typeof seedsFlags] !== undefined)
  if (chaosSeeds === undefined && ofSeeds)
    throw new UsageError(`${ofSeeds[1]} is only for runs with several seeds.`, 'Add --chaos-seeds 20')
  if (chaos === undefined || chaosSeeds === undefined) return
  if (child.length === 0) throw new UsageError('--chaos-seeds needs a command to run.', 'Add one: -- npm test')
  if ((data ?? worlds) !== undefined) {
    throw new UsageError('With --chaos-seeds each seed has a new world, in memory.', 'Leave --data and --worlds out')
  }
  if (chaos + chaosSeeds - 1 > largestChaosSeed) {
    throw new UsageError(`The largest seed is ${largestChaosSeed}.`, 'Start with a smaller seed')
  }
  const single = singleFlag(options)
  if (single !== undefined && (options.chaosJobs ?? 1) > 1) {
    throw new UsageError(`${single} is for one emulator, but each run has its own.`, 'Add --chaos-jobs 1')
  }
}

/** Flags that need `--chaos-seeds`, keyed by option. */
const seedsFlags = {
  chaosJobs: '--chaos-jobs',
  chaosAll: '--chaos-all',
  chaosReduce: '--chaos-reduce',
  chaosFaults: '--chaos-faults',
  chaosReport: '--chaos-report',
} as const satisfies { readonly [name in keyof Options]?: string }

/** Name of the given flag whose value only one emulator at a time can have; undefined if there is none. */
const singleFlag = ({ port, name, readyFile }: Options): string | undefined =>
  port ? '--port' : name !== undefined ? '--name' : readyFile !== undefined ? '--ready-file' : undefined

/** Number of seeds to run at the same time. */
export const jobsFor = (options: Options): number =>
  options.chaosJobs ?? (singleFlag(options) === undefined ? availableParallelism() : 1)
function checkChaosKill({ chaos }: Options, child: readonly string[]): void {
  if (chaos === undefined) throw new UsageError('--chaos-kill needs a seed.', 'Add --chaos 1')
  if (child.length === 0) throw new UsageError('--chaos-kill needs a command to kill.', 'Add one: -- node payouts.js')
  if (platform === 'win32') {
    throw new UsageError(
      '--chaos-kill needs process groups, which Windows does not have.',
      'Run the command under Linux or macOS',
    )
  }
}

interface Verdict {
  readonly options: Pick<Options, 'chaosVerdict' | 'chaosKill'>
  readonly report: Report
  readonly signal: AbortSignal
}

/**
 * True if the report, not the exit code of the command, decides whether the run fails: a lost answer fails tests even
 * if the program handles the loss well. The exit code also counts if the verdict is `command` (the default with
 * `--chaos-kill`), if the command sent no request, or if a signal or a kill ended the command.
 */
export const isIgnored = (code: number, { options, report, signal }: Verdict): boolean =>
  code > 0 &&
  code < 126 &&
  (options.chaosVerdict ?? (options.chaosKill ? 'command' : 'report')) === 'report' &&
  (report.requests ?? 0) > 0 &&
  !signal.aborted

/** Explains the exit code of the run, even with --quiet. */
export const noteIgnored = (code: number, { io }: Pick<Context, 'io'>): void =>
  void io.stderr.write(
    `The command ended with exit code ${code}. Only the report decides whether the run fails; with --chaos-verdict command, the exit code of the command counts too.\n`,
  )

/** Result of a run of a command, or of an emulator without a command. */
export interface Ended {
  readonly code: number
  /** Checks of the report that fail the run. */
  readonly failing: readonly ReportCheck[]
  /** Random faults of the run; null without chaos, or if the command could not be started. */
  readonly chaos: { readonly seed: number; readonly report: Report } | null
}

interface Told {
  readonly options: Options
  /** The command that ran with the emulator. */
  readonly child: readonly string[]
}

/** Prints the random faults, the findings about them, and the command that repeats the run. */
export async function printChaos(
  { code, chaos }: Ended,
  { options, child }: Told,
  { output, argv }: Pick<Context, 'output' | 'argv'>,
): Promise<void> {
  if (chaos === null) return
  const { chaos: first = 0, chaosSeeds: count, onExit, data, worlds } = options
  const calm = child.length === 0 || code !== exits.done.code ? undefined : whyCalm(chaos.report)
  if (calm !== undefined) output.note(calm)
  if (code === exits.done.code && count !== undefined) {
    output.note(
      count === 1
        ? `Seed ${first} did not fail.`
        : `None of ${count} seeds failed, from ${first} to ${first + count - 1}.`,
    )
    return
  }
  const { chaosLines } = await import('../run_report.ts')
  for (const line of chaosLines(chaos.report, { findings: onExit === undefined })) output.note(line)
  const kept = data ?? worlds
  const { words, leftOut } = sameAgain(chaos.seed, child, argv)
  const asBefore = [
    ...(kept === undefined ? [] : [`${kept} as it was before`]),
    ...(leftOut.length === 0 ? [] : [`${leftOut.join(' and ')} as ${leftOut.length === 1 ? 'it was' : 'they were'}`]),
  ]
  output.commandNote(`Again${asBefore.map((what) => `, with ${what}`).join('')}:`, words)
}

/** Reason why no fault could happen; undefined if faults could happen. */
function whyCalm({ requests, chaos, kills }: Report): string | undefined {
  if (chaos.counts.length === 0 && kills.length === 0) return 'The profile causes no faults.'
  return requests === 0 ? 'No request arrived: does the command use PAYCTL_BASE_URL?' : undefined
}

/**
 * The command that repeats the run, without secrets, and the flags with secrets that it leaves out. `profile` replaces
 * the run's chaos profile.
 */
export function sameAgain(seed: number, child: readonly string[], argv: readonly string[], profile?: string) {
  const last = child.length
  const without = (names: readonly string[]) => argumentsWithout(names, { argv, options: optionsOf(flags), last })
  const replaced = profile === undefined ? [] : ['--chaos-profile']
  const given = without(['--chaos', '--chaos-seeds', ...Object.values(seedsFlags), ...replaced, ...bareSecretFlags])
  const at = commandAt(given) + 1
  const chaos = ['--chaos', `${seed}`, ...(profile === undefined ? [] : ['--chaos-profile', profile])]
  const own = [...given.slice(0, at), ...chaos, ...given.slice(at)]
  return {
    words: ['payctl', ...own, ...(last > 0 ? ['--', ...child] : [])],
    leftOut: bareSecretFlags.filter((flag) => without([flag]).length < without([]).length),
  }
}
