import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { controlEndpoints, endpoints, eventNames, oauthEndpoints, scopes } from '../../src/contract/index.ts'
import { operationIdOf } from '../../src/contract/openapi/tags.ts'
import { emulatorDocument, serviceDocument } from '../../src/contract/openapi.ts'

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly security: readonly Record<string, readonly string[]>[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> }
  readonly responses: Record<string, { readonly headers?: object; readonly content?: object; readonly $ref?: string }>
}

interface Document {
  readonly info: object
  readonly servers: readonly object[]
  readonly paths: Record<string, Record<string, Operation>>
  readonly webhooks: Record<string, { readonly post: Operation }>
  readonly tags: readonly { readonly name: string }[]
  readonly components: Record<string, Record<string, object>>
}

const document = serviceDocument() as unknown as Document
const emulator = emulatorDocument('1.2.3') as unknown as Document

function schemasIn(node: unknown): readonly object[] {
  if (typeof node !== 'object' || node === null) return []
  return [node, ...Object.values(node).flatMap(schemasIn)]
}

const operation = (path: string, method: string, { paths } = document) => paths[path]?.[method]

describe('the OpenAPI document', () => {
  it.each([
    ['service', document, endpoints],
    ['emulator', emulator, controlEndpoints],
  ])('of the %s has an operation for every row, with the answers of the row', (_, made, table) => {
    for (const [id, { method, path, success, errors }] of Object.entries(table)) {
      const row = operation(path, method.toLowerCase(), made)
      expect(row?.operationId).toBe(operationIdOf(id))
      expect(Object.keys(row?.responses ?? {}).sort()).toEqual([String(success.status), ...Object.keys(errors)].sort())
    }
  })

  it('has the OAuth endpoints, on separate servers', () => {
    for (const [id, { method, path }] of Object.entries(oauthEndpoints)) {
      expect(operation(path, method.toLowerCase())?.operationId).toBe(operationIdOf(id))
      expect(JSON.stringify(document.paths[path]?.servers)).toContain('{auth_url}')
    }
    const token = operation(oauthEndpoints['oauth.token'].path, 'post')
    expect(Object.keys(token?.requestBody?.content ?? {})).toEqual(oauthEndpoints['oauth.token'].accepts)
    expect(Object.keys(token?.responses ?? {})).toEqual(['200', '400', '401', '429'])
  })

  it('has every event as a webhook, and requires no header that only the emulator sends', () => {
    expect(Object.keys(document.webhooks)).toEqual(eventNames)
    for (const [name, { post }] of Object.entries(document.webhooks)) {
      expect(post.parameters).toMatchObject(
        ['X-Webhook-Id', 'X-Webhook-Attempt'].map((header) => ({
          name: header,
          required: false,
          description: expect.stringContaining('Sent only by the payctl emulator'),
        })),
      )
      const { $ref = '' } = (post.requestBody?.content['application/json']?.schema ?? {}) as { $ref?: string }
      expect(document.components.schemas?.[$ref.replace('#/components/schemas/', '')]).toMatchObject({
        properties: { event: { const: name } },
      })
    }
  })

  it('lets a new subscription leave out its last delivery and its suspension', () => {
    const { CreatedSubscription, WebhookSubscription } = document.components.schemas as Record<
      string,
      { readonly required: readonly string[] }
    >
    const unused = ['last_sent_at', 'suspended_at', 'suspended_reason']
    expect(WebhookSubscription?.required).toEqual(expect.arrayContaining(unused))
    expect(CreatedSubscription?.required.filter((name) => unused.includes(name))).toEqual([])
  })

  it('says how to get a token and for what', () => {
    expect(document.components.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      oauth2: {
        flows: {
          authorizationCode: {
            authorizationUrl: oauthEndpoints['oauth.authorize'].path,
            tokenUrl: oauthEndpoints['oauth.token'].path,
            refreshUrl: oauthEndpoints['oauth.token'].path,
            scopes,
          },
        },
      },
    })
  })

  it('lists a dashboard token first, and scopes as alternatives', () => {
    expect(operation('/api/iban/information/{iban}', 'get')?.security).toEqual([
      { bearer: [] },
      { oauth2: ['read-accounts'] },
      { oauth2: ['send-payments'] },
    ])
    expect(operation('/api/payments/service-status', 'get')?.security).toEqual([])
    expect(operation('/_emulator/state', 'get', emulator)?.security).toEqual([{ control: [] }, {}])
  })

  it('tells path, query and header parameters apart', () => {
    expect(operation('/api/payments', 'post')?.parameters).toMatchObject([
      { name: 'X-Idempotency-Key', in: 'header', required: true },
    ])
    expect(operation('/api/payments/{id}', 'get')?.parameters).toMatchObject([
      { name: 'id', in: 'path', required: true },
    ])
    expect(operation('/api/accounts', 'get')?.parameters).toMatchObject([
      { name: 'per_page', in: 'query', required: false },
      { name: 'page', in: 'query', required: false },
    ])
  })

  it('has rate-limit headers on all that counts, and the replay’s on a payment', () => {
    const counted = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
    const { responses } = operation('/api/payments', 'post') as Operation
    expect(Object.keys(responses[201]?.headers ?? {})).toEqual(['Idempotent-Replayed', ...counted])
    expect(Object.keys(responses[422]?.headers ?? {})).toEqual(counted)
    expect(responses[429]).toEqual({ $ref: '#/components/responses/TooManyRequests' })
    expect(document.components.responses?.TooManyRequests).toMatchObject({
      headers: Object.fromEntries([...counted, 'Retry-After'].map((name) => [name, expect.anything()])),
    })
    expect(JSON.stringify(emulator)).not.toContain('X-RateLimit')
  })

  it('refers to resources by name, nullable ones too', () => {
    expect(document.components.schemas?.Payment).toMatchObject({
      properties: {
        amount: { $ref: '#/components/schemas/Money' },
        fee: { anyOf: [{ $ref: '#/components/schemas/Money' }, { type: 'null' }] },
      },
    })
  })

  it('names operations as functions are named', () => {
    const operations = [document, emulator].flatMap(({ paths }) =>
      Object.values(paths).flatMap((item) => Object.values(item)),
    )
    const names = operations.flatMap(({ operationId }) => operationId ?? [])
    expect(names).toEqual(expect.arrayContaining(['paymentsCreate', 'oauthToken', 'controlClockRunUntilIdle']))
    expect(names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  it('has pages, events and their data by name', () => {
    expect(Object.keys(document.components.schemas ?? {})).toEqual(
      expect.arrayContaining(['AccountPage', 'PaymentPage', 'PaymentCreatedEvent', 'TransactionReceivedEvent']),
    )
  })

  it('gives every enum its type, and a record its values', () => {
    const enums = schemasIn([document, emulator]).filter((schema) => 'enum' in schema)
    expect(enums.length).toBeGreaterThan(20)
    expect(enums.filter((schema) => !('type' in schema))).toEqual([])
    expect(enums.filter((schema) => (schema as { readonly enum: readonly unknown[] }).enum.includes(null))).toEqual([])
    expect(JSON.stringify([document, emulator])).not.toContain('patternProperties')
    expect(document.components.schemas?.WebhookSubscription).toMatchObject({
      properties: { headers: { type: ['object', 'null'], additionalProperties: { type: 'string' } } },
    })
  })

  it('can be used as it is: its first server is a whole URL', () => {
    for (const { servers } of [document, emulator]) expect(servers[0]).toMatchObject({ url: 'http://127.0.0.1:4010' })
  })

  it('says who makes it as the package does', () => {
    for (const { info } of [document, emulator]) {
      expect(info).toMatchObject({
        contact: { name: manifest.author, url: manifest.bugs.url },
        license: { name: manifest.license },
      })
    }
  })

  it('says where an id comes from', () => {
    expect(operation('/api/payments', 'post')?.responses[201]).toMatchObject({
      links: { paymentsGet: { operationId: 'paymentsGet', parameters: { id: '$response.body#/data/id' } } },
    })
    const { responses } = operation('/_emulator/snapshots', 'post', emulator) as Operation
    expect(Object.keys((responses[201] as { links: object }).links)).toEqual([
      'controlSnapshotsRestore',
      'controlSnapshotsDelete',
      'controlSnapshotsExport',
      'controlSnapshotsImport',
    ])
  })

  it('carries none of the annotations for the emulator’s validator', () => {
    expect(JSON.stringify([document, emulator])).not.toMatch(/"x-|~kind/)
  })
})
