import { createHash } from 'node:crypto'
import { hasFailed, type Intent, type MadePayment } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import type { Reporter } from '../run/reporter.ts'
import { type Said, say } from '../words/text.ts'

// Records payments that the service has made, and reports keys and rows that may be paid twice. An intent has one
// payment. A row of a batch has several if its payment failed and was repeated.

/** Journal for payments, and reporter for warnings. */
export interface Recording {
  readonly journal: Journal
  readonly reporter: Pick<Reporter, 'fact'>
}

/**
 * Records a payment of an intent. Warns if the service has made two payments with the intent's key, or if the payment
 * and another payment of its row may both pay.
 */
export function recordPayment(intent: Intent, payment: MadePayment, { journal, reporter }: Recording): void {
  const other = journal.markSettled(intent.id, payment)
  if (other) reporter.fact(twoPayments(intent.idempotency_key, other, payment.id))
  const { id: payment_id, status: payment_status = null } = payment
  const made: Intent = { ...intent, status: 'settled', payment_id, payment_status }
  warnOfEarlier(made, { journal, reporter })
  if (payment_status !== 'completed') return
  for (const later of repetitionsOf(intent, { journal })) if (pays(later)) reporter.fact(paidTwice(made, later))
}

/** Warns if the intent's payment repeats a payment that has completed after all, and may pay too. */
export function warnOfEarlier(intent: Intent, { journal, reporter }: Recording): void {
  if (!pays(intent)) return
  for (const earlier of chainOf(intent.retry_of, { journal })) {
    if (pays(earlier)) reporter.fact(paidTwice(earlier, intent))
  }
}

/** Warning about a service that did not recognise a key. `one`, `other`: ids of its payments. */
const twoPayments = (key: string, one: string, other: string): Said =>
  say`Warning: the service made two payments with key ${key}: ${one}, ${other}. Report both to the service.`

/** Warning about a service that completed a payment after it had reported the payment as failed. */
const paidTwice = (first: Intent, repetition: Intent): Said =>
  say`Warning: line ${first.line ?? ''} of batch ${first.batch ?? ''} may be paid twice: payment ${first.payment_id ?? ''} completed after the service had said that it failed, and ${repetition.payment_id ?? ''} repeats it. Report both to the service.`

/** True for a payment that the service has made, and that has not failed. A payment in doubt is judged once it is found. */
const pays = (intent: Intent): boolean => intent.status === 'settled' && !hasFailed(intent)

/**
 * Key of the payment that repeats a failed payment, whose own key is used up. The new key depends only on the failed
 * key, so any number of retries and processes repeat a payment at most once.
 */
export const retryKey = (failedKey: string): string => `retry-${createHash('sha256').update(failedKey).digest('hex')}`

/** The intent and, if it repeats a payment, the earlier payments of the row, the latest first. */
export function* chainOf(id: string | null, { journal }: Pick<Recording, 'journal'>): Generator<Intent, void> {
  for (let next = id; next !== null; ) {
    const intent = journal.find(next)
    if (!intent) return
    yield intent
    next = intent.retry_of
  }
}

/** The later payments of the intent's row, the earliest first. */
function* repetitionsOf(intent: Intent, { journal }: Pick<Recording, 'journal'>): Generator<Intent, void> {
  const { base_url, user, world } = intent
  for (let key = intent.idempotency_key; user !== null; ) {
    const later = journal.withKey({ base_url, user, world }, retryKey(key))
    if (!later) return
    yield later
    key = later.idempotency_key
  }
}
