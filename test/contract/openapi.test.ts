import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { controlEndpoints, endpoints } from '../../src/contract/index.ts'
import { openApi } from '../../src/contract/openapi.ts'

const info = { title: 'Test', version: '1', description: 'Test' }

interface Operation {
  readonly operationId: string
  readonly security: readonly Record<string, readonly string[]>[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly responses: Record<string, unknown>
}
const document = openApi(endpoints, info) as unknown as {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, object> }
}
const operation = (path: string, method: string) => document.paths[path]?.[method]

describe('the OpenAPI document', () => {
  it.each(Object.entries({ service: endpoints, control: controlEndpoints }))(
    'of the %s table is valid OpenAPI 3.1',
    async (_, table) => {
      expect(await new Validator().validate(openApi(table, info))).toEqual({ valid: true })
    },
  )

  it('has an operation for every row, with the answers of the row', () => {
    for (const [id, { method, path, success, errors }] of Object.entries(endpoints)) {
      const row = operation(path, method.toLowerCase())
      expect(row?.operationId).toBe(id)
      expect(Object.keys(row?.responses ?? {}).sort()).toEqual([String(success.status), ...Object.keys(errors)].sort())
    }
  })

  it('lists scopes as alternatives, and a dashboard token beside them', () => {
    expect(operation('/api/iban/information/{iban}', 'get')?.security).toEqual([
      { oauth2: ['read-accounts'] },
      { oauth2: ['send-payments'] },
      { bearer: [] },
    ])
    expect(operation('/api/payments/service-status', 'get')?.security).toEqual([])
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

  it('refers to resources by name, nullable ones too', () => {
    expect(document.components.schemas.Payment).toMatchObject({
      properties: {
        amount: { $ref: '#/components/schemas/Money' },
        fee: { anyOf: [{ $ref: '#/components/schemas/Money' }, { type: 'null' }] },
      },
    })
  })

  it('carries none of the annotations for the emulator’s validator', () => {
    expect(JSON.stringify(document)).not.toMatch(/"x-|~kind/)
  })
})
