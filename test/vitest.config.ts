import { resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'

/** It needs a server to be named: `npm run conformance` does that. */
const remote = process.env.CONFORMANCE_BASE_URL ? [] : ['test/conformance/remote.test.ts']

/** `npm test`: the quick tests. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...remote, 'test/**/*.full.test.ts', 'test/ecosystem/**'],
    reporters: ['dot'],
    // Files share a worker, and with it what they import. So a file restores what it changes of the process.
    isolate: false,
    // Tests wait for processes and disks: a worker for each core, where vitest leaves one free.
    maxWorkers: '100%',
    restoreMocks: true,
    unstubEnvs: true,
    // Processes that tests start know nothing of the profiles that the developer has. They share their compiled code.
    env: { TZ: 'UTC', PAYCTL_CONFIG_DIR: '/nowhere/payctl', XDG_CACHE_HOME: resolve('node_modules/.cache') },
    // Many tests start processes, which takes long on a busy machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
