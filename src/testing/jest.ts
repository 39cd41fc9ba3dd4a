/** `payctl/jest`: a world for each Jest test. `payctl/jest/setup` can start one emulator for all workers. */
import type { SuiteOptions } from './test_worlds.ts'
import type { EmulatorWorld } from './world.ts'
import { type Hooks, worldForEach as worldForEachOf } from './world_for_each.ts'

export type { SuiteOptions } from './test_worlds.ts'

/** `worldForEach` of `payctl/emulator` with Jest's global hooks. */
export function worldForEach(options?: SuiteOptions): () => EmulatorWorld {
  const { beforeEach, afterEach, afterAll, expect } = globalThis as unknown as Globals
  if (!beforeEach) throw new Error('payctl/jest needs the globals of Jest, which injectGlobals: false takes away.')
  const testName = () => expect.getState?.().currentTestName
  return worldForEachOf({ beforeEach, afterEach, afterAll, testName }, options)
}

interface Globals extends Hooks {
  readonly expect: { getState?(): { readonly currentTestName?: string } }
}
