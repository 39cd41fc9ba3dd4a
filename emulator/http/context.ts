import type { Channel, ControlCallId, ControlInputOf, ControlOutputOf } from '../../src/contract/index.ts'
import type { PageRequest } from '../domain/paginator.ts'
import { Refusal } from '../domain/refusal.ts'
import type { VisibleWorlds } from '../worlds/visible_worlds.ts'
import type { World } from '../worlds/world.ts'
import type { PageCodes } from './page_codes.ts'

/** Everything that a service handler gets besides its input. */
export interface Context {
  readonly world: World
  /** Epoch milliseconds of the world's clock. */
  readonly now: number
  /** Seq of the user whose token the request has; null on an endpoint that requires no token. */
  readonly user: number | null
  /** The URL of the request, without its query. */
  readonly url: () => string
  /** Returns true if a rail is online for this request. */
  readonly isOnline: (rail: Channel) => boolean
  /** Additional headers for the answer. */
  readonly headers: Record<string, string>
}

/** Seq of the caller, on an endpoint that requires a token. */
export function callerOf(context: Context): number {
  if (context.user === null) throw new Refusal(401)
  return context.user
}

/** Everything that a control handler gets besides its input. */
export interface ControlContext {
  readonly world: World
  /** Name of `world`. */
  readonly name: string
  /** The worlds that the caller is allowed to see. */
  readonly worlds: VisibleWorlds
  /** Opens a port that serves only one world; 0 chooses a free port. */
  readonly listenFor: (world: string, port: number) => Promise<{ readonly port: number }>
  /** Base URL at which the client reaches the emulator. */
  readonly emulatorUrl: () => string
  /** Secret that only the emulator and the process that started it know. */
  readonly identitySecret: string
  readonly pageCodes: PageCodes
  /** If the emulator has teams: the team key that the request contains. */
  readonly teamKey?: string | undefined
  /** The URL of the request, without its query. */
  readonly url: () => string
  /** Aborts when the client disconnects before its answer. */
  readonly gone?: AbortSignal | undefined
}

/**
 * Handlers of the emulator's own endpoints. They run outside a transaction, because a move of the clock takes many
 * transactions. Their writes are committed before the answer is sent.
 */
export type ControlHandlers = {
  readonly [Id in ControlCallId]: (
    input: ControlInputOf<Id>,
    context: ControlContext,
  ) => ControlOutputOf<Id> | Promise<ControlOutputOf<Id>>
}

const defaultPerPage = 15

/** Returns the page that the query of a list asks for, and the window of rows on that page. */
export function pageRequest(query: { page?: number; per_page?: number }, { url }: { url: () => string }) {
  const { page = 1, per_page: perPage = defaultPerPage } = query
  const request: PageRequest = { page, perPage, path: url() }
  return { request, window: { limit: perPage, offset: (page - 1) * perPage } }
}
