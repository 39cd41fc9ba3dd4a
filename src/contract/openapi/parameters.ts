import type { TSchema } from 'typebox'
import { isInJson } from '../endpoint.ts'
import { described } from '../schemas/scalars.ts'
import { type Components, type Json, jsonContent } from './components.ts'

interface Fields {
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, TSchema>>
}

/** Converts an object schema's members to OpenAPI parameters. `values`: their examples. */
export function parametersIn(
  location: 'path' | 'query' | 'header',
  schema: Fields | undefined,
  { components, values = {} }: { readonly components: Components; readonly values: Json | undefined },
) {
  const required = new Set(schema?.required)
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: location,
    required: required.has(name),
    ...parameterOf(withoutNull(property), components),
    ...(name in values && { example: values[name] }),
  }))
}

/** Converts an object schema's members to headers of an OpenAPI answer. */
export function headersOf(schema: Fields | undefined, components: Components): Json {
  return Object.fromEntries(
    Object.entries(schema?.properties ?? {}).map(([name, property]) => [name, parameterOf(property, components)]),
  )
}

/** Null has no form in a URL or a header, except in JSON text: the parameter is omitted instead. */
function withoutNull(
  property: TSchema & { description?: string; anyOf?: readonly (TSchema & { type?: string })[] },
): TSchema {
  if (isInJson(property)) return property
  const [value, nothing] = property.anyOf ?? []
  if (!value || nothing?.type !== 'null') return property
  return property.description ? described(value, property.description) : value
}

/** Moves the description from the schema to the parameter, where readers look for it. */
function parameterOf(property: TSchema & { description?: string }, components: Components): Json {
  const { description: _, ...schema } = components.schema(property)
  const { description } = property
  return {
    ...(description !== undefined && { description }),
    ...(isInJson(property) ? { content: jsonContent(schema) } : { schema }),
  }
}
