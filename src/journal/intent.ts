import { randomBytes } from 'node:crypto'
import type { SendPaymentBody } from '../contract/index.ts'
import { endedUnpaid, hasEnded } from '../contract/payment_names.ts'
import { CliError } from '../errors/cli_error.ts'
import { type MoneyOutcome, moneyOutcome } from '../values/money_outcome.ts'
import { say } from '../words/text.ts'

/**
 * State of a payment intent, which is one payment that this machine was asked to make.
 *
 * - `prepared`: on disk, not accepted by the service, because no request was sent, or the service refused the token or
 *   the rate of requests
 * - `sent`: the request may have been sent and no answer is recorded: it is in flight, or a crash cut it off
 * - `unknown`: the answer was lost; money may have moved
 * - `settled`: the service has the payment and gave its id
 * - `rejected`: the service refused the payment; no money moved
 */
export type IntentStatus = 'prepared' | 'sent' | 'settled' | 'rejected' | 'unknown'

export const intentStatuses: readonly IntentStatus[] = ['prepared', 'sent', 'unknown', 'settled', 'rejected']

/** States with an open outcome. */
export const unsettledStatuses: readonly IntentStatus[] = ['prepared', 'sent', 'unknown']

/** States without a payment, and without a request that may have paid. */
export const unsentStatuses: readonly IntentStatus[] = ['prepared', 'rejected']

/** States with an open outcome in which the request may have paid. */
export const inDoubtStatuses: readonly IntentStatus[] = ['sent', 'unknown']

/** The scope of an idempotency key: one user of one service and, if the service is an emulator, one world. */
export interface Principal {
  /** Base URL as `normalUrl` spells it. */
  readonly base_url: string
  /** The service's id of the user, or a surrogate if the service does not return it. */
  readonly user: string
  /** Null for a service other than an emulator. */
  readonly world: string | null
}

/**
 * Required name of the holder of the payee's IBAN or phone number, and the saved payee that the name comes from, if
 * any.
 */
export interface ExpectedName {
  readonly name: string
  readonly payee?: string
}

/** A payment to make: a request that passed every check that needs no service. */
export interface Order {
  readonly body: SendPaymentBody
  /** While the service remembers this key, all requests with the key make at most one payment. */
  readonly idempotency_key: string
  /** Currency of the paying account, if known. */
  readonly currency?: string | null
  /** Compared with the holder's name each time before the payment is sent. */
  readonly expected_names?: readonly ExpectedName[] | null
  /**
   * Required identity document of the holder, without separators. Compared with the holder's document each time before
   * the payment is sent.
   */
  readonly expected_document?: string | null
}

/** Requirements for the holder of the payee's IBAN or phone number. */
export type ExpectedHolder = Pick<Order, 'expected_names' | 'expected_document'>

/** True if the holder must be compared before the payment is sent. */
export const expectsHolder = ({ expected_names: names, expected_document: document }: ExpectedHolder): boolean =>
  (names?.length ?? 0) > 0 || (document ?? null) !== null

/** Cells of the caller's own columns, which payctl does not read, by heading. */
export type OwnColumns = Readonly<Record<string, string>>

/**
 * A row of a file that passed every check and is not an intent yet: its place, its order and the caller's own cells.
 */
export interface CheckedRow extends Order {
  /** First line of the row in the file, from 1; for a program's row, the number of the row, from 1. */
  readonly line: number
  /** The caller's reference. */
  readonly reference: string | null
  readonly columns: OwnColumns | null
}

/** An order, or a row of a batch, to record. */
export interface NewIntent extends Principal, Order, Partial<Omit<CheckedRow, keyof Order>> {
  readonly profile: string
  readonly batch?: string
  /** Id of the intent whose failed payment this intent repeats. */
  readonly retry_of?: string | null
}

export interface Intent extends Pick<NewIntent, 'base_url' | 'world' | 'profile' | 'idempotency_key' | 'body'> {
  readonly id: string
  /** Null for an intent that an older payctl recorded, without user and world. */
  readonly user: string | null
  /** Null if unknown. */
  readonly currency: string | null
  readonly expected_names: readonly ExpectedName[] | null
  readonly expected_document: string | null
  readonly batch: string | null
  readonly line: number | null
  readonly reference: string | null
  readonly columns: OwnColumns | null
  readonly retry_of: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly status: IntentStatus
  readonly payment_id: string | null
  readonly payment_status: string | null
  readonly error: string | null
  /** ISO time of the first request without a known answer; null if there is none. */
  readonly in_doubt_since: string | null
}

/** Absent conditions don't restrict the list. */
export interface IntentFilter {
  readonly statuses?: readonly IntentStatus[] | undefined
  readonly batch?: string | undefined
  readonly baseUrl?: string | undefined
  readonly of?: Principal | undefined
  /** ISO time: selects intents created at or after it. */
  readonly since?: string | undefined
  /** ISO time: selects intents created before it. */
  readonly until?: string | undefined
  readonly oldestFirst?: boolean
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz' // without i, l, o, u, which people misread

/** Twelve characters, 60 random bits. */
export const newIntentId = (): string =>
  `int_${Array.from(randomBytes(12), (byte) => alphabet.charAt(byte & 31)).join('')}`

/**
 * A surrogate for a user that the service does not name, made from the id of the login or a digest of the token. No
 * service's id has this form.
 */
export const surrogateId = (kind: 'login' | 'token', of: string): string => `${kind}:${of}`

export const isSurrogateId = (user: string): boolean => /^(login|token):/.test(user)

/** Owner of an intent relative to a principal. `unclear`: the owner may be the principal or another user. */
export type Ownership = 'own' | 'other service' | 'other world' | 'other user' | 'unclear'

export function ownershipOf({ base_url, user, world }: Pick<Intent, keyof Principal>, by: Principal): Ownership {
  if (base_url !== by.base_url) return 'other service'
  if (user === null) return 'unclear'
  if ((world === null) !== (by.world === null)) return 'other service'
  if (world !== by.world) return 'other world'
  if (user === by.user) return 'own'
  return isSurrogateId(user) || isSurrogateId(by.user) ? 'unclear' : 'other user'
}

/** True if the service has a payment with the intent's key, or may have one. */
export const mayHavePaid = (status: IntentStatus): boolean => status !== 'prepared' && status !== 'rejected'

/** True if money may have moved without confirmation. */
export const isInDoubt = ({ status }: Pick<Intent, 'status'>): boolean => inDoubtStatuses.includes(status)

/** True if both requests ask for the same payment, description included. */
export const isSamePayment = (a: SendPaymentBody, b: SendPaymentBody): boolean => fingerprint(a) === fingerprint(b)

/** True if the payment was made and ended without paying. */
export const hasFailed = ({ status, payment_status }: Pick<Intent, 'status' | 'payment_status'>): boolean =>
  status === 'settled' && endedUnpaid(payment_status)

/** True if the payment was accepted and had not ended at its last known status. */
export const isOpen = ({ status, payment_status }: Intent): boolean => status === 'settled' && !hasEnded(payment_status)

/** Outcome for the payer's money, by the last known status of the intent's payment. Null if the payment has arrived. */
export function moneyOfIntent(intent: Pick<Intent, 'status' | 'payment_status' | 'world'>): MoneyOutcome | null {
  const { status, payment_status, world } = intent
  if (status === 'prepared' || status === 'rejected') return 'nothing_taken'
  if (status !== 'settled') return 'not_known'
  return moneyOutcome({ status: payment_status }, world !== null)
}

/** The members that define a request's payment, as text to compare. Keys of batch rows are derived from this text. */
export const fingerprint = (body: SendPaymentBody): string =>
  JSON.stringify([
    body.source_account_id,
    body.amount,
    body.recipient_iban ?? null,
    body.recipient_phone ?? null,
    body.description ?? null,
    // The e-mail is omitted when absent: payments without an e-mail must keep the keys that they had before this member
    // existed.
    ...(body.recipient_email ? [body.recipient_email] : []),
  ])

export const unknownIntent = (id: string): CliError =>
  new CliError('not_found', say`No intent ${id} on this machine.`, { kind: 'list_intents' })

/** Members that the journal records from the service's answer about a payment. */
export interface MadePayment {
  readonly id: string
  readonly status: string | null | undefined
  readonly amount?: { readonly currency?: string | null | undefined } | undefined
  /** Reason for the payment's failure. */
  readonly error_message?: string | null | undefined
}
