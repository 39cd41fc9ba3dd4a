import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import type { TObject, TSchema } from 'typebox'
import { type Endpoint, isInJson, SeedFile } from '../../src/contract/index.ts'
import { InvalidRequest } from '../domain/refusal.ts'

/** Parts of a request before validation: strings, except for the body. */
export interface RawRequest {
  readonly params: unknown
  readonly query: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

type Values = Record<string, unknown>

export interface Validator {
  /** Returns only the declared headers; undefined if the row declares none. Throws a 400 refusal. */
  headers(raw: RawRequest): Values | undefined
  /** Returns the handler's input. Throws a 400 or 422 refusal. */
  input(raw: RawRequest, headers?: Values): Values
}

let ajv: Ajv | undefined

/**
 * - `validateFormats`: off, because formats only inform readers of the document; patterns validate
 * - `strictNumbers`: YAML files may contain `.nan` and `.inf`, which must not pass as numbers
 * - `inlineRefs`: off, so that the schema of a seed is compiled only once
 * - `meta`, `validateSchema`: off, because tests check the schemas
 * - `code.optimize`: off, because it takes time at the start and does not make validators faster
 */
const options: Options = {
  allErrors: true,
  verbose: true,
  strict: false,
  strictNumbers: true,
  validateFormats: false,
  inlineRefs: false,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
}

/** Ajv is created with the first schema, so the emulator starts without it. */
function compile(schema: TSchema): ValidateFunction {
  ajv ??= new Ajv(options).addSchema(SeedFile, seedKey)
  return ajv.compile(schema === SeedFile ? schema : withSeedApart(schema))
}

const seedKey = 'seed'

/** Replaces the schema of a seed with a reference: the schema is large, so it is compiled only once. */
const withSeedApart = (schema: TSchema): TSchema =>
  JSON.parse(JSON.stringify(schema, (_, part) => (part === SeedFile ? { $ref: seedKey } : part)))

const compiled = new WeakMap<TSchema, ValidateFunction>()

/**
 * Lists the violations of a schema by a value. A list that is too long causes only one error; its items are not
 * checked.
 */
export function errorsOf(schema: TSchema, value: unknown): readonly ErrorObject[] {
  const tooMany = lengthErrors(schema, value)
  if (tooMany.length > 0) return tooMany
  const validate = compiled.get(schema) ?? compile(schema)
  compiled.set(schema, validate)
  return validate(value) ? [] : (validate.errors ?? [])
}

/**
 * Validates requests against the rows of their endpoints in the table. Wrong headers get 400; wrong params, query or
 * body get 422 with all messages by field. A schema is compiled at its first use. By default messages name fields in
 * words, as the service does.
 */
export function validatorFor(row: Endpoint, naming: Naming = inWords): Validator {
  const checkHeaders = row.headers && checker(row.headers, 400, naming)
  const checkParams = row.params && checker(row.params, 422, naming)
  const checkQuery = row.query && checker(row.query, 422, naming)
  const checkBody = row.body && !row.upload && checker(row.body, 422, naming)
  const readHeaders = (raw: RawRequest) => checkHeaders?.(pickHeaders(row.headers as TObject, raw.headers))
  return {
    headers: readHeaders,
    input(raw, headers = readHeaders(raw)) {
      const input: Values = {}
      if (headers) input.headers = headers
      if (checkParams) input.params = checkParams(asObject(raw.params))
      if (checkQuery) input.query = checkQuery(readQuery(row.query as TObject, asObject(raw.query)))
      if (checkBody) input.body = checkBody(asObject(raw.body))
      if (row.upload) input.body = { file: fileIn(raw.body) }
      return input
    },
  }
}

/** Over HTTP the body is the file; a program passes the file as a member. */
function fileIn(body: unknown): Uint8Array {
  const file = body instanceof Uint8Array ? body : asObject(body).file
  if (file instanceof Uint8Array) return file
  throw new InvalidRequest(422, {
    errors: { file: ['The file field is required: it must contain the bytes of an exported file.'] },
  })
}

/** Returns a member's name for messages: unchanged, as programs write it, or in words, as the service does. */
type Naming = (name: string) => string

/** Leaves the names of fields unchanged, for control endpoints. */
export const asTyped: Naming = (name) => name

const inWords: Naming = (name) => name.replaceAll('_', ' ')

/** Makes a function that returns a value if it fits the schema, and throws an InvalidRequest otherwise. */
function checker(schema: TObject, status: 400 | 422, naming: Naming): (value: Values) => Values {
  let validate: ValidateFunction | undefined
  let listed: boolean | undefined
  return (value) => {
    listed ??= hasLists(schema)
    const tooMany = listed ? lengthErrors(schema, value) : []
    if (tooMany.length > 0) throw new InvalidRequest(status, { errors: byField(tooMany, naming) })
    validate ??= compile(schema)
    if (validate(value)) return value
    throw new InvalidRequest(status, { errors: byField(validate.errors ?? [], naming) })
  }
}

/** Values other than objects count as `{}`, so that missing fields are reported. */
const asObject = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {}

/**
 * The declared headers in the table's spelling; Node has header names in lower case. An empty header counts as absent.
 */
function pickHeaders(schema: TObject, headers: RawRequest['headers']): Values {
  const picked: Values = {}
  for (const name in schema.properties) {
    const value = headers[name.toLowerCase()]
    if (value !== undefined && value !== '') picked[name] = value
  }
  return picked
}

/** Turns strings into the types of their fields; empty values count as absent. */
function readQuery(schema: TObject, query: Values): Values {
  const read: Values = {}
  for (const [name, value] of Object.entries(query)) {
    if (value === '') continue
    const field = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    read[name] = typeof value === 'string' ? valueIn(value, field) : value
  }
  return read
}

/** Leaves a string that is not of the field's type: the schema then refuses it. */
function valueIn(text: string, field: TSchema | undefined): unknown {
  const { type } = (field ?? {}) as { readonly type?: string }
  if (type === 'integer' && /^-?\d{1,16}$/.test(text)) {
    return Number.isSafeInteger(Number(text)) ? Number(text) : text
  }
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  if (!isInJson(field)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function byField(errors: readonly ErrorObject[], naming: Naming): Record<string, string[]> {
  // A Map, because requests choose the names, and a plain object would inherit names such as `constructor`.
  const fields = new Map<string, string[]>()
  // For a nullable field, only the errors of the branch that is not null are useful.
  const meant = errors.filter(({ keyword, params }) => !summaries.includes(keyword) && params.type !== 'null')
  const unknown = meant.filter(({ keyword }) => keyword === 'additionalProperties')
  const tooMany = new Set(unknown.slice(mostUnknown))
  const telling = meant.filter((error) => !tooMany.has(error))
  for (const error of telling) {
    const { keyword, params, parentSchema, instancePath } = error
    if (telling.some((other) => isOfObject(other, error))) continue
    const member: string | undefined = params.missingProperty ?? params.additionalProperty?.slice(0, longestUnknown)
    const name = [...instancePath.split('/').slice(1), ...(member === undefined ? [] : [member])].join('.')
    const schema = (keyword === 'required' ? parentSchema?.properties?.[params.missingProperty] : parentSchema) ?? {}
    const field = schema['x-field'] ?? name
    const message = schema['x-messages']?.[keyword] ?? phrase(error, naming(name))
    fields.set(field, [...(fields.get(field) ?? []), message])
  }
  return Object.fromEntries(fields)
}

/** Keywords whose nested errors are reported separately. */
const summaries = ['anyOf', 'propertyNames']

/**
 * Maximum number of unknown members that an answer lists, and maximum length of their names: a body may have thousands
 * of unknown members.
 */
const mostUnknown = 10
const longestUnknown = 60

/**
 * True if a field that accepts a name or an object contains an object, and `other` is an error inside that object. The
 * error inside the object is more useful than the error that the field is not one of the names.
 */
const isOfObject = (other: ErrorObject, { keyword, data, instancePath }: ErrorObject): boolean =>
  keyword === 'enum' &&
  typeof data === 'object' &&
  (other.keyword !== 'enum' || other.instancePath !== instancePath) &&
  `${other.instancePath}/`.startsWith(`${instancePath}/`)

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
    case 'minItems':
      return `The ${name} field must not be empty.`
    case 'maxItems':
    case 'maxProperties':
      return `The ${name} field must not have more than ${params.limit} items.`
    case 'additionalProperties':
      return `The ${name} field does not exist.`
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

/** Maximum number of items in an array, or of members in a record, if the schema has no limit. */
const maxItems = 1000

/** The keywords of a schema that are needed to find arrays and records. */
interface SchemaParts {
  readonly anyOf?: readonly SchemaParts[]
  readonly items?: SchemaParts
  readonly properties?: Readonly<Record<string, SchemaParts>>
  readonly patternProperties?: Readonly<Record<string, SchemaParts>>
  readonly maxItems?: number
  readonly maxProperties?: number
}

/** True if a schema contains an array or a record, at any depth. */
function hasLists(schema: TSchema): boolean {
  const { anyOf = [], properties = {}, items, maxItems, patternProperties } = schema as SchemaParts
  if (items || maxItems !== undefined || patternProperties) return true
  return [...anyOf, ...Object.values(properties)].some((inner) => hasLists(inner as TSchema))
}

/**
 * Errors, in ajv's form, for arrays and records longer than their schema allows. Checked before ajv, which would check
 * every item, compare all pairs if the items must be unique, and report every violation.
 */
function lengthErrors(schema: TSchema, value: unknown, instancePath = ''): ErrorObject[] {
  const parts = schema as SchemaParts
  if (typeof value !== 'object' || value === null) return []
  if (parts.anyOf) return parts.anyOf.flatMap((branch) => lengthErrors(branch as TSchema, value, instancePath))
  const ofPart = (inner: SchemaParts | undefined, key: string | number) =>
    inner
      ? lengthErrors(inner as TSchema, (value as Record<string | number, unknown>)[key], `${instancePath}/${key}`)
      : []
  if (Array.isArray(value)) {
    if (!parts.items && parts.maxItems === undefined) return []
    const limit = parts.maxItems ?? maxItems
    if (value.length > limit) return [lengthError('maxItems', limit, { schema, instancePath })]
    return value.flatMap((_, at) => ofPart(parts.items, at))
  }
  const named = Object.entries(parts.properties ?? {}).flatMap(([key, inner]) => ofPart(inner, key))
  const [member] = Object.values(parts.patternProperties ?? {})
  if (!member) return named
  const keys = Object.keys(value)
  const limit = parts.maxProperties ?? maxItems
  if (keys.length > limit) return [...named, lengthError('maxProperties', limit, { schema, instancePath })]
  return [...named, ...keys.flatMap((key) => ofPart(member, key))]
}

const lengthError = (
  keyword: 'maxItems' | 'maxProperties',
  limit: number,
  { schema, instancePath }: { readonly schema: TSchema; readonly instancePath: string },
): ErrorObject => ({
  keyword,
  instancePath,
  schemaPath: '',
  params: { limit },
  parentSchema: schema,
})
