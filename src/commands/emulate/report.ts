import type { Context } from '../../cli/command.ts'
import type { ReportCheck } from '../../contract/emulator_names.ts'
import { exits } from '../../errors/exit_codes.ts'
import { fileFault } from '../../files/file_fault.ts'
import { replaceContent } from '../../files/private_file.ts'
import { printable } from '../../run/sanitise.ts'
import { findingsIn, type Report, reportText, screenLines } from '../run_report.ts'
import { failOn, isAsked, type ReportFlags } from './report_flags.ts'

/** Maximum number of breaches of the contract that stderr shows. */
const shownBreaches = 10

/**
 * False if a correct program could have caused all findings. The test may have ended the world before the program could
 * ask again, or two payments that look alike may be for two orders.
 */
function isCertain(check: ReportCheck, { unresolved, suspected }: Report): boolean {
  if (check === 'unresolved') return unresolved.first.some(({ world_ended }) => world_ended === false)
  return check !== 'suspected' || suspected.first.some(({ ignored }) => ignored === true)
}

/** Result of a run according to its report. */
interface ReportVerdict {
  /** Exit code: 0 without findings that fail the run. */
  readonly code: number
  /** Checks with findings that fail the run. */
  readonly failing: readonly ReportCheck[]
}

/** Writes the requested reports, and says why the report fails the run. */
export function giveReport(
  made: () => Report,
  flags: ReportFlags,
  { io, output }: Pick<Context, 'io' | 'output'>,
): ReportVerdict {
  if (!isAsked(flags)) return { code: exits.done.code, failing: [] }
  const reportFailOn = failOn(flags)
  const report = made()
  if (flags.onExit) for (const line of screenLines(report)) output.note(line)
  const isByFlag = (check: ReportCheck) => flags.reportFailOn?.includes(check) === true
  const found = findingsIn(report).filter(
    ({ check, count }) => count > 0 && (isByFlag(check) || (reportFailOn.includes(check) && isCertain(check, report))),
  )
  // Prints this line even with --quiet, because it explains the exit code.
  const words = found.map(({ check, count }) => `${count} ${check}`)
  if (words.length > 0) io.stderr.write(`The run fails because of its report: ${words.join(', ')}.\n`)
  for (const { check, first } of found) {
    if (check === 'strict') for (const breach of first.slice(0, shownBreaches)) io.stderr.write(`  ${breach}\n`)
  }
  const failing = found.map(({ check }) => check)
  if (!writeReports(report, flags, io)) return { code: exits.usage.code, failing }
  return { code: failing.length > 0 ? exits.conflict.code : exits.done.code, failing }
}

/** Writes the files that the flags name. Returns false if a file could not be written. */
export function writeReports(report: Report, flags: ReportFlags, io: Pick<Context['io'], 'stderr'>): boolean {
  return writeFiles(flags.report ?? [], (file) => reportText(file, report, failOn(flags)), io)
}

/** Writes each file with the text that `text` returns for it. Returns false if a file could not be written. */
export function writeFiles(
  files: readonly string[],
  text: (file: string) => string,
  io: Pick<Context['io'], 'stderr'>,
): boolean {
  try {
    for (const file of files) replaceContent(file, text(file))
    return true
  } catch (error) {
    io.stderr.write(`error: the report could not be written: ${printable(String(fileFault(error)))}\n`)
    return false
  }
}
