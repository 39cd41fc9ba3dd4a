import { describe } from 'vitest'

/** The browser inside the npm package is for Linux on x64; elsewhere these tests are skipped. */
export const describeInBrowser = describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')
