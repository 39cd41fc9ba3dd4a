/**
 * The part of JSON Schema that describes settings files. The package `conf` checks what it writes against the same
 * schema with `ajv`. Loading `conf` and `ajv` takes 20 ms, too long for files that most commands read.
 */
export interface Schema {
  readonly type: Type | readonly [Type, 'null']
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  /** Schema of members that are not in `properties`; false: there must be none. */
  readonly additionalProperties?: Schema | false
  readonly items?: Schema
  readonly minItems?: number
  readonly enum?: readonly string[]
}

const nouns = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  boolean: 'true or false',
  integer: 'a whole number',
}

type Type = keyof typeof nouns

/** Path to a value: names of members and indices of lists. */
export type Path = readonly (string | number)[]

/** The first fault in a file. */
export interface Fault {
  readonly path: Path
  /** A clause: `base_url of profile prod is not a string`. */
  readonly reason: string
}

/** Finds the first fault in a value. `nameOf` returns the name, for messages, of the value at a path. */
export function faultIn(
  value: unknown,
  schema: Schema,
  nameOf: (path: Path) => string,
  path: Path = [],
): Fault | undefined {
  const { properties = {}, required = [], minItems = 0 } = schema
  const [type, orNull] = typeof schema.type === 'string' ? [schema.type] : schema.type
  const fault = (at: Path, problem: string): Fault => ({ path: at, reason: `${nameOf(at)} ${problem}` })
  if (orNull && value === null) return undefined
  if (!isOfType(value, type)) return fault(path, `is not ${nouns[type]}${orNull ? ' or null' : ''}`)
  if (schema.enum && !schema.enum.includes(String(value))) return fault(path, `is not ${schema.enum.join(' or ')}`)
  if (Array.isArray(value)) {
    if (value.length < minItems) return fault(path, 'is empty')
    return firstOf(value.entries(), ([at, item]) => schema.items && faultIn(item, schema.items, nameOf, [...path, at]))
  }
  if (!isRecord(value)) return undefined
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return fault([...path, missing], 'is missing')
  return firstOf(Object.entries(value), ([name, member]) => {
    const expected = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties
    if (expected === false) return fault([...path, name], 'is not known to this payctl')
    return expected && faultIn(member, expected, nameOf, [...path, name])
  })
}

function isOfType(value: unknown, type: Type): boolean {
  if (type === 'object') return isRecord(value)
  if (type === 'array') return Array.isArray(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

/** True for a JSON object, not a list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function firstOf<Member>(members: Iterable<Member>, find: (member: Member) => Fault | undefined): Fault | undefined {
  for (const member of members) {
    const found = find(member)
    if (found) return found
  }
  return undefined
}

/**
 * Line number, from 1, of the value at `path` in a JSON text. If the value is missing, the line of the nearest value
 * around it.
 */
export function lineOf(text: string, path: Path): number {
  const starts = new Map<string, number>()
  const here: (string | number)[] = []
  let previous = ''
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g)) {
    const last = here.at(-1)
    if (typeof last === 'number' && token !== ',' && token !== ']') starts.set(JSON.stringify(here), index)
    if (token === '{') here.push('')
    else if (token === '[') here.push(0)
    else if (token === '}' || token === ']') here.pop()
    else if (token === ',' && typeof last === 'number') here.splice(-1, 1, last + 1)
    else if (typeof last === 'string' && (previous === '{' || previous === ',')) {
      here.splice(-1, 1, JSON.parse(token))
      starts.set(JSON.stringify(here), index)
    }
    previous = token
  }
  for (let length = path.length; length > 0; length -= 1) {
    const start = starts.get(JSON.stringify(path.slice(0, length)))
    if (start !== undefined) return lineAt(text, start)
  }
  return 1
}

/** Line of the syntax error in a text that is not JSON. */
export function syntaxErrorLine(text: string): number {
  try {
    JSON.parse(text)
    return 1
  } catch (error) {
    const position = /position (\d+)/.exec((error as Error).message)?.[1]
    return lineAt(text, position === undefined ? text.trimEnd().length : Number(position))
  }
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length
