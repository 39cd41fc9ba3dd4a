import { existsSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { Context } from '../../cli/command.ts'
import type { ReportCheck } from '../../contract/emulator_names.ts'
import { reasonOf } from '../../errors/cli_error.ts'
import { exits } from '../../errors/exit_codes.ts'
import { replaceText } from '../../files/private_file.ts'
import { printable } from '../../run/sanitise.ts'
import { checks, findingsIn, type Report, reportFormats, reportText, screenLines } from '../run_report.ts'

/** Flags for the report that an emulator makes when it ends. */
interface ReportFlags {
  readonly onExit?: 'report' | undefined
  readonly report?: readonly string[] | undefined
  readonly reportFailOn?: readonly ReportCheck[] | undefined
  /** True fails the run for a breach of the contract in a strict world. */
  readonly strict?: boolean | undefined
  /** Seed of the chaos: with one, findings about its faults fail the run. */
  readonly chaos?: number | undefined
  readonly chaosVerdict?: 'report' | 'command' | undefined
}

/** Collects the names of files, whose folders must exist. */
export function reportFile(file: string, before: readonly string[] = []): readonly string[] {
  if (!reportFormats.includes(extname(file))) {
    throw new InvalidArgumentError(`Name a file that ends in ${reportFormats.join(', ')}.`)
  }
  // Fails at once, not after a command has run for an hour.
  if (!existsSync(dirname(file))) throw new InvalidArgumentError(`Folder ${printable(dirname(file))} does not exist.`)
  return [...before, file]
}

export function checkNames(text: string): readonly ReportCheck[] {
  const names = text.split(',').map((name) => name.trim())
  const known = (name: string): name is ReportCheck => checks.some((check) => check === name)
  if (names.every(known)) return names
  throw new InvalidArgumentError(`Give one or more of ${checks.join(', ')}, separated by commas.`)
}

/** Checks that fail a run with chaos, by `--chaos-verdict`. */
const chaosChecks = {
  report: ['paid_twice', 'handled_twice', 'unresolved', 'violations', 'keys'],
  command: ['paid_twice'],
} as const satisfies Record<string, readonly ReportCheck[]>

/** Breaches of the contract that stderr shows. */
const shownBreaches = 10

/** False if all findings may be due to a test that ended its world before the program could ask again. */
const isCertain = (check: ReportCheck, { unresolved }: Report): boolean =>
  check !== 'unresolved' || unresolved.first.some(({ world_ended }) => world_ended === false)

/** Writes the requested reports. Returns the exit code by the report: 0 without findings that fail the run. */
export function giveReport(
  made: () => Report,
  flags: ReportFlags,
  { io, output }: Pick<Context, 'io' | 'output'>,
): number {
  const { onExit, report: files = [], strict, chaos, chaosVerdict = 'report' } = flags
  const ofChaos = chaos === undefined ? [] : chaosChecks[chaosVerdict]
  const ofStrict: readonly ReportCheck[] = strict ? ['strict'] : []
  const reportFailOn = [...new Set<ReportCheck>([...(flags.reportFailOn ?? []), ...ofStrict, ...ofChaos])]
  if (!onExit && files.length === 0 && reportFailOn.length === 0) return exits.done.code
  const report = made()
  if (onExit) for (const line of screenLines(report)) output.note(line)
  const isByFlag = (check: ReportCheck) => flags.reportFailOn?.includes(check) === true
  const failing = findingsIn(report).filter(
    ({ check, count }) => count > 0 && (isByFlag(check) || (reportFailOn.includes(check) && isCertain(check, report))),
  )
  // Written with --quiet too: it explains the exit code.
  const found = failing.map(({ check, count }) => `${count} ${check}`)
  if (found.length > 0) io.stderr.write(`The run fails because of its report: ${found.join(', ')}.\n`)
  for (const { check, first } of failing) {
    if (check === 'strict') for (const breach of first.slice(0, shownBreaches)) io.stderr.write(`  ${breach}\n`)
  }
  try {
    for (const file of files) replaceText(file, reportText(file, report, reportFailOn))
  } catch (error) {
    io.stderr.write(`error: the report could not be written: ${printable(reasonOf(error))}\n`)
    return exits.usage.code
  }
  return failing.length > 0 ? exits.conflict.code : exits.done.code
}
