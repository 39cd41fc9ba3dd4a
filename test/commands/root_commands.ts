import { loadListing } from '../../src/cli/manifest.ts'
import { subcommandsOf } from '../../src/cli/register.ts'
import { root } from '../../src/commands/index.ts'

/** The commands that `payctl --help` lists, in its order. */
export const rootListings = Object.fromEntries(
  await Promise.all(subcommandsOf(root).map(async ({ name, load }) => [name, await loadListing(load)] as const)),
)
