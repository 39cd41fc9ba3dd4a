import { extname } from 'node:path'
import type { Received } from '../client/received.ts'
import type { Report as Made } from '../contract/control/report.ts'
import { type ReportCheck, reportChecks } from '../contract/emulator_names.ts'
import { moneyText } from '../contract/money.ts'
import { escapeXml } from '../run/markup.ts'
import { printable } from '../run/sanitise.ts'
import { checks } from './emulate/report_flags.ts'

/** Activity of an emulator, in this or another process. */
export type Report = Received<Made>

/** Findings of one check: their number, and a description of the first findings. */
export interface Finding {
  readonly check: ReportCheck
  readonly count: number
  readonly first: readonly string[]
}

type Sentences = { readonly [Check in ReportCheck]: (finding: Report[Check]['first'][number]) => string }

const asked = ({ request, method, path }: Pick<Report['keys']['first'][number], 'request' | 'method' | 'path'>) =>
  `${request} ${method} ${path}`

const sentences: Sentences = {
  violations: (finding) => `${asked(finding)}, ${finding.status ?? 'no answer'}: ${finding.what}`,
  keys: (finding) => `${asked(finding)}, ${finding.status ?? 'no answer'}: ${finding.what}`,
  polling: (finding) => `${asked(finding)}: ${finding.times} times in a row with the same answer`,
  untaken: ({ id, event, url, attempts, error }) => `${id} ${event} to ${url}, attempts: ${attempts}; ${error ?? ''}`,
  unfinished: ({ id, status, amount }) => `${id} ${status}, ${moneyText(amount)}`,
  unfired: ({ endpoint, method, path, event, fault, status, matched }) => {
    const subject = endpoint ?? event ?? `${method ?? 'any'} ${path ?? 'request'}`
    return `${subject}, ${fault ?? status ?? 'delay'}: ${matched} matched`
  },
  late: ({ method, path, at }) => `${method} ${path} at ${at}`,
  default_world: asked,
  strict: ({ request, method, path, status, what }) =>
    `${[request, method, path].filter(Boolean).join(' ')}, ${status ?? 'no answer'}: ${what}`,
  paid_twice: ({ requests, amount, payee, because }) =>
    `${requests.join(' and ')}, ${moneyText(amount)} to ${payee}: ${reasons.get(because ?? '') ?? ''}`,
  suspected: ({ requests, amount, payee, because, ignored }) => {
    const reason = ignored ? 'the first payment was never looked up' : (reasons.get(because ?? '') ?? '')
    return `${requests.join(' and ')}, ${moneyText(amount)} to ${payee}: ${reason}`
  },
  handled_twice: ({ id, event, method, path, requests }) =>
    `${id} ${event}: ${requests.join(' and ')}, ${method} ${path}`,
  unresolved: ({ request, payment, amount }) => `${request}, ${payment}, ${moneyText(amount)}`,
  never_paid: ({ request, amount, payee }) => `${request}, ${moneyText(amount)} to ${payee}`,
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['answer_lost', 'the first answer was lost'],
  ['delivered_twice', 'one for each delivery'],
  ['killed', 'one before a kill, one after it'],
  ['other_description', 'perhaps two orders'],
  ['after_delivery', 'a webhook came between them'],
])

export const findingsIn = (report: Report): readonly Finding[] =>
  checks.map((check) => {
    const { count, first } = report[check]
    const inWords = sentences[check] as (finding: (typeof first)[number]) => string
    return { check, count: count ?? 0, first: first.map((each) => printable(`${each.world}: ${inWords(each)}`)) }
  })

const used = ({ endpoints }: Report) => endpoints.filter(({ requests }) => requests)

/** Summary of the activity: `57 requests to 3 worlds, 12 of 23 endpoints used`. */
const summary = (report: Report): string =>
  `${counted(report.requests, 'request')} to ${counted(report.worlds, 'world')}, ` +
  `${used(report).length} of ${report.endpoints.length} endpoints used`

const neverUsed = ({ endpoints }: Report): readonly string[] =>
  endpoints.filter(({ requests }) => !requests).map(({ endpoint }) => endpoint ?? '')

/** Maximum number of findings of each kind that a screen shows. */
const shownOnScreen = 3

/** Lines for a screen, of 80 columns at most. */
export function screenLines(report: Report): readonly string[] {
  const found = findingsIn(report).filter(({ count }) => count > 0)
  const never = neverUsed(report)
  return [
    `Report: ${summary(report)}.`,
    ...(never.length > 0 ? [`  never used  ${listed(never, 4)}`] : []),
    ...found.flatMap(findingLines),
    ...(found.length === 0 ? ['  No problems were found.'] : []),
  ].map(cut)
}

const findingLines = ({ check, count, first }: Finding): readonly string[] => [
  `  ${check} ${count}`,
  ...first.slice(0, shownOnScreen).map((text) => `    ${text}`),
  ...(count > shownOnScreen ? [`    and ${count - shownOnScreen} more`] : []),
]

const cut = (line: string): string => (line.length > 80 ? `${line.slice(0, 79)}…` : line)

/** Checks of how callers handled random faults. */
const chaosChecks: readonly ReportCheck[] = ['paid_twice', 'suspected', 'handled_twice', 'unresolved', 'never_paid']

/** Random faults, and with `findings` how callers handled them, in lines of at most 80 columns. */
export function chaosLines(report: Report, { findings }: { readonly findings: boolean }): readonly string[] {
  const { seed, profile, counts } = report.chaos
  const found = findingsIn(report).filter(({ check, count }) => count > 0 && chaosChecks.includes(check))
  return [
    `Chaos ${seed}, ${profile}: ${faultsIn(report)} in ${counted(report.requests, 'request')}.`,
    ...counts.flatMap(({ kind, fired, chances }) =>
      fired ? [`  ${`${kind}`.padEnd(20)} ${fired} of ${chances}`] : [],
    ),
    ...report.kills.map(killLine),
    ...(findings ? found.flatMap(findingLines) : []),
  ].map(cut)
}

/** Line for a kill by chaos: `  killed at r4         POST /api/payments, before the answer`. */
const killLine = ({ request, method, path, moment }: Report['kills'][number]): string =>
  printable(`  ${`killed at ${request}`.padEnd(20)} ${method} ${path}, ${moments.get(moment ?? '') ?? ''}`)

const moments: ReadonlyMap<string, string> = new Map([
  ['before_work', 'before the work'],
  ['before_answer', 'before the answer'],
  ['after_answer', 'after the answer'],
])

/** `14 faults`. */
export function faultsIn({ chaos }: Report): string {
  const fired = chaos.counts.reduce((sum, count) => sum + (count.fired ?? 0), 0)
  return counted(fired, 'fault')
}

const counted = (count: number | null | undefined, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function listed(names: readonly string[], most: number): string {
  const more = names.length - most
  return names.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Report formats by file extension. */
const writers: Readonly<Record<string, (report: Report, failing: readonly ReportCheck[]) => string>> = {
  '.json': (report) => `${JSON.stringify(report, null, 2)}\n`,
  '.md': markdown,
  '.xml': junit,
}

export const reportText = (file: string, report: Report, failing: readonly ReportCheck[]): string =>
  writers[extname(file)]?.(report, failing) ?? ''

function markdown(report: Report): string {
  const found = findingsIn(report)
  const statuses = (use: Report['endpoints'][number]) =>
    use.statuses.map(({ status, requests }) => `${status} (${requests})`).join(', ')
  return [
    '# Use of the emulator',
    '',
    `${summary(report)}; the answers to ${counted(report.unanswered, 'request')} were not sent completely.`,
    '',
    '| check | findings |',
    '|---|---|',
    ...found.map(({ check, count }) => `| ${reportChecks[check]} (${check}) | ${count} |`),
    '',
    ...found.flatMap(({ check, count, first }) =>
      count === 0
        ? []
        : [
            `## ${reportChecks[check]}: ${counted(count, 'finding')}`,
            '',
            ...first.map((text) => `- ${inMarkdown(text)}`),
            ...(count > first.length ? [`- and ${count - first.length} more`] : []),
            '',
          ],
    ),
    ...chaosTable(report),
    '## Endpoints',
    '',
    '| endpoint | requests | statuses | never |',
    '|---|---|---|---|',
    ...report.endpoints.map(
      (use) => `| ${use.endpoint} | ${use.requests} | ${statuses(use)} | ${use.never.join(', ')} |`,
    ),
    '',
  ].join('\n')
}

function chaosTable({ chaos: { seed, profile, counts } }: Report): readonly string[] {
  if (counts.length === 0) return []
  return [
    seed === null ? '## Chaos' : `## Chaos ${seed}, ${profile}`,
    '',
    '| what | happened | could have |',
    '|---|---|---|',
    ...counts.map(({ kind, chances, fired }) => `| ${kind} | ${fired} | ${chances} |`),
    '',
  ]
}

/** Escapes values from requests, so that they can't form links, images or HTML. */
export const inMarkdown = (text: string): string => text.replace(/[\\`*_[\]<>|#!&]/g, '\\$&')

/**
 * A JUnit report with one test case for each check. A test case fails if its check fails the run; otherwise the
 * findings are only the output of the test case.
 */
function junit(report: Report, failing: readonly ReportCheck[]): string {
  const found = findingsIn(report)
  const failed = found.filter(({ check, count }) => count > 0 && failing.includes(check))
  const never = neverUsed(report)
  const attributes = `name="payctl emulator" tests="${found.length}" failures="${failed.length}" errors="0"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${found.length}" failures="${failed.length}" errors="0">`,
    `  <testsuite ${attributes} skipped="0" time="0" timestamp="${(report.since ?? '').slice(0, 19)}">`,
    ...chaosProperties(report),
    ...found.flatMap(testCase(failing)),
    `    <system-out>${escapeXml(`${summary(report)}\nNever used: ${never.join(', ') || 'none'}`)}</system-out>`,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function chaosProperties({ chaos: { seed, profile } }: Report): readonly string[] {
  if (seed === null) return []
  const property = (name: string, value: unknown) => `      <property name="${name}" value="${escapeXml(`${value}`)}"/>`
  return ['    <properties>', property('chaos.seed', seed), property('chaos.profile', profile), '    </properties>']
}

const testCase =
  (failing: readonly ReportCheck[]) =>
  ({ check, count, first }: Finding): readonly string[] => {
    const start = `    <testcase classname="payctl.emulator" name="${escapeXml(reportChecks[check])}" time="0"`
    if (count === 0) return [`${start}/>`]
    const more = count > first.length ? [`and ${count - first.length} more`] : []
    const text = escapeXml([...first, ...more].join('\n'))
    const inside = failing.includes(check)
      ? `<failure message="${counted(count, 'finding')}" type="${check}">${text}</failure>`
      : `<system-out>${text}</system-out>`
    return [`${start}>`, `      ${inside}`, '    </testcase>']
  }
