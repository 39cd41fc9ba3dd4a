import {
  type ControlCallId,
  type ControlInputOf,
  type ControlOutputOf,
  controlEndpoints,
  type Endpoint,
  isInJson,
} from '../../src/contract/index.ts'

/**
 * Every control endpoint as a function: `control.clock.advance` is `clock.advance({ ms: 1000 })`, `control.state` is
 * `state()`. Each function takes one object with the members of path, query and body. Each call has the same checks and
 * effects as over HTTP; a refused call throws ControlRefusal.
 */
export type ControlCalls = {
  readonly [Group in GroupOf<ControlCallId>]: {
    readonly [Id in ControlCallId as Id extends `control.${Group}.${infer Verb}` ? Verb : never]: Call<Id>
  }
} & { readonly [Id in ControlCallId as Alone<Id>]: Call<Id> }

type GroupOf<Id> = Id extends `control.${infer Group}.${string}` ? Group : never
type Alone<Id> = Id extends `control.${string}.${string}` ? never : Id extends `control.${infer Verb}` ? Verb : never

type Call<Id extends ControlCallId> = keyof ControlInputOf<Id> extends never
  ? () => Promise<ControlOutputOf<Id>>
  : Partial<Members<Id>> extends Members<Id>
    ? (input?: Members<Id>) => Promise<ControlOutputOf<Id>>
    : (input: Members<Id>) => Promise<ControlOutputOf<Id>>

type Members<Id extends ControlCallId> = Part<Id, 'params'> & Part<Id, 'query'> & Part<Id, 'body'>
type Part<Id extends ControlCallId, Name extends string> =
  ControlInputOf<Id> extends { readonly [N in Name]: infer Values } ? Values : unknown

/** Error of a refused control call: the emulator changed nothing. */
export class ControlRefusal extends Error {
  override readonly name = 'ControlRefusal'
  /** HTTP status of the refusal. */
  readonly status: number
  /** Messages by field. */
  readonly errors: Readonly<Record<string, unknown>>

  constructor(status: number, message: string, errors: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.errors = errors
  }
}

/** Input of a call, as the parts of a request. */
interface ControlRequest {
  readonly params: Values
  readonly query: Values
  readonly body: Values
}

/** Ids of all calls, with their names in a program: `control.clock.advance` has `['clock', 'advance']`. */
const names = Object.entries<Endpoint>(controlEndpoints)
  .filter(([, row]) => !row.stream)
  .map(([id]) => [id as ControlCallId, id.split('.').slice(1)] as const)

/** Makes a function for each call. Each function calls `run`, which throws ControlRefusal. */
export function controlCalls(run: (id: ControlCallId, request: ControlRequest) => Promise<unknown>): ControlCalls {
  const calls: Record<string, unknown> = {}
  for (const [id, [group = '', verb]] of names) {
    const call = async (input?: unknown) => run(id, requestOf(id, input))
    if (verb === undefined) calls[group] = call
    else {
      calls[group] ??= {}
      ;(calls[group] as Record<string, unknown>)[verb] = call
    }
  }
  return calls as ControlCalls
}

const parts = ['params', 'query', 'body'] as const

/** Sorts the members of an input into the parts of the request, by the schemas of the endpoint. */
function requestOf(id: ControlCallId, input: unknown = {}): ControlRequest {
  if (typeof input !== 'object' || input === null) {
    throw new ControlRefusal(422, `${id} takes an object, not ${String(input)}.`)
  }
  const row: Endpoint = controlEndpoints[id]
  const request = { params: {} as Values, query: {} as Values, body: {} as Values }
  for (const [name, given] of Object.entries(input)) {
    const value = given instanceof Uint8Array ? given : copied(given)
    if (value === undefined) continue
    const part = parts.find((each) => Object.hasOwn(row[each]?.properties ?? {}, name))
    if (part === undefined) {
      const known = parts.flatMap((each) => Object.keys(row[each]?.properties ?? {}))
      throw new ControlRefusal(422, `${id} takes no ${name}. It takes ${known.join(', ') || 'nothing'}.`)
    }
    request[part][name] = part === 'body' || isInJson(row[part]?.properties[name]) ? value : inText(value)
  }
  return request
}

function copied(value: unknown): unknown {
  const text = JSON.stringify(value, visible)
  return text === undefined ? undefined : JSON.parse(text)
}

/** Writes NaN and Infinity as strings: JSON would turn them into null, which some members accept. */
const visible = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

/** A parameter as in a URL: a string, or an array of strings if it is repeated. */
const inText = (value: unknown): string | string[] => (Array.isArray(value) ? value.map(String) : String(value))

type Values = Record<string, unknown>
