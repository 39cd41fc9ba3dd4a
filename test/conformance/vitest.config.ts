import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import quick from '../vitest.config.ts'

/** Runs cases for their results, which `reporter.ts` collects. `campaign.ts` starts it. */
export default defineConfig({
  test: {
    ...quick.test,
    include: ['test/conformance/**/*.campaign.ts'],
    reporters: [fileURLToPath(new URL('reporter.ts', import.meta.url))],
    // A service with a rate limit may make the run wait twice for one request.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
