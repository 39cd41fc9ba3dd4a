import { randomBytes } from 'node:crypto'
import type { SendPaymentBody } from '../contract/index.ts'
import { CliError } from '../errors/cli_error.ts'

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

/** Of those, whose request may have paid. */
export const inDoubtStatuses: readonly IntentStatus[] = ['sent', 'unknown']

/** A key names one payment only among those of one user of one service, and with an emulator of one world. */
export interface Principal {
  /** In its normal spelling. */
  readonly base_url: string
  /** The service's id of the user, or a stand-in where the service would not tell. */
  readonly user: string
  /** Null where the service is no emulator. */
  readonly world: string | null
}

/** What makes a payment the same payment when it is repeated. */
export interface Draft extends Principal {
  readonly profile: string
  readonly idempotency_key: string
  readonly body: SendPaymentBody
  /** Of a row of a file: the batch that sends it, its line, and the caller's own text for it. */
  readonly batch?: string
  readonly line?: number
  readonly reference?: string | null
}

export interface Intent extends Omit<Draft, 'user' | 'batch' | 'line' | 'reference'> {
  readonly id: string
  /** Null when it was written by a payctl that did not keep it: the world is not known either, then. */
  readonly user: string | null
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

/** Which intents, and in which order; what is left out does not matter. */
export interface IntentFilter {
  readonly statuses?: readonly IntentStatus[] | undefined
  readonly batch?: string | undefined
  readonly baseUrl?: string | undefined
  /** Those of one principal. */
  readonly of?: Principal | undefined
  /** An ISO time: those written down then or later. */
  readonly since?: string | undefined
  readonly oldestFirst?: boolean
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz' // without i, l, o, u: what is read aloud or retyped stays the same

/** Short enough to type, 60 bits of chance. */
export const newIntentId = (): string =>
  `int_${Array.from(randomBytes(12), (byte) => alphabet.charAt(byte & 31)).join('')}`

/** For a user whom the service does not name: the login or the token, never in plain. No id of a service's looks like it. */
export const standIn = (kind: 'login' | 'token', of: string): string => `${kind}:${of}`

export const isStandIn = (user: string): boolean => /^(login|token):/.test(user)

/** Whose an intent is, as seen by a principal. `unclear`: perhaps its own, perhaps another user's. */
export type Ownership = 'own' | 'other service' | 'other world' | 'other user' | 'unclear'

export function ownershipOf({ base_url, user, world }: Pick<Intent, keyof Principal>, by: Principal): Ownership {
  if (base_url !== by.base_url) return 'other service'
  if (user === null) return 'unclear'
  if ((world === null) !== (by.world === null)) return 'other service'
  if (world !== by.world) return 'other world'
  if (user === by.user) return 'own'
  return isStandIn(user) || isStandIn(by.user) ? 'unclear' : 'other user'
}

/** A request has left that was not refused: its key may have paid, or has. */
export const mayHavePaid = (status: IntentStatus): boolean => status !== 'prepared' && status !== 'rejected'

/** Money may have moved, and whether it has is not known. */
export const isInDoubt = ({ status }: Pick<Intent, 'status'>): boolean => inDoubtStatuses.includes(status)

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

export const unknownIntent = (id: string): CliError =>
  new CliError('not_found', `There is no intent ${id} on this machine.`, { kind: 'list_intents' })
