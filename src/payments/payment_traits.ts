import type { Payment } from '../client/received.ts'
import { normalizeIban } from '../contract/iban.ts'
import { nationalPhone } from '../contract/phone.ts'
import type { Intent } from '../journal/intent.ts'
import { type Amount, decimalMarks, parseAmount } from '../values/amount.ts'
import { compareDocuments, documentOf } from '../values/document.ts'
import { isPartOf, phoneIn, shortestIdPart } from '../values/text.ts'
import { containing, createdAt, matching, type Period } from './payment_filter.ts'

/** A trait to find a payment by. Each of the first four traits identifies one payment, or both sides of one payment. */
export type Trait =
  | 'id'
  | 'key'
  | 'reference'
  | 'intent'
  | 'batch'
  | 'part of the id'
  | 'IBAN'
  | 'phone'
  | 'document'
  | 'amount'
  | 'date'
  | 'name or description'
  | 'part of a batch name'

/** Text to search for. `day`: the day, if the text is a date. */
export interface SoughtText {
  readonly text: string
  readonly day?: Period | undefined
}

/** Removes spaces and dashes that people put into numbers and ids. */
export const compact = (text: string): string => text.replace(/[\s\p{Pd}\p{Cf}]/gu, '').toLowerCase()

/** Minimum length, in characters, of a part of a batch's name, which people choose. */
const shortestPartOfBatch = 3

/** Amounts that a text can mean: `1,500` has two readings. */
function amountsIn(text: string): readonly Amount[] {
  return decimalMarks.flatMap((decimal) => {
    try {
      return [parseAmount(text, { decimal })]
    } catch {
      return []
    }
  })
}

/** Functions that return the trait that an intent or payment shares with a text. */
export function traitsOf({ text, day }: SoughtText) {
  const given = text.trim()
  const document = documentOf(given)?.number
  const amounts = amountsIn(given)
  const isAmount = (value: number | null | undefined, its: string | null | undefined): boolean =>
    amounts.some(({ minor, currency }) => minor === value && (!currency || !its || currency === its))
  const isOnDay = (time: number): boolean =>
    day?.since !== undefined && time >= day.since && time < (day.until ?? Number.POSITIVE_INFINITY)
  const short = compact(given)
  const isNumber = /^\d+$/.test(short)
  const isDescribed = containing(given)
  const iban = normalizeIban(given)
  const hasIban = matching({ kind: 'iban', iban })
  const number = phoneIn(given)
  const phone = /^\d{8,11}$/.test(number) ? nationalPhone(number) : undefined
  const hasPhone = phone === undefined ? () => false : matching({ kind: 'phone', phone })
  const isPart = (whole: string | null | undefined): boolean => {
    const other = compact(whole ?? '')
    if (short.length < shortestIdPart) return false
    // Digits match an id only at its start or end: digits of a reference or phone may occur in the middle of an id.
    return isNumber ? other.startsWith(short) || other.endsWith(short) : isPartOf(short, other)
  }
  const isPartOfBatch = (batch: string | null): boolean =>
    batch !== null &&
    given.length >= (isNumber ? shortestIdPart : shortestPartOfBatch) &&
    batch.toLowerCase().includes(given.toLowerCase())
  const isSame = (other: string | null | undefined): boolean => other !== '' && other === given
  return {
    ofIntent(intent: Intent): Trait | undefined {
      const { id, idempotency_key, payment_id, batch, reference, body, currency, created_at } = intent
      if (isSame(payment_id)) return 'id'
      if (isSame(idempotency_key)) return 'key'
      if (isSame(id)) return 'intent'
      if (isSame(batch)) return 'batch'
      if (isPart(payment_id) || isPart(id.replace('int_', '')) || isPart(idempotency_key)) return 'part of the id'
      if (body.recipient_iban === iban) return 'IBAN'
      if (phone !== undefined && nationalPhone(body.recipient_phone ?? '') === phone) return 'phone'
      if (isAmount(body.amount, currency)) return 'amount'
      if (isOnDay(Date.parse(created_at))) return 'date'
      if (isDescribed(`${body.description ?? ''} ${reference ?? ''}`)) return 'name or description'
      return isPartOfBatch(batch) ? 'part of a batch name' : undefined
    },
    ofPayment(payment: Payment): Trait | undefined {
      const { id, idempotency_key, channel_reference, sinpe_reference, payee, payer, description } = payment
      if (isSame(id)) return 'id'
      if (isSame(idempotency_key)) return 'key'
      if ([channel_reference, sinpe_reference].some((reference) => reference && reference === short)) return 'reference'
      if (isPart(id) || isPart(idempotency_key)) return 'part of the id'
      if (hasIban(payee) || hasIban(payer)) return 'IBAN'
      if (hasPhone(payee)) return 'phone'
      // Skips the user's own name and document: they are in every payment.
      const other = payment.transfer_type === 'credit' ? payer : payee
      if (document !== undefined && compareDocuments(document, other.document_number) === 'same') return 'document'
      if (isAmount(payment.amount.value, payment.amount.currency)) return 'amount'
      if (isOnDay(createdAt(payment))) return 'date'
      return isDescribed(`${other.name ?? ''} ${description ?? ''}`) ? 'name or description' : undefined
    },
  }
}
