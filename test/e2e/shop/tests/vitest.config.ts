import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.spec.ts'],
    globalSetup: ['global_setup.ts'],
    reporters: ['dot'],
    // The first test of a worker waits for its emulator, and there are more workers than cores.
    testTimeout: 60_000,
  },
})
