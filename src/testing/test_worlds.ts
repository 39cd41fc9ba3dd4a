import type { EmulatorOptions } from '../../emulator/options.ts'
import { itemsOf, pagesOf } from '../client/paging.ts'
import type { ConnectedEmulator } from './connect.ts'
import type { EmulatorWorld, NewWorldOptions } from './world.ts'

/** What the emulator of a suite starts with, and what the world of each test is made from. */
export interface SuiteOptions extends EmulatorOptions {
  /** `{ seed }`, `{ snapshot }` or `{ world }`: one of them. The seed of the emulator when it is left out. */
  readonly from?: NonNullable<NewWorldOptions['from']>
}

export const split = ({ from, ...emulator }: SuiteOptions) => ({ emulator, world: from ? { from } : {} })

/** The worlds of tests end when no request came for so long, in milliseconds of real time: a worker may be killed. */
const ttl = 60 * 60_000

/** Worlds for tests, each ended with its test. */
export interface TestWorlds {
  make(options?: NewWorldOptions): Promise<EmulatorWorld>
  /** Ends a world, unless its test has done so. */
  end(world: EmulatorWorld, test: string): Promise<void>
  /** Throws an error that names the tests whose worlds had requests after they had been ended, and these requests. */
  refuseLateRequests(): Promise<void>
}

export function testWorlds({ world: make, control: { worlds } }: ConnectedEmulator): TestWorlds {
  /** By the id of the test's world: another test may have taken the name again. */
  const tests = new Map<string, string>()
  return {
    make: (options) => make({ ttl, ...options }),
    async end(world, test) {
      // A test that ends its world itself may want to see what becomes of later requests.
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
