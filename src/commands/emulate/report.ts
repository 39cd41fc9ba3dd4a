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
  /** The seed of what goes wrong by chance: then a payment that is made twice fails the run. */
  readonly chaos?: number | undefined
}

/** Collects the names of files, in folders that there are. */
export function reportFile(file: string, before: readonly string[] = []): readonly string[] {
  if (!reportFormats.includes(extname(file))) {
    throw new InvalidArgumentError(`Name a file that ends in ${reportFormats.join(', ')}.`)
  }
  // Said at once, and not when a command has run for an hour.
  if (!existsSync(dirname(file))) throw new InvalidArgumentError(`Folder ${printable(dirname(file))} does not exist.`)
  return [...before, file]
}

export function checkNames(text: string): readonly ReportCheck[] {
  const names = text.split(',').map((name) => name.trim())
  const known = (name: string): name is ReportCheck => checks.some((check) => check === name)
  if (names.every(known)) return names
  throw new InvalidArgumentError(`Give one or more of ${checks.join(', ')}, separated by commas.`)
}

/** Checks that always fail a run with chaos. */
const always: readonly ReportCheck[] = ['paid_twice']

/** Writes the report where it is wanted. Returns the exit code that it asks for: 0 where nothing is wrong. */
export function giveReport(
  made: () => Report,
  flags: ReportFlags,
  { io, output }: Pick<Context, 'io' | 'output'>,
): number {
  const { onExit, report: files = [], chaos } = flags
  const reportFailOn: readonly ReportCheck[] = [...(flags.reportFailOn ?? []), ...(chaos === undefined ? [] : always)]
  if (!onExit && files.length === 0 && reportFailOn.length === 0) return exits.done.code
  const report = made()
  if (onExit) for (const line of screenLines(report)) output.note(line)
  const failing = findingsIn(report).filter(({ check, count }) => count > 0 && reportFailOn.includes(check))
  // No remark: with --quiet too, there is a reason for the exit code.
  for (const { check, count } of failing) io.stderr.write(`The run fails because of its report: ${count} ${check}.\n`)
  try {
    for (const file of files) replaceText(file, reportText(file, report, reportFailOn))
  } catch (error) {
    io.stderr.write(`error: the report could not be written: ${printable(reasonOf(error))}\n`)
    return exits.usage.code
  }
  return failing.length > 0 ? exits.conflict.code : exits.done.code
}
