import { join } from 'node:path'
import type { Context } from '../../../cli/command.ts'
import { quoted, reasonOf } from '../../../errors/cli_error.ts'
import { exits } from '../../../errors/exit_codes.ts'
import { progressOn } from '../../../output/progress.ts'
import { counted } from '../../../run/counts.ts'
import { printable } from '../../../run/sanitise.ts'
import { faultsIn } from '../../run_report.ts'
import { type Ended, jobsFor, sameAgain } from '../chaos.ts'
import { chaosOption, type Options } from '../options.ts'
import { writeFiles, writeReports } from '../report.ts'
import { withSecrets } from '../secrets.ts'
import { inParallel } from './parallel.ts'
import { type SeedEnd, SeedProcesses } from './process.ts'
import { faultText, type Reduction, reduce, writeFaults } from './reduction.ts'
import { seedsReport } from './reports.ts'

interface Work {
  readonly options: Options
  /** The command to run. */
  readonly child: readonly string[]
}

/**
 * Runs the command with each seed, and looks for the fewest faults with which the first failing run still fails.
 * Returns that run, or else the last run.
 */
export async function runSeeds(context: Context, work: Work): Promise<Ended> {
  const { options } = work
  const { chaos: first = 0, chaosSeeds: count = 1, chaosAll: all = false } = options
  const { token, controlToken, clientSecret, oauthClient } = await withSecrets(context, options)
  using processes = new SeedProcesses(context, { token, controlToken, clientSecret, oauthClient })
  const progress = progressOn(context)
  const jobs = Math.min(jobsFor(options), count)
  progress({ done: 0, total: count })
  const runs = await inParallel({ first, count, jobs, all }, processes, (run, done) => {
    progress(null)
    printSeed(run, count, first, context)
    progress({ done, total: count })
  })
  progress(null)
  const failed = runs.find(({ code }) => code !== exits.done.code)
  const ended = failed ?? (runs.at(-1) as SeedEnd)
  const isReported = ended.chaos === null || writeReports(ended.chaos.report, options, context.io)
  const reduced = failed && (await printReduction(failed, { ...work, processes, context }))
  const reduction = failed && reduced && { seed: failed.seed, found: reduced.reduction }
  const results = { runs, reduction, again: reduced?.again }
  const isWritten = writeFiles(options.chaosReport ?? [], (file) => seedsReport(file, results), context.io)
  return (isReported && isWritten) || failed ? ended : { ...ended, code: exits.usage.code }
}

/** Reports a run with a seed; if the run failed, also prints its output. */
function printSeed(run: SeedEnd, count: number, first: number, { io, output }: Pick<Context, 'io' | 'output'>): void {
  const { seed, code, chaos, isInterrupted, seconds } = run
  const hasPassed = code === exits.done.code
  if (!hasPassed) {
    const { stdout, stderr } = run.output()
    io.stdout.write(stdout)
    io.stderr.write(stderr)
  }
  if (chaos === null) return
  const result = isInterrupted ? 'interrupted' : hasPassed ? 'passed' : `exit ${code}`
  const line = `Seed ${seed}, ${seed - first + 1} of ${count}: ${result}, ${faultsIn(chaos.report)}, ${seconds.toFixed(1)} s`
  // The line of a failing seed is printed even with --quiet, because it explains the exit code.
  if (hasPassed || isInterrupted) output.note(line)
  else io.stderr.write(`${line}\n`)
}

interface ReductionWork extends Work {
  readonly processes: SeedProcesses
  readonly context: Context
}

/** Looks for the fewest faults, prints them, writes them to a file, and prints the command that repeats them. */
async function printReduction(
  failed: SeedEnd,
  { options, child, processes, context }: ReductionWork,
): Promise<{ readonly reduction: Reduction; readonly again?: string } | undefined> {
  const { chaosReduce: limit = 100, chaosFaults } = options
  const { output, globals, signal, stateDir, argv } = context
  const { seed, chaos } = failed
  const isQuiet = globals.quiet === true && chaosFaults === undefined
  if (limit === 0 || isQuiet || signal.aborted || failed.isInterrupted || !chaos?.report.chaos.faults.length) {
    return undefined
  }
  const { chaosOf } = await import('../../../../emulator/index.ts')
  const { profile } = await chaosOf(chaosOption(options) ?? { seed })
  const { retry_after_s, slow_ms } = profile
  const manner = { ...(retry_after_s !== undefined && { retry_after_s }), ...(slow_ms !== undefined && { slow_ms }) }
  const progress = progressOn(context)
  const total = chaos.report.chaos.faults.length
  progress(`Seed ${seed}: looking for the fewest of ${counted(total, 'fault')}`)
  const search = { processes, seed, manner, limit, signal }
  const reduction = await reduce(failed, {
    ...search,
    progress: (left, runs) => progress(`Seed ${seed}: trying ${left} of ${counted(total, 'fault')}, run ${runs}`),
  })
  progress(null)
  const isKilled = chaos.report.kills.length > 0
  for (const line of reductionLines(seed, reduction, isKilled)) output.note(line)
  if (reduction.outcome !== 'found') return { reduction }
  const file = chaosFaults ?? join(stateDir, 'chaos', `seed-${seed}.yaml`)
  try {
    writeFaults(file, reduction.faults, manner)
  } catch (error) {
    output.note(`The faults could not be written: ${printable(String(reasonOf(error)))}`)
    return { reduction }
  }
  const { words } = sameAgain(seed, child, argv, file)
  output.commandNote('With these alone:', words)
  return { reduction, again: words.map(quoted).join(' ') }
}

function reductionLines(seed: number, reduction: Reduction, isKilled: boolean): readonly string[] {
  const { outcome, faults, of, runs, isCutOff, proofs, failed } = reduction
  if (outcome === 'calm' && isKilled)
    return [`Seed ${seed} fails when only the kills happen: no other fault is needed.`]
  if (outcome === 'calm') return [`Seed ${seed} also fails without any fault: chaos is not the cause.`]
  if (outcome === 'unsteady') {
    return [
      `The faults of seed ${seed} did not make the command fail again in ${counted(runs - 1, 'run')}: perhaps the command sends its requests in another order each time.`,
    ]
  }
  const rest = isCutOff ? ', search not finished' : ''
  const steady =
    proofs === 0
      ? ''
      : failed === proofs
        ? `; fails again in ${failed} of ${proofs}`
        : `; fails only in ${failed} of ${proofs} more runs`
  return [
    `Seed ${seed} needs ${faults.length} of ${counted(of, 'fault')} to fail (${counted(runs, 'run')}${rest}${steady}):`,
    ...faults.map((fault) => `  ${faultText(fault)}`),
  ]
}
