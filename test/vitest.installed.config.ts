import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { leftOut } from './installed/left_out.ts'
import full, { testsThatImport } from './vitest.full.config.ts'

const wholeFiles = leftOut.filter(([, name]) => name === '').map(([file]) => file)

/** `npm run test:installed`: tests of the built program, with an installed payctl instead of it. */
export default defineConfig({
  test: {
    ...full.test,
    include: testsThatImport(join('test', 'support', 'program.ts')),
    exclude: [...configDefaults.exclude, ...wholeFiles],
    setupFiles: [...(full.test?.setupFiles ?? []), 'test/installed/skip.ts'],
  },
})
