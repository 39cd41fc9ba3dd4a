import type { Client } from '../client/client.ts'
import { largestPage } from '../client/paging.ts'
import type { AnswerOf, InitiatedPayment, Named, Payment } from '../client/received.ts'
import { endedUnpaid } from '../contract/payment_names.ts'
import { reasonOf } from '../errors/cli_error.ts'
import { ApiError, ContractError } from '../errors/service_errors.ts'
import type { Intent } from '../journal/intent.ts'
import type { Recording } from './made_payments.ts'
import { isPaymentOf, mayBePaymentOf, plainKey, whyNotPaymentOf } from './same_payment.ts'
import type { Sender } from './sender.ts'

// Finds an intent's payment in the history that the sender can read.

/** Converts a payment of the history to the form of the answer to its request. */
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
 * Looks for the payments of intents in the history; `onFound` receives each payment as it is read. Returns reasons why
 * other intents may still have a payment; omits intents that certainly have none. Reads to the end unless all are
 * found, because the interface promises no order, and a missed payment would count as never made. A service that has
 * forgotten a key may have two payments with the key: one that has not failed takes precedence over a failed one. If
 * both have not failed and are on the pages read, `onFound` receives both.
 */
export async function lookFor(
  intents: readonly Intent[],
  client: Client,
  onFound: (intent: Intent, payment: Named<Payment>) => void,
): Promise<ReadonlyMap<Intent, string>> {
  const missing = new Set(intents)
  const byKey = Map.groupBy(intents, (intent) => intent.idempotency_key)
  const byPlainKey = Map.groupBy(intents, (intent) => plainKey(intent.idempotency_key))
  const doubts = new Map<Intent, string>()
  const failed = new Map<Intent, Named<Payment>>()
  const count = new PaymentCount()
  const read = async () => {
    for await (const page of client.pages('payments.history', { query: { per_page: largestPage } })) {
      count.add(page)
      for (const payment of page.data) judge(payment)
      if (missing.size === 0) return
    }
  }
  const found = (intent: Intent, payment: Named<Payment>) => {
    onFound(intent, payment)
    missing.delete(intent)
    doubts.delete(intent)
  }
  const judge = (payment: Payment) => {
    const named = byKey.get(payment.idempotency_key ?? '')
    for (const intent of named ?? []) {
      const isSecond = !missing.has(intent)
      if (isSecond && payment.transfer_type === 'credit') continue
      if (isPaymentOf(intent, payment)) {
        if (endedUnpaid(payment.status)) failed.set(intent, payment)
        else found(intent, payment)
      } else if (!isSecond && payment.transfer_type !== 'credit') {
        // Skips incoming credits: if a user pays with the key of an earlier credit, both have this key.
        const why = whyNotPaymentOf(intent, payment)
        if (why !== undefined) doubts.set(intent, why)
      }
    }
    if (named) return
    const key = plainKey(payment.idempotency_key)
    const others = key === '' ? intents : (byPlainKey.get(key) ?? [])
    for (const intent of others) {
      if (missing.has(intent) && mayBePaymentOf(intent, payment)) doubts.set(intent, alike(payment))
    }
  }
  const fault = await read().then(
    () => undefined,
    (error: unknown) => lastingFault(error),
  )
  // The rest of a history that can't be read may have a payment with the key that has not failed.
  if (fault === undefined) for (const [intent, payment] of failed) if (missing.has(intent)) found(intent, payment)
  const gap = fault ?? count.gap
  if (gap !== undefined) for (const intent of missing) if (!doubts.has(intent)) doubts.set(intent, gap)
  return doubts
}

/** Reason why the history can't be read, if trying again soon is useless; throws any other error. */
function lastingFault(error: unknown): string {
  // A gateway's refusal is not the service's: the service may answer soon.
  const isRefused = error instanceof ApiError && error.fromService && !error.retryable
  if (isRefused || error instanceof ContractError) return String(reasonOf(error))
  throw error
}

const alike = ({ id, idempotency_key: key }: Payment): string =>
  `the history has ${id ? `payment ${id}` : 'a payment without an id'} ` +
  `${key ? `with the idempotency key in another spelling (${key})` : 'without an idempotency key'}, which may be this payment: ask the service which request made it`

/** Compares the number of payments read with the history's total. */
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
    // The total grows if payments are made in the meantime, and one of them may be the wanted payment.
    if (Number.isSafeInteger(total)) this.#total = Math.max(this.#total ?? 0, total ?? 0)
  }

  /** Reason why payments may be missing; undefined if the numbers are equal. */
  get gap(): string | undefined {
    const read = this.#ids.size + this.#nameless
    if (this.#total === undefined) return 'the history does not say how many payments it has'
    return read === this.#total
      ? undefined
      : `the history reports a total of ${this.#total} payments, but listed ${read}`
  }
}

/**
 * Throws unless this token can read the paying account. For any other user the service refuses the payment, and shows a
 * history without this payment, even if the payment was made.
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

/** Client and sender for a search of the history, and the journal for the payments that it finds. */
export interface HistoryAccess extends Recording {
  readonly client: Client
  readonly sender: Sender
}
