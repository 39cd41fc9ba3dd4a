import type { Loader } from './command.ts'

/** Entry of a command in its group's list. */
export interface Listing {
  readonly summary: string
  /** Arguments of the command, as the usage line shows them. */
  readonly usage: string
}

/**
 * Listings, keyed by command, so that help on a group loads none of its commands. The build writes the listings here
 * (.build/written_modules.ts); when payctl runs from source, the listings come from the records.
 */
export const manifest: Readonly<Record<string, Listing>> | undefined = undefined

/** Returns the listing of a command from its record. */
export async function loadListing(load: Loader): Promise<Listing> {
  const { summary, args = {} } = await load()
  return { summary, usage: Object.keys(args).join(' ') }
}
