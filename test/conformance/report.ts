import { printable } from '../../src/run/sanitise.ts'
import type { Writes } from './writes.ts'

/** What is known of a case after a run. */
export interface CaseResult {
  /** The file of `cases/`. */
  readonly group: string
  readonly name: string
  readonly result: 'passed' | 'differs' | 'not_applicable'
  readonly milliseconds: number
  /** Where the service differs. Without `expected`, `got` is what went wrong. */
  readonly expected?: string
  readonly got?: string
  readonly message?: string
  readonly lastExchange?: string
  /** Why it is not applicable. */
  readonly reason?: string
  /** It is applicable, but there was no answer to decide it by. */
  readonly undecided?: true
}

export interface Report {
  readonly service: string
  /** ISO 8601. */
  readonly date: string
  readonly mode: 'emulator' | 'read-only' | 'payments'
  /** Then `cases` are those that had ended. */
  readonly isInterrupted: boolean
  readonly totals: Readonly<Record<CaseResult['result'], number>>
  /** What was written at a service that is no emulator on this machine. */
  readonly written: Writes
  readonly cases: readonly CaseResult[]
}

export const totalsOf = (cases: readonly CaseResult[]): Report['totals'] => {
  const count = (result: CaseResult['result']) => cases.filter((each) => each.result === result).length
  return { passed: count('passed'), differs: count('differs'), not_applicable: count('not_applicable') }
}

/** `12 passed, 1 differs, 3 not applicable`. */
export function counted(cases: readonly CaseResult[]): string {
  const { passed, differs, not_applicable } = totalsOf(cases)
  const parts = [
    passed > 0 && `${passed} passed`,
    differs > 0 && `${differs} ${differs === 1 ? 'differs' : 'differ'}`,
    not_applicable > 0 && `${not_applicable} not applicable`,
  ]
  return parts.filter(Boolean).join(', ') || 'no case'
}

/** Characters of what a report shows of one value. */
const longestValue = 1000

/** Remote text without what controls a terminal and without secrets, on one line and cut. */
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

/** Reasons, the most frequent first, with the cases that are not applicable because of it. */
export function reasonsOf(cases: readonly CaseResult[]): readonly (readonly [string, readonly CaseResult[]])[] {
  const groups = Object.groupBy(cases, ({ reason }) => reason ?? '')
  return Object.entries(groups)
    .flatMap(([reason, some]) => (reason && some ? [[reason, some] as const] : []))
    .sort(([, one], [, other]) => other.length - one.length)
}
