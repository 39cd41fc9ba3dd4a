import type { Client } from '../client/client.ts'
import type { ControlClient } from '../client/control_client.ts'
import type { AnswerOf, ControlAnswerOf, Page } from '../client/received.ts'
import type { ControlId } from '../contract/control.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import type { EndpointId } from '../contract/index.ts'
import type { NextStep } from '../errors/next_step.ts'
import type { Columns } from '../output/output.ts'
import type { Context } from './command.ts'
import { type ArgumentRecord, type CommandRecord, command, type FlagRecord, type Input } from './command.ts'
import { withHint } from './next_step.ts'
import { envelopeOf, noneOn, notePage, type PageFlags, pageFlags, partOf } from './page_note.ts'
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

interface EndpointRecord<One extends Id, A, F>
  extends Omit<CommandRecord, 'args' | 'flags' | 'columns' | 'run' | 'prints'> {
  readonly args?: A
  readonly flags?: F
  readonly columns: Columns<RowOf<One>>
  /** The endpoint that is called if something besides the path is given. It answers like the first. */
  readonly changes?: Id
  /**
   * Members of the request, if they are not the arguments and flags as given. A function is called with the client: for
   * an id that only the other side knows.
   */
  readonly members?: (input: Input<A, F>) => Members<One> | Promise<Members<One>>
  /** Noun of what an endpoint with numbered pages lists: `deliveries`. Adds the flags of a page. */
  readonly items?: string
  /** Said of an empty list. */
  readonly none?: Remark
  /** Said after the answer. */
  readonly after?: (answer: Answer<One>) => Remark
}

interface Sent {
  /** Name in the request, if it differs: by default `--redirect-uri` is `redirect_uri`. */
  readonly sends?: string
}

type ClientOf<One extends Id> = One extends ControlId ? ControlClient : Client

type Late<One extends Id> = (client: ClientOf<One>, context: Context) => Promise<string>

type Members<One extends Id> = Readonly<Record<string, unknown | Late<One>>>

/** Either client, without the types of single endpoints. */
interface Caller {
  call(id: Id, input: object): Promise<unknown>
  items(id: Id, input: object): AsyncGenerator<unknown>
}

/**
 * A command that calls one endpoint with its arguments and flags, and prints the answer. What stands in the path goes
 * there; the rest is the query of a GET and the body of any other request.
 */
export function endpointCommand<
  const One extends Id,
  const A extends Readonly<Record<string, ArgumentRecord & Sent>> = Record<never, never>,
  const F extends Readonly<Record<string, FlagRecord & Sent>> = Record<never, never>,
>(id: One, record: EndpointRecord<One, A, F>): CommandRecord {
  const { args = {}, flags = {}, columns, changes, members, items, none, after, ...facts } = record
  const isList = none !== undefined
  const whole = { ...(isControl(id) && controlFlags), ...(items !== undefined && pageFlags(items)), ...flags }
  return command({
    ...facts,
    args,
    flags: whole,
    prints: items ? { '': rows(id), '--envelope': answer(id) } : isList ? rows(id) : answer(id),
    ...(isList && { columns }),
    async run(input: Readonly<Record<string, unknown>>, context) {
      const { output, globals } = context
      const said = (remark: Remark) =>
        typeof remark === 'string' ? remark : withHint(remark.words, remark.next, globals)
      const drawn = members ? await members(input as Input<A, F>) : membersOf({ args, flags }, input)
      await withClient(id, input, context, async (client, table) => {
        const given: Record<string, unknown> = {}
        for (const [name, value] of Object.entries(drawn)) {
          given[name] = typeof value === 'function' ? await value(client, context) : value
        }
        const request = requestOf(table[id] as Endpoint, given)
        if (items !== undefined) {
          const page = { id, request, items, columns, none: none && said(none) }
          return printPage(page, client, input as PageFlags, context)
        }
        const isChange = changes && Object.values(request.others).some((value) => value !== undefined)
        const data = isChange
          ? await client.call(changes, requestOf(table[changes] as Endpoint, given).input)
          : await client.call(id, request.input)
        if (isList) await output.list(data as readonly RowOf<One>[], columns, { none: said(none) })
        else await output.record(data as RowOf<One>, columns)
        if (after) output.note(said(after(data as Answer<One>)))
      })
    },
  })
}

const isControl = (id: Id): id is ControlId => id.startsWith('control.')

type Sending<One> = Readonly<Record<string, One & Sent>>

/** Arguments and flags by the members of the request. */
function membersOf(
  { args, flags }: { readonly args: Sending<ArgumentRecord>; readonly flags: Sending<FlagRecord> },
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

type Table = Readonly<Record<string, Endpoint>>

async function withClient(
  id: Id,
  steering: Steering,
  context: Context,
  work: (client: Caller, table: Table) => Promise<void>,
): Promise<void> {
  if (isControl(id)) {
    const { controlEndpoints } = await import('../contract/control.ts')
    return steer(steering, context, (control) => work(control as Caller, controlEndpoints))
  }
  const [client, { wireTable }] = await Promise.all([context.client(), import('../contract/wire_table.ts')])
  return work(client as Caller, wireTable as Table)
}

interface Request {
  readonly input: object
  /** The members that are not in the path. */
  readonly others: Readonly<Record<string, unknown>>
}

function requestOf({ method, path }: Endpoint, members: object): Request {
  const inPath = ([name]: [string, unknown]) => path.includes(`{${name}}`)
  const entries = Object.entries(members)
  const params = Object.fromEntries(entries.filter(inPath))
  const others = Object.fromEntries(entries.filter((entry) => !inPath(entry)))
  const hasOthers = Object.keys(others).length > 0
  return { input: { params, ...(hasOthers && { [method === 'GET' ? 'query' : 'body']: others }) }, others }
}

interface PageRequest<Row> {
  readonly id: Id
  readonly request: Request
  readonly items: string
  readonly columns: Columns<Row>
  readonly none: string | undefined
}

/** Prints one page, or with --all the items of every page. */
async function printPage<Row>(
  { id, request: { others }, items, columns, none }: PageRequest<Row>,
  client: Caller,
  { all, page, perPage, envelope }: PageFlags,
  context: Context,
): Promise<void> {
  const { output } = context
  const query = { ...others, page, per_page: perPage }
  if (all) {
    return output.stream(
      client.items(id, { query }) as AsyncGenerator<Row>,
      columns,
      none === undefined ? {} : { none },
    )
  }
  const found = (await client.call(id, { query })) as Page<Row>
  await output.list(found.data, columns, {
    ...envelopeOf(found, envelope, context),
    none: none && noneOn(found, none),
    part: partOf(found),
  })
  notePage(found, { items }, context)
}
