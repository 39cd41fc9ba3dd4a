import type { Json } from './json.ts'

/**
 * Converts a schema to the form that client generators understand: enums have a type, and null is beside them, not
 * among their values; a record is `additionalProperties`; a nullable value has two types. Omits keywords that only the
 * emulator's validator reads; where the validator accepts more than a client should send, the keywords of `x-document`
 * replace the schema's.
 */
export function plainSchema(schema: object, convert: (value: unknown) => unknown): Json {
  const { 'x-document': documented = {}, ...keywords } = schema as Json
  const all = Object.entries({ ...keywords, ...(documented as Json) })
  const plain = all.filter(([keyword, value]) => !keyword.startsWith('x-') && value !== undefined)
  return typed(recordOf(nullableOf(Object.fromEntries(plain.map(([keyword, value]) => [keyword, convert(value)])))))
}

/** typebox omits the type of an enum. */
const typed = (schema: Json): Json =>
  Array.isArray(schema.enum) && schema.type === undefined ? { type: 'string', ...schema } : schema

/** typebox describes the values of a record by a pattern that matches every name. */
function recordOf({ patternProperties, ...schema }: Json): Json {
  const { '^.*$': values, ...others } = (patternProperties ?? {}) as Json
  if (values === undefined || Object.keys(others).length > 0) {
    return { ...schema, ...(patternProperties !== undefined && { patternProperties }) }
  }
  return { ...schema, additionalProperties: values }
}

/** A reference stays in `anyOf`: in OpenAPI it can't have a type beside it. */
function nullableOf({ anyOf, ...schema }: Json): Json {
  if (!Array.isArray(anyOf)) return schema
  const [value, nothing, ...others] = anyOf as readonly Json[]
  const isChoice = value !== undefined && ('const' in value || 'enum' in value)
  if (nothing?.type !== 'null' || others.length > 0 || typeof value?.type !== 'string' || isChoice) {
    return { anyOf, ...schema }
  }
  return { ...value, type: [value.type, 'null'], ...schema }
}
