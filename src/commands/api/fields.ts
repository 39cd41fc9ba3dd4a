import { UsageError } from '../../errors/cli_error.ts'

export interface Field {
  /** `name`, or `name[member]`, or `name[]`. */
  readonly key: string
  readonly value: unknown
}

/** `key=value` into its parts. Throws UsageError. */
export function splitField(text: string): readonly [key: string, value: string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw new UsageError(`The field '${text}' has no value.`, 'Write it like key=value')
}

/** The value of `-F key=value`: a JSON literal if it can be kept exactly, else text. */
export function literal(text: string): unknown {
  if (text === 'true') return true
  if (text === 'false') return false
  if (text === 'null') return null
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return text
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new UsageError(`${text} is too big a number to be sent exactly.`, 'Send it as text: --raw-field')
  }
  return number
}

/** A tree without a prototype: any name is a member, `__proto__` too. */
type Tree = Record<string, unknown>

/** The JSON object that fields describe. Throws UsageError if two of them contradict each other. */
export function bodyOf(fields: readonly Field[]): Tree {
  const body: Tree = Object.create(null)
  for (const { key, value } of fields) put(body, key, value)
  return body
}

function put(body: Tree, key: string, value: unknown): void {
  const [, name, nested = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key) ?? []
  if (name === undefined)
    throw new UsageError(`'${key}' is not a name of a field.`, 'Write name, name[member] or name[]')
  const steps = [name, ...[...nested.matchAll(/\[([^[\]]*)\]/g)].map(([, step = '']) => step)]
  let tree = body
  for (const [at, step] of steps.entries()) {
    const next = steps[at + 1]
    if (next === undefined) {
      if (Object.hasOwn(tree, step)) throw contradiction(key)
      tree[step] = value
      return
    }
    if (next === '') {
      if (at + 2 < steps.length) throw new UsageError(`In '${key}' [] is not at the end.`, 'Send it with --input')
      tree[step] ??= []
      const list = tree[step]
      if (!Array.isArray(list)) throw contradiction(key)
      list.push(value)
      return
    }
    tree[step] ??= Object.create(null)
    const inner = tree[step]
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) throw contradiction(key)
    tree = inner as Tree
  }
}

const contradiction = (key: string): UsageError =>
  new UsageError(`The field ${key} is given twice, or as two different things.`, 'Give it once.')
