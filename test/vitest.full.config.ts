import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import quick from './vitest.config.ts'

const imports = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path))

/** Test files that import a file, directly or not. */
export function testsThatImport(path: string): string[] {
  const importsOf = new Map(
    globSync('test/**/*.ts', { exclude: ['test/ecosystem'] }).map((file) => [file, imports(file)]),
  )
  const reached = new Set([path])
  for (let before = 0; before < reached.size; ) {
    before = reached.size
    for (const [file, imported] of importsOf) if (imported.some((path) => reached.has(path))) reached.add(file)
  }
  return [...reached].filter((file) => file.endsWith('.test.ts'))
}

/** Tests that do less in `npm test`. */
const thinned = testsThatImport(join('test', 'support', 'full.ts'))

/** `npm run test:full`: tests that take too long for `npm test`. */
export default defineConfig({
  test: {
    ...quick.test,
    include: ['test/**/*.full.test.ts', ...thinned],
    exclude: [...configDefaults.exclude],
    env: { ...quick.test?.env, PAYCTL_TESTS: 'full' },
    // Most of these tests wait for processes that they have started.
    maxWorkers: 2 * availableParallelism(),
    testTimeout: 60_000,
  },
})
