import type { Client } from '../client/client.ts'
import type { ControlClient } from '../client/control_client.ts'
import type { AnswerOf, ControlAnswerOf, Page } from '../client/received.ts'
import type { ControlId } from '../contract/control.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import type { EndpointId } from '../contract/index.ts'
import type { NextStep } from '../errors/next_step.ts'
import type { Columns } from '../output/output.ts'
import { type Said, Text } from '../words/text.ts'
import type { Context } from './command.ts'
import { type ArgumentRecord, type CommandRecord, command, type FlagRecord, type Input } from './command.ts'
import { envelopeOf, noneOn, notePage, type PageFlags, pageFlags, partOf } from './page_note.ts'
import { answer, rows } from './prints.ts'
import { camelCase } from './register.ts'
import { controlFlags, type Steering, steer } from './steer.ts'

// Commands that only call an endpoint: records without a handler.

type Id = EndpointId | ControlId

type Answer<One extends Id> = One extends ControlId
  ? ControlAnswerOf<One>
  : One extends EndpointId
    ? AnswerOf<One>
    : never

/** An item of an endpoint's list or page; the whole answer of any other endpoint. */
export type RowOf<One extends Id> =
  Answer<One> extends readonly (infer Row)[] ? Row : Answer<One> extends Page<infer Row> ? Row : Answer<One>

/** A note, perhaps with the command to type next. */
type EndpointNote = Said | { readonly words: Said; readonly next: NextStep }

interface EndpointRecord<One extends Id, A, F>
  extends Omit<CommandRecord, 'args' | 'flags' | 'columns' | 'run' | 'prints'> {
  readonly args?: A
  readonly flags?: F
  readonly columns: Columns<RowOf<One>>
  /**
   * Endpoint to call instead if the input has members that are not in the path. The answers of both endpoints have the
   * same shape.
   */
  readonly changes?: Id
  /**
   * Members of the request, if they are not simply the arguments and flags. A member that is a function is called with
   * the client, to resolve an id that only the server knows.
   */
  readonly members?: (input: Input<A, F>) => Members<One> | Promise<Members<One>>
  /**
   * Plural noun of the items that an endpoint with numbered pages lists: `deliveries`. Adds the flags for pages:
   * --page, --per-page, --all and --envelope.
   */
  readonly items?: string
  /** Note that is printed if the list is empty. Present only for lists. */
  readonly none?: EndpointNote
  /** Note that is printed after the answer; null: none. */
  readonly after?: (answer: Answer<One>) => EndpointNote | null
}

interface RequestMember {
  /** Name of the member in the request, if it is not the default: by default `--redirect-uri` is `redirect_uri`. */
  readonly sends?: string
}

type LateValue<One extends Id> = (
  client: One extends ControlId ? ControlClient : Client,
  context: Context,
) => Promise<string>

type Members<One extends Id> = Readonly<Record<string, unknown | LateValue<One>>>

/** The client of the service or of the emulator, without the types of the individual endpoints. */
interface UntypedClient {
  call(id: Id, input: object): Promise<unknown>
  items(id: Id, input: object): AsyncGenerator<unknown>
}

/**
 * A command that calls one endpoint with its arguments and flags, and prints the answer. Members that the path names go
 * into the path; all other members are the query of a GET, or the body of any other request.
 */
export function endpointCommand<
  const One extends Id,
  const A extends Readonly<Record<string, ArgumentRecord & RequestMember>> = Record<never, never>,
  const F extends Readonly<Record<string, FlagRecord & RequestMember>> = Record<never, never>,
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
      const { output } = context
      const values = members ? await members(input as Input<A, F>) : membersOf({ args, flags }, input)
      await withClient(id, input, context, async (client, table) => {
        const given: Record<string, unknown> = {}
        for (const [name, value] of Object.entries(values)) {
          given[name] = typeof value === 'function' ? await value(client, context) : value
        }
        const request = requestOf(table[id] as Endpoint, given)
        if (items !== undefined) {
          const page = { id, request, items, columns, none: none && (await textOf(none, context)) }
          return printPage(page, client, input as PageFlags, context)
        }
        const isChange = changes && Object.values(request.others).some((value) => value !== undefined)
        const data = isChange
          ? await client.call(changes, requestOf(table[changes] as Endpoint, given).input)
          : await client.call(id, request.input)
        if (isList) await output.list(data as readonly RowOf<One>[], columns, { none: await textOf(none, context) })
        else await output.record(data as RowOf<One>, columns)
        const note = after?.(data as Answer<One>)
        if (note) output.note(await textOf(note, context))
      })
    },
  })
}

async function textOf(note: EndpointNote, { globals, translate }: Context): Promise<Said> {
  if (typeof note === 'string' || note instanceof Text) return note
  const { withHint } = await import('./next_step.ts')
  return withHint(note.words, note.next, globals, translate)
}

const isControl = (id: Id): id is ControlId => id.startsWith('control.')

type Specs<One> = Readonly<Record<string, One & RequestMember>>

/** Values of arguments and flags, keyed by the names of the request's members. */
function membersOf(
  { args, flags }: { readonly args: Specs<ArgumentRecord>; readonly flags: Specs<FlagRecord> },
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const named = [...Object.entries(args), ...Object.entries(flags)].map(([spec, one]) => {
    // Extracts `redirect-uri` from `--redirect-uri <uri...>`, and `id` from `<id>`.
    const [, long = ''] = /--(?:no-)?([\w-]+)/.exec(spec) ?? /[<[]([\w-]+)/.exec(spec) ?? []
    const name = 'as' in one && one.as ? one.as : camelCase(long)
    const snakeCase = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return [one.sends ?? snakeCase, input[name]]
  })
  return Object.fromEntries(named)
}

type Table = Readonly<Record<string, Endpoint>>

async function withClient(
  id: Id,
  steering: Steering,
  context: Context,
  work: (client: UntypedClient, table: Table) => Promise<void>,
): Promise<void> {
  if (isControl(id)) {
    const { controlEndpoints } = await import('../contract/control.ts')
    return steer(steering, context, (control) => work(control as UntypedClient, controlEndpoints))
  }
  const [client, { wireTable }] = await Promise.all([context.client(), import('../contract/wire_table.ts')])
  return work(client as UntypedClient, wireTable as Table)
}

interface EndpointRequest {
  readonly input: object
  /** The members that are not in the path. */
  readonly others: Readonly<Record<string, unknown>>
}

function requestOf({ method, path }: Endpoint, members: object): EndpointRequest {
  const inPath = ([name]: [string, unknown]) => path.includes(`{${name}}`)
  const entries = Object.entries(members)
  const params = Object.fromEntries(entries.filter(inPath))
  const others = Object.fromEntries(entries.filter((entry) => !inPath(entry)))
  const hasOthers = Object.keys(others).length > 0
  return { input: { params, ...(hasOthers && { [method === 'GET' ? 'query' : 'body']: others }) }, others }
}

interface PageRequest<Row> {
  readonly id: Id
  readonly request: EndpointRequest
  readonly items: string
  readonly columns: Columns<Row>
  readonly none: Said | undefined
}

/** Prints one page, or with --all the items of every page. */
async function printPage<Row>(
  { id, request: { others }, items, columns, none }: PageRequest<Row>,
  client: UntypedClient,
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
