import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { CaseResult } from './report.ts'

/** A set of cases to run, and how to run them. */
export interface Campaign {
  /** File with the cases, in this folder. */
  readonly file: string
  /** Names of cases, or parts of names; empty: all cases. */
  readonly only: readonly string[]
  /** Parameters of the file, which reads them with `told()`. */
  readonly orders: unknown
  /** Environment variables that no other process may see. */
  readonly secrets: Readonly<Record<string, string>>
  /** True if each group is printed when it ends. */
  readonly printsGroups: boolean
}

/** A result with the name of its target. */
export interface CampaignResult extends CaseResult {
  readonly target: string
}

/** All cases, or those that had ended when the run was interrupted. */
interface CampaignResults {
  readonly cases: readonly CampaignResult[]
  readonly isInterrupted: boolean
}

/** Parameters of the processes that this file starts. */
interface Told {
  readonly orders: unknown
  /** File for the results: a line for each case as it ends, and `allRan` at the end. */
  readonly results: string
  readonly only: string | null
  readonly printsGroups: boolean
}

/** Last line of the results, unless the suite itself failed. */
export const allRan = 'all cases ran'

const root = fileURLToPath(new URL('../..', import.meta.url))
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

/**
 * Runs the cases in a separate process. A signal that ends this process also ends the process of the cases and that
 * process's workers, so that they send nothing more. Throws if the suite itself failed.
 */
export async function runCases(campaign: Campaign): Promise<CampaignResults> {
  const { file, only, orders, secrets, printsGroups } = campaign
  const folder = mkdtempSync(join(tmpdir(), 'payctl-conformance-'))
  const results = join(folder, 'results')
  const pattern = only.length === 0 ? null : only.map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')
  const told: Told = { orders, results, only: pattern, printsGroups }
  const which = ['--config', 'test/conformance/vitest.config.ts', `test/conformance/${file}`]
  const child = spawn(process.execPath, [vitest, 'run', ...which, ...(pattern ? ['-t', pattern] : [])], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
    detached: true, // a process group
    env: { ...process.env, ...secrets, CONFORMANCE_CAMPAIGN: JSON.stringify(told) },
  })
  let isBrokenOff = false
  const breakOff = () => {
    isBrokenOff = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
  }
  for (const signal of endings) process.on(signal, breakOff)
  try {
    const [complaint] = await Promise.all([text(child.stderr), once(child, 'close')])
    const lines = existsSync(results) ? readFileSync(results, 'utf8').split('\n').filter(Boolean) : []
    const isComplete = lines.at(-1) === allRan
    if (!isComplete && !isBrokenOff) throw new Error(`The suite did not run:\n${complaint}`)
    const cases = lines.filter((line) => line !== allRan).map((line) => JSON.parse(line))
    return { cases, isInterrupted: !isComplete }
  } finally {
    for (const signal of endings) process.off(signal, breakOff)
    rmSync(folder, { recursive: true, force: true })
  }
}

const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Parameters of this process. */
export const told = (): Told => JSON.parse(process.env.CONFORMANCE_CAMPAIGN ?? '')
