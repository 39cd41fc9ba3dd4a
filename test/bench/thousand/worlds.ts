import type * as library from '../../../src/testing/vitest.ts'
import type { Bank } from './orders.ts'

/** The built library, which a project would install. */
const built = new URL('../../../dist/lib/vitest.js', import.meta.url).href
const { createTest } = (await import(built)) as typeof library

/** A world for each test: over a port, or without a port. */
export const worldTest = (isPortless: boolean) =>
  createTest({ settle: 'manual', ...(isPortless && { port: false }) }).extend<{ bank: Bank }>({
    bank: async ({ world }, use) => {
      const { baseUrl, token, control } = world
      await use({
        baseUrl,
        fetch: isPortless ? world.fetch : fetch,
        token,
        account: world.accounts()[0]?.id ?? '',
        end: () => control.clock.advance({ ms: 60_000 }),
      })
    },
  })
