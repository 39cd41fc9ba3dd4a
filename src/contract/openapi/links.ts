import type { TObject } from 'typebox'
import type { Endpoint, Table } from '../endpoint.ts'
import type { Json } from './json.ts'
import { operationIdOf } from './tags.ts'

/**
 * From the answer to making something, to what takes its name in the path: `POST /api/payments` leads to
 * `GET /api/payments/{id}`. A reader learns from it where an id comes from, and so does a program.
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
