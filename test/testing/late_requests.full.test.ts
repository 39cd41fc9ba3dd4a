import { expect, test } from 'vitest'
import { type Hooks, worldForEach } from '../../src/testing/index.ts'

/** Number of tests: more than one page of the list of worlds can show. */
const tests = 1002

test('a request that came late is found among more ended worlds than a page has', { timeout: 300_000 }, async () => {
  const hooks: Partial<Record<keyof Hooks, () => Promise<void>>> = {}
  const world = worldForEach(
    {
      beforeEach: (work) => (hooks.beforeEach = work),
      afterEach: (work) => (hooks.afterEach = work),
      afterAll: (work) => (hooks.afterAll = work),
    },
    { from: { seed: 'empty' } },
  )
  let first: string | undefined
  for (let number = 1; number <= tests; number += 1) {
    await hooks.beforeEach?.()
    first ??= world().baseUrl
    await hooks.afterEach?.()
  }
  expect((await fetch(`${first}/api/user`)).status).toBe(410)
  await expect(hooks.afterAll?.()).rejects.toThrow('test 1 of the file: 1, the last of them GET /api/user')
})
