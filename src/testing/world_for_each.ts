import type { ConnectedEmulator } from './connect.ts'
import { suiteEmulator } from './suite_emulator.ts'
import { type SuiteOptions, split, type TestWorlds, testWorlds } from './test_worlds.ts'
import type { EmulatorWorld } from './world.ts'

type Hook = (work: () => Promise<void>) => unknown

/** Those of a test runner. */
export interface Hooks {
  readonly beforeEach: Hook
  readonly afterEach: Hook
  readonly afterAll: Hook
  /** The name of the test that runs, where the runner tells; otherwise tests are counted. */
  readonly testName?: () => string | undefined
}

/**
 * Makes a world for each test, of the emulator that suiteEmulator gives, and ends it with the test. Returns a function that
 * gives the world of the test that runs; tests of a file must run one after the other. Requests that come after their test
 * has ended fail the hook `afterAll`.
 */
export function worldForEach(hooks: Hooks, options: SuiteOptions = {}): () => EmulatorWorld {
  const given = split(options)
  let emulator: ConnectedEmulator | undefined
  let worlds: TestWorlds | undefined
  let world: EmulatorWorld | undefined
  let count = 0
  hooks.beforeEach(async () => {
    emulator ??= await suiteEmulator(given.emulator)
    worlds ??= testWorlds(emulator)
    world = await worlds.make(given.world)
    count += 1
  })
  hooks.afterEach(async () => {
    if (world) await worlds?.end(world, hooks.testName?.() ?? `test ${count} of the file`)
    world = undefined
  })
  hooks.afterAll(async () => {
    try {
      await worlds?.refuseLateRequests()
    } finally {
      await emulator?.close()
    }
  })
  return () => {
    if (world) return world
    throw new Error('There is no world outside of a test: worldForEach makes one before each.')
  }
}
