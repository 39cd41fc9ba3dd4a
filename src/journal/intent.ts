import { randomBytes } from 'node:crypto'
import type { SendPaymentBody } from '../contract/index.ts'

/**
 * What is known of one payment this machine was asked to make.
 *
 * - `prepared`: on disk, and nothing has left this machine (or the connection never came about)
 * - `sent`: the request may have left, and no answer was recorded: in flight, or cut off by a crash
 * - `unknown`: the answer was lost; money may have moved
 * - `settled`: the service named the payment
 * - `rejected`: the service refused it; no money moved
 */
export type IntentStatus = 'prepared' | 'sent' | 'settled' | 'rejected' | 'unknown'

export const intentStatuses: readonly IntentStatus[] = ['prepared', 'sent', 'unknown', 'settled', 'rejected']

/** Whose outcome is open, one way or the other. */
export const unsettledStatuses: readonly IntentStatus[] = ['prepared', 'sent', 'unknown']

/** What makes a payment the same payment when it is repeated. */
export interface Draft {
  readonly profile: string
  readonly base_url: string
  readonly idempotency_key: string
  readonly body: SendPaymentBody
  /** Of a row of a file: the batch that sends it, its line, and the caller's own text for it. */
  readonly batch?: string
  readonly line?: number
  readonly reference?: string | null
}

export interface Intent extends Omit<Draft, 'batch' | 'line' | 'reference'> {
  readonly id: string
  readonly batch: string | null
  readonly line: number | null
  readonly reference: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly status: IntentStatus
  readonly payment_id: string | null
  readonly payment_status: string | null
  readonly error: string | null
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz' // without i, l, o, u: what is read aloud or retyped stays the same

/** Short enough to type, 60 bits of chance. */
export const newIntentId = (): string =>
  `int_${Array.from(randomBytes(12), (byte) => alphabet.charAt(byte & 31)).join('')}`

/** A request has left that was not refused: its key may have paid, or has. */
export const mayHavePaid = (status: IntentStatus): boolean => status !== 'prepared' && status !== 'rejected'

/** Whether two requests ask for the same movement of money, in the same words. */
export const isSamePayment = (a: SendPaymentBody, b: SendPaymentBody): boolean => fingerprint(a) === fingerprint(b)

/** All that says which movement of money a request asks for, as a text to compare. */
export const fingerprint = (body: SendPaymentBody): string =>
  JSON.stringify([
    body.source_account_id,
    body.amount,
    body.recipient_iban ?? null,
    body.recipient_phone ?? null,
    body.description ?? null,
    // Added later: the text of a payment without it, of which keys are made, must stay what it was.
    ...(body.recipient_email ? [body.recipient_email] : []),
  ])
