import { Audit } from '../../audit/audit.ts'
import type { Context } from '../../cli/command.ts'
import type { Client, RawAnswer, RawRequest } from '../../client/client.ts'
import { defaultProfile } from '../../config/profile.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { endpoints } from '../../contract/endpoints.ts'
import { ibanFault, normalizeIban } from '../../contract/iban.ts'
import { isPhone, normalizePhone } from '../../contract/phone.ts'
import { concerning, errorMessage, IntentError, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import type { Order } from '../../journal/intent.ts'
import { isKey } from '../../payments/order.ts'
import { sendRawPayment } from '../../payments/raw_payment.ts'
import { withJournal } from '../payments/session.ts'
import type { PrintedAnswer } from './answer.ts'
import { keyOf } from './request.ts'

// Raw requests that move money.

/** The members of a payment that are strings. */
const texts = ['source_account_id', 'recipient_iban', 'recipient_phone', 'description', 'recipient_email'] as const

/** The payment that a request asks for. Undefined where its body or key is not of the form that the journal keeps. */
export function orderIn(request: RawRequest): Order | undefined {
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

/** Why limits can't judge a payment; undefined if they can. */
export function unjudgeable(order: Order | undefined): UsageError | undefined {
  const advice = toRun(['payments', 'send', '...'], 'To send it within the limits')
  if (!order || !isPayee(order.body.recipient_iban ?? order.body.recipient_phone ?? '')) {
    return new UsageError(
      'This profile has limits, and the request does not say plainly what it pays: amount must be a whole number of minor units, source_account_id a string, there must be one payee, an IBAN or a phone, and a key of 1 to 255 visible ASCII characters. Nothing was sent.',
      advice,
    )
  }
  const { properties } = endpoints['payments.create'].body
  const unknown = Object.keys(order.body).find((name) => !Object.hasOwn(properties, name))
  if (unknown === undefined) return undefined
  return new UsageError(
    `This profile has limits, and payctl does not know the member ${unknown} of the request: a service may read it in place of another. Nothing was sent.`,
    advice,
  )
}

const isPayee = (payee: string): boolean => ibanFault(normalizeIban(payee)) === null || isPhone(normalizePhone(payee))

/** Sends a payment as `payments send` does, with the headers and body of the raw request, and returns the raw answer. */
export const sendIntent = (order: Order, request: RawRequest, context: Context): Promise<PrintedAnswer> =>
  withJournal(context, { yes: true }, async (options) => {
    const { outcome, answer } = await sendRawPayment(order, request, options)
    return concerning({ id: outcome.intentId }, async () => {
      if (outcome.outcome === 'accepted')
        return answer ?? (await readPayment(outcome.payment.id, options.client, context))
      if (!answer) throw outcome.error
      return { ...answer, error: new IntentError(outcome.intentId, outcome.error) }
    })
  })

/** For a key that has paid before, and is not sent again: a service that has forgotten it would pay again. */
async function readPayment(id: string, client: Client, { output }: Context): Promise<RawAnswer> {
  const { method, path } = endpoints['payments.get']
  output.note(
    `Nothing was sent: this key has made payment ${id} before. This is the payment as the service has it now.`,
  )
  return client.raw({ method, path: path.replace('{id}', encodeURIComponent(id)) })
}

interface Sending {
  readonly row: Endpoint | undefined
  readonly client: Client
}

/** Sends a request that may be a payment and is not of the form that the journal keeps. It has its lines in the audit file. */
export async function sendAudited(request: RawRequest, { row, client }: Sending, context: Context): Promise<RawAnswer> {
  const { profile = defaultProfile } = await context.target()
  const audit = new Audit(context.stateDir)
  const add = (event: 'asked' | 'outcome', what?: string) =>
    audit.add(
      { event, profile, service: client.baseUrl, ...factsOf(request), ...(what === undefined ? asked : { what }) },
      { durable: true },
    )
  try {
    add('asked')
    if (row?.movesMoney) context.output.note(notWrittenDown)
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

const asked = { decided_by: 'flag' } as const

const notWrittenDown =
  'This request does not say plainly what it pays: it is not written down as a payment, and can not be resumed.'

/** Once the request was sent, its answer matters more than the line about it. */
function noteFailure(write: () => void, { output }: Context): void {
  try {
    write()
  } catch (error) {
    output.note(`The outcome is not in the audit file: ${errorMessage(error)}`)
  }
}

/** Amount and payee for the audit file, as far as the body is readable. */
export function factsOf(request: RawRequest) {
  const { amount, recipient_iban, recipient_phone } = (request.body ?? {}) as Partial<Order['body']>
  const payee = recipient_iban ?? recipient_phone
  return {
    amount: Number.isSafeInteger(amount) ? Number(amount) : null,
    payee: typeof payee === 'string' ? payee : null,
    key: keyOf(request) ?? null,
  }
}
