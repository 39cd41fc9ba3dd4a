import { randomBytes } from 'node:crypto'
import type { SendPaymentBody } from '../contract/index.ts'
import { CliError } from '../errors/cli_error.ts'

/**
 * State of a payment intent: one payment that this machine was asked to make.
 *
 * - `prepared`: on disk; the service has not taken it: no request has left, or who sent it was not let in
 * - `sent`: the request may have left and no answer is recorded: it is in flight, or a crash cut it off
 * - `unknown`: the answer was lost; money may have moved
 * - `settled`: the service named the payment
 * - `rejected`: the service refused it; no money moved
 */
export type IntentStatus = 'prepared' | 'sent' | 'settled' | 'rejected' | 'unknown'

export const intentStatuses: readonly IntentStatus[] = ['prepared', 'sent', 'unknown', 'settled', 'rejected']

/** The outcome is open. */
export const unsettledStatuses: readonly IntentStatus[] = ['prepared', 'sent', 'unknown']

/** The outcome is open, and the request may have paid. */
export const inDoubtStatuses: readonly IntentStatus[] = ['sent', 'unknown']

/** The scope of an idempotency key: one user of one service and, with an emulator, one world. */
export interface Principal {
  /** As `normalUrl` spells it. */
  readonly base_url: string
  /** The service's id of the user, or a stand-in if the service does not tell it. */
  readonly user: string
  /** Null for a service that is not an emulator. */
  readonly world: string | null
}

/** A name that the holder of the payee must have, and the saved payee that has it, if one does. */
export interface ExpectedName {
  readonly name: string
  readonly payee?: string
}

/** All that a repetition of the request needs. */
export interface Draft extends Principal {
  readonly profile: string
  readonly idempotency_key: string
  readonly body: SendPaymentBody
  /** Of the account that pays, where it is known. */
  readonly currency?: string | null
  /** Compared each time before the payment is sent. */
  readonly expected_names?: readonly ExpectedName[] | null
  /** For a row of a file: its batch, its line, and the caller's text for it. */
  readonly batch?: string
  readonly line?: number
  readonly reference?: string | null
  readonly columns?: OwnColumns | null
  /** Id of the intent whose failed payment it repeats. */
  readonly retry_of?: string | null
}

/** The columns of a caller's file that payctl does not read, with a row's cells. */
export type OwnColumns = Readonly<Record<string, string>>

export interface Intent extends Pick<Draft, 'base_url' | 'world' | 'profile' | 'idempotency_key' | 'body'> {
  readonly id: string
  /** Null in an intent of an older payctl, which kept neither user nor world. */
  readonly user: string | null
  /** Null until the service has told it. */
  readonly currency: string | null
  readonly expected_names: readonly ExpectedName[] | null
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
  /** ISO time of the first request whose answer is not known; null if there is none. */
  readonly in_doubt_since: string | null
}

/** A condition that is left out does not restrict the list. */
export interface IntentFilter {
  readonly statuses?: readonly IntentStatus[] | undefined
  readonly batch?: string | undefined
  readonly baseUrl?: string | undefined
  readonly of?: Principal | undefined
  /** An ISO time: intents created then or later. */
  readonly since?: string | undefined
  /** An ISO time: intents created before it. */
  readonly until?: string | undefined
  readonly oldestFirst?: boolean
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz' // without i, l, o, u, which are misread when retyped

/** Twelve characters, 60 random bits. */
export const newIntentId = (): string =>
  `int_${Array.from(randomBytes(12), (byte) => alphabet.charAt(byte & 31)).join('')}`

/** Stands for a user whom the service does not name: a digest of the login or token. No service's id has this form. */
export const standIn = (kind: 'login' | 'token', of: string): string => `${kind}:${of}`

export const isStandIn = (user: string): boolean => /^(login|token):/.test(user)

/** Whose an intent is, seen from a principal. `unclear`: its own or another user's. */
export type Ownership = 'own' | 'other service' | 'other world' | 'other user' | 'unclear'

export function ownershipOf({ base_url, user, world }: Pick<Intent, keyof Principal>, by: Principal): Ownership {
  if (base_url !== by.base_url) return 'other service'
  if (user === null) return 'unclear'
  if ((world === null) !== (by.world === null)) return 'other service'
  if (world !== by.world) return 'other world'
  if (user === by.user) return 'own'
  return isStandIn(user) || isStandIn(by.user) ? 'unclear' : 'other user'
}

/** A request with the key may have paid, or has paid. */
export const mayHavePaid = (status: IntentStatus): boolean => status !== 'prepared' && status !== 'rejected'

/** It is not known whether money has moved. */
export const isInDoubt = ({ status }: Pick<Intent, 'status'>): boolean => inDoubtStatuses.includes(status)

/** Whether two requests ask for the same payment, description included. */
export const isSamePayment = (a: SendPaymentBody, b: SendPaymentBody): boolean => fingerprint(a) === fingerprint(b)

/** The members of a request that define its payment, as text to compare. Keys of batch rows are made from it. */
export const fingerprint = (body: SendPaymentBody): string =>
  JSON.stringify([
    body.source_account_id,
    body.amount,
    body.recipient_iban ?? null,
    body.recipient_phone ?? null,
    body.description ?? null,
    // Left out when absent: the keys of payments without it must not change.
    ...(body.recipient_email ? [body.recipient_email] : []),
  ])

export const unknownIntent = (id: string): CliError =>
  new CliError('not_found', `There is no intent ${id} on this machine.`, { kind: 'list_intents' })

/** A payment as the service told of it. */
export interface MadePayment {
  readonly id: string
  readonly status: string | null | undefined
  readonly amount?: { readonly currency?: string | null | undefined } | undefined
  /** Why it did not arrive. */
  readonly error_message?: string | null | undefined
}
