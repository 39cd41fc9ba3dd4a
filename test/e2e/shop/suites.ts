import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { payctlCommand } from '../../support/program.ts'
import { mistakes } from './program/mistakes.ts'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** A way to run the shop's tests. */
export interface Suite {
  readonly name: string
  /** The whole command line. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const config = path('tests/vitest.config.ts')

export const vitest = [
  process.execPath,
  path('../../../node_modules/vitest/vitest.mjs'),
  ...['run', '--config', config, '--maxWorkers', '8'],
]

export const emulate = payctlCommand(['emulate', '--settle', 'manual', '--']).flat()

export const python = ['python3', path('python/run.py')]

/** Options of `payctl emulate` for chaos that finds mistakes in few seeds. */
export const chaotic = (flags: readonly string[]): string[] => [
  ...emulate.slice(0, -1),
  ...['--chaos-profile', 'hostile', ...flags],
  '--',
]

const goFolder = path('go')

/** Compiles the Go suite into a folder. */
export function buildGo(folder: string): void {
  execFileSync('go', ['test', '-c', '-o', `${folder}/shop.test`, '.'], { cwd: goFolder, stdio: 'inherit' })
}

/** Command line that runs the Go suite that `buildGo` compiled into a folder. */
export const go = (folder: string): readonly string[] => [`${folder}/shop.test`, '-test.parallel', '8']

/** A suite that runs under an emulator, and the mistakes that can be planted in its program. */
export interface ShopSuite extends Suite {
  readonly mistakes: readonly string[]
}

/** The names of the mistakes that a program lists. */
const mistakesIn = (file: string): readonly string[] =>
  [...readFileSync(path(file), 'utf8').matchAll(/^\s+"([\w-]+)":/gm)].map(([, name = '']) => name)

const withoutCache = { PYTHONDONTWRITEBYTECODE: '1' }

/** Runs four workers without isolation, so that a hundred seeds start few processes: a run with chaos mostly waits. */
export const vitestSuite: ShopSuite = {
  name: 'vitest',
  command: [...vitest.slice(0, -1), '4', '--no-isolate'],
  env: {},
  mistakes: Object.keys(mistakes),
}

export const pythonSuite: ShopSuite = {
  name: 'unittest',
  command: python,
  env: withoutCache,
  mistakes: mistakesIn('python/shop/mistakes.py'),
}

export const goSuite = (folder: string): ShopSuite => ({
  name: 'go test',
  command: go(folder),
  env: {},
  mistakes: mistakesIn('go/mistakes.go'),
})

export const suites: readonly Suite[] = [
  { name: 'vitest, one emulator for eight workers', command: [...emulate, ...vitest], env: {} },
  { name: 'vitest, an emulator in each worker', command: vitest, env: {} },
  {
    name: 'unittest, one emulator for eight processes',
    command: [...emulate, ...python],
    env: withoutCache,
  },
]

/**
 * Orders paid twice in a run, as counted by SQL in each test's world and by the report. Only the report has
 * `suspected`.
 */
interface Counts {
  readonly sql: number
  readonly report: number
  readonly suspected: number
}

/** The counts of all runs that had this folder as SHOP_COUNTS. */
export const countsIn = (folder: string): readonly Counts[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Counts)

/** The environment of a suite: this process's, without the variables of Vitest and payctl, and without colours. */
export function environmentOf({ env }: Suite, state: string): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|PAYCTL|FORCE_COLOR)/.test(name))
  return { ...Object.fromEntries(own), NO_COLOR: '1', ...env, PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: state }
}
