import type { Currency, SendPaymentBody } from '../../src/contract/index.ts'
import type { Store } from '../store/store.ts'
import { type CreatedPayment, create, isDone, isSameOrder, type Pair, pairOf, roundingLimit } from './orders.ts'
import type { LoggedRequest, RequestLog } from './request_log.ts'

/** A payment that was not made, because its request was the one at which the program was killed. */
export interface StoppedPayment {
  readonly request: LoggedRequest
  readonly payee: string
  readonly amount: number
  readonly currency: Currency
}

/** Equal payments that the runs of a program made. */
interface Order {
  /** Payments by id, in the order in which they were made. */
  readonly payments: Map<string, CreatedPayment>
  /** Ids of the payments that each run made, or whose keys it sent again. */
  readonly byRun: Map<number, Set<string>>
}

/**
 * Pairs of payments of one order that were made in several runs of a program. A run that sends a key again knows of the
 * payment with this key. Equal payments made in a single run are separate orders.
 */
export function paidAcrossRuns(log: RequestLog, store: Store, moves: (payment: string) => boolean): readonly Pair[] {
  const made = log.list({ matches: (request) => request.endpoint === create && isDone(request) })
  if (!made.some(({ run }) => run > 1)) return []
  const orders: Order[] = []
  for (const request of made) {
    const payment = request.payment === null ? undefined : store.payments.get(request.payment)
    if (!payment || !moves(payment.id)) continue
    const known = orders.find(({ payments }) => payments.values().some((one) => isSameOrder(one.payment, payment)))
    const { payments, byRun } = known ?? { payments: new Map(), byRun: new Map() }
    if (!known) orders.push({ payments, byRun })
    if (!payments.has(payment.id)) payments.set(payment.id, { payment, request })
    byRun.set(request.run, (byRun.get(request.run) ?? new Set()).add(payment.id))
  }
  return orders.flatMap(({ payments, byRun }) => {
    const all = [...payments.values()]
    const due = Math.max(...byRun.values().map(({ size }) => size))
    return all.slice(due).map((second, at) => pairOf('killed', all[at] as CreatedPayment, second))
  })
}

/**
 * Payments that were not made, because the emulator killed the program instead of carrying out their requests, and that
 * the program never tried again. A later request of the same user is another attempt if it has the same key, or if it
 * has the same account, the same amount (apart from rounding), and either the same payee or the other rail. The answer
 * to the later request does not matter.
 */
export function neverPaid(log: RequestLog, store: Store): readonly StoppedPayment[] {
  const tried = log.list({ matches: ({ endpoint }) => endpoint === create })
  return tried.flatMap((request, at) => {
    if (request.kill !== 'before_work') return []
    const { source_account_id = '', amount, ...given } = bodyOf(request)
    const account = store.accounts.get(source_account_id)
    const payee = given.recipient_iban ?? given.recipient_phone
    if (!account || !payee || amount === undefined) return []
    const isAgain = (other: LoggedRequest) => {
      if (other.user !== request.user) return false
      if (other.key === request.key) return true
      const body = bodyOf(other)
      const isOtherRail = (body.recipient_iban == null) !== (given.recipient_iban == null)
      const isSamePayee = (body.recipient_iban ?? body.recipient_phone) === payee || isOtherRail
      const difference = Math.abs((body.amount ?? 0) - amount)
      return isSamePayee && difference < roundingLimit && body.source_account_id === source_account_id
    }
    return tried.slice(at + 1).some(isAgain) ? [] : [{ request, payee, amount, currency: account.currency }]
  })
}

const bodyOf = ({ body }: LoggedRequest) => (body ?? {}) as Partial<SendPaymentBody>
