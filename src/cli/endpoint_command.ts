import type { AnswerOf, ControlAnswerOf, Page } from '../client/received.ts'
import type { ControlId } from '../contract/control.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import type { EndpointId } from '../contract/index.ts'
import type { NextStep } from '../errors/next_step.ts'
import type { Columns } from '../output/output.ts'
import type { Context } from './command.ts'
import { type ArgumentRecord, type CommandRecord, command, type FlagRecord } from './command.ts'
import { withHint } from './next_step.ts'
import { answer, rows } from './prints.ts'
import { controlFlags, type Steering, steer } from './steer.ts'

// Commands that only call an endpoint: records without a handler.

type Id = EndpointId | ControlId

type Answer<One extends Id> = One extends ControlId
  ? ControlAnswerOf<One>
  : One extends EndpointId
    ? AnswerOf<One>
    : never

/** Item of an endpoint's list, or its whole answer. */
export type RowOf<One extends Id> =
  Answer<One> extends readonly (infer Row)[] ? Row : Answer<One> extends Page<infer Row> ? Row : Answer<One>

/** A remark, with the command that goes on from there. */
type Remark = string | { readonly words: string; readonly next: NextStep }

interface EndpointRecord<One extends Id> extends Omit<CommandRecord, 'args' | 'flags' | 'columns' | 'run' | 'prints'> {
  readonly args?: Readonly<Record<string, ArgumentRecord & Sent>>
  readonly flags?: Readonly<Record<string, FlagRecord & Sent>>
  readonly columns: Columns<RowOf<One>>
  /** Said of an empty list. */
  readonly none?: Remark
  /** Said after the answer. */
  readonly after?: (answer: Answer<One>) => Remark
}

interface Sent {
  /** Name in the request, if it differs: by default `--redirect-uri` is `redirect_uri`. */
  readonly sends?: string
}

/**
 * A command that calls one endpoint with its arguments and flags, and prints the answer. What stands in the path goes
 * there; the rest is the query of a GET and the body of any other request.
 */
export function endpointCommand<One extends Id>(id: One, record: EndpointRecord<One>): CommandRecord {
  const isList = record.none !== undefined
  const { args = {}, flags = {}, columns, none, after, ...facts } = record
  const own = { args, flags: { ...(isControl(id) && controlFlags), ...flags } }
  return command({
    ...facts,
    ...own,
    prints: isList ? rows(id) : answer(id),
    ...(isList && { columns }),
    async run(input: Readonly<Record<string, unknown>>, context) {
      const members = membersOf({ args, flags }, input)
      const data = await request(id, members, input as Steering, context)
      const { output, globals } = context
      const said = (remark: Remark) =>
        typeof remark === 'string' ? remark : withHint(remark.words, remark.next, globals)
      if (none !== undefined) {
        return output.list(data as readonly RowOf<One>[], columns, { none: said(none) })
      }
      await output.record(data as RowOf<One>, columns)
      if (after) output.note(said(after(data as Answer<One>)))
    },
  })
}

const isControl = (id: Id): id is ControlId => id.startsWith('control.')

/** Arguments and flags by the members of the request. */
function membersOf(
  { args, flags }: Required<Pick<EndpointRecord<Id>, 'args' | 'flags'>>,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const named = [...Object.entries(args), ...Object.entries(flags)].map(([spec, one]) => {
    const name = 'as' in one && one.as ? one.as : inputNameOf(spec)
    return [one.sends ?? snakeCase(name), input[name]]
  })
  return Object.fromEntries(named)
}

/** `redirectUri` of `--redirect-uri <uri...>`, `id` of `<id>`. */
function inputNameOf(spec: string): string {
  const [, name = ''] = /--(?:no-)?([\w-]+)/.exec(spec) ?? /[<[]([\w-]+)/.exec(spec) ?? []
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

async function request(
  id: Id,
  members: Readonly<Record<string, unknown>>,
  steering: Steering,
  context: Context,
): Promise<unknown> {
  if (isControl(id)) {
    const { controlEndpoints } = await import('../contract/control.ts')
    const input = inputOf(controlEndpoints[id], members)
    return steer(steering, context, (control) => control.call(id, input as never))
  }
  const [client, { wireTable }] = await Promise.all([context.client(), import('../contract/wire_table.ts')])
  return client.call(id, inputOf(wireTable[id], members) as never)
}

function inputOf({ method, path }: Endpoint, members: Readonly<Record<string, unknown>>): object {
  const inPath = ([name]: [string, unknown]) => path.includes(`{${name}}`)
  const entries = Object.entries(members)
  const params = Object.fromEntries(entries.filter(inPath))
  const others = Object.fromEntries(entries.filter((entry) => !inPath(entry)))
  return { params, [method === 'GET' ? 'query' : 'body']: others }
}
