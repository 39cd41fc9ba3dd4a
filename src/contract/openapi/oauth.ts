import { httpErrors } from '../errors.ts'
import { type OAuthEndpoint, oauthEndpoints, oauthErrors } from '../oauth.ts'
import { OAuthError } from '../schemas/oauth.ts'
import { scopes } from '../scopes.ts'
import { countHeaders, type Material, sharedRefusal, text } from './answers.ts'
import { type Json, jsonContent } from './components.ts'
import { parametersIn } from './parameters.ts'
import { operationIdOf, tagOf } from './tags.ts'

/** The OAuth table as path items with separate servers: the auth URL may differ from the base URL. */
export function oauthPaths(material: Material, servers: readonly Json[]): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const [id, endpoint] of Object.entries(oauthEndpoints)) {
    const { path, method } = endpoint
    paths[path] = { servers, ...paths[path], [method.toLowerCase()]: operationOf(id, endpoint, material) }
  }
  return paths
}

export const securitySchemes: Json = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token issued through the dashboard' },
  oauth2: {
    type: 'oauth2',
    flows: {
      authorizationCode: {
        authorizationUrl: oauthEndpoints['oauth.authorize'].path,
        tokenUrl: oauthEndpoints['oauth.token'].path,
        refreshUrl: oauthEndpoints['oauth.token'].path,
        scopes,
      },
    },
  },
  client: { type: 'http', scheme: 'basic', description: 'Client id and secret, if they are not in the body' },
}

function operationOf(id: string, endpoint: OAuthEndpoint, material: Material): Json {
  const { components, examples } = material
  const parameters = parametersIn('query', endpoint.query, { components, values: examples[id]?.parameters })
  return {
    operationId: operationIdOf(id),
    summary: endpoint.summary,
    description: endpoint.description,
    tags: [tagOf(id)],
    security: typeof endpoint.success.data === 'string' ? [] : [{ client: [] }, {}],
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(id, endpoint, material),
    responses: {
      ...answersOf(id, endpoint, material),
      ...(endpoint.pages.length > 0
        ? { 429: tellingPage(components), default: tellingPage(components) }
        : { 429: sharedRefusal(429, httpErrors[429], material) }),
    },
  }
}

/** Request body as JSON, or as a form with the same fields. The recorded examples are for JSON only. */
function bodyOf(id: string, { body, accepts = [] }: OAuthEndpoint, { components, examples }: Material): Json {
  if (!body) return {}
  const schema = components.schema(body)
  const content = accepts.map((type) => [
    type,
    type === 'application/json' ? jsonContent(schema, examples[id]?.request)[type] : { schema },
  ])
  return { requestBody: { required: true, content: Object.fromEntries(content) } }
}

function answersOf(id: string, { success, errors, redirects, pages }: OAuthEndpoint, material: Material): Json {
  const { components, examples } = material
  const headers = countHeaders(components)
  const recorded = examples[id]?.responses ?? {}
  const answers: Record<string, Json> = {}
  if (success.data === 'page') answers[success.status] = { description: 'The page', headers, content: page }
  else if (success.data !== 'redirect') {
    const content = jsonContent(components.schema(success.data), recorded[success.status])
    answers[success.status] = { description: 'Tokens', headers, content }
  }
  if (redirects.length > 0) {
    const withCode = success.data === 'redirect' ? 'with a code, or ' : ''
    answers[303] = {
      description: `Back to the client ${withCode}with an \`error\`: ${meanings(redirects)}`,
      headers: { ...headers, Location: text('The `redirect_uri` with the answer in its query') },
    }
  }
  for (const status of pages) answers[status] = tellingPage(components)
  for (const [status, codes] of byStatus(errors)) {
    const schema = {
      allOf: [
        components.schema(OAuthError),
        { type: 'object', properties: { error: { type: 'string', enum: codes, description: meanings(codes) } } },
      ],
    }
    answers[status] = { description: meanings(codes), headers, content: jsonContent(schema, recorded[status]) }
  }
  return answers
}

type Code = keyof typeof oauthErrors

const byStatus = (errors: OAuthEndpoint['errors']): Map<string, Code[]> =>
  Map.groupBy(Object.keys(errors) as Code[], (code) => String(errors[code]))

const tellingPage = (components: Material['components']): Json => ({
  description: 'Error page with the reason',
  headers: countHeaders(components),
  content: page,
})

const page: Json = { 'text/html': { schema: { type: 'string' } } }

const meanings = (codes: readonly Code[]): string =>
  codes.map((code) => `\`${code}\` (${oauthErrors[code]})`).join(', ')
