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
