import type { TObject } from 'typebox'
import type { Endpoint, Table } from '../endpoint.ts'
import type { Json } from './json.ts'
import { operationIdOf } from './tags.ts'

/**
 * Links from the answer that creates a resource to endpoints with its id in the path: `POST /api/payments` leads to
 * `GET /api/payments/{id}`. They show readers and programs where an id comes from.
 */
export function linksOf({ path, success }: Endpoint, table: Table): Record<string, Json> {
  const { properties = {} } = success.data as Partial<TObject>
  const links: Record<string, Json> = {}
  if (success.status !== 201) return links
  for (const [id, row] of Object.entries(table)) {
    const [parameter] = Object.keys(row.params?.properties ?? {})
    if (parameter === undefined || !(parameter in properties) || !row.path.startsWith(`${path}/{${parameter}}`))
      continue
    const operationId = operationIdOf(id)
    links[operationId] = {
      operationId,
      parameters: { [parameter]: `$response.body#/data/${parameter}` },
      description: `Takes the \`${parameter}\` of this answer`,
    }
  }
  return links
}
