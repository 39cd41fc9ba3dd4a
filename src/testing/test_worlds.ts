import type { EmulatorOptions } from '../../emulator/options.ts'
import { itemsOf, pagesOf } from '../client/paging.ts'
import { BreachError } from './breaches.ts'
import type { ConnectedEmulator } from './connect.ts'
import { type EmulatorWorld, idEndedByClose, type NewWorldOptions } from './world.ts'

/** Options for a suite's emulator, and the origin of each test's world. */
export interface SuiteOptions extends EmulatorOptions {
  /**
   * Exactly one of `{ seed }`, `{ snapshot }`, `{ world }`, `{ moment }` and `{ file }`; default: the emulator's seed.
   */
  readonly from?: NonNullable<NewWorldOptions['from']>
}

export const split = ({ from, ...emulator }: SuiteOptions) => ({
  emulator,
  world: from ? { from } : {},
  isStrict: emulator.strict === true,
})

/**
 * Idle time after which worlds of tests end, in milliseconds of real time: if a worker is killed, it can't end its
 * worlds.
 */
const ttl = 60 * 60_000

/** Worlds for tests, each ended with its test. */
export interface TestWorlds {
  make(options?: NewWorldOptions): Promise<EmulatorWorld>
  /** Ends a world, unless its test has ended it. */
  end(world: EmulatorWorld, test: string): Promise<void>
  /**
   * Throws an error if worlds received requests after their end: names the tests of these worlds, and the last of these
   * requests.
   */
  refuseLateRequests(): Promise<void>
}

/** `isStrict`: the suite's option. A running emulator does not get the suite's options, so each world gets this option. */
export function testWorlds({ world: make, control: { worlds } }: ConnectedEmulator, isStrict: boolean): TestWorlds {
  /** Names of tests by world id: another test may reuse the name of a world. */
  const tests = new Map<string, string>()
  const ended = () => {
    const page = (number = 1) => worlds.list({ status: 'ended', per_page: 1000, page: number })
    return itemsOf(pagesOf(page, undefined))
  }
  /** Throws BreachError for late requests to a strict world that its test has ended. */
  const refuseLateTo = async ({ worldId, name }: EmulatorWorld): Promise<void> => {
    for await (const world of ended()) {
      if (world.id !== worldId || world.status !== 'ended' || world.late_requests === 0) continue
      const breach = { world: name, request: null, status: 410, kind: 'late', what: 'its world had ended' } as const
      const first = world.latest.map(({ method, path }) => ({ ...breach, method, path }))
      throw new BreachError({ count: world.late_requests, first })
    }
  }
  return {
    make: (options = {}) => make({ ttl, ...(isStrict && { strict: true }), ...options }),
    async end(world, test) {
      // A test that ends its world itself may send later requests on purpose.
      const isByTest = idEndedByClose(world) !== undefined
      try {
        await world.close()
      } finally {
        const id = isByTest ? undefined : idEndedByClose(world)
        if (id !== undefined) tests.set(id, test)
      }
      if (world.strict && (isByTest || idEndedByClose(world) === undefined)) await refuseLateTo(world)
    },
    async refuseLateRequests() {
      const late: string[] = []
      for await (const world of ended()) {
        if (world.status !== 'ended' || world.late_requests === 0) continue
        const test = tests.get(world.id)
        if (test === undefined) continue
        const requests = world.latest.map(({ method, path }) => `${method} ${path}`)
        late.push(`${test}: ${world.late_requests}, the last of them ${requests.join(', ')}`)
      }
      if (late.length > 0) throw new Error(`Requests came after their test had ended. ${late.join('. ')}`)
    },
  }
}
