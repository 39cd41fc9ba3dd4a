import { afterAll, beforeAll, beforeEach, type RunnerTestSuite, TestRunner, test } from 'vitest'
import { Api } from './api.ts'
import { isDecision } from './decisions.ts'
import { atRest, everything, type Fixture, prepare } from './fixture.ts'
import { skipIfNotAllowed, unlessNotAllowed } from './not_applicable.ts'
import type { Control, Inside, Target, World, WorldOptions } from './target.ts'

/** What a case works with: one world for all of them, and `start` for those that need one to themselves. */
export interface Suite {
  readonly target: Target
  /** What happened in this run, as `coverage.ts` names it. */
  readonly seen: Set<string>
  readonly world: World
  readonly api: Api
  readonly fixture: Fixture
  readonly control: Control
  readonly inside: Inside
  start(options: WorldOptions): Promise<{ world: World; api: Api }>
  /** The same, for a case that steers it. */
  own(options?: WorldOptions): Promise<{ world: World; api: Api; control: Control }>
  /** Everything a request could have changed; where payments move by themselves, once they have come to rest. */
  state(): ReturnType<typeof everything>
  /** Prepares for the cases beside it; where that may not be written to, they go without. */
  before(work: () => Promise<void>): void
  /** A case that has to steer the clock. */
  readonly steered: typeof test.skip
  /** A case that has to reach into the process. */
  readonly within: typeof test.skip
  /** A case that needs sockets. */
  readonly listening: typeof test.skip
}

export function suiteOn(target: Target): Suite {
  let world: World | undefined
  let api: Api | undefined
  let fixture: Fixture | undefined
  const started: World[] = []
  const seen = new Set<string>()
  const start = async (options: WorldOptions) => {
    const own = watched(await target.start(options))
    started.push(own)
    return { world: own, api: new Api(own, seen) }
  }
  const state = () => everything(there(api))
  beforeAll(async () => {
    ;({ world, api } = await start({}))
    fixture = await prepare(world)
  })
  beforeEach(({ task, skip }) => {
    skip(
      !there(world).emulated && isDecision(fileOf(task), task.name),
      'a decision of the emulator, not of the interface',
    )
  })
  afterAll(async () => {
    await Promise.all(started.map((each) => each.close()))
  })
  return {
    target,
    seen,
    start,
    async own(options = {}) {
      const { world, api } = await start(options)
      return { world, api, control: there(world.control) }
    },
    state: () => (target.reach === 'none' ? atRest(state, ({ payments }) => payments) : state()),
    get world() {
      return there(world)
    },
    get api() {
      return there(api)
    },
    get fixture() {
      return there(fixture)
    },
    before: (work) => beforeAll(() => work().catch(unlessNotAllowed)),
    get control() {
      return there(world?.control)
    },
    get inside() {
      return there(world?.inside)
    },
    steered: test.skipIf(target.reach === 'none'),
    within: test.skipIf(target.reach !== 'inside'),
    listening: test.skipIf(!target.listens),
  }
}

declare module 'vitest' {
  interface TaskMeta {
    /** What a case asked last, and the status of the answer. */
    lastExchange?: string
  }
}

/** A request that may not be made skips the case that makes it, and says why. Reports name the last one of a case. */
function watched(world: World): World {
  const watch =
    (exchange: World['exchange']): World['exchange'] =>
    async (wire) => {
      const meta = TestRunner.getCurrentTest()?.meta
      const request = `${wire.method} ${wire.url}`
      const reply = await exchange(wire).catch((error) => {
        if (meta) meta.lastExchange = `${request} → no answer`
        return skipIfNotAllowed(error)
      })
      if (meta) meta.lastExchange = `${request} → ${reply.status}`
      return reply
    }
  const { oauth } = world
  return {
    ...world,
    exchange: watch(world.exchange),
    oauth: oauth && { ...oauth, exchange: watch(oauth.exchange) },
  }
}

/** Of a case: the second of the groups around it, below the target's. */
function fileOf({ suite }: { readonly suite?: RunnerTestSuite | undefined }): string | undefined {
  const names: string[] = []
  for (let group = suite; group; group = group.suite) names.unshift(group.name)
  return names[1]
}

function there<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('Not there: the case needs another kind of test')
  return value
}
