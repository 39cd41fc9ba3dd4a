import type { Client } from '../client/client.ts'
import type { AnswerOf, InitiatedPayment, Named, Payment } from '../client/received.ts'
import { ApiError } from '../errors/service_errors.ts'
import type { Intent } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { isPaymentOf, mayBePaymentOf, plainKey, whyNotPaymentOf } from './same_payment.ts'
import { MovedAway, type Sender } from './sender.ts'

// Which payment an intent has made, looked for in the history that the sender reads.

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

/**
 * Looks for the payments of intents in the whole history, once for all; `onFound` hears of each when it is read. Returns
 * why each is in doubt of those that are neither found nor known not to be there.
 */
async function lookFor(
  intents: readonly Intent[],
  client: Client,
  onFound: (intent: Intent, payment: Named<Payment>) => void,
): Promise<ReadonlyMap<Intent, string>> {
  const missing = new Map(intents.map((intent) => [intent.idempotency_key, intent]))
  const byPlainKey = Map.groupBy(intents, (intent) => plainKey(intent.idempotency_key))
  const doubts = new Map<Intent, string>()
  const count = new PaymentCount()
  for await (const page of client.pages('payments.history', { query: { per_page: 1000 } })) {
    count.add(page)
    for (const payment of page.data) {
      const named = missing.get(payment.idempotency_key ?? '')
      if (named && isPaymentOf(named, payment)) {
        onFound(named, payment)
        missing.delete(named.idempotency_key)
        doubts.delete(named)
      } else if (named) {
        const why = whyNotPaymentOf(named, payment)
        // Who pays under the key of an event has money with that key come in.
        if (why !== undefined && payment.transfer_type !== 'credit') doubts.set(named, why)
      } else {
        const key = plainKey(payment.idempotency_key)
        const others = key === '' ? intents.filter((one) => mayBePaymentOf(one, payment)) : (byPlainKey.get(key) ?? [])
        for (const intent of others) if (missing.has(intent.idempotency_key)) doubts.set(intent, alike(payment))
      }
    }
    if (missing.size === 0) return doubts
  }
  const { gap } = count
  if (gap !== undefined) for (const intent of missing.values()) if (!doubts.has(intent)) doubts.set(intent, gap)
  return doubts
}

/**
 * The payment of one intent, if the history has it. Throws where its repetition was refused and the history does not show
 * that there is none.
 */
export async function findPayment(
  intent: Intent,
  refusal: string | undefined,
  client: Client,
): Promise<Named<Payment> | undefined> {
  const found: Named<Payment>[] = []
  const doubts = await lookFor([intent], client, (_, payment) => found.push(payment))
  const doubt = doubts.get(intent)
  if (doubt !== undefined && refusal !== undefined) throw new Error(notExcluded(refusal, doubt))
  return found[0]
}

const alike = ({ id, idempotency_key: key }: Payment): string =>
  `the history has ${id ? `payment ${id}` : 'a payment without an id'}, which may be this one, ` +
  `${key ? `with its idempotency key in other letters (${key})` : 'without an idempotency key'}: ask the service which request made it`

/** Whether as many payments were read as the history has. */
class PaymentCount {
  readonly #ids = new Set<string>()
  #nameless = 0
  #total: number | undefined

  add({ data, total }: Pick<AnswerOf<'payments.history'>, 'data' | 'total'>): void {
    for (const { id, idempotency_key: key } of data) {
      const name = id || key
      if (name) this.#ids.add(name)
      else this.#nameless += 1
    }
    // It grows where payments are made meanwhile, of which one may be looked for.
    if (Number.isSafeInteger(total)) this.#total = Math.max(this.#total ?? 0, total ?? 0)
  }

  /** Undefined where none is missing. */
  get gap(): string | undefined {
    const read = this.#ids.size + this.#nameless
    if (this.#total === undefined) return 'the history does not say how many payments it has'
    return read === this.#total ? undefined : `the history has ${this.#total} payments by its total, and ${read} came`
  }
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
    const left = new Map(this.#byKey)
    const intents = [...left.values()].map(({ intent }) => intent)
    const doubts = await lookFor(intents, client, (intent, payment) => {
      if (sender.hasMoved) throw new MovedAway()
      journal.markSettled(intent.id, payment)
      left.delete(intent.idempotency_key)
    })
    if (sender.hasMoved) throw new MovedAway()
    const refused: Refused[] = []
    for (const { intent, refusal } of left.values()) {
      const doubt = doubts.get(intent)
      if (refusal === undefined) continue
      if (doubt === undefined) refused.push({ intent, refusal })
      else journal.markUnknown(intent.id, notExcluded(refusal, doubt))
    }
    const byAccount = Map.groupBy(refused, ({ intent }) => intent.body.source_account_id)
    for (const ofAccount of byAccount.values()) await markAbsent(ofAccount, search)
  }
}

/** Why a payment whose repetition was refused is in doubt all the same. */
const notExcluded = (refusal: string, doubt: string): string =>
  `its repetition was refused (${refusal.replace(/\.$/, '')}), but ${doubt}`

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
