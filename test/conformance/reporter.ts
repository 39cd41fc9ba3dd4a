import { appendFileSync } from 'node:fs'
import type { UserConsoleLog } from 'vitest'
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'
import { allRan, type CampaignResult, told } from './campaign.ts'
import { counted } from './report.ts'

/** Turns Vitest's results into results of cases. */
export default class CaseReporter implements Reporter {
  readonly #told = told()
  readonly #only = this.#told.only === null ? null : new RegExp(this.#told.only)

  /** Writes each result at once, because a run may be interrupted. */
  onTestCaseResult(test: TestCase): void {
    if (this.#only?.test(test.fullName) ?? true) this.#append(JSON.stringify(resultOf(test)))
  }

  onTestSuiteResult(group: TestSuite): void {
    const { parent } = group
    if (!this.#told.printsGroups || parent.type !== 'suite' || parent.parent.type !== 'module') return
    const cases = this.#resultsOf(group)
    if (cases.length > 0) console.log(`  ${group.name.padEnd(16)} ${counted(cases)}`)
  }

  /** Prints the logs of a running case: they say that the case waits. */
  onUserConsoleLog({ content }: UserConsoleLog): void {
    if (this.#told.printsGroups) process.stdout.write(content)
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const failed = modules.flatMap((module) => [...module.errors()])
    if (failed.length + unhandled.length > 0) console.error(...failed, ...unhandled)
    else this.#append(allRan)
  }

  #append(line: string): void {
    appendFileSync(this.#told.results, `${line}\n`)
  }

  #resultsOf(group: TestSuite): CampaignResult[] {
    return [...group.children.allTests()].filter(({ fullName }) => this.#only?.test(fullName) ?? true).map(resultOf)
  }
}

const separator = ' > '

/** Message of the first error of a set-up around a test, which skips the test. */
function setUpFault({ parent }: TestCase): string | undefined {
  for (let suite: TestModule | TestSuite = parent; ; suite = suite.parent) {
    const [error] = suite.errors()
    if (error) return `its set-up failed: ${error.message}`
    if (suite.type === 'module') return undefined
  }
}

function resultOf(test: TestCase): CampaignResult {
  const [target = '', group = '', ...rest] = test.fullName.split(separator)
  const milliseconds = Math.round(test.diagnostic()?.duration ?? 0)
  const name = { target, group, name: rest.join(separator) || group, milliseconds }
  const { state, errors = [], ...more } = test.result()
  const { lastExchange } = test.meta()
  if (state === 'passed') return { ...name, result: 'passed' }
  if (state !== 'failed') {
    const note = 'note' in more ? more.note : undefined
    const fault = setUpFault(test)
    if (fault !== undefined) return { ...name, result: 'not_applicable', reason: fault, undecided: true }
    return {
      ...name,
      result: 'not_applicable',
      reason: note ?? 'has to steer the server, or to reach into its process',
    }
  }
  const [error] = errors
  const { message = 'no reason was given', expected, actual } = error ?? {}
  if (error?.name === 'Undecided' || /^(Test|Hook) timed out/.test(message)) {
    return { ...name, result: 'not_applicable', reason: message, undecided: true }
  }
  const difference =
    expected === undefined ? { got: message } : { expected: shown(expected), got: shown(actual), message }
  return { ...name, result: 'differs', ...difference, ...(lastExchange !== undefined && { lastExchange }) }
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : String(JSON.stringify(value)))
