import { fileURLToPath } from 'node:url'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const root = path('../../../')

/** A way to run the shop's forty tests. */
export interface Suite {
  readonly name: string
  /** Options of the emulator that the suite is a child of; null where it starts its own. */
  readonly emulate: readonly string[] | null
  /** What runs the tests, in the folder `root`. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const vitest = [
  process.execPath,
  path('../../../node_modules/vitest/vitest.mjs'),
  'run',
  ...['--config', path('tests/vitest.config.ts'), '--maxWorkers', '8'],
]

const emulate = [process.execPath, path('../../../bin/payctl.js'), 'emulate', '--settle', 'manual', '--']

export const suites: readonly Suite[] = [
  { name: 'vitest, one emulator for eight workers', emulate, command: vitest, env: {} },
  { name: 'vitest, by the library', emulate: null, command: vitest, env: {} },
  {
    name: 'unittest, one emulator for eight processes',
    emulate,
    command: ['python3', path('python/run.py')],
    env: { PYTHONDONTWRITEBYTECODE: '1' },
  },
]

export const folder = root
