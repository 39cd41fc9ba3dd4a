import type { Channel, Currency, Outcome, PaymentStatus, SeedFile } from '../../../src/contract/index.ts'
import { Free, text } from './matching.ts'
import { timeBetween } from './values.ts'

export interface User {
  readonly id: string
  readonly name: string
  readonly email: Free
  readonly phone: string | null
  readonly document: Free
  readonly documentType: Free<number>
  readonly verifiedAt: Free<string | null>
  readonly createdAt: Free
  readonly updatedAt: Free
}

/** Holder of an address at this bank or another, with the outcome of payments to this address. */
export interface Holder {
  readonly name: string
  readonly document: Free
  readonly documentType: Free<number>
  readonly currency: Currency
  readonly outcome: Outcome
  readonly stateCode: string | null
  readonly account: Account | null
}

export interface Account {
  readonly id: Free
  readonly user: User
  readonly iban: Free
  readonly currency: Currency
  status: 'active' | 'inactive' | 'closed'
  /** False until an answer shows that a request with a lost answer has opened the account. */
  sure: boolean
  /** Opening balance, changed by all completed payments, in minor units. */
  settled: number
  readonly createdAt: Free
  updatedAt: Free
}

/** A stage of a payment, and its earliest time in epoch milliseconds. */
export interface Stage {
  readonly status: PaymentStatus
  readonly at: number
}

export interface Payment {
  readonly user: User
  /** The debited account; for a credit, the credited account. */
  readonly account: Account
  readonly key: string | Free
  readonly channel: Channel
  readonly type: 'debit' | 'credit'
  readonly amount: number
  readonly fee: number
  readonly payer: Party
  readonly payee: Party
  /** The account of this bank that receives the money; null if another bank has the account. */
  readonly payeeAccount: Account | null
  readonly description: string | Free
  readonly outcome: Outcome
  readonly stateCode: string | null
  readonly stages: readonly Stage[]
  /** Latest stage that the payment has certainly reached. */
  stage: number
  /** False until an answer shows that a request with a lost answer has made the payment. */
  sure: boolean
  /** False while the payment's place in the history is unknown. */
  placed: boolean
  /** Possible times of the payment's creation, earliest first; the times of stages are relative to the earliest. */
  readonly madeAt: number[]
  readonly id: Free
  readonly reference: Free
  readonly railReference: Free
  readonly createdAt: Free
  readonly submittedAt: Free
  readonly completedAt: Free
  /** The payer's payment, of which this is the receiver's record; null for any other payment. */
  readonly origin: Payment | null
  /** The receiver's record, once it may exist; null for a payee at another bank. */
  receipt: Payment | null
}

/** Fields of a payment that its order determines. */
export type Made = Pick<
  Payment,
  | 'account'
  | 'key'
  | 'channel'
  | 'amount'
  | 'fee'
  | 'payer'
  | 'payee'
  | 'payeeAccount'
  | 'description'
  | 'outcome'
  | 'stateCode'
  | 'sure'
> & { readonly railOnline?: boolean }

export interface Party {
  readonly name: string | Free
  readonly document: Free
  readonly documentType: Free<number | null>
  readonly iban: Free | null
  readonly phone: string | Free | null
}

/** Initial content of a world, and options of its start. */
export interface Start {
  readonly seed: SeedFile
  /** The bearer token of the first user. */
  readonly token: string
  readonly clients: Readonly<
    Record<string, { readonly secret: string | null; readonly redirectUris: readonly string[] }>
  >
  /** Duration of a usual payment, in milliseconds. */
  readonly settleMs: number
  /** Longest delay of a payment's step, in milliseconds; 0: exact. */
  readonly lateMs?: number
  /** Requests per minute; null: no limit. */
  readonly rateLimit: number | null
  /** Seconds. */
  readonly tokenTtl: number
  /** Lifetime of a key, in milliseconds; unlimited by default. */
  readonly keyTtl?: number
}

const slowFactor = 10

/**
 * Stages of a payment, which is submitted after half of its duration. Source: docs/decisions/emulator.md, rows 3, 34
 * and 49.
 */
export function stagesOf(outcome: Outcome, createdAt: number, settleMs: number): Stage[] {
  const total = outcome === 'slow' ? settleMs * slowFactor : settleMs
  const half = createdAt + Math.floor(total / 2)
  const pending: Stage = { status: 'pending', at: createdAt }
  if (outcome === 'service_unavailable' || outcome === 'validation_failed')
    return [pending, { status: outcome, at: half }]
  const processing: Stage = { status: 'processing', at: half }
  if (outcome === 'processing') return [pending, processing]
  const last = outcome === 'slow' || outcome === 'fee_unknown' ? 'completed' : outcome
  return [pending, processing, { status: last, at: createdAt + total }]
}

export const total = ({ amount, fee }: Payment): number => amount + fee

export const statusOf = ({ stages, stage }: Payment): PaymentStatus => (stages[stage] as Stage).status

export const time = (from = 0, to = Number.POSITIVE_INFINITY): Free =>
  new Free('a possible time', timeBetween(from, to))

export const anyOrNull = (): Free => new Free('a text or null', (value) => value === null || typeof value === 'string')

export function known(value: string | undefined, pattern = /./): Free {
  const free = new Free(`a text like ${pattern}`, text(pattern))
  free.value = value
  return free
}

export function documentType(value?: number | null): Free<number> {
  const free = new Free<number>('a document type', (type) => [0, 1, 2, 3, 4, 5, 9].includes(type as number))
  free.value = value ?? undefined
  return free
}
