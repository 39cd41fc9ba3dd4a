import type { Plugin } from 'rolldown'
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

/** Rows as they are, but for the schemas of the request and the errors; of the answer only the type is kept. */
function wireRows(): Record<string, unknown> {
  const rows: [string, Endpoint][] = Object.entries(endpoints)
  return Object.fromEntries(
    rows.map(([name, { params, query, headers, body, errors, summary, success, ...row }]) => [
      name,
      { ...row, success: { data: { type: (success.data as { readonly type?: string }).type } } },
    ]),
  )
}
