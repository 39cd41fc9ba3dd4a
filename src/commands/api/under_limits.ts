import type { Context } from '../../cli/command.ts'
import type { Client, RawRequest } from '../../client/client.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { idempotencyHeader } from '../../contract/headers.ts'
import { CliError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { hasLimits } from '../../limits/read_only.ts'
import { withSession } from '../../payments/payment_session.ts'
import { withJournal } from '../payments/session.ts'
import type { PrintedAnswer } from './answer.ts'
import { factsOf, orderIn, sendAudited, sendIntent, unjudgeable } from './payment.ts'

interface Call {
  readonly request: RawRequest
  /** Undefined for a path that payctl does not know. */
  readonly row: Endpoint | undefined
  readonly isRead: boolean
  /** The path, URL or name of an endpoint, as given. */
  readonly place: string
}

/**
 * Sends a raw request. A payment is written down as an intent. Limits refuse what may be a payment and can't be judged,
 * however it is written.
 */
export async function sendRaw(call: Call, client: Client, context: Context): Promise<PrintedAnswer> {
  const { request, row, isRead } = call
  const isLimited = hasLimits(context)
  const disguise = isLimited ? disguiseOf(call) : undefined
  const mayPay = row ? row.movesMoney !== undefined : isLimited && !isRead
  if (!mayPay && disguise === undefined) return client.raw(request)
  if (disguise !== undefined && refusedAnywhere.has(disguise)) throw disguised(disguise)
  const order = row?.movesMoney ? orderIn(request) : undefined
  if (isLimited) {
    const fault =
      disguise === undefined ? (row?.movesMoney ? unjudgeable(order) : unknownPath(request)) : disguised(disguise)
    if (fault) await requireNoLimits(fault, request, context)
  }
  return order ? sendIntent(order, request, context) : sendAudited(request, { row, client }, context)
}

/** Throws `fault` where limits hold for this run. */
const requireNoLimits = (fault: CliError, request: RawRequest, context: Context): Promise<void> =>
  withJournal(context, { yes: true }, (options) =>
    withSession(options, async ({ guard, journal }) => guard?.requireNone(journal.counted, fault, factsOf(request))),
  )

/** Headers by which a request stays what its method, path and body say. */
const plainHeaders: ReadonlySet<string> = new Set([
  idempotencyHeader.toLowerCase(),
  ...['accept', 'accept-language', 'user-agent', 'traceparent', 'x-request-id'],
])

const authorization = 'the header Authorization'
const escapes = 'an escape, a backslash or a semicolon in its path'

/** Refused wherever there are limits: by these a request may be another user's, or reach a service that has limits. */
const refusedAnywhere: ReadonlySet<string> = new Set([authorization, escapes])

/** Part of the request that could make a service read it as another request or as another user's; undefined if none. */
function disguiseOf({ request, row, isRead, place }: Call): string | undefined {
  const { path, headers = {}, body } = request
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  // A read stays one, unless another method is named.
  if (isRead && !names.some((name) => name.includes('method'))) return undefined
  if (names.includes('authorization')) return authorization
  // Proxies decode and resolve them differently: some do it twice.
  if ([place, path].some((one) => /[%\\;]/.test(one.split('?', 1)[0] ?? ''))) return escapes
  const strange = Object.entries(headers).find(([name, value]) => !isPlain(name.toLowerCase(), value))
  if (strange) return `the header ${strange[0]}`
  if (path.includes('?') && (row?.movesMoney || path.includes('_method'))) return 'a query'
  return typeof body === 'object' && body !== null && '_method' in body ? '_method' : undefined
}

const isPlain = (name: string, value: string): boolean =>
  plainHeaders.has(name) || (name === 'content-type' && /^application\/json *(;|$)/i.test(value))

const disguised = (by: string): CliError =>
  new CliError(
    'forbidden',
    `There are limits, and with ${by} the service may take the request for another one than payctl does. Nothing was sent.`,
    'Leave it out',
  )

const unknownPath = ({ method, path }: RawRequest): CliError =>
  new CliError(
    'forbidden',
    `Limits hold here, and payctl does not know what ${method} ${path} does: it may move money. Nothing was sent.`,
    toRun(['api', '--list'], 'To see what it knows'),
  )
