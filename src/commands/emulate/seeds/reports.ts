import { extname } from 'node:path'
import { moneyText } from '../../../contract/money.ts'
import { exits } from '../../../errors/exit_codes.ts'
import { counted } from '../../../run/counts.ts'
import { escapeXml } from '../../../run/markup.ts'
import { printable } from '../../../run/sanitise.ts'
import { faultsIn, findingsIn, inMarkdown, type Report } from '../../run_report.ts'
import type { SeedEnd } from './process.ts'
import { faultText, type Reduction } from './reduction.ts'

/** Results of the seeds, as written to a report file. */
interface SeedsResult {
  readonly runs: readonly SeedEnd[]
  /** Fewest faults with which the first failed seed still fails. */
  readonly reduction: { readonly seed: number; readonly found: Reduction } | undefined
  /** Command that repeats the failure. */
  readonly again: string | undefined
}

/** Maximum number of listed findings of each kind for a seed. */
const listed = 10

export const seedsReport = (file: string, result: SeedsResult): string =>
  extname(file) === '.xml' ? junit(result) : markdown(result)

const hasPassed = ({ code }: SeedEnd): boolean => code === exits.done.code

function resultOf(run: SeedEnd): string {
  if (hasPassed(run)) return 'passed'
  if (run.isInterrupted) return 'interrupted'
  return `exit ${run.code}${run.failing.length > 0 ? `: ${run.failing.join(', ')}` : ''}`
}

/** The findings that failed a run, and the timeline of each order that was paid twice. */
function storyOf({ chaos, failing }: SeedEnd): readonly string[] {
  if (chaos === null) return []
  const { report } = chaos
  const found = findingsIn(report).filter(({ check }) => failing.includes(check))
  return [
    ...found.flatMap(({ check, first }) => first.slice(0, listed).map((text) => `${check}: ${text}`)),
    ...report.paid_twice.first.slice(0, listed).flatMap(timelineOf),
  ]
}

type Double = Report['paid_twice']['first'][number]

function timelineOf({ world, amount, payee, timeline }: Double): readonly string[] {
  const lines = timeline.map(({ at, id, what, status }) => {
    const answer = status === null ? '' : ` [${status}]`
    return printable(`  ${at}  ${id ?? ''}  ${what}${answer}`)
  })
  return ['', printable(`${world}: ${moneyText(amount)} to ${payee} was paid twice:`), ...lines]
}

function reductionLines({ reduction, again }: SeedsResult): readonly string[] {
  if (reduction?.found.outcome !== 'found') return []
  const { faults, of } = reduction.found
  const lines = faults.map((fault) => `  ${faultText(fault)}`)
  return [`Fewest faults, ${faults.length} of ${of}:`, ...lines, ...(again === undefined ? [] : [`Again: ${again}`])]
}

function markdown(result: SeedsResult): string {
  const { runs, reduction } = result
  const failed = runs.filter((run) => !hasPassed(run))
  const title =
    failed.length === 0
      ? `${counted(runs.length, 'seed')} passed`
      : `${failed.length} of ${counted(runs.length, 'seed')} failed`
  return [
    `# Chaos: ${title}`,
    '',
    '| seed | result | faults | seconds |',
    '|---|---|---|---|',
    ...runs.map((run) => {
      const faults = run.chaos === null ? '' : faultsIn(run.chaos.report)
      return `| ${run.seed} | ${inMarkdown(resultOf(run))} | ${faults} | ${run.seconds.toFixed(1)} |`
    }),
    '',
    ...failed.flatMap((run) => {
      const fewest = run.seed === reduction?.seed ? reductionLines(result) : []
      const text = [...fewest, ...storyOf(run)]
      const heading = `## Seed ${run.seed}: ${inMarkdown(resultOf(run))}`
      return [heading, '', ...(text.length > 0 ? [...fenced(text), ''] : [])]
    }),
  ].join('\n')
}

/** Puts lines into a code block whose fence is longer than every fence in the lines. */
function fenced(lines: readonly string[]): readonly string[] {
  const longest = Math.max(
    2,
    ...lines
      .join('\n')
      .matchAll(/`+/g)
      .map(([marks]) => marks.length),
  )
  const fence = '`'.repeat(longest + 1)
  return [`${fence}text`, ...lines, fence]
}

/** A JUnit report with one test case for each seed. */
function junit(result: SeedsResult): string {
  const { runs, reduction } = result
  const failed = runs.filter((run) => !hasPassed(run)).length
  const seconds = runs.reduce((sum, run) => sum + run.seconds, 0).toFixed(3)
  const counts = `tests="${runs.length}" failures="${failed}" errors="0" time="${seconds}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="payctl chaos" ${counts} skipped="0">`,
    ...runs.flatMap((run) => {
      const start = `    <testcase classname="payctl.chaos" name="seed ${run.seed}" time="${run.seconds.toFixed(3)}"`
      if (hasPassed(run)) return [`${start}/>`]
      const fewest = run.seed === reduction?.seed ? reductionLines(result) : []
      const text = [...fewest, ...storyOf(run)].join('\n')
      return [
        `${start}>`,
        `      <failure message="${escapeXml(resultOf(run))}">${escapeXml(text)}</failure>`,
        '    </testcase>',
      ]
    }),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}
