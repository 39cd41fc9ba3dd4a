import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { leftOut } from './installed/left_out.ts'
import full, { testsThatImport } from './vitest.full.config.ts'

const wholeFiles = leftOut.filter(([, name]) => name === '').map(([file]) => file)

/** `npm run test:installed`: runs the tests of the built program against an installed payctl. */
export default defineConfig({
  test: {
    ...full.test,
    include: testsThatImport(join('test', 'support', 'program.ts')),
    exclude: [...configDefaults.exclude, ...wholeFiles],
    testTimeout: 120_000, // in CI other work that waits for the disk runs beside these tests
    setupFiles: [...(full.test?.setupFiles ?? []), 'test/installed/skip.ts'],
  },
})
