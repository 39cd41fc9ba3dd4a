import { defineConfig } from 'vitest/config'
import quick from './vitest.config.ts'

/** `npm run test:ecosystem`: other people's software, tried against the built package. It is installed first. */
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
