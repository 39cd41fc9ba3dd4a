import { existsSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { type ReportCheck, reportChecks } from '../../contract/emulator_names.ts'
import { printable } from '../../run/sanitise.ts'

/** The kinds of findings, in the order of the report. */
export const checks = Object.keys(reportChecks) as ReportCheck[]

/** Flags for the report that an emulator writes when it ends. */
export interface ReportFlags {
  readonly onExit?: 'report' | undefined
  readonly report?: readonly string[] | undefined
  readonly reportFailOn?: readonly ReportCheck[] | undefined
  /** True: a breach of the contract in a strict world fails the run. */
  readonly strict?: boolean | undefined
  /** Seed of the chaos. If set, findings about the faults of the chaos fail the run. */
  readonly chaos?: number | undefined
  readonly chaosVerdict?: 'report' | 'command' | undefined
}

const filesWith =
  (formats: readonly string[]) =>
  (file: string, before: readonly string[] = []): readonly string[] => {
    if (formats.includes(extname(file))) return [...before, fileInFolder(file)]
    throw new InvalidArgumentError(`Name a file with one of these endings: ${formats.join(', ')}.`)
  }

/** Collects the names of report files; their folders must exist. */
export const reportFile = filesWith(['.json', '.md', '.xml'])

/** Collects the names of files for the results of seeds. */
export const seedsReportFile = filesWith(['.md', '.xml'])

/**
 * Parses the name of a file to write at the end of the run. Throws at once if the folder is missing, not after a
 * command has run for an hour.
 */
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

/** Checks whose findings fail a run with chaos, keyed by the value of `--chaos-verdict`. */
const chaosChecks = {
  report: ['paid_twice', 'suspected', 'handled_twice', 'unresolved', 'never_paid', 'violations', 'keys'],
  command: ['paid_twice'],
} as const satisfies Record<string, readonly ReportCheck[]>

/** Checks whose findings fail a run. */
export function failOn({
  reportFailOn = [],
  strict,
  chaos,
  chaosVerdict = 'report',
}: ReportFlags): readonly ReportCheck[] {
  const ofChaos = chaos === undefined ? [] : chaosChecks[chaosVerdict]
  const ofStrict: readonly ReportCheck[] = strict ? ['strict'] : []
  return [...new Set<ReportCheck>([...reportFailOn, ...ofStrict, ...ofChaos])]
}

/** True if the flags request a report, or a check of the report. */
export const isAsked = (flags: ReportFlags): boolean =>
  flags.onExit !== undefined || (flags.report ?? []).length > 0 || failOn(flags).length > 0
