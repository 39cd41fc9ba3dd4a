import { Audit } from '../../audit/audit.ts'
import type { Client, RawAnswer, RawRequest } from '../../client/client.ts'
import { defaultProfile } from '../../config/profile.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { idempotencyHeader } from '../../contract/headers.ts'
import type { SendPaymentBody } from '../../contract/index.ts'
import { CliError, errorMessage } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { NetworkError } from '../../errors/service_errors.ts'
import type { Draft } from '../../journal/intent.ts'
import { type Journal, openJournal } from '../../journal/journal.ts'
import { Guard, requireJudgeable } from '../../limits/guard.ts'
import { hasLimits } from '../../limits/read_only.ts'
import type { Payer } from '../../limits/used.ts'
import { learnSender, requireLiveService } from '../../payments/sender.ts'
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
async function sendUnderLimits(call: LimitedCall, client: Client, context: Context): Promise<RawAnswer> {
  const journal = openJournal(context.stateDir)
  const audit = new Audit(context.stateDir)
  try {
    const payer = await payerOf(call, context)
    const guard = new Guard(context.configDir, payer)
    guard.onRefusal((refusal) => audit.add({ event: 'refused', ...refusal }, { durable: true }))
    await requireAllowed(call, guard, client)
    const payment = paymentOf(call.request, payer)
    const release = count(payment, guard, journal)
    const line = lineOf(payment, guard, journal)
    try {
      audit.add({ event: 'asked', ...line, decided_by: 'flag' }, { durable: true })
    } catch (error) {
      release()
      throw error
    }
    const end = (what: string, isUnpaid: boolean): void => {
      if (isUnpaid) noteFailure('The limits count it all the same', release, context)
      const note = () => audit.add({ event: 'outcome', ...line, what }, { durable: true })
      noteFailure('The outcome is not in the audit file', note, context)
    }
    return await sendAndTell(call, end, client)
  } finally {
    audit.close()
    journal.close()
  }
}

async function payerOf({ isLimited }: LimitedCall, context: Context): Promise<Payer> {
  const options = await senderOptions(context)
  const { client, profile = defaultProfile } = options
  // Nobody needs to know who sends.
  if (!isLimited) return { profile, base_url: client.baseUrl, user: '', world: null }
  const sender = await learnSender(options)
  requireLiveService(sender)
  return sender
}

/** Throws for what limits can't judge, and for what a person would have to type. */
async function requireAllowed({ request, row, disguise }: LimitedCall, guard: Guard, client: Client): Promise<void> {
  if (guard.inForce().length === 0) return
  const facts = { ...factsOf(request.body ?? {}), key: keyOf(request) ?? null }
  if (disguise !== undefined) throw guard.reported(disguised(disguise), facts)
  if (!row?.movesMoney) throw guard.reported(unknownPath(request), facts)
  requireJudgeable(request.body)
  const { amount, source_account_id: source } = request.body
  await guard.learn([source], client)
  guard.requireNoTyping([{ amount, currency: guard.currencyOf(source) }], facts)
}

type RawPayment = Payer & Pick<Draft, 'idempotency_key' | 'body'>

const paymentOf = (request: RawRequest, { profile, base_url, user, world }: Payer): RawPayment => ({
  ...{ profile, base_url, user, world },
  idempotency_key: keyOf(request) ?? '',
  body: (request.body ?? {}) as SendPaymentBody,
})

/** Has the limits judge and count it. Returns what takes it back once it is known that it moved no money. */
function count(payment: RawPayment, guard: Guard, journal: Journal): () => void {
  journal.guard(guard)
  const wasCounted = journal.inTransaction(() => {
    const counts = journal.counted.find(payment)?.counts === 1
    journal.admit(payment)
    return counts
  })
  return () => {
    // What a repetition meets with tells nothing of the request before it.
    if (!wasCounted) journal.inTransaction(() => journal.counted.release(payment))
  }
}

/** What its lines in the audit file have in common. */
function lineOf(
  { profile, base_url, user, world, idempotency_key: key, body }: RawPayment,
  guard: Guard,
  journal: Journal,
) {
  const source = typeof body.source_account_id === 'string' ? body.source_account_id : ''
  const currency = guard.currencyOf(source) ?? journal.currencyOf({ base_url, world }, source)
  return { profile, service: base_url, user: user || null, ...factsOf(body), currency, key }
}

/** `end` hears what came of it, and whether it certainly moved no money. */
async function sendAndTell(
  { request, row }: LimitedCall,
  end: (what: string, isUnpaid: boolean) => void,
  client: Client,
): Promise<RawAnswer> {
  let answer: RawAnswer
  try {
    answer = await client.raw(request)
  } catch (error) {
    end(errorMessage(error), error instanceof NetworkError && error.retryable)
    throw error
  }
  const refusals: readonly number[] = row?.movesMoney?.refusals ?? []
  const { error, status } = answer
  end(error ? `answered ${status}` : 'accepted', error !== null && refusals.includes(status))
  return answer
}

/** Once the request has left, its answer matters more than what is written of it. */
function noteFailure(fault: string, write: () => void, { output }: Context): void {
  try {
    write()
  } catch (error) {
    output.note(`${fault}: ${errorMessage(error)}`)
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
