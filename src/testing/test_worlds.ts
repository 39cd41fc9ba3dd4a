import type { EmulatorOptions } from '../../emulator/options.ts'
import { itemsOf, pagesOf } from '../client/paging.ts'
import type { ConnectedEmulator } from './connect.ts'
import type { EmulatorWorld, NewWorldOptions } from './world.ts'

/** Options of a suite's emulator, and the origin of each test's world. */
export interface SuiteOptions extends EmulatorOptions {
  /** Exactly one of `{ seed }`, `{ snapshot }` and `{ world }`; default: the emulator's seed. */
  readonly from?: NonNullable<NewWorldOptions['from']>
}

export const split = ({ from, ...emulator }: SuiteOptions) => ({ emulator, world: from ? { from } : {} })

/** Idle time after which worlds of tests end, in milliseconds of real time: a killed worker ends none. */
const ttl = 60 * 60_000

/** Worlds for tests, each ended with its test. */
export interface TestWorlds {
  make(options?: NewWorldOptions): Promise<EmulatorWorld>
  /** Ends a world, unless its test has ended it. */
  end(world: EmulatorWorld, test: string): Promise<void>
  /** Throws an error that names the tests whose worlds got requests after their end, with these requests. */
  refuseLateRequests(): Promise<void>
}

export function testWorlds({ world: make, control: { worlds } }: ConnectedEmulator): TestWorlds {
  /** By world id: another test may reuse the name. */
  const tests = new Map<string, string>()
  return {
    make: (options) => make({ ttl, ...options }),
    async end(world, test) {
      // A test that ends its world itself may send later requests on purpose.
      const live = await world.control.worlds.get({ name: world.name }).catch(() => null)
      if (live) tests.set(live.id, test)
      await world.close()
    },
    async refuseLateRequests() {
      const page = (number = 1) => worlds.list({ status: 'ended', per_page: 1000, page: number })
      const late: string[] = []
      for await (const world of itemsOf(pagesOf(page, undefined))) {
        const test = tests.get(world.id)
        if (test === undefined || world.status !== 'ended' || world.late_requests === 0) continue
        const requests = world.latest.map(({ method, path }) => `${method} ${path}`)
        late.push(`${test}: ${world.late_requests}, the last of them ${requests.join(', ')}`)
      }
      if (late.length > 0) throw new Error(`Requests came after their test had ended. ${late.join('. ')}`)
    },
  }
}
