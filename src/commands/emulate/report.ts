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
  /** Seed of the chaos. If set, findings about the faults of the chaos fail the run. */
  readonly chaos?: number | undefined
  readonly chaosVerdict?: 'report' | 'command' | undefined
}

const filesWith =
  (formats: readonly string[]) =>
  (file: string, before: readonly string[] = []): readonly string[] => {
    if (formats.includes(extname(file))) return [...before, fileInFolder(file)]
    throw new InvalidArgumentError(`Name a file that ends in ${formats.join(', ')}.`)
  }

/** Collects the names of files, whose folders must exist. */
export const reportFile = filesWith(reportFormats)

/** Collects the names of files for the results of seeds. */
export const seedsReportFile = filesWith(['.md', '.xml'])

/** A file to write at the end. Its folder must exist: fails at once, not after a command has run for an hour. */
export function fileInFolder(file: string): string {
  if (existsSync(dirname(file)) && file !== '') return file
  throw new InvalidArgumentError(`Folder ${printable(dirname(file))} does not exist.`)
}

export function checkNames(text: string): readonly ReportCheck[] {
  const names = text.split(',').map((name) => name.trim())
  const known = (name: string): name is ReportCheck => checks.some((check) => check === name)
  if (names.every(known)) return names
  throw new InvalidArgumentError(`Give one or more of ${checks.join(', ')}, separated by commas.`)
}

/** Checks that fail a run with chaos, by `--chaos-verdict`. */
const chaosChecks = {
  report: ['paid_twice', 'suspected', 'handled_twice', 'unresolved', 'never_paid', 'violations', 'keys'],
  command: ['paid_twice'],
} as const satisfies Record<string, readonly ReportCheck[]>

/** Breaches of the contract that stderr shows. */
const shownBreaches = 10

/**
 * False if a correct program may have caused all findings: the test may have ended the world before the program could
 * ask again, or two payments that look alike may be two orders.
 */
function isCertain(check: ReportCheck, { unresolved, suspected }: Report): boolean {
  if (check === 'unresolved') return unresolved.first.some(({ world_ended }) => world_ended === false)
  return check !== 'suspected' || suspected.first.some(({ ignored }) => ignored === true)
}

/** Result of a run by its report. */
interface ReportVerdict {
  /** Exit code: 0 without findings that fail the run. */
  readonly code: number
  /** Checks with findings that fail the run. */
  readonly failing: readonly ReportCheck[]
}

/** Checks whose findings fail a run. */
function failOn({ reportFailOn = [], strict, chaos, chaosVerdict = 'report' }: ReportFlags): readonly ReportCheck[] {
  const ofChaos = chaos === undefined ? [] : chaosChecks[chaosVerdict]
  const ofStrict: readonly ReportCheck[] = strict ? ['strict'] : []
  return [...new Set<ReportCheck>([...reportFailOn, ...ofStrict, ...ofChaos])]
}

/** Writes the requested reports, and says why the report fails the run. */
export function giveReport(
  made: () => Report,
  flags: ReportFlags,
  { io, output }: Pick<Context, 'io' | 'output'>,
): ReportVerdict {
  const { onExit, report: files = [] } = flags
  const reportFailOn = failOn(flags)
  if (!onExit && files.length === 0 && reportFailOn.length === 0) return { code: exits.done.code, failing: [] }
  const report = made()
  if (onExit) for (const line of screenLines(report)) output.note(line)
  const isByFlag = (check: ReportCheck) => flags.reportFailOn?.includes(check) === true
  const found = findingsIn(report).filter(
    ({ check, count }) => count > 0 && (isByFlag(check) || (reportFailOn.includes(check) && isCertain(check, report))),
  )
  // Written with --quiet too: it explains the exit code.
  const words = found.map(({ check, count }) => `${count} ${check}`)
  if (words.length > 0) io.stderr.write(`The run fails because of its report: ${words.join(', ')}.\n`)
  for (const { check, first } of found) {
    if (check === 'strict') for (const breach of first.slice(0, shownBreaches)) io.stderr.write(`  ${breach}\n`)
  }
  const failing = found.map(({ check }) => check)
  if (!writeReports(report, flags, io)) return { code: exits.usage.code, failing }
  return { code: failing.length > 0 ? exits.conflict.code : exits.done.code, failing }
}

/** Writes the files that the flags name. False if one could not be written. */
export function writeReports(report: Report, flags: ReportFlags, io: Pick<Context['io'], 'stderr'>): boolean {
  return writeFiles(flags.report ?? [], (file) => reportText(file, report, failOn(flags)), io)
}

/** Writes files with their texts. False if one could not be written. */
export function writeFiles(
  files: readonly string[],
  text: (file: string) => string,
  io: Pick<Context['io'], 'stderr'>,
): boolean {
  try {
    for (const file of files) replaceText(file, text(file))
    return true
  } catch (error) {
    io.stderr.write(`error: the report could not be written: ${printable(reasonOf(error))}\n`)
    return false
  }
}
