import { isObject } from '../client/decode.ts'
import { UsageError } from '../errors/cli_error.ts'
import { nearest } from '../errors/nearest.ts'
import { plainLetters } from '../values/text.ts'
import type { TailEvent } from './event.ts'

/** A condition on one field of an event. */
export interface Condition {
  /** Member names from the event down: `event`, `data.payee.name`; names of the payment's members may omit `data`. */
  readonly path: readonly string[]
  /** `~`: the field contains the value, ignoring case and accents. */
  readonly operator: '=' | '!=' | '~'
  readonly value: string
}

/** Parses `field=value`, `field!=value` or `field~part`. Throws UsageError for any other text. */
export function conditionIn(text: string): Condition {
  const [, field = '', operator = '', value = ''] = /^\s*([\w.]+)\s*(!=|=|~)(.*)$/s.exec(text) ?? []
  const path = field.split('.')
  if (operator === '' || path.includes('')) {
    throw new UsageError(
      `--where ${text} is not a valid condition.`,
      'Give a field and a value: status=failed, payee.name~carlos, amount.currency!=USD',
    )
  }
  return { path, operator: operator as Condition['operator'], value: value.trim() }
}

/** Predicate for events that meet all conditions. A body that is not an event meets no condition. */
export const meeting =
  (conditions: readonly Condition[]) =>
  (event: TailEvent): boolean =>
    conditions.every((condition) => meets(condition, event))

function meets({ path, operator, value }: Condition, { event, timestamp, data }: TailEvent): boolean {
  if (event === null && data === null) return false
  const found = valueAt({ event, timestamp, data }, path) ?? valueAt(data, path)
  const text = typeof found === 'object' && found !== null ? JSON.stringify(found) : String(found ?? '')
  if (operator === '~') return plainLetters(text).includes(plainLetters(value))
  return (text === value) === (operator === '=')
}

function valueAt(from: unknown, path: readonly string[]): unknown {
  let value = from
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}

/**
 * Notes on fields that no event of the interface has, with the most similar field. An event of a service may contain
 * more fields than the interface defines.
 */
export async function unknownFields(conditions: readonly Condition[]): Promise<readonly string[]> {
  const { events } = await import('../contract/events.ts')
  const known = new Set(Object.values(events).flatMap((schema) => pathsIn(schema as Shape)))
  const all = [...known, ...[...known].filter((path) => path.startsWith('data.')).map((path) => path.slice(5))]
  return conditions
    .map(({ path }) => path.join('.'))
    .filter((path) => !all.includes(path))
    .map((path) => {
      const near = nearest(path, all)
      return `No event of the interface has the field ${path}.${near === undefined ? '' : ` Perhaps you mean ${near}.`}`
    })
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly anyOf?: readonly Shape[]
}

const pathsIn = ({ properties = {}, anyOf = [] }: Shape): readonly string[] => [
  ...Object.entries(properties).flatMap(([name, shape]) => [name, ...pathsIn(shape).map((path) => `${name}.${path}`)]),
  ...anyOf.flatMap(pathsIn),
]
