import type { Context } from '../../cli/command.ts'
import type { Client } from '../../client/client.ts'
import { CliError } from '../../errors/cli_error.ts'
import { isServiceAnswer } from '../../errors/service_errors.ts'
import { grouped } from '../../run/counts.ts'
import { say, type Text } from '../../words/text.ts'

// Explains missing payments: a payment disappears when its emulator world is reset or ends.

interface Place {
  readonly client: Client
  /** Id of the world that has answered; undefined if no emulator has answered. */
  readonly world: () => string | undefined
}

async function sentToEarlierWorlds(
  { client: { baseUrl }, world }: Place,
  { stateDir }: Context,
  payment?: string,
): Promise<number> {
  const seen = world()
  if (seen === undefined) return 0
  const { inspectJournal } = await import('../../journal/inspect.ts')
  const place = { baseUrl, world: seen, ...(payment !== undefined && { payment: payment.toLowerCase() }) }
  return inspectJournal(stateDir, (journal) => journal.inOtherWorlds(place)) ?? 0
}

/**
 * Awaits the reading of a payment. If the service does not have the payment, and the payment was sent to an earlier
 * world, the error says so.
 */
export async function orOfEarlierWorld<T>(
  reading: Promise<T>,
  { id, ...place }: Place & { readonly id: string },
  context: Context,
): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (!isServiceAnswer(error, 404) || (await sentToEarlierWorlds(place, context, id)) === 0) throw error
    throw new CliError(
      'not_found',
      say`Payment ${id} was sent to an earlier world of this emulator, and is gone with that world: the emulator was reset or replaced.`,
      { kind: 'read_history_of_new_world' },
      { cause: error },
    )
  }
}

/** Description of the payments that were sent from this machine to earlier worlds; undefined if there are none. */
export async function goneWithEarlierWorlds(place: Place, context: Context): Promise<Text | undefined> {
  const count = await sentToEarlierWorlds(place, context)
  if (count === 0) return undefined
  return count === 1
    ? say`This world of the emulator is new: 1 payment was sent from here to an earlier world, and is gone with that world.`
    : say`This world of the emulator is new: ${grouped(count)} payments were sent from here to an earlier world, and are gone with that world.`
}

/** Explains an empty history. */
export async function noteEarlierWorlds(place: Place, context: Context): Promise<void> {
  const gone = await goneWithEarlierWorlds(place, context)
  if (gone !== undefined) context.output.note(gone)
}
