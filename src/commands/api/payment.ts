import { Audit } from '../../audit/audit.ts'
import type { Context } from '../../cli/command.ts'
import type { Client, RawAnswer, RawRequest } from '../../client/client.ts'
import { defaultProfile } from '../../config/profile.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { endpoints } from '../../contract/endpoints.ts'
import { idempotencyHeader } from '../../contract/headers.ts'
import { ibanFault, normalizeIban } from '../../contract/iban.ts'
import { isPhone, normalizePhone } from '../../contract/phone.ts'
import { CliError, concerning, errorMessage, IntentError, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import type { Order } from '../../journal/intent.ts'
import { hasLimits } from '../../limits/read_only.ts'
import { isKey } from '../../payments/order.ts'
import { withSession } from '../../payments/payment_session.ts'
import { sendRawPayment } from '../../payments/send.ts'
import { withJournal } from '../payments/session.ts'
import type { PrintedAnswer } from './answer.ts'
import { keyOf } from './request.ts'

// Raw requests that may move money.

export interface RawCall {
  readonly request: RawRequest
  /** Undefined for a path that payctl does not know. */
  readonly row: Endpoint | undefined
  readonly isRead: boolean
  /** The path, URL or id of an endpoint, as the user gave it. */
  readonly place: string
}

/**
 * Sends a raw request. Records a payment as an intent. Limits refuse every request that may be a payment and that can't
 * be compared with the limits.
 */
export async function sendRaw(call: RawCall, client: Client, context: Context): Promise<PrintedAnswer> {
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
    if (fault) await refuseIfLimited(fault, request, context)
  }
  return order ? sendIntent(order, request, context) : sendAudited(call, client, context)
}

/** Throws if limits apply to this run and the service may interpret this read as a request that pays. */
export async function refuseDisguisedRead(call: RawCall, context: Context): Promise<void> {
  const disguise = hasLimits(context) ? disguiseOf(call) : undefined
  if (disguise === undefined) return
  if (refusedAnywhere.has(disguise)) throw disguised(disguise)
  await refuseIfLimited(disguised(disguise), call.request, context)
}

/** Throws `fault` if limits apply to this run. */
const refuseIfLimited = (fault: CliError, request: RawRequest, context: Context): Promise<void> =>
  withJournal(context, { yes: true }, (options) =>
    withSession(options, async ({ guard, journal }) => guard?.requireNone(journal.counted, fault, factsOf(request))),
  )

/** Headers that do not change what the method, path and body of a request mean. */
const plainHeaders: ReadonlySet<string> = new Set([
  idempotencyHeader.toLowerCase(),
  ...['accept', 'accept-language', 'user-agent', 'traceparent', 'x-request-id'],
])

const authorization = 'the header Authorization'
const escapes = 'an escape, a backslash or a semicolon in the path'

/**
 * Disguises that are refused at every service if there are any limits: the request may act for another user, or may
 * reach a service with limits.
 */
const refusedAnywhere: ReadonlySet<string> = new Set([authorization, escapes])

/**
 * Part of the request because of which a service could take the request for another one, or for a request of another
 * user; undefined if there is none.
 */
function disguiseOf({ request, row, isRead, place }: RawCall): string | undefined {
  const { path, headers = {}, body } = request
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  // A read has no disguise, unless a header names another method.
  if (isRead && !names.some((name) => name.includes('method'))) return undefined
  if (names.includes('authorization')) return authorization
  // Proxies decode and resolve these characters differently: some decode twice.
  if ([place, path].some((one) => /[%\\;]/.test(one.split('?', 1)[0] ?? ''))) return escapes
  const isPlain = (name: string, value: string) =>
    plainHeaders.has(name) || (name === 'content-type' && /^application\/json *(;|$)/i.test(value))
  const strange = Object.entries(headers).find(([name, value]) => !isPlain(name.toLowerCase(), value))
  if (strange) return `the header ${strange[0]}`
  if (path.includes('?') && (row?.movesMoney || path.includes('_method'))) return 'a query'
  return typeof body === 'object' && body !== null && '_method' in body ? '_method' : undefined
}

const disguised = (by: string): CliError =>
  new CliError(
    'forbidden',
    `Limits apply here, and with ${by} the service may read the request differently from payctl. Nothing was sent.`,
    'Leave it out',
  )

const unknownPath = ({ method, path }: RawRequest): CliError =>
  new CliError(
    'forbidden',
    `Limits apply here, and payctl does not know what ${method} ${path} does: it may move money. Nothing was sent.`,
    toRun(['api', '--list'], 'To see the requests that payctl knows'),
  )

/** The members of a payment that are strings. */
const texts = ['source_account_id', 'recipient_iban', 'recipient_phone', 'description', 'recipient_email'] as const

/** The payment that a request makes; undefined if the journal can't record its body or key. */
function orderIn(request: RawRequest): Order | undefined {
  const body = (request.body ?? {}) as Order['body']
  const key = keyOf(request) ?? ''
  const { source_account_id: source, amount, recipient_iban: iban, recipient_phone: phone } = body
  const isOfForm =
    isKey(key) &&
    typeof source === 'string' &&
    Number.isSafeInteger(amount) &&
    amount > 0 &&
    [iban, phone].filter((payee) => payee !== undefined && payee !== null).length === 1 &&
    texts.every((name) => ['string', 'undefined'].includes(typeof (body[name] ?? undefined)))
  return isOfForm ? { body, idempotency_key: key } : undefined
}

/** Error for a payment that limits can't judge; undefined if limits can judge it. */
function unjudgeable(order: Order | undefined): UsageError | undefined {
  const advice = toRun(['payments', 'send', '...'], 'To send the payment within the limits')
  if (!order || !isPayee(order.body.recipient_iban ?? order.body.recipient_phone ?? '')) {
    return new UsageError(
      'This profile has limits, and the request does not state its payment clearly. It needs an amount in whole minor units, a source_account_id, exactly one payee (recipient_iban or recipient_phone), and a key of 1 to 255 visible ASCII characters. Nothing was sent.',
      advice,
    )
  }
  const { properties } = endpoints['payments.create'].body
  const unknown = Object.keys(order.body).find((name) => !Object.hasOwn(properties, name))
  if (unknown === undefined) return undefined
  return new UsageError(
    `This profile has limits, and payctl does not know the member ${unknown} of the request: a service may read it instead of another member. Nothing was sent.`,
    advice,
  )
}

const isPayee = (payee: string): boolean => ibanFault(normalizeIban(payee)) === null || isPhone(normalizePhone(payee))

/**
 * Sends a payment as `payments send` does, with the headers and body of the raw request, and returns the raw answer.
 */
const sendIntent = (order: Order, request: RawRequest, context: Context): Promise<PrintedAnswer> =>
  withJournal(context, { yes: true }, async (options) => {
    const { outcome, answer } = await sendRawPayment(order, request, options)
    return concerning({ id: outcome.intentId }, async () => {
      if (outcome.outcome === 'accepted') {
        if (answer && !answer.error) return answer
        return readPayment(outcome.payment.id, answer !== undefined, options.client, context)
      }
      if (!answer) throw outcome.error
      return { ...answer, error: new IntentError(outcome.intentId, outcome.error) }
    })
  })

/**
 * Reads the payment that another request with the same key made. Sending the key again could pay twice if the service
 * has forgotten the key. `isRefused`: the service has refused the request of this run.
 */
async function readPayment(id: string, isRefused: boolean, client: Client, { output }: Context): Promise<RawAnswer> {
  const { method, path } = endpoints['payments.get']
  output.note(
    isRefused
      ? `The service refused this request: payment ${id} was made with this key by another request. This is the payment as the service has it now.`
      : `Payment ${id} was made with this key, by an earlier request, or by a request of this run whose answer was lost. This is the payment as the service has it now.`,
  )
  return client.raw({ method, path: path.replace('{id}', encodeURIComponent(id)) })
}

/** Sends a request that may be a payment and that the journal can't record. Records the request in the audit file. */
async function sendAudited({ request, row }: RawCall, client: Client, context: Context): Promise<RawAnswer> {
  const { profile = defaultProfile } = await context.target()
  const audit = new Audit(context.stateDir)
  const add = (event: 'asked' | 'outcome', what?: string) =>
    audit.add(
      {
        event,
        profile,
        service: client.baseUrl,
        ...factsOf(request),
        ...(what === undefined ? { decided_by: 'flag' } : { what }),
      },
      { durable: true },
    )
  try {
    add('asked')
    if (row?.movesMoney) context.output.note(notRecorded)
    const answer = await client.raw(request).catch((error: unknown) => {
      noteFailure(() => add('outcome', errorMessage(error)), context)
      throw error
    })
    noteFailure(() => add('outcome', answer.error ? `answered ${answer.status}` : 'accepted'), context)
    return answer
  } finally {
    audit.close()
  }
}

const notRecorded =
  "This request does not state its payment clearly: it is not recorded as a payment, and can't be resumed."

/**
 * Prints a note if a write to the audit file fails: after a request is sent, its answer matters more than a line in the
 * file.
 */
function noteFailure(write: () => void, { output }: Context): void {
  try {
    write()
  } catch (error) {
    output.note(`The outcome is not in the audit file: ${errorMessage(error)}`)
  }
}

/** Amount and payee for the audit file, as far as the body is readable. */
function factsOf(request: RawRequest) {
  const { amount, recipient_iban, recipient_phone } = (request.body ?? {}) as Partial<Order['body']>
  const payee = recipient_iban ?? recipient_phone
  return {
    amount: Number.isSafeInteger(amount) ? Number(amount) : null,
    payee: typeof payee === 'string' ? payee : null,
    key: keyOf(request) ?? null,
  }
}
