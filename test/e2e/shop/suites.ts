import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** A way to run the shop's forty tests. */
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

export const emulate = [process.execPath, path('../../../bin/payctl.js'), 'emulate', '--settle', 'manual', '--']

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

/** The compiled Go suite. */
export const go = (folder: string): readonly string[] => [`${folder}/shop.test`, '-test.parallel', '8']

/** Mistakes that can be planted in the Go suite, as its program lists them. */
export const mistakes: readonly string[] = [
  ...readFileSync(`${goFolder}/mistakes.go`, 'utf8').matchAll(/^\t"([\w-]+)":/gm),
].map(([, name = '']) => name)

export const suites: readonly Suite[] = [
  { name: 'vitest, one emulator for eight workers', command: [...emulate, ...vitest], env: {} },
  { name: 'vitest, an emulator in each worker', command: vitest, env: {} },
  {
    name: 'unittest, one emulator for eight processes',
    command: [...emulate, ...python],
    env: { PYTHONDONTWRITEBYTECODE: '1' },
  },
]

/** The environment of a suite: this process's, without the variables of Vitest and payctl, and without colours. */
export function environmentOf({ env }: Suite, state: string): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|PAYCTL|FORCE_COLOR)/.test(name))
  return { ...Object.fromEntries(own), NO_COLOR: '1', ...env, PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: state }
}
