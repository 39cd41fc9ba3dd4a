import type { ErrorObject } from 'ajv'
import type { TSchema } from 'typebox'

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
export function hasLists(schema: TSchema): boolean {
  const { anyOf = [], properties = {}, items, maxItems, patternProperties } = schema as Parts
  if (items || maxItems !== undefined || patternProperties) return true
  return [...anyOf, ...Object.values(properties)].some((inner) => hasLists(inner as TSchema))
}

/**
 * The arrays and records of a value that have more parts than their schema allows, as ajv would tell of them. To be
 * asked before ajv is: that looks at every part, compares each with each where they have to be different, and tells of
 * every one that is wrong.
 */
export function excesses(schema: TSchema, value: unknown, instancePath = ''): ErrorObject[] {
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
