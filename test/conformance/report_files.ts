import { writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { escapeXml } from '../../src/run/markup.ts'
import { escapeHidden } from '../../src/run/sanitise.ts'
import { type CaseResult, counted, differing, type Report, reasonsOf } from './report.ts'

const formats: Readonly<Record<string, (report: Report) => string>> = {
  '.json': (report) => `${escapeHidden(JSON.stringify(report, null, 2))}\n`,
  '.md': markdown,
  '.xml': junit,
}

export const reportExtensions = Object.keys(formats)

/**
 * Writes a report that only the owner can read, because a service's answers contain names. The file name ends with one
 * of `reportExtensions`.
 */
export function writeReport(file: string, report: Report): void {
  const format = formats[extname(file)]
  if (!format) throw new Error(`No format for ${file}`)
  writeFileSync(file, format(report), { mode: 0o600 })
}

/** The deviations of a service, and the reasons why cases are not applicable, as Markdown. */
function markdown({ service, date, mode, isInterrupted, cases }: Report): string {
  const gaps = differing(cases).flatMap((each) => [`### ${titleOf(each)}`, '', ...difference(each), ''])
  const reasons = reasonsOf(cases).flatMap(([reason, some]) => [
    `### ${inline(reason)}: ${some.length}`,
    '',
    ...some.map((each) => `- ${titleOf(each)}`),
    '',
  ])
  return [
    `# Differences of ${inline(service)}`,
    '',
    `Checked with payctl’s cases on ${date}, ${mode}${isInterrupted ? ', interrupted' : ''}: ${counted(cases)}.`,
    '',
    '## Differs',
    '',
    ...(gaps.length > 0 ? gaps : ['Nothing.', '']),
    '## Not applicable',
    '',
    ...(reasons.length > 0 ? reasons : ['Nothing.', '']),
  ].join('\n')
}

const titleOf = ({ group, name }: CaseResult): string => inline(`${group} > ${name}`)

function difference({ expected, got, message, lastExchange }: CaseResult): string[] {
  const lines = [
    ['expected', expected],
    ['got', got],
    ['what', expected === undefined ? undefined : message],
    ['last request', lastExchange],
  ]
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${code(value)}`]))
}

const inline = (text: string): string => text.replace(/[\\`*_<>[\]#|]/g, '\\$&')

/** A code span with a fence longer than any backticks inside. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return longest > 0 ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

function junit({ service, cases }: Report): string {
  const groups = Object.entries(Object.groupBy(cases, ({ group }) => group))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: service, ...counts(cases) })}>`,
    ...groups.flatMap(([name, some = []]) => [
      `  <testsuite${attributes({ name, ...counts(some) })}>`,
      ...some.map((each) => `    ${testcase(each)}`),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')
}

const counts = (cases: readonly CaseResult[]) => ({
  tests: cases.length,
  failures: differing(cases).length,
  errors: cases.filter(({ undecided }) => undecided).length,
  skipped: cases.filter(({ result, undecided }) => result === 'not_applicable' && !undecided).length,
})

function testcase({ group, name, milliseconds, result, undecided, reason = '', ...more }: CaseResult): string {
  const start = `<testcase${attributes({ classname: group, name, time: milliseconds / 1000 })}>`
  if (result === 'not_applicable') {
    // A case without an answer must not look like a case that was left out.
    return `${start}<${undecided ? 'error' : 'skipped'}${attributes({ message: reason })}/></testcase>`
  }
  if (result === 'passed') return `${start}</testcase>`
  const { expected, got = '', message = got, lastExchange = '' } = more
  const text = [expected && `expected ${expected}`, `got ${got}`, lastExchange].filter(Boolean).join('\n')
  return `${start}<failure${attributes({ message })}>${escapeXml(text)}</failure></testcase>`
}

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('')
