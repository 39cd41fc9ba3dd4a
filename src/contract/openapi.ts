import { controlEndpoints } from './control.ts'
import type { Table } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { oauthEndpoints } from './oauth.ts'
import type { Material } from './openapi/answers.ts'
import { Components, type Examples, type Json } from './openapi/components.ts'
import { oauthPaths, securitySchemes } from './openapi/oauth.ts'
import { pathsOf, webhooksOf } from './openapi/operations.ts'
import { tagsOf } from './openapi/tags.ts'

/** Version of the service's interface, not of payctl. */
const interfaceVersion = '0.0.1'

/** Same values as in package.json. */
const about = {
  contact: { name: 'payctl contributors', url: 'https://git.payctl.example/payctl/issues' },
  license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
}

/** Default address of an emulator. */
const emulatorUrl = 'http://127.0.0.1:4010'

const here = { url: '/', description: 'Server from which this document was loaded' }

/**
 * Servers of the API. Generators use the first server, so the first server is a whole URL. The description of a variable
 * is in the description of its server, because Swagger Parser refuses descriptions of variables.
 */
const serversAt = (variable: string, description: string): readonly Json[] => [
  { url: emulatorUrl, description: '`payctl emulate` with its default options' },
  here,
  {
    url: `{${variable}}`,
    description: `${description}. \`${variable}\` is the whole URL, without a slash at the end`,
    variables: { [variable]: { default: emulatorUrl } },
  },
]

/**
 * OpenAPI document of the service's whole interface: endpoints, OAuth and events. The document's schemas come from the
 * contract, which already contains them as JSON Schema.
 */
export function serviceDocument(examples: Examples = {}): Json {
  const table: Table = endpoints
  const material: Material = { components: new Components(), examples, table }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payments and accounts',
      version: interfaceVersion,
      description: [
        'Accounts in CRC and USD, payments by PIN and SINPE Móvil, look-ups, exchange rates and webhooks.',
        'Amounts are integers in minor units: 1000 is 10.00. Answers are envelopes `{success, message, data}`, with `errors` if `success` is false. Answers of OAuth endpoints have no envelope, but the form that OAuth defines.',
        'A payment needs an `X-Idempotency-Key` of the caller; repeating the key returns the same payment. The payment is processed after the answer: read the payment again, or subscribe to events.',
      ].join('\n\n'),
      ...about,
    },
    servers: serversAt('base_url', 'The service'),
    tags: tagsOf([...Object.keys(table), ...Object.keys(oauthEndpoints), 'events']),
    paths: { ...pathsOf(table, material), ...oauthPaths(material, serversAt('auth_url', 'OAuth of the service')) },
    webhooks: webhooksOf(material),
    components: { ...material.components.all(), securitySchemes },
  }
}

/** OpenAPI document of the emulator's own endpoints. `version` is the version of payctl. */
export function emulatorDocument(version: string, examples: Examples = {}): Json {
  const table: Table = controlEndpoints
  const material: Material = { components: new Components(), examples, table }
  return {
    openapi: '3.1.0',
    info: {
      title: 'payctl emulator',
      version,
      description:
        'Endpoints that steer and inspect a running emulator. The service has none of these endpoints. Answers are envelopes `{success, message, data}`, with `errors` if `success` is false.',
      ...about,
    },
    servers: [
      { url: emulatorUrl, description: 'Default world of `payctl emulate` with its default options' },
      here,
      {
        url: `${emulatorUrl}/w/{world}`,
        description:
          'Another world, by its name. Every endpoint answers 404 if no world has had this name, and 410 if the world has ended',
        variables: { world: { default: 'default' } },
      },
    ],
    tags: tagsOf(Object.keys(table)),
    paths: pathsOf(table, material),
    components: {
      ...material.components.all(),
      securitySchemes: {
        control: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The emulator’s control token. An emulator without a control token accepts requests from this machine without a token',
        },
      },
    },
  }
}
