/** `payctl/jest`: a world for each Jest test. `payctl/jest/setup` can start one emulator for all workers. */
import { matchers, type WorldMatchers } from './matchers.ts'
import type { SuiteOptions } from './test_worlds.ts'
import type { EmulatorWorld } from './world.ts'
import { type Hooks, worldForEach as worldForEachOf } from './world_for_each.ts'

export type { WorldMatchers } from './matchers.ts'
export type { SuiteOptions } from './test_worlds.ts'
export { matchers }

declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: as @types/jest declares it
    interface Matchers<R, T = {}> extends WorldMatchers {}
  }
}
// With `injectGlobals: false`, extend the imported `expect` with `matchers`.
;(globalThis as Partial<Globals>).expect?.extend?.(matchers)

/** `worldForEach` of `payctl/emulator` with Jest's global hooks. */
export function worldForEach(options?: SuiteOptions): () => EmulatorWorld {
  const { beforeEach, afterEach, afterAll, expect } = globalThis as unknown as Globals
  if (!beforeEach) throw new Error('payctl/jest needs the globals of Jest, which injectGlobals: false removes.')
  const testName = () => expect.getState?.().currentTestName
  return worldForEachOf({ beforeEach, afterEach, afterAll, testName }, options)
}

interface Globals extends Hooks {
  readonly expect: {
    getState?(): { readonly currentTestName?: string }
    extend?(more: typeof matchers): void
  }
}
