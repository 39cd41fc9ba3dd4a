import type { Client } from '../client/client.ts'
import { originalOf } from '../client/decode.ts'
import type { InitiatedPayment, Named, Payment } from '../client/received.ts'
import { normalizeIban } from '../contract/iban.ts'
import { formatMoney } from '../contract/money.ts'
import { nationalPhone, normalizePhone } from '../contract/phone.ts'
import { ApiError, OutcomeUnknownError } from '../errors/service_errors.ts'
import type { Intent } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { MovedAway, type Sender } from './sender.ts'

// Which payment an intent has made: in the service's answer, or in the history that the sender reads.

/** Whether a payment is the one that the intent asked for, and has an id to know it by. */
const isPaymentOf = (intent: Intent, payment: Payment): payment is Named<Payment> =>
  isNamed(payment) && differenceFrom(intent, payment) === undefined

/** Throws OutcomeUnknownError: only an answer that names the payment asked for says that it was made. */
export function requirePaymentOf<P extends InitiatedPayment | Payment>(
  intent: Intent,
  payment: P,
): asserts payment is Named<P> {
  if (!isNamed(payment)) throw new OutcomeUnknownError(undefined, 'the answer names no payment', originalOf(payment))
  const difference = differenceFrom(intent, payment)
  if (difference === undefined) return
  const reason = `the service answered with another payment, ${payment.id}: ${difference}`
  throw new OutcomeUnknownError(undefined, reason, originalOf(payment))
}

/** Judged as the service sent it, before it was decoded. */
function isNamed<P extends InitiatedPayment | Payment>(payment: P): payment is Named<P> {
  const original = originalOf(payment)
  return isMembers(original) && typeof original.id === 'string' && original.id !== ''
}

/**
 * In what a payment that the service names differs from the one that was asked for, if in anything: a key that was used
 * before answers with the payment it made then, whatever is asked for now. What an answer does not tell is no
 * difference, and nothing of it is taken on trust.
 */
function differenceFrom({ idempotency_key, body }: Intent, payment: object): string | undefined {
  const told = flat(originalOf(payment))
  const facts: readonly Fact[] = [
    { name: 'idempotency key', asked: idempotency_key, told: told.idempotency_key },
    { name: 'amount', asked: body.amount, told: told.amount, show: (minor) => formatMoney(Number(minor), '').trim() },
    { name: 'account', asked: body.source_account_id, told: told.source_account_id, same: lowerCase },
    { name: 'IBAN', asked: body.recipient_iban, told: told.iban, same: normalizeIban },
    {
      name: 'phone',
      asked: body.recipient_phone,
      told: told.phone,
      same: (text) => nationalPhone(normalizePhone(text)),
    },
  ]
  const other = facts.find(isOther)
  if (!other) return undefined
  const { name, asked, told: found, show = String } = other
  return `its ${name} is ${show(found)}, not ${show(asked)}`
}

interface Fact {
  readonly name: string
  readonly asked: string | number | null | undefined
  readonly told: unknown
  /** What is left of a text when its notation does not matter. */
  readonly same?: (text: string) => string
  readonly show?: (value: unknown) => string
}

function isOther({ asked, told, same = String }: Fact): boolean {
  if (asked === undefined || asked === null || typeof told !== typeof asked || told === '') return false
  return same(String(told)) !== same(String(asked))
}

const lowerCase = (text: string): string => text.toLowerCase()

/** The members of an initiated payment, or of one of the history, by one name each. */
function flat(payment: unknown) {
  const { idempotency_key, source_account_id, amount, payee, recipient_iban, recipient_phone } = isMembers(payment)
    ? payment
    : {}
  return {
    idempotency_key,
    source_account_id,
    amount: memberOf(amount, 'value'),
    iban: recipient_iban ?? memberOf(payee, 'iban'),
    phone: recipient_phone ?? memberOf(payee, 'phone_number'),
  }
}

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null

const memberOf = (value: unknown, name: string): unknown => (isMembers(value) ? value[name] : undefined)

/** A payment that was read back, in the form in which the service answers the request that made it. */
export const asInitiated = (payment: Named<Payment>, { body }: Intent): Named<InitiatedPayment> => ({
  id: payment.id,
  channel: payment.channel,
  status: payment.status,
  channel_reference: payment.channel_reference,
  idempotency_key: payment.idempotency_key,
  source_account_id: body.source_account_id,
  recipient_iban: body.recipient_iban ?? null,
  recipient_phone: body.recipient_phone ?? null,
  amount: payment.amount,
  description: payment.description ?? '',
})

/**
 * All payments of the user. It is read to its end: the interface does not say how it is ordered, and a payment that is
 * missed would be taken for one that was never made.
 */
const wholeHistory = (client: Client) => client.items('payments.history', { query: { per_page: 1000 } })

/** The payment that an intent's request made. */
export async function findByKey({ idempotency_key }: Intent, client: Client): Promise<Payment | undefined> {
  for await (const payment of wholeHistory(client)) {
    if (payment.idempotency_key === idempotency_key) return payment
  }
  return undefined
}

/**
 * Throws unless this token is of the user whose account pays: to anybody else the service refuses the payment and shows
 * a history without it, whether or not it was made.
 */
export async function requirePayer({ body }: Intent, client: Client): Promise<void> {
  const { source_account_id: id } = body
  try {
    await client.call('accounts.get', { params: { id } })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new Error(
      `it is not in the history that this token reads, which may be another user's: account ${id} can't be read (${error.message})`,
      { cause: error },
    )
  }
}

/** Where payments are looked for, for whom, and where it is written down what was found. */
export interface Search {
  readonly client: Client
  readonly journal: Journal
  readonly sender: Sender
}

/** Unclear intents whose payment is in the history that the sender reads are the sender's, and settled. Read once for all. */
export async function claimFound(unclear: readonly Intent[], search: Search): Promise<void> {
  if (unclear.length === 0) return
  const { client, journal, sender } = search
  const byKey = Map.groupBy(unclear, ({ idempotency_key }) => idempotency_key)
  for await (const payment of wholeHistory(client)) {
    if (sender.hasMoved) return
    const key = payment.idempotency_key ?? ''
    for (const intent of byKey.get(key) ?? []) {
      if (!isPaymentOf(intent, payment)) continue
      journal.claim(intent.id, sender)
      journal.markSettled(intent.id, payment)
    }
    byKey.delete(key)
    if (byKey.size === 0) return
  }
}

/**
 * Intents in doubt whose repetition made no payment: only the history tells whether an earlier request did, and it is
 * gone through once for all of them. One that is not in it is settled only if its repetition was refused for certain.
 */
export class UnresolvedIntents {
  readonly #byKey = new Map<string, Unresolved>()

  /** `refusal`: the service's words, when the repetition was refused for certain. */
  add(intent: Intent, refusal: string | undefined): void {
    this.#byKey.set(intent.idempotency_key, { intent, refusal })
  }

  has({ idempotency_key }: Intent): boolean {
    return this.#byKey.has(idempotency_key)
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  /** Writes down what became of them. When it throws, those that were not found stay in doubt. */
  async resolve(search: Search): Promise<void> {
    const { client, journal, sender } = search
    const missing = new Map(this.#byKey)
    for await (const payment of wholeHistory(client)) {
      if (sender.hasMoved) throw new MovedAway()
      const key = payment.idempotency_key ?? ''
      const unresolved = missing.get(key)
      if (unresolved && isPaymentOf(unresolved.intent, payment)) {
        journal.markSettled(unresolved.intent.id, payment)
      }
      missing.delete(key)
    }
    const refused = missing
      .values()
      .flatMap(({ intent, refusal }) => (refusal === undefined ? [] : [{ intent, refusal }]))
    const byAccount = Map.groupBy(refused, ({ intent }) => intent.body.source_account_id)
    for (const ofAccount of byAccount.values()) await markAbsent(ofAccount, search)
  }
}

interface Unresolved {
  readonly intent: Intent
  readonly refusal: string | undefined
}

interface Refused extends Unresolved {
  readonly refusal: string
}

/** Intents of one account. */
async function markAbsent(refused: readonly Refused[], { client, journal, sender }: Search): Promise<void> {
  const [first] = refused
  if (first) await requirePayer(first.intent, client)
  if (sender.hasMoved) throw new MovedAway()
  for (const { intent, refusal } of refused) journal.markAbsent(intent.id, refusal)
}
