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

/** Who pays or is paid, at this bank or at another. */
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
  /** False while nobody has seen that a request whose answer was lost has opened it. */
  sure: boolean
  /** What the opening balance and all payments that have ended come to, in minor units. */
  settled: number
  readonly createdAt: Free
  updatedAt: Free
}

/** A state that a payment takes on its way, and the earliest time of it in epoch milliseconds. */
export interface Stage {
  readonly status: PaymentStatus
  readonly at: number
}

export interface Payment {
  readonly user: User
  /** Debited, or of a credit credited. */
  readonly account: Account
  readonly key: string | Free
  readonly channel: Channel
  readonly type: 'debit' | 'credit'
  readonly amount: number
  readonly fee: number
  readonly payer: Party
  readonly payee: Party
  /** The account of this bank that receives the money. */
  readonly payeeAccount: Account | null
  readonly description: string | Free
  readonly outcome: Outcome
  readonly stateCode: string | null
  readonly stages: readonly Stage[]
  /** The last of the stages that it is known to have reached. */
  stage: number
  /** False while nobody has seen that a request whose answer was lost has made it. */
  sure: boolean
  /** False while its place in the history is not known. */
  placed: boolean
  /** The times at which it may have been made, the earliest first: its stages are counted from that. */
  readonly madeAt: number[]
  readonly id: Free
  readonly reference: Free
  readonly railReference: Free
  readonly createdAt: Free
  readonly submittedAt: Free
  readonly completedAt: Free
  /** The payer's payment that this is the receiver's record of. */
  readonly origin: Payment | null
  /** The receiver's record, from when there can be one; null for a payee elsewhere. */
  receipt: Payment | null
}

/** What an order says of a payment. */
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

/** What a world holds when it starts, and how it was started. */
export interface Start {
  readonly seed: SeedFile
  /** The bearer token of the first user. */
  readonly token: string
  readonly clients: Readonly<
    Record<string, { readonly secret: string | null; readonly redirectUris: readonly string[] }>
  >
  /** How long a usual payment takes, in milliseconds. */
  readonly settleMs: number
  /** How late a step of a payment may be; 0 if each happens on the millisecond. */
  readonly lateMs?: number
  /** Requests a minute; null for no limit. */
  readonly rateLimit: number | null
  /** Seconds. */
  readonly tokenTtl: number
  /** Milliseconds for which a key is remembered; for ever where it is not given. */
  readonly keyTtl?: number
}

const slowFactor = 10

/** A payment is submitted halfway. Source: decisions, rows 3 and 34. */
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
