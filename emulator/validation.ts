import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TObject, TSchema } from 'typebox'
import type { Endpoint } from '../src/contract/index.ts'
import { Refusal } from './domain/refusal.ts'

/** The parts of a request as they came in: strings in all but the body. */
interface RawRequest {
  readonly params: unknown
  readonly query: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

export interface Validator {
  /** The handler's whole input. */
  input(raw: RawRequest): Record<string, unknown>
  /** The declared headers alone. */
  headers(raw: RawRequest): Record<string, unknown>
}

type FieldErrors = Record<string, string[]>

let ajv: Ajv | undefined

/** Made when a schema is first compiled: a start of the emulator need not wait for it. */
function compile(schema: TObject): ValidateFunction {
  ajv ??= new Ajv({ allErrors: true, verbose: true, strict: false })
  return ajv.compile(schema)
}

/**
 * Checks a request against its row of the table and gives the handler its input. Bad headers are 400; bad params,
 * query and body are 422 with all messages by field. Schemas are compiled when a row is first asked for.
 */
export function validatorFor(row: Endpoint): Validator {
  const headers = row.headers && check(row.headers)
  const params = row.params && check(row.params)
  const query = row.query && check(row.query)
  const body = row.body && check(row.body)
  const readHeaders = (raw: RawRequest) =>
    headers ? refuseIf(400, headers(pickHeaders(row.headers as TObject, raw.headers))) : {}
  const readInput = (raw: RawRequest) => {
    const input: Record<string, unknown> = {}
    if (headers) input.headers = readHeaders(raw)
    if (params) input.params = refuseIf(422, params(asObject(raw.params)))
    if (query) input.query = refuseIf(422, query(readQuery(row.query as TObject, asObject(raw.query))))
    if (body) input.body = refuseIf(422, body(asObject(raw.body)))
    return input
  }
  return { input: readInput, headers: readHeaders }
}

interface Checked {
  readonly value: Record<string, unknown>
  readonly errors: FieldErrors | null
}

function check(schema: TObject): (value: Record<string, unknown>) => Checked {
  let validate: ValidateFunction | undefined
  const listed = hasLists(schema)
  return (value) => {
    const tooMany = listed ? excesses(schema, value) : []
    if (tooMany.length > 0) return { value, errors: byField(tooMany) }
    validate ??= compile(schema)
    return { value, errors: validate(value) ? null : byField(validate.errors ?? []) }
  }
}

function refuseIf(status: 400 | 422, { value, errors }: Checked): Record<string, unknown> {
  if (errors) throw new Refusal(status, { errors })
  return value
}

/** Anything that is not an object has none of the fields; the required ones then say so. */
const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** Declared headers under the table's spelling; Node has them in lower case. */
function pickHeaders(schema: TObject, headers: RawRequest['headers']): Record<string, unknown> {
  const found = Object.keys(schema.properties).map((name) => [name, headers[name.toLowerCase()]] as const)
  // An empty header is as good as none.
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== ''))
}

/** Query values are text: those of integer fields become numbers, empty ones are as good as not given. */
function readQuery(schema: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const read = Object.entries(query)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, isInteger(schema.properties[name]) ? toInteger(value) : value])
  return Object.fromEntries(read)
}

const isInteger = (schema: TSchema | undefined): boolean =>
  (schema as { type?: string } | undefined)?.type === 'integer'

const toInteger = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value

function byField(errors: readonly ErrorObject[]): FieldErrors {
  const fields: FieldErrors = {}
  for (const error of errors) {
    // The null branch of a nullable field: the other branch says what is wrong.
    if (error.keyword === 'anyOf' || (error.keyword === 'type' && error.params.type === 'null')) continue
    const name = error.keyword === 'required' ? String(error.params.missingProperty) : fieldOf(error)
    const schema = (error.keyword === 'required' ? error.parentSchema?.properties?.[name] : error.parentSchema) ?? {}
    const field = schema['x-field'] ?? name
    const message = schema['x-messages']?.[error.keyword] ?? phrase(error, name.replaceAll('_', ' '))
    fields[field] ??= []
    fields[field].push(message)
  }
  return fields
}

/** `/events/0` is `events.0`, as Laravel has it. */
const fieldOf = (error: ErrorObject): string => error.instancePath.slice(1).replaceAll('/', '.')

function phrase({ keyword, params }: ErrorObject, name: string): string {
  switch (keyword) {
    case 'required':
      return `The ${name} field is required.`
    case 'type':
      return `The ${name} field must be ${articles[params.type as string] ?? params.type}.`
    case 'enum':
    case 'const':
      return `The selected ${name} is invalid.`
    case 'minimum':
      return `The ${name} field must be at least ${params.limit}.`
    case 'maximum':
      return `The ${name} field must not be greater than ${params.limit}.`
    case 'minLength':
      return `The ${name} field must be at least ${params.limit} characters.`
    case 'maxLength':
      return `The ${name} field must not be greater than ${params.limit} characters.`
    case 'maxItems':
    case 'maxProperties':
      return `The ${name} field must not have more than ${params.limit} items.`
    case 'pattern':
      return `The ${name} field format is invalid.`
    default:
      return `The ${name} field is invalid.`
  }
}

const articles: Readonly<Record<string, string>> = {
  integer: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
}

/** Items of an array, or members of a record, that are looked at where a schema has no limit of its own. */
const most = 1000

/** The parts of a schema that say of what an array or a record is made. */
interface Parts {
  readonly anyOf?: readonly Parts[]
  readonly items?: Parts
  readonly properties?: Readonly<Record<string, Parts>>
  readonly patternProperties?: Readonly<Record<string, Parts>>
  readonly maxItems?: number
  readonly maxProperties?: number
}

/** Whether there is an array or a record in what a schema describes. */
function hasLists(schema: TSchema): boolean {
  const { anyOf = [], properties = {}, items, maxItems, patternProperties } = schema as Parts
  if (items || maxItems !== undefined || patternProperties) return true
  return [...anyOf, ...Object.values(properties)].some((inner) => hasLists(inner as TSchema))
}

/**
 * The arrays and records of a value that have more parts than their schema allows, as ajv would tell of them. To be
 * asked before ajv is: that looks at every part, compares each with each where they have to be different, and tells of
 * every one that is wrong.
 */
function excesses(schema: TSchema, value: unknown, instancePath = ''): ErrorObject[] {
  const parts = schema as Parts
  if (typeof value !== 'object' || value === null) return []
  if (parts.anyOf) return parts.anyOf.flatMap((branch) => excesses(branch as TSchema, value, instancePath))
  const within = (inner: Parts | undefined, key: string | number) =>
    inner ? excesses(inner as TSchema, (value as Record<string | number, unknown>)[key], `${instancePath}/${key}`) : []
  if (Array.isArray(value)) {
    if (!parts.items && parts.maxItems === undefined) return []
    const limit = parts.maxItems ?? most
    if (value.length > limit) return [excess('maxItems', limit, { schema, instancePath })]
    return value.flatMap((_, at) => within(parts.items, at))
  }
  const named = Object.entries(parts.properties ?? {}).flatMap(([key, inner]) => within(inner, key))
  const [member] = Object.values(parts.patternProperties ?? {})
  if (!member) return named
  const keys = Object.keys(value)
  const limit = parts.maxProperties ?? most
  if (keys.length > limit) return [...named, excess('maxProperties', limit, { schema, instancePath })]
  return [...named, ...keys.flatMap((key) => within(member, key))]
}

interface Place {
  readonly schema: TSchema
  readonly instancePath: string
}

const excess = (
  keyword: 'maxItems' | 'maxProperties',
  limit: number,
  { schema, instancePath }: Place,
): ErrorObject => ({
  keyword,
  instancePath,
  schemaPath: '',
  params: { limit },
  parentSchema: schema,
})
