import type { CommandRecord } from '../src/cli/command.ts'
import { type Listing, loadListing } from '../src/cli/manifest.ts'
import { subcommandsOf } from '../src/cli/register.ts'
import { root } from '../src/commands/index.ts'

/** Module that replaces src/cli/manifest.ts in the bundle, so that listing commands does not load them. */
export const manifestModule = async (): Promise<string> =>
  `export const manifest = JSON.parse(${JSON.stringify(JSON.stringify(await listingsOf(root)))})
export const loadListing = () => {
  throw new Error('The manifest has every command.')
}`

async function listingsOf(record: CommandRecord, path = ''): Promise<Readonly<Record<string, Listing>>> {
  const all = await Promise.all(
    subcommandsOf(record).map(async ({ name, load }) => {
      const own = `${path} ${name}`.trim()
      return { [own]: await loadListing(load), ...(await listingsOf(await load(), own)) }
    }),
  )
  return Object.assign({}, ...all)
}
