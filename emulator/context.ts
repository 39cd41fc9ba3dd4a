import type { ControlEndpoints, ControlInputOf, ControlOutputOf } from '../src/contract/index.ts'
import type { PageRequest } from './domain/paginator.ts'
import { Refusal } from './domain/refusal.ts'
import type { World } from './world.ts'

/** What a handler knows of the request besides its input. */
export interface Context {
  readonly world: World
  /** Epoch milliseconds by the world's clock. */
  readonly now: number
  /** The seq of the user whose token came with the request; null where none is needed. */
  readonly user: number | null
  /** Makes the URL of the path that was asked for, without its query. */
  readonly url: () => string
  /** Headers for the answer, beyond the usual ones. */
  readonly headers: Record<string, string>
}

/** The caller, on an endpoint that lets nobody in without a token. */
export function callerOf(context: Context): number {
  if (context.user === null) throw new Refusal(401)
  return context.user
}

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

const defaultPerPage = 15

/** What a list's query asks for: the page, and the window of rows that fill it. */
export function pageRequest(query: { page?: number; per_page?: number }, { url }: { url: () => string }) {
  const { page = 1, per_page: perPage = defaultPerPage } = query
  const request: PageRequest = { page, perPage, path: url() }
  return { request, window: { limit: perPage, offset: (page - 1) * perPage } }
}
