import { printable } from '../../src/run/sanitise.ts'
import type { Writes } from './writes.ts'

/** Result of a case in a run. */
export interface CaseResult {
  /** Name of the file in `cases/`. */
  readonly group: string
  readonly name: string
  readonly result: 'passed' | 'differs' | 'not_applicable'
  readonly milliseconds: number
  /** Expected value, if a comparison failed. Without an expected value, `got` is the error. */
  readonly expected?: string
  readonly got?: string
  readonly message?: string
  readonly lastExchange?: string
  /** Reason why the case is not applicable. */
  readonly reason?: string
  /** True if the case is applicable, but its answers did not decide it. */
  readonly undecided?: true
}

export interface Report {
  readonly service: string
  /** ISO 8601. */
  readonly date: string
  readonly mode: 'emulator' | 'read-only' | 'payments'
  /** True if the run was interrupted: `cases` contains the cases that had ended. */
  readonly isInterrupted: boolean
  readonly totals: Readonly<Record<CaseResult['result'], number>>
  /** Counts of the writes to a service; an emulator on this machine has none. */
  readonly written: Writes
  readonly cases: readonly CaseResult[]
}

export const totalsOf = (cases: readonly CaseResult[]): Report['totals'] => {
  const count = (result: CaseResult['result']) => cases.filter((each) => each.result === result).length
  return { passed: count('passed'), differs: count('differs'), not_applicable: count('not_applicable') }
}

/** Numbers of results as text, such as `12 passed, 1 differs, 3 not applicable`. */
export function counted(cases: readonly CaseResult[]): string {
  const { passed, differs, not_applicable } = totalsOf(cases)
  const parts = [
    passed > 0 && `${passed} passed`,
    differs > 0 && `${differs} ${differs === 1 ? 'differs' : 'differ'}`,
    not_applicable > 0 && `${not_applicable} not applicable`,
  ]
  return parts.filter(Boolean).join(', ') || 'no case'
}

/** Limit of one value in a report, in characters. */
const longestValue = 1000

/**
 * Cases for a report: their texts, which a service may have sent, have no control characters and no secrets, are on one
 * line, and are cut to length.
 */
export function cleaned(cases: readonly CaseResult[], secrets: readonly string[]): readonly CaseResult[] {
  const clean = (text: string): string => {
    let safe = printable(text)
    for (const secret of secrets) safe = safe.replaceAll(secret, '<token>')
    safe = safe.replace(/(\\?"secret\\?": ?\\?")[^"\\]+/g, '$1<secret>')
    return safe.length > longestValue ? `${safe.slice(0, longestValue)}…` : safe
  }
  return cases.map(
    (each) =>
      Object.fromEntries(
        Object.entries(each).map(([key, value]) => [key, typeof value === 'string' ? clean(value) : value]),
      ) as unknown as CaseResult,
  )
}

export const differing = (cases: readonly CaseResult[]): readonly CaseResult[] =>
  cases.filter(({ result }) => result === 'differs')

/** Reasons, most frequent first, each with the cases that are not applicable for this reason. */
export function reasonsOf(cases: readonly CaseResult[]): readonly (readonly [string, readonly CaseResult[]])[] {
  const groups = Object.groupBy(cases, ({ reason }) => reason ?? '')
  return Object.entries(groups)
    .flatMap(([reason, some]) => (reason && some ? [[reason, some] as const] : []))
    .sort(([, one], [, other]) => other.length - one.length)
}
