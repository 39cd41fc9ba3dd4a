import type { Context } from '../../cli/command.ts'
import { argumentsWithout, commandAt } from '../../cli/global_options.ts'
import { optionsOf } from '../../cli/register.ts'
import { largestChaosSeed } from '../../contract/emulator_names.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { monotonicClock } from '../../real_time.ts'
import { chaosLines, faultsIn, type Report } from '../run_report.ts'
import { flags, type Options } from './options.ts'
import { bareSecretFlags } from './secrets.ts'

/** Throws UsageError for flags that have no effect together. */
export function checkChaosFlags(options: Options, child: readonly string[]) {
  const { chaos, chaosProfile, chaosSeeds, chaosVerdict, data, worlds } = options
  if (chaos === undefined && (chaosProfile ?? chaosSeeds ?? chaosVerdict) !== undefined) {
    const flag =
      chaosSeeds !== undefined ? '--chaos-seeds' : chaosProfile !== undefined ? '--chaos-profile' : '--chaos-verdict'
    throw new UsageError(`${flag} needs a seed to start with.`, 'Add --chaos 1')
  }
  if (chaos === undefined || chaosSeeds === undefined) return
  if (child.length === 0) throw new UsageError('--chaos-seeds runs a command.', 'Add one: -- npm test')
  if ((data ?? worlds) !== undefined) {
    throw new UsageError('With --chaos-seeds each seed has a new world, in memory.', 'Leave --data and --worlds out')
  }
  if (chaos + chaosSeeds - 1 > largestChaosSeed) {
    throw new UsageError(`The largest seed is ${largestChaosSeed}.`, 'Start with a smaller one')
  }
}

interface Verdict {
  readonly options: Pick<Options, 'chaosVerdict'>
  readonly report: Report
  readonly signal: AbortSignal
}

/**
 * True if the exit code of a command does not fail its run, because the report decides: tests fail when an answer is
 * lost, also those of a program that handles it well. A command that never asked the emulator, or that a signal ended,
 * has shown nothing.
 */
export const isIgnored = (code: number, { options, report, signal }: Verdict): boolean =>
  code > 0 && code < 126 && options.chaosVerdict !== 'command' && (report.requests ?? 0) > 0 && !signal.aborted

/** Explains the exit code of the run, with --quiet too. */
export const tellIgnored = (code: number, { io }: Pick<Context, 'io'>): void =>
  void io.stderr.write(
    `The command ended with exit code ${code}. The report alone decides here (--chaos-verdict command: both).\n`,
  )

/** Result of a run of a command, or of an emulator without a command. */
export interface Ended {
  readonly code: number
  /** Random faults of the run; null without chaos, or if the command could not be started. */
  readonly chaos: { readonly seed: number; readonly report: Report } | null
}

/** Runs with one seed after another until one fails, and says how each went; returns the last one. */
export async function tryingSeeds(
  { chaos: first = 0, chaosSeeds: count = 1 }: Pick<Options, 'chaos' | 'chaosSeeds'>,
  run: (seed: number) => Promise<Ended>,
  { io, output, signal }: Pick<Context, 'io' | 'output' | 'signal'>,
): Promise<Ended> {
  for (let at = 1; ; at += 1) {
    const seed = first + at - 1
    const started = monotonicClock()
    const { code, chaos } = await run(seed)
    if (chaos === null) return { code, chaos }
    const seconds = ((monotonicClock() - started) / 1000).toFixed(1)
    // An interrupted command has not passed, even with exit code 0.
    const ended = { code: signal.aborted ? code || exits.interrupted.code : code, chaos }
    const result = signal.aborted ? 'interrupted' : code === exits.done.code ? 'passed' : `exit ${code}`
    const line = `Seed ${seed}, ${at} of ${count}: ${result}, ${faultsIn(chaos.report)}, ${seconds} s`
    // The line of a failing seed is printed with --quiet too: it explains the exit code.
    if (ended.code === exits.done.code || signal.aborted) output.note(line)
    else io.stderr.write(`${line}\n`)
    if (ended.code !== exits.done.code || at === count) return ended
  }
}

interface Told {
  readonly options: Options
  /** The command that ran in it. */
  readonly child: readonly string[]
}

/** Prints the random faults, their results, and the command that repeats them. */
export function tellChaos(
  { code, chaos }: Ended,
  { options, child }: Told,
  { output, argv }: Pick<Context, 'output' | 'argv'>,
): void {
  if (chaos === null) return
  const { chaos: first = 0, chaosSeeds: count, onExit, data, worlds } = options
  const calm = child.length === 0 || code !== exits.done.code ? undefined : whyCalm(chaos.report)
  if (calm !== undefined) output.note(calm)
  if (code === exits.done.code && count !== undefined) {
    output.note(`None of ${count} seeds failed, from ${first} to ${first + count - 1}.`)
    return
  }
  for (const line of chaosLines(chaos.report, { findings: onExit === undefined })) output.note(line)
  const kept = data ?? worlds
  const { words, leftOut } = sameAgain(chaos.seed, child, argv)
  const asBefore = [
    ...(kept === undefined ? [] : [`${kept} as it was before`]),
    ...(leftOut.length === 0 ? [] : [`${leftOut.join(' and ')} as ${leftOut.length === 1 ? 'it was' : 'they were'}`]),
  ]
  output.commandNote(`Again${asBefore.map((what) => `, with ${what}`).join('')}:`, words)
}

/** Reason why no fault could happen; undefined if one could. */
function whyCalm({ requests, chaos }: Report): string | undefined {
  if (chaos.counts.length === 0) return 'The profile causes no faults.'
  return requests === 0 ? 'No request came: does the command use PAYCTL_BASE_URL?' : undefined
}

/** The command that repeats the run, without secrets, and the secret flags that it leaves out. */
function sameAgain(seed: number, child: readonly string[], argv: readonly string[]) {
  const last = child.length
  const without = (names: readonly string[]) => argumentsWithout(names, { argv, options: optionsOf(flags), last })
  const given = without(['--chaos', '--chaos-seeds', ...bareSecretFlags])
  const at = commandAt(given) + 1
  const own = [...given.slice(0, at), '--chaos', `${seed}`, ...given.slice(at)]
  return {
    words: ['payctl', ...own, ...(last > 0 ? ['--', ...child] : [])],
    leftOut: bareSecretFlags.filter((flag) => without([flag]).length < without([]).length),
  }
}
