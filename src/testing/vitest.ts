/**
 * `payctl/vitest`: worlds of an emulator as fixtures of Vitest.
 */
import { test as base, expect, type TestAPI } from 'vitest'
import {
  type ConnectedEmulator,
  type EmulatorWorld,
  matchers,
  type NewWorldOptions,
  suiteEmulator,
  type WorldMatchers,
} from './index.ts'
import { type SuiteOptions, split, type TestWorlds, testWorlds } from './test_worlds.ts'

export type { SuiteOptions } from './test_worlds.ts'

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends WorldMatchers {}
}

expect.extend(matchers)

export interface Fixtures {
  /**
   * The worker's emulator: an emulator in the worker's process or, under `payctl emulate -- vitest run`, the emulator
   * of that command. All tests share the emulator's default world.
   */
  readonly emulator: ConnectedEmulator
  /**
   * A world for this test alone. The world ends with the test, even if the test fails. By default its stream of random
   * values is named after the test, so that a seed gives a test the same faults in any order of tests.
   */
  readonly world: EmulatorWorld
  /** Options for `world`: `test.override('worldOptions', { from: { seed: 'empty' } })`. */
  readonly worldOptions: NewWorldOptions
  /** A world that the tests of a file share. */
  readonly worldPerFile: EmulatorWorld
}

/** Vitest's test function with the fixtures. Requests that arrive after their test has ended fail the file. */
export function createTest(options: SuiteOptions = {}): TestAPI<Fixtures> {
  if (!('override' in base)) throw new Error('payctl/vitest needs Vitest 4.1 or later.')
  const given = split(options)
  return base.extend<{
    $worker: Pick<Fixtures, 'emulator'>
    $file: Pick<Fixtures, 'worldPerFile'> & { readonly testWorlds: TestWorlds }
    $test: Pick<Fixtures, 'world' | 'worldOptions'>
  }>({
    emulator: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads what a fixture needs from its pattern
      async ({}, use) => {
        const emulator = await suiteEmulator(given.emulator)
        await use(emulator)
        await emulator.close()
      },
      { scope: 'worker' },
    ],
    testWorlds: [
      async ({ emulator }, use) => {
        const worlds = testWorlds(emulator, given.isStrict)
        await use(worlds)
        await worlds.refuseLateRequests()
      },
      { scope: 'file' },
    ],
    worldPerFile: [
      async ({ testWorlds }, use) => {
        const world = await testWorlds.make(given.world)
        await use(world)
        await testWorlds.end(world, 'the world of the file')
      },
      { scope: 'file' },
    ],
    worldOptions: given.world,
    world: async ({ testWorlds, worldOptions, task }, use) => {
      const test = task.fullTestName ?? task.name
      const world = await testWorlds.make({ rngStream: test, ...worldOptions })
      await use(world)
      await testWorlds.end(world, test)
    },
  })
}

export const test: TestAPI<Fixtures> = createTest()
export { test as it }
