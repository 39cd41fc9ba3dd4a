import type { Client } from '../client/client.ts'
import type { Context } from '../commands/context.ts'
import { eventNames } from '../contract/event_names.ts'
import { ApiError } from '../errors/service_errors.ts'
import type { TailFlags } from './flags.ts'
import { type Found, Recovery } from './recover.ts'
import { removeLeftovers } from './removal.ts'
import { TailMemory } from './seen_payments.ts'

interface Surroundings {
  readonly flags: TailFlags
  readonly context: Context
  readonly client: Client
  readonly baseUrl: string
  readonly user: string
}

/** What earlier tails left at the service goes; that it cannot be removed is no reason not to start. */
export async function tidyUp({ context, client, baseUrl, user }: Surroundings): Promise<void> {
  const { output, stateDir } = context
  try {
    const count = await removeLeftovers(client, { stateDir, baseUrl, user })
    const what = count === 1 ? 'a subscription' : `${count} subscriptions`
    if (count > 0) output.note(`Removed ${what} of tails that were killed.`)
  } catch (error) {
    if (context.signal.aborted) throw error
    output.note(`What an earlier tail left behind could not be removed: ${(error as Error).message}`)
  }
}

export interface Recovering {
  readonly recovery: Recovery
  readonly memory: TailMemory
  readonly missed: Found
}

/** Undefined where missed payments cannot be looked for: the history is another scope's. */
export async function startRecovery({
  flags,
  context,
  client,
  baseUrl,
  user,
}: Surroundings): Promise<Recovering | undefined> {
  if (!flags.recover) return undefined
  const memory = await TailMemory.load(context.stateDir, { baseUrl, user })
  const recovery = new Recovery(memory, flags.events ?? eventNames)
  try {
    return { recovery, memory, missed: await recovery.begin(client) }
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (error.status !== 403) {
      context.output.note(`Missed payments are looked for later, as the history cannot be read: ${error.message}`)
      return { recovery, memory, missed: { events: [], complete: true } }
    }
    context.output.note('Missed payments are not looked for: the token lacks the scope send-payments for the history.')
    return undefined
  }
}

/** Two users of one service have two histories. Not every token may ask whose it is. */
export async function userOf(client: Client): Promise<string> {
  try {
    const id: unknown = (await client.call('user.get'))?.id
    return typeof id === 'string' ? id : ''
  } catch (error) {
    if (isRefusal(error)) return ''
    throw error
  }
}

/** Without a valid token nothing works; without an answer to one question the rest may. */
const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && error.status !== 401
