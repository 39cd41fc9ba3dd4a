import type { ConnectedEmulator } from './connect.ts'
import { suiteEmulator } from './emulator.ts'
import { type SuiteOptions, split, type TestWorlds, testWorlds } from './test_worlds.ts'
import type { EmulatorWorld } from './world.ts'

type Hook = (work: () => Promise<void>) => unknown

/** Hooks of a test runner. */
export interface Hooks {
  readonly beforeEach: Hook
  readonly afterEach: Hook
  readonly afterAll: Hook
  /**
   * Name of the running test, if the runner reports it: also the name of the random stream of the test's world. If the
   * runner does not report it, errors name the test by its number in the file.
   */
  readonly testName?: () => string | undefined
}

/**
 * Creates a world of the suite's emulator before each test and ends it after the test. Returns a function that returns
 * the running test's world; tests of a file must run one after another. Requests that arrive after their test has
 * ended fail the hook `afterAll`.
 */
export function worldForEach(hooks: Hooks, options: SuiteOptions = {}): () => EmulatorWorld {
  const given = split(options)
  let emulator: ConnectedEmulator | undefined
  let worlds: TestWorlds | undefined
  let world: EmulatorWorld | undefined
  let count = 0
  hooks.beforeEach(async () => {
    emulator ??= await suiteEmulator(given.emulator)
    worlds ??= testWorlds(emulator, given.isStrict)
    const rngStream = hooks.testName?.()
    world = await worlds.make({ ...(rngStream !== undefined && { rngStream }), ...given.world })
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
    throw new Error('No world outside a test: worldForEach makes one before each test.')
  }
}
