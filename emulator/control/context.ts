import type { ControlEndpoints, ControlInputOf, ControlOutputOf } from '../../src/contract/index.ts'
import type { World } from '../world.ts'

/** What a control handler knows of the request besides its input. */
export interface ControlContext {
  readonly world: World
  /** Puts another world in the place of this one. */
  readonly reset: () => Promise<World>
  /** Known to the emulator and to who started it. */
  readonly identitySecret: string
  /** Makes the URL of the path that was asked for, without its query. */
  readonly url: () => string
}

/**
 * The emulator's own endpoints. They run outside a transaction: steering the clock makes many of its own. What they
 * write is committed before the answer leaves.
 */
export type ControlHandlers = {
  readonly [Id in keyof ControlEndpoints]: (
    input: ControlInputOf<Id>,
    context: ControlContext,
  ) => ControlOutputOf<Id> | Promise<ControlOutputOf<Id>>
}
