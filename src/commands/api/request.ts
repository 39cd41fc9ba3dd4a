import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Context } from '../../cli/command.ts'
import { standardInput } from '../../cli/standard_input.ts'
import type { RawRequest } from '../../client/client.ts'
import { idempotencyHeader } from '../../contract/headers.ts'
import { errorMessage, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { fileFault } from '../../files/file_fault.ts'
import type { ApiFlags } from '../api.ts'
import type { Address } from './endpoints.ts'

interface Field {
  /** `name`, or `name[member]`, or `name[]`. */
  readonly key: string
  readonly value: unknown
}

export const keyOf = ({ headers = {} }: RawRequest): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === idempotencyHeader.toLowerCase())?.[1]

/** The request that the flags describe. Throws UsageError. */
export async function requestOf({ method, path }: Address, flags: ApiFlags, context: Context): Promise<RawRequest> {
  const { placed, rest } = place(path, await fieldsOf(flags, context))
  const headers = headersOf(flags)
  const reads = method === 'GET' || method === 'HEAD'
  if (flags.input !== undefined) {
    if (reads)
      throw new UsageError(
        `A ${method} has no body.`,
        toRun(['api', 'POST', '<path>', '--input', '<file>'], 'Name the method'),
      )
    return { method, headers, path: withQuery(placed, rest), body: await inputOf(flags.input, context) }
  }
  if (reads || rest.length === 0) return { method, headers, path: withQuery(placed, rest) }
  return { method, headers, path: placed, body: bodyOf(rest) }
}

async function fieldsOf({ rawField = [], field = [] }: ApiFlags, context: Context): Promise<readonly Field[]> {
  const raw = rawField.map(splitField).map(([key, value]) => ({ key, value }))
  const typed: Field[] = []
  for (const [key, value] of field.map(splitField)) {
    typed.push({ key, value: value.startsWith('@') ? await textOf(value.slice(1), context) : literal(value) })
  }
  return [...raw, ...typed]
}

/** Fills `{name}` in the path from fields. Returns the path and the other fields. */
function place(path: string, fields: readonly Field[]) {
  const used = new Set<Field>()
  const placed = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const field = fields.find(({ key }) => key === name)
    const value = String(field?.value ?? '')
    // An empty or dotted segment would name another endpoint.
    if (!field || /^\.{0,2}$/.test(value)) {
      throw new UsageError(`The path has {${name}}, but no field gives its value.`, `Add --field ${name}=...`)
    }
    used.add(field)
    return encodeURIComponent(value)
  })
  return { placed, rest: fields.filter((field) => !used.has(field)) }
}

function withQuery(path: string, fields: readonly Field[]): string {
  if (fields.length === 0) return path
  const query = new URLSearchParams(fields.map(({ key, value }) => [key, String(value)]))
  return `${path}${path.includes('?') ? '&' : '?'}${query}`
}

function headersOf({ header = [] }: ApiFlags): Readonly<Record<string, string>> {
  const headers = header.map(splitHeader)
  const names = headers.map(([name]) => name.toLowerCase())
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated === undefined) return Object.fromEntries(headers)
  throw new UsageError(`The header ${repeated} is given twice. Nothing was sent.`, 'Give it once.')
}

function splitHeader(text: string): readonly [name: string, value: string] {
  const at = text.indexOf(':')
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  throw new UsageError('A header has no value.', "Write it like --header 'Name: value'")
}

async function inputOf(file: string, context: Context): Promise<unknown> {
  const text = await textOf(file, context)
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = errorMessage(error)
    throw new UsageError(`${file === '-' ? 'stdin' : file} is not JSON: ${why}. Nothing was sent.`, 'Correct it.')
  }
}

async function textOf(file: string, context: Context): Promise<string> {
  try {
    return (await (file === '-' ? buffer(standardInput(context)) : readFile(file))).toString().replace(/^\ufeff/, '')
  } catch (error) {
    if (context.signal.aborted) throw error
    throw new UsageError(
      `${file} can't be read: ${fileFault(error)}. Nothing was sent.`,
      'Give a file that you can read, or - for stdin.',
    )
  }
}

/** Splits `key=value`. Throws UsageError. */
function splitField(text: string): readonly [key: string, value: string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw new UsageError(`The field '${text}' has no value.`, 'Write it like key=value')
}

/**
 * The value of `-F key=value`: true, false, null and numbers as in JSON, anything else as text. Throws UsageError for
 * an integer that can't be sent exactly.
 */
function literal(text: string): unknown {
  if (text === 'true') return true
  if (text === 'false') return false
  if (text === 'null') return null
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return text
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new UsageError(`${text} is too large a number to be sent exactly.`, 'Send it as a string: --raw-field')
  }
  return number
}

/** An object without a prototype: any name can be a member, even `__proto__`. */
type Tree = Record<string, unknown>

/** The JSON object that fields describe. Throws UsageError if two fields contradict each other. */
function bodyOf(fields: readonly Field[]): Tree {
  const body: Tree = Object.create(null)
  for (const { key, value } of fields) put(body, key, value)
  return body
}

function put(body: Tree, key: string, value: unknown): void {
  const [, name, nested = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key) ?? []
  if (name === undefined)
    throw new UsageError(`'${key}' is not a valid field name.`, 'Write name, name[member] or name[]')
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
      if (at + 2 < steps.length) throw new UsageError(`In '${key}', [] must be at the end.`, 'Send it with --input')
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
  new UsageError(`The field ${key} is given twice, or with two types.`, 'Give it once.')
