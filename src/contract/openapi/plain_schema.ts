import type { Json } from './json.ts'

/**
 * A schema of the contract as generators of clients understand it: enums have their type, and null beside them and not
 * among their values, a record is `additionalProperties`, another value or null has two types. What only the emulator's validator reads is left out; where it
 * accepts more than a client should send, the document has the keywords of `x-document` instead.
 */
export function plainSchema(schema: object, convert: (value: unknown) => unknown): Json {
  const { 'x-document': documented = {}, ...keywords } = schema as Json
  const all = Object.entries({ ...keywords, ...(documented as Json) })
  const plain = all.filter(([keyword, value]) => !keyword.startsWith('x-') && value !== undefined)
  return typed(recordOf(nullableOf(Object.fromEntries(plain.map(([keyword, value]) => [keyword, convert(value)])))))
}

/** typebox leaves out the type of an enum. */
const typed = (schema: Json): Json =>
  Array.isArray(schema.enum) && schema.type === undefined ? { type: 'string', ...schema } : schema

/** typebox gives the values of a record by a pattern that every name has. */
function recordOf({ patternProperties, ...schema }: Json): Json {
  const { '^.*$': values, ...others } = (patternProperties ?? {}) as Json
  if (values === undefined || Object.keys(others).length > 0) {
    return { ...schema, ...(patternProperties !== undefined && { patternProperties }) }
  }
  return { ...schema, additionalProperties: values }
}

/** References stay one of two: in OpenAPI they have no type of their own. */
function nullableOf({ anyOf, ...schema }: Json): Json {
  if (!Array.isArray(anyOf)) return schema
  const [value, nothing, ...others] = anyOf as readonly Json[]
  const isChoice = value !== undefined && ('const' in value || 'enum' in value)
  if (nothing?.type !== 'null' || others.length > 0 || typeof value?.type !== 'string' || isChoice) {
    return { anyOf, ...schema }
  }
  return { ...value, type: [value.type, 'null'], ...schema }
}
