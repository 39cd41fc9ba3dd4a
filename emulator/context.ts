import type { ControlEndpoints, ControlInputOf, ControlOutputOf } from '../src/contract/index.ts'
import type { PageRequest } from './domain/paginator.ts'
import { Refusal } from './domain/refusal.ts'
import type { Rails } from './store/settings.ts'
import type { World } from './world.ts'
import type { Worlds } from './worlds.ts'

/** What a handler of the service knows besides its input. */
export interface Context {
  readonly world: World
  /** Epoch milliseconds by the world's clock. */
  readonly now: number
  /** Seq of the user whose token came with the request; null on an endpoint without a token. */
  readonly user: number | null
  /** The URL of the request, without its query. */
  readonly url: () => string
  /** Which rails are online for this request. */
  readonly rails: () => Rails
  /** Further headers of the answer. */
  readonly headers: Record<string, string>
}

/** Seq of the caller, on an endpoint that requires a token. */
export function callerOf(context: Context): number {
  if (context.user === null) throw new Refusal(401)
  return context.user
}

/** What a control handler knows besides its input. */
export interface ControlContext {
  readonly world: World
  /** The name of that world. */
  readonly name: string
  readonly worlds: Worlds
  /** Listens on a port for one world alone; 0 is any free one. */
  readonly listenFor: (world: string, port: number) => Promise<{ readonly port: number }>
  /** The base URL of the emulator, as the client reaches it. */
  readonly emulatorUrl: () => string
  /** Known to the emulator and to the process that started it. */
  readonly identitySecret: string
  /** The URL of the request, without its query. */
  readonly url: () => string
  /** Aborts when the client has gone before its answer. */
  readonly gone?: AbortSignal
}

/**
 * The emulator's own endpoints. They run outside a transaction, because moving the clock takes many. What they write is
 * committed before the answer leaves.
 */
export type ControlHandlers = {
  readonly [Id in keyof ControlEndpoints]: (
    input: ControlInputOf<Id>,
    context: ControlContext,
  ) => ControlOutputOf<Id> | Promise<ControlOutputOf<Id>>
}

const defaultPerPage = 15

/** The page that a list's query asks for, and its window of rows. */
export function pageRequest(query: { page?: number; per_page?: number }, { url }: { url: () => string }) {
  const { page = 1, per_page: perPage = defaultPerPage } = query
  const request: PageRequest = { page, perPage, path: url() }
  return { request, window: { limit: perPage, offset: (page - 1) * perPage } }
}
