import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['dot'],
    // Many tests start processes, which takes long on a busy machine.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
