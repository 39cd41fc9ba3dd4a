import { afterAll, beforeAll, beforeEach, type RunnerTestSuite, TestRunner, test } from 'vitest'
import { Api } from './api.ts'
import { isDecision } from './decisions.ts'
import { atRest, everything, type Fixture, prepare } from './fixture.ts'
import { skipIfNotAllowed, unlessNotAllowed } from './not_applicable.ts'
import type { Control, Inside, Target, World, WorldOptions } from './target.ts'

/** Tools of a case: one world shared by all cases, and `start` for cases that need a separate world. */
export interface Suite {
  readonly target: Target
  /** Observations of this run, named as in `coverage.ts`. */
  readonly seen: Set<string>
  readonly world: World
  readonly api: Api
  readonly fixture: Fixture
  readonly control: Control
  readonly inside: Inside
  start(options: WorldOptions): Promise<{ world: World; api: Api }>
  /** Starts a separate world with controls, for a case that moves the clock. */
  own(options?: WorldOptions): Promise<{ world: World; api: Api; control: Control }>
  /**
   * Snapshot of all data that a request can change. If payments move by themselves, the snapshot is taken after they
   * have ended.
   */
  state(): ReturnType<typeof everything>
  /** Does `work` once before the cases of the group. A forbidden write ends `work` without an error. */
  before(work: () => Promise<void>): void
  /** Declares a case that controls the clock. */
  readonly steered: typeof test.skip
  /** Declares a case that controls the clock and sends the name of another host. */
  readonly misnamed: typeof test.skip
  /** Declares a case that needs access to the server's process. */
  readonly within: typeof test.skip
  /** Declares a case that needs sockets. */
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
    misnamed: test.skipIf(target.reach === 'none' || target.takesAnyHost === true),
    within: test.skipIf(target.reach !== 'inside'),
    listening: test.skipIf(!target.listens),
  }
}

declare module 'vitest' {
  interface TaskMeta {
    /** Last request of a case, and the status of its answer. */
    lastExchange?: string
  }
}

/**
 * Skips a case that sends a forbidden request, with the reason. Records each request, because reports name the last
 * request of a case.
 */
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

/** File of a case: the name of the group that is directly inside the target's group. */
function fileOf({ suite }: { readonly suite?: RunnerTestSuite | undefined }): string | undefined {
  const names: string[] = []
  for (let group = suite; group; group = group.suite) names.unshift(group.name)
  return names[1]
}

function there<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('Not there: the case needs another kind of test')
  return value
}
