import type { TObject, TSchema } from 'typebox'
import type { Access, Endpoint, Table } from '../endpoint.ts'
import { answersOf, type Material } from './answers.ts'
import type { Components } from './components.ts'
import type { Named } from './examples.ts'
import { type Json, jsonContent } from './json.ts'
import { parametersIn } from './parameters.ts'
import { operationIdOf, tagOf } from './tags.ts'

/** An endpoint table as path items, by path. */
export function pathsOf(table: Table, material: Material): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const [id, endpoint] of Object.entries(table)) {
    const { path, method } = endpoint
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(id, endpoint, material) }
  }
  return paths
}

function operationOf(id: string, endpoint: Endpoint, material: Material): Json {
  const { components, examples } = material
  const { parameters: values, request } = examples[id] ?? {}
  const { params, query, headers, body } = endpoint
  const parameters = [
    ...parametersIn('path', params, { components, values }),
    ...parametersIn('query', query, { components, values }),
    ...parametersIn('header', headers, { components, values }),
  ]
  return {
    operationId: operationIdOf(id),
    summary: endpoint.summary,
    description: descriptionOf(endpoint),
    tags: [tagOf(id)],
    security: securityOf(endpoint.access),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: contentOf(endpoint, body, { components, request }) } }),
    responses: answersOf(id, endpoint, material),
  }
}

/** Description of the row, and its consequences. */
function descriptionOf({ description = '', access, movesMoney }: Endpoint): string {
  const scopes = typeof access === 'object' ? access.scopes.map((scope) => `\`${scope}\``).join(' or ') : ''
  return [
    description,
    scopes && `Scope: ${scopes}.`,
    movesMoney &&
      `Only ${movesMoney.refusals.join(', ')} say that no money moved. After any other answer but success it may have.`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

interface BodyMaterial {
  readonly components: Components
  readonly request: Named | undefined
}

const contentOf = ({ upload }: Endpoint, body: TObject, { components, request }: BodyMaterial): Json =>
  upload
    ? { [upload.type]: { schema: components.schema(body.properties.file as TSchema) } }
    : jsonContent(components.schema(body), request)

/** Alternatives: a dashboard token, or an OAuth token with any one of the scopes. Generators take the first. */
function securityOf(access: Access): Json[] {
  if (access === 'public') return []
  if (access === 'control') return [{ control: [] }, {}]
  const alternatives = access.scopes.length > 0 ? access.scopes.map((scope) => [scope]) : [[]]
  return [{ bearer: [] }, ...alternatives.map((needed) => ({ oauth2: needed }))]
}
