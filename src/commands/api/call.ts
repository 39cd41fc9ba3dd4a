import type { Context } from '../../cli/command.ts'
import type { Client, RawRequest } from '../../client/client.ts'
import { itemsOf, pagesOf } from '../../client/paging.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { idempotencyHeader } from '../../contract/headers.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { OutcomeUnknownError } from '../../errors/service_errors.ts'
import type { ApiFlags } from '../api.ts'
import { type Address, addressOf, rowOf } from './address.ts'
import { type PrintedAnswer, printAnswer } from './answer.ts'
import { keyOf, requestOf } from './request.ts'
import { jsonByDefault, printItems } from './rows.ts'

interface Call {
  /** `[method] <path>` */
  readonly words: readonly string[]
  readonly flags: ApiFlags
}

export async function callEndpoint({ words, flags }: Call, context: Context): Promise<void> {
  const { baseUrl } = await context.target()
  const address = addressOf(words, baseUrl)
  const request = await requestOf(address, flags, context.io)
  const row = rowOf({ ...address, path: request.path })
  if (row?.movesMoney) requireKey(request)
  const client = await context.client(row?.access === 'public' ? 'anonymous' : 'token')
  if (flags.paginate) return paginate({ address, request, include: flags.include }, client, context)
  const answer = await sent({ request, row, place: words.at(-1) ?? '' }, client, context).catch((error: unknown) => {
    throw error instanceof OutcomeUnknownError ? unsettled(error) : error
  })
  await printAnswer(answer, { request, include: flags.include === true }, context)
}

interface Sent {
  readonly request: RawRequest
  readonly row: Endpoint | undefined
  /** As given. */
  readonly place: string
}

/** Sends the request. One that may move money passes the limits and is recorded in the journal and the audit file. */
async function sent(asked: Sent, client: Client, context: Context): Promise<PrintedAnswer> {
  const { method, headers = {} } = asked.request
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
  if (isRead && Object.keys(headers).length === 0) return client.raw(asked.request)
  const { sendRaw } = await import('./under_limits.ts')
  return sendRaw({ ...asked, isRead }, client, context)
}

/**
 * Requires a key from the caller, who then knows it if the run is cut off. A key made here would have to be written to
 * disk first, as `payments send` does.
 */
function requireKey(request: RawRequest): void {
  if (keyOf(request)) return
  throw new UsageError(
    'This sends a payment without an idempotency key: if its answer were lost, it could not be sent again safely. Nothing was sent.',
    toRun(
      ['payments', 'send', '...'],
      `Add --header '${idempotencyHeader}: <a key that you keep>', or use the command that keeps one for you`,
    ),
  )
}

const unsettled = ({ message, idempotencyKey }: OutcomeUnknownError): CliError =>
  new CliError(
    'outcome_unknown',
    message,
    idempotencyKey === undefined
      ? toRun(['payments', 'history'], 'See the result first')
      : toRun(['payments', 'find', idempotencyKey], 'To look for it'),
  )

interface Pagination {
  readonly address: Address
  readonly request: RawRequest
  readonly include: boolean | undefined
}

async function paginate({ address, request, include }: Pagination, client: Client, context: Context): Promise<void> {
  if (address.method !== 'GET') throw new UsageError('--paginate reads the pages of a GET.', 'Leave it out.')
  if (include) throw new UsageError('--paginate has many answers, --include shows one.', 'Leave one of them out.')
  const read = async (page: number | undefined) =>
    (await client.request({ ...request, query: { page } })).data as { readonly data: readonly unknown[] }
  await printItems(itemsOf(pagesOf(read, undefined)), jsonByDefault(context), context.globals)
}
