import type { Context } from '../../cli/command.ts'
import type { Client, RawRequest } from '../../client/client.ts'
import { itemsOf, pagesOf } from '../../client/paging.ts'
import { idempotencyHeader } from '../../contract/headers.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { OutcomeUnknownError } from '../../errors/service_errors.ts'
import type { ApiFlags } from '../api.ts'
import { jsonByDefault, type PrintedAnswer, printAnswer, printItems } from './answer.ts'
import { addressOf, endpointOf } from './endpoints.ts'
import type { RawCall } from './payment.ts'
import { keyOf, requestOf } from './request.ts'

/** `words`: `[method] <path>`. */
export async function callEndpoint(
  { words, flags }: { readonly words: readonly string[]; readonly flags: ApiFlags },
  context: Context,
): Promise<void> {
  const { baseUrl } = await context.target()
  const address = addressOf(words, baseUrl)
  const request = await requestOf(address, flags, context)
  const row = endpointOf({ ...address, path: request.path })
  if (row?.movesMoney) requireKey(request)
  const client = await context.client(row?.access === 'public' ? 'anonymous' : 'token')
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
  const call = { request, row, isRead, place: words.at(-1) ?? '' }
  if (flags.paginate) return paginate(call, flags.include, client, context)
  const answer = await send(call, client, context).catch((error: unknown) => {
    throw error instanceof OutcomeUnknownError ? unknownOutcome(error) : error
  })
  await printAnswer(answer, { request, include: flags.include === true }, context)
}

/**
 * Sends the request. A request that may move money is checked against the limits and recorded, in the journal or only
 * in the audit file.
 */
async function send(call: RawCall, client: Client, context: Context): Promise<PrintedAnswer> {
  const { request, isRead } = call
  if (isRead && Object.keys(request.headers ?? {}).length === 0) return client.raw(request)
  const { sendRaw } = await import('./payment.ts')
  return sendRaw(call, client, context)
}

/**
 * Requires a key from the caller, who still knows the key if the run is cut off. A generated key would have to be saved
 * on disk before the request. `payments send` and `payments batch` do that; `api` does not.
 */
function requireKey(request: RawRequest): void {
  if (keyOf(request)) return
  throw new UsageError(
    'This request makes a payment without an idempotency key: if its answer were lost, the payment could not be sent again safely. Nothing was sent.',
    toRun(
      ['payments', 'send', '...'],
      `Add --header '${idempotencyHeader}: <a key that you keep>', or use the command that keeps a key for you`,
    ),
  )
}

const unknownOutcome = ({ message, idempotencyKey }: OutcomeUnknownError): CliError =>
  new CliError(
    'outcome_unknown',
    message,
    idempotencyKey === undefined
      ? toRun(['payments', 'history'], 'Check the result before you repeat the request')
      : toRun(['payments', 'find', idempotencyKey], 'To look for it'),
  )

async function paginate(call: RawCall, include: boolean | undefined, client: Client, context: Context): Promise<void> {
  const { request } = call
  if (request.method !== 'GET') throw new UsageError('--paginate works only with GET.', 'Leave it out.')
  if (include)
    throw new UsageError('--paginate reads several answers, but --include shows only one.', 'Leave one of them out.')
  if (Object.keys(request.headers ?? {}).length > 0) {
    const { refuseDisguisedRead } = await import('./payment.ts')
    await refuseDisguisedRead(call, context)
  }
  const read = async (page: number | undefined) =>
    (await client.request({ ...request, query: { page } })).data as { readonly data: readonly unknown[] }
  await printItems(itemsOf(pagesOf(read, undefined)), jsonByDefault(context), context.globals)
}
