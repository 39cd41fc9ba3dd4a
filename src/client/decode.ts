/** The part of JSON Schema that answers are checked against. */
export interface Shape {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  /** Shape of all values of a record. */
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  /**
   * Alternatives: objects that differ in a constant, values of different types, or a value and null.
   */
  readonly anyOf?: readonly Shape[]
  /**
   * Allowed values. Omitted from the bundle's endpoint table (`wire_table.ts`), because a service may send values that
   * the interface does not list.
   */
  readonly enum?: readonly unknown[]
  /** The only allowed value. Also omitted from the bundle's endpoint table. */
  readonly const?: unknown
}

/**
 * Converts the data of an answer to the type `Received`. A required object or list that is missing or of the wrong type
 * becomes an empty one. Any other value of the wrong type becomes null. Exceptions: a number or boolean becomes a
 * string where the type is string, and a numeric string becomes a number where the type is number. A missing scalar
 * stays missing, which paging relies on. Unknown members stay. Returns faultless data unchanged, and other data as a
 * copy; `originalOf` returns the original. `fault`: the first fault, such as `data.payer.name is missing`.
 */
export function decode(data: unknown, shape: Shape): { readonly data: unknown; readonly fault: string | null } {
  let fault: string | null = null
  const onFault = (path: string, problem: string): void => {
    fault ??= `${path} ${problem}`
  }
  const decoded = decodeValue(data, { shape, path: 'data', onFault })
  return { data: decoded ?? decodeContainer(data, { shape, path: 'data', onFault }), fault }
}

/** Adds fields to decoded data, and to the service's original value of the data. */
export function extended<T extends object, More extends object>(data: T, more: More): T & More {
  const original = originalOf(data)
  return remember({ ...data, ...more }, isObject(original) ? { ...original, ...more } : original)
}

const originals = new WeakMap<object, unknown>()

/** The service's original value of decoded data. */
export const originalOf = <T>(data: T): unknown =>
  typeof data === 'object' && data !== null && originals.has(data) ? originals.get(data) : data

export const isObject = (data: unknown): data is Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null && !Array.isArray(data)

/** The expected shape at a path. */
interface Expectation {
  readonly shape: Shape
  readonly path: string
  readonly onFault: (path: string, problem: string) => void
}

/** Decodes a value; null if the value does not have the shape. */
function decodeValue(value: unknown, place: Expectation): unknown {
  const { shape, path, onFault } = place
  if (shape.anyOf) {
    const isNull = value === null && shape.anyOf.some(isNothing)
    return isNull ? null : decodeValue(value, { ...place, shape: branchOf(shape.anyOf, value) })
  }
  const { type = shape.enum && 'string' } = shape
  if (type === undefined) return value
  if (type === 'null' && value === null) return null
  if (type === 'object' && isObject(value)) return decodeMembers(value, place)
  if (type === 'array' && Array.isArray(value)) return decodeItems(value, place)
  if (type === 'boolean' && typeof value === 'boolean') {
    if (shape.const !== undefined && shape.const !== value) onFault(path, `is ${value}`)
    return value
  }
  if (type === 'string' && typeof value === 'string') {
    if (shape.enum && !shape.enum.includes(value)) onFault(path, `is ${JSON.stringify(value)}`)
    return value
  }
  if (isNumber(value, type)) return value
  onFault(path, `is ${nounOf(value)}`)
  if (type === 'string' && ['number', 'boolean'].includes(typeof value)) return String(value)
  if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) && isNumber(Number(value), type)) return Number(value)
  return null
}

const branchOf = (branches: readonly Shape[], value: unknown): Shape =>
  branches.find(({ properties = {} }) =>
    Object.entries(properties).some(
      ([name, { const: only }]) => only !== undefined && isObject(value) && value[name] === only,
    ),
  ) ??
  branches.find(({ type }) => type !== undefined && isOfType(value, type)) ??
  branches[0] ??
  {}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return isNumber(value, type) || typeof value === type
}

const isNothing = ({ type }: Shape): boolean => type === 'null'

const isNumber = (value: unknown, type: string): boolean =>
  (type === 'number' && typeof value === 'number') || (type === 'integer' && Number.isInteger(value))

/**
 * Replaces a missing value or a value of the wrong type with an empty object or list if the shape requires an object or
 * list, otherwise with null.
 */
function decodeContainer(value: unknown, { shape, path, onFault }: Expectation): unknown {
  if (shape.anyOf && !shape.anyOf.some(isNothing)) {
    return decodeContainer(value, { shape: branchOf(shape.anyOf, value), path, onFault })
  }
  const quiet = { shape, path, onFault: () => {} }
  if (shape.type === 'object') return remember(decodeMembers({}, quiet), value)
  return shape.type === 'array' ? remember([], value) : null
}

function decodeMembers(object: Readonly<Record<string, unknown>>, { shape, path, onFault }: Expectation): object {
  const { properties = {}, required = [], patternProperties = {} } = shape
  const changes: [string, unknown][] = []
  const decodeMember = (name: string, member: Shape) => {
    const place = { shape: member, path: `${path}.${name}`, onFault }
    const isRequired = required.includes(name)
    const isThere = Object.hasOwn(object, name)
    if (!isThere && !isRequired) return
    if (!isThere) onFault(place.path, 'is missing')
    let value = isThere ? decodeValue(object[name], place) : undefined
    if (isRequired) value ??= decodeContainer(object[name], place) ?? value
    if (value !== object[name]) changes.push([name, value])
  }
  for (const [name, member] of Object.entries(properties)) decodeMember(name, member)
  const [values] = Object.values(patternProperties)
  if (values) for (const name of Object.keys(object)) decodeMember(name, values)
  return changes.length === 0 ? object : remember({ ...object, ...Object.fromEntries(changes) }, object)
}

function decodeItems(list: readonly unknown[], { shape, path, onFault }: Expectation): readonly unknown[] {
  const { items = {} } = shape
  const decoded = list.map((item, index) => {
    const place = { shape: items, path: `${path}[${index}]`, onFault }
    return decodeValue(item, place) ?? decodeContainer(item, place)
  })
  return decoded.every((item, index) => item === list[index]) ? list : remember(decoded, list)
}

function remember<T extends object>(copy: T, original: unknown): T {
  originals.set(copy, original)
  return copy
}

/** Names the kind of a value: `a list`, `a number`. */
export function nounOf(data: unknown): string {
  if (data === null) return 'nothing'
  if (Array.isArray(data)) return 'a list'
  return typeof data === 'object' ? 'an object of another kind' : `a ${typeof data}`
}

/**
 * Maximum nesting, deeper than any answer of the interface. Deep nesting would overflow the stack in JSON.stringify.
 */
const deepest = 200

export const isTooDeep = (value: unknown, levels = deepest): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isTooDeep(member, levels - 1)))
