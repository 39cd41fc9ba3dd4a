import type { Plugin } from 'rolldown'
import type { Kind } from '../src/client/kind.ts'
import { type Endpoint, endpoints } from '../src/contract/index.ts'

const id = '\0wire table'

/**
 * Gives the client of the command line the endpoint table without its schemas. To call the service it needs to know
 * where each part of a request goes, whether it moves money and whether the answer is a list, not what is valid there; making
 * the schemas takes 4 ms at every start.
 */
export const wireTable: Plugin = {
  name: 'wire table',
  resolveId: (source, importer) =>
    source.endsWith('/contract/endpoints.ts') && importer?.endsWith('/src/client/message.ts') ? id : null,
  load: (module) => (module === id ? `export const endpoints = ${JSON.stringify(wireRows())}` : null),
}

function wireRows(): Record<string, unknown> {
  const rows: [string, Endpoint][] = Object.entries(endpoints)
  return Object.fromEntries(
    rows.map(([name, { method, path, access, headers, success, refusals }]) => [
      name,
      {
        ...{ method, path, access, refusals },
        ...(headers && { headers: {} }),
        success: { data: kindOf(success.data as Kind) },
      },
    ]),
  )
}

/** What src/client/kind.ts looks at. */
function kindOf({ type, properties }: Kind): Kind {
  const list = properties?.data?.type === 'array'
  return { ...(type !== undefined && { type }), ...(list && { properties: { data: { type: 'array' } } }) }
}
