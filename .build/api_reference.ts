import type { TObject, TSchema } from 'typebox'
import * as contract from '../src/contract/index.ts'
import { grid } from './grid.ts'

/** The endpoint tables as pages for people. */
export function apiReference(): string {
  return [
    '# API reference',
    'Written by `npm run docs` from the endpoint tables in `src/contract`. Amounts are integers in minor units (1000 is 10.00); every answer is an envelope `{success, message, data}`, plus `errors` where `success` is false.',
    ...sections(contract.endpoints),
    '# The emulator’s own endpoints',
    'They steer and inspect a running emulator. None of them exists on the service.',
    ...sections(contract.controlEndpoints),
    '# Schemas',
    ...[...named].flatMap(([json, name]) => schemaSection(name, JSON.parse(json))),
  ]
    .join('\n\n')
    .concat('\n')
}

const isSchema = (value: unknown): value is TSchema => typeof value === 'object' && value !== null && '~kind' in value

/** Schemas of answers by content: the contract's exports, without those that an endpoint's own table shows in full. */
const named = new Map(
  Object.entries(contract)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name]) => !/(Params|Query|Headers|Envelope|Body)$/.test(name))
    .flatMap(([name, value]) => (isSchema(value) ? [[JSON.stringify(value), name] as const] : [])),
)

function sections(table: contract.Table): string[] {
  const groups = Map.groupBy(Object.entries(table), ([id]) => id.split('.')[0] ?? '')
  return [...groups].flatMap(([group, rows]) => [
    `## ${group}`,
    ...rows.flatMap(([id, row]) => endpointSection(id, row)),
  ])
}

function endpointSection(id: string, endpoint: contract.Endpoint): string[] {
  const { method, path, summary, access, success, errors } = endpoint
  const inputs = [
    ...fields('path', endpoint.params),
    ...fields('query', endpoint.query),
    ...fields('header', endpoint.headers),
    ...fields('body', endpoint.body),
  ]
  const answers = [
    [success.status, `\`${success.message}\``, typeName(success.data)],
    ...Object.entries(errors).map(([status, message]) => [
      status,
      message === null ? 'varies' : `\`${message}\``,
      contract.errorStatuses[Number(status) as contract.ErrorStatus],
    ]),
  ]
  return [
    `### \`${method} ${path}\``,
    `${summary}. Id: \`${id}\`. Access: ${accessName(access)}.`,
    ...(inputs.length > 0 ? [grid(['in', 'name', 'type', '', 'rules'], inputs)] : []),
    grid(['status', 'message', 'data'], answers),
  ]
}

function schemaSection(name: string, schema: TSchema & { properties?: unknown }): string[] {
  if (!schema.properties) return [`## ${name}`, plainType(schema)]
  return [
    `## ${name}`,
    grid(
      ['name', 'type', '', 'rules'],
      fields('', schema as TObject).map(([, ...cells]) => cells),
    ),
  ]
}

function accessName(access: contract.Access): string {
  if (access === 'public') return 'anybody'
  if (access === 'control') return 'this machine, or the control token'
  return access.scopes.map((scope) => `\`${scope}\``).join(' or ') || 'any token'
}

function fields(place: string, schema: TObject | undefined): string[][] {
  const required = new Set<string>(schema?.required ?? [])
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => [
    place,
    `\`${name}\``,
    typeName(property),
    required.has(name) ? 'required' : '',
    rules(property),
  ])
}

interface Shape {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly TSchema[]
  readonly items?: TSchema
  readonly properties?: Record<string, TSchema>
}

function typeName(schema: TSchema): string {
  const name = named.get(JSON.stringify(schema))
  return name ? `[${name}](#${name.toLowerCase()})` : plainType(schema)
}

function plainType(schema: TSchema): string {
  const shape = schema as Shape
  if (shape.anyOf) return shape.anyOf.map(typeName).join(' or ')
  if (shape.enum) return shape.enum.map((value) => `\`${value}\``).join(', ')
  if (shape.const !== undefined) return `\`${shape.const}\``
  if (shape.items) return `array of ${typeName(shape.items)}`
  const item = shape.properties?.current_page && (shape.properties.data as Shape).items
  if (item) return `page of ${typeName(item)}`
  if (shape.properties)
    return `object of ${Object.keys(shape.properties)
      .map((name) => `\`${name}\``)
      .join(', ')}`
  return shape.type ?? 'anything'
}

const ruleKeywords = ['pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const

function rules(schema: TSchema): string {
  const { anyOf = [], ...own } = schema as Shape & Record<string, unknown>
  if (named.has(JSON.stringify(schema))) return ''
  const mine = ruleKeywords.flatMap((keyword) => (own[keyword] === undefined ? [] : [`${keyword} \`${own[keyword]}\``]))
  return [...mine, ...anyOf.map(rules)].filter(Boolean).join(', ')
}
