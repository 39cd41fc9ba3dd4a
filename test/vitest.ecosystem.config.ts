import { defineConfig } from 'vitest/config'
import quick from './vitest.config.ts'

/** `npm run test:ecosystem`: tries the built package with other software, which it installs first. */
export default defineConfig({
  test: {
    ...quick.test,
    include: ['test/ecosystem/*.test.ts'],
    exclude: [],
    globalSetup: ['test/ecosystem/install.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
