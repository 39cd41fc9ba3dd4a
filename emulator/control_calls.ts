import {
  type ControlId,
  type ControlInputOf,
  type ControlOutputOf,
  controlEndpoints,
  type Endpoint,
} from '../src/contract/index.ts'

/**
 * Every control endpoint as a function: `control.clock.advance` is `clock.advance({ ms: 1000 })`, `control.state` is
 * `state()`. The members of path, query and body are given as one object. The same is checked and done as over HTTP;
 * what is refused throws ControlRefusal.
 */
export type ControlCalls = {
  readonly [Group in GroupOf<ControlId>]: {
    readonly [Id in ControlId as Id extends `control.${Group}.${infer Verb}` ? Verb : never]: Call<Id>
  }
} & { readonly [Id in ControlId as Alone<Id>]: Call<Id> }

type GroupOf<Id> = Id extends `control.${infer Group}.${string}` ? Group : never
type Alone<Id> = Id extends `control.${string}.${string}` ? never : Id extends `control.${infer Verb}` ? Verb : never

type Call<Id extends ControlId> = keyof ControlInputOf<Id> extends never
  ? () => Promise<ControlOutputOf<Id>>
  : Partial<Members<Id>> extends Members<Id>
    ? (input?: Members<Id>) => Promise<ControlOutputOf<Id>>
    : (input: Members<Id>) => Promise<ControlOutputOf<Id>>

type Members<Id extends ControlId> = Part<Id, 'params'> & Part<Id, 'query'> & Part<Id, 'body'>
type Part<Id extends ControlId, Name extends string> =
  ControlInputOf<Id> extends { readonly [N in Name]: infer Values } ? Values : unknown

/** The emulator did not do what it was told to, and changed nothing. */
export class ControlRefusal extends Error {
  override readonly name = 'ControlRefusal'
  /** What the endpoint answers over HTTP. */
  readonly status: number
  /** Field to messages. */
  readonly errors: Readonly<Record<string, unknown>>

  constructor(status: number, message: string, errors: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.errors = errors
  }
}

/** What a call gives, where the table has it. */
interface ControlRequest {
  readonly params: Values
  readonly query: Values
  readonly body: Values
}

/** Does what an endpoint does, and throws ControlRefusal. */
type RunControl = (id: ControlId, request: ControlRequest) => Promise<unknown>

/** Makes the functions, each of which calls `run`. */
export function controlCalls(run: RunControl): ControlCalls {
  const calls: Record<string, unknown> = {}
  for (const id of Object.keys(controlEndpoints) as ControlId[]) {
    const [, group = '', verb] = /^control\.([^.]+)(?:\.(.+))?$/.exec(id) ?? []
    const call = async (input?: unknown) => run(id, requestOf(id, input))
    if (verb === undefined) calls[group] = call
    else calls[group] = { ...(calls[group] as object), [verb]: call }
  }
  return calls as ControlCalls
}

const parts = ['params', 'query', 'body'] as const

/** Puts each member where the table has it. */
function requestOf(id: ControlId, input: unknown = {}): ControlRequest {
  if (typeof input !== 'object' || input === null) {
    throw new ControlRefusal(422, `${id} takes an object, and got ${String(input)}.`)
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
    request[part][name] = part === 'body' ? value : String(value)
  }
  return request
}

function copied(value: unknown): unknown {
  const text = JSON.stringify(value, visible)
  return text === undefined ? undefined : JSON.parse(text)
}

/** JSON would turn NaN and Infinity into null, which some members take for an answer. */
const visible = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

type Values = Record<string, unknown>
