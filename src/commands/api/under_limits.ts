import { Audit } from '../../audit/audit.ts'
import type { Client, RawAnswer, RawRequest } from '../../client/client.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { idempotencyHeader } from '../../contract/headers.ts'
import type { SendPaymentBody } from '../../contract/index.ts'
import { CliError, errorMessage } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { NetworkError } from '../../errors/service_errors.ts'
import { openJournal } from '../../journal/journal.ts'
import { Guard, requireJudgeable } from '../../limits/guard.ts'
import { hasLimits } from '../../limits/read_only.ts'
import { learnSender, type SenderOptions } from '../../payments/sender.ts'
import type { Context } from '../context.ts'
import { senderOptions } from '../payments/session.ts'

interface Call {
  readonly request: RawRequest
  /** Undefined for a path that payctl does not know. */
  readonly row: Endpoint | undefined
}

/** Sends a raw request; where this machine has limits, they judge what may be a payment however it is written. */
export async function sendRaw(
  { isRead, ...call }: Call & { readonly isRead: boolean },
  client: Client,
  context: Context,
): Promise<RawAnswer> {
  const { request, row } = call
  const isLimited = hasLimits(context)
  const disguise = isLimited ? disguiseOf(call, isRead) : undefined
  const isPayment = row ? row.movesMoney !== undefined : isLimited && !isRead
  if (!isPayment && disguise === undefined) return client.raw(request)
  if (disguise === authorization) throw disguised(disguise)
  return sendUnderLimits({ ...call, isLimited, disguise }, client, context)
}

/** Headers by which a request stays what its method, path and body say. */
const plainHeaders: ReadonlySet<string> = new Set([
  idempotencyHeader.toLowerCase(),
  ...['accept', 'accept-language', 'user-agent', 'traceparent', 'x-request-id'],
])

const authorization = 'the header Authorization'

/** By what a service may take a request for another one, or for another user's; undefined where there is nothing of it. */
function disguiseOf({ request, row }: Call, isRead: boolean): string | undefined {
  const { path, headers = {}, body } = request
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  // A read stays one, unless another method is named.
  if (isRead && !names.some((name) => name.includes('method'))) return undefined
  if (names.includes('authorization')) return authorization
  const strange = Object.entries(headers).find(([name, value]) => !isPlain(name.toLowerCase(), value))
  if (strange) return `the header ${strange[0]}`
  if (path.includes('?') && (row?.movesMoney || path.includes('_method'))) return 'a query'
  return typeof body === 'object' && body !== null && '_method' in body ? '_method' : undefined
}

const isPlain = (name: string, value: string): boolean =>
  plainHeaders.has(name) || (name === 'content-type' && /^application\/json *(;|$)/i.test(value))

interface LimitedCall extends Call {
  readonly isLimited: boolean
  readonly disguise: string | undefined
}

/**
 * Sends a raw request that may move money, as far as the limits of this run allow it. It counts as a payment of the other
 * commands does, and has its lines in the audit file.
 */
async function sendUnderLimits(
  { request, row, isLimited, disguise }: LimitedCall,
  client: Client,
  context: Context,
): Promise<RawAnswer> {
  const journal = openJournal(context.stateDir)
  const audit = new Audit(context.stateDir)
  const options = await senderOptions(context)
  const sender = isLimited ? await learnSender(options) : unlimited(options)
  try {
    const guard = new Guard(context.configDir, sender)
    guard.onRefusal((refusal) => audit.add({ event: 'refused', ...refusal }, { durable: true }))
    const key = keyOf(request) ?? ''
    if (guard.inForce().length > 0) {
      const facts = { ...factsOf(request.body ?? {}), key: key || null }
      if (disguise !== undefined) throw guard.told(disguised(disguise), facts)
      if (!row?.movesMoney) throw guard.told(unknownPath(request), facts)
      requireJudgeable(request.body)
      await guard.learn([request.body.source_account_id], client)
      const { amount, source_account_id } = request.body
      guard.requireNoTyping([{ amount, currency: guard.currencyOf(source_account_id) }], facts)
    }
    const { profile, base_url, user, world } = sender
    const body = (request.body ?? {}) as SendPaymentBody
    journal.guard(guard)
    const wasCounted = journal.counted.find({ base_url, user, world, idempotency_key: key })?.counts === 1
    journal.admit({ profile, base_url, user, world, idempotency_key: key, body })
    const source = typeof body.source_account_id === 'string' ? body.source_account_id : ''
    const currency = guard.currencyOf(source) ?? journal.currencyOf({ base_url }, source)
    const facts = { ...factsOf(body), currency, key }
    const line = { profile, service: base_url, user: user || null, ...facts, decided_by: 'flag' as const }
    const release = () => {
      // What a repetition meets with tells nothing of the request before it.
      if (wasCounted) return
      journal.inTransaction(() => journal.counted.release({ base_url, user, world, idempotency_key: key }))
    }
    try {
      audit.add({ event: 'asked', ...line }, { durable: true })
    } catch (error) {
      release()
      throw error
    }
    const end = (what: string, isUnpaid: boolean) => {
      if (isUnpaid) release()
      tell(() => audit.add({ event: 'outcome', ...line, decided_by: null, what }, { durable: true }), context)
    }
    try {
      const answer = await client.raw(request)
      const refusals: readonly number[] = row?.movesMoney?.refusals ?? []
      end(
        answer.error ? `answered ${answer.status}` : 'accepted',
        answer.error !== null && refusals.includes(answer.status),
      )
      return answer
    } catch (error) {
      end(errorMessage(error), error instanceof NetworkError && error.retryable)
      throw error
    }
  } finally {
    sender.stopListening()
    audit.close()
    journal.close()
  }
}

/** Nobody needs to know who sends. */
const unlimited = ({ client, profile = 'default' }: SenderOptions) => ({
  ...{ profile, base_url: client.baseUrl, user: '', world: null },
  stopListening() {},
})

/** Once the request has left, its answer matters more than the audit file. */
function tell(write: () => void, { output }: Context): void {
  try {
    write()
  } catch (error) {
    output.note(`The outcome is not in the audit file: ${errorMessage(error)}`)
  }
}

function factsOf({ amount, recipient_iban, recipient_phone }: Partial<SendPaymentBody>) {
  const payee = recipient_iban ?? recipient_phone
  return {
    amount: Number.isSafeInteger(amount) ? Number(amount) : null,
    payee: typeof payee === 'string' ? payee : null,
  }
}

export const keyOf = ({ headers = {} }: RawRequest): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === idempotencyHeader.toLowerCase())?.[1]

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
