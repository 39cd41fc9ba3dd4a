import {
  Channel,
  type IbanStatus,
  type Outcome,
  type PaymentStatus,
  type RegistryEntry,
  rejections,
  type Scenario,
  type SettleTime,
  type SettleTimes,
  stateCodes,
  terminalStatuses,
} from '../../src/contract/index.ts'
import type { Payment, Step } from './payment.ts'
import { sinpeReference } from './sinpe.ts'

const slowFactor = 10

const reasons: Partial<Record<PaymentStatus, string>> = {
  timeout: 'The rail did not answer in time',
  service_unavailable: 'The payment rail is not available',
  validation_failed: 'The rail refused the payment data',
  system_error: 'The payment could not be processed because of an internal error',
}

export const reasonFor = (status: PaymentStatus): string | null => reasons[status] ?? null

/** Statuses that a payment can still reach, in one step or more. Source: docs/decisions/emulator.md, row 3. */
export function reachableFrom(status: PaymentStatus): readonly PaymentStatus[] {
  const ends = terminalStatuses
  if (status === 'pending') return ['processing', ...ends]
  return status === 'processing' ? ends : []
}

/** True if a payment has the wanted status now, or had it earlier. */
export const hasBeen = ({ status, initial_status, submitted_at }: Payment, wanted: PaymentStatus): boolean =>
  status === wanted ||
  initial_status === wanted ||
  (wanted === 'processing' && initial_status === 'pending' && submitted_at !== null)

/** Outcomes of payments that are never submitted to the rail. */
export const refusedBeforeSubmission: readonly Outcome[] = ['service_unavailable', 'validation_failed']

/** The state in which a payment ends or stays. */
interface Ending {
  readonly status: PaymentStatus
  readonly state_code: string | null
  readonly error_message: string | null
}

/** Reason for a failure: a code, and a text that replaces the usual text. */
export type Reason = Pick<Payment, 'state_code' | 'failure_text'>

/** The state in which a payment with this outcome ends or stays; `reason` applies to failures. */
export function endingOf(outcome: Outcome, reason: Reason): Ending {
  if (outcome === 'slow' || outcome === 'fee_unknown')
    return { status: 'completed', state_code: null, error_message: null }
  if (outcome !== 'failed') return { status: outcome, state_code: null, error_message: reasonFor(outcome) }
  const state_code = reason.state_code ?? 'rejected'
  return { status: outcome, state_code, error_message: reason.failure_text ?? usualTextOf(state_code) }
}

const usualTextOf = (stateCode: string): string =>
  rejections[stateCodes.find((known) => known === stateCode) ?? 'rejected']

/** Milliseconds from a payment's creation to its last status. */
function endsAfter(outcome: Outcome, base: number): number {
  const total = settleTime(outcome, base)
  const early = outcome === 'processing' || refusedBeforeSubmission.includes(outcome)
  return early ? firstStepAt(0, total) : total
}

/** Milliseconds that a payment with this outcome would take to complete. */
export const settleTime = (outcome: Outcome, base: number): number => (outcome === 'slow' ? base * slowFactor : base)

/** A payment is submitted halfway between its creation and its end. */
export const firstStepAt = (createdAt: number, settleMs: number): number => createdAt + Math.floor(settleMs / 2)

/** Moves a payment to its next state. Throws for a payment in a terminal state. */
export function advance(payment: Payment, now: number): Step {
  if (payment.status === 'pending') return submit(payment, now)
  if (payment.status === 'processing') return finish(payment, now)
  throw new Error(`Payment ${payment.id} is ${payment.status} and has no next step`)
}

function submit(payment: Payment, now: number): Step {
  if (refusedBeforeSubmission.includes(payment.outcome)) return finish(payment, now)
  const submitted: Payment = {
    ...payment,
    status: 'processing',
    submitted_at: now,
    due_at: payment.outcome === 'processing' ? null : payment.created_at + payment.settle_ms,
  }
  return { payment: submitted, movement: null, event: 'payment.processing' }
}

function finish(payment: Payment, now: number): Step {
  if (payment.outcome === 'processing') throw new Error(`Payment ${payment.id} is meant to stay in processing`)
  const ended: Payment = { ...payment, ...endingOf(payment.outcome, payment), due_at: null }
  if (ended.status !== 'completed') {
    return { payment: ended, movement: 'release', event: ended.status === 'failed' ? 'payment.failed' : null }
  }
  const sinpe_reference = sinpeReference(payment.seq, payment.channel, now)
  const completed: Payment = { ...ended, sinpe_reference, completed_at: now }
  return { payment: completed, movement: 'capture', event: 'payment.completed' }
}

/**
 * Target status of a payment, and the time at which the payment is to reach this status, in epoch milliseconds.
 * `reason`: reason for a failure; null keeps the payment's earlier reason.
 */
export interface Move {
  readonly to: PaymentStatus
  readonly reason: Reason | null
  readonly at: number
}

/** End of a payment whose rail goes offline: a payment that was already submitted to the rail times out. */
export const withoutRail = ({ status }: Payment): Omit<Move, 'at'> => ({
  to: status === 'pending' ? 'service_unavailable' : 'timeout',
  reason: null,
})

/**
 * Changes a payment's outcome and times so that `advance` takes the payment to the status `to` at a given time; `to`
 * must be one of `reachableFrom`.
 */
export function redirect(payment: Payment, { to, reason, at }: Move, now: number): Payment {
  const redirected: Payment = {
    ...payment,
    outcome: outcomeFor(to, payment.outcome),
    ...reason,
  }
  const { status, created_at, settle_ms, outcome } = redirected
  if (status !== 'pending' || refusedBeforeSubmission.includes(outcome)) return { ...redirected, due_at: at }
  // A payment moved to processing stays there for the second half of its usual time.
  if (to === 'processing') return { ...redirected, settle_ms: at - created_at + Math.ceil(settle_ms / 2), due_at: at }
  return { ...redirected, settle_ms: at - created_at, due_at: firstStepAt(now, at - now) }
}

/** The steps that take a payment to the status `to` if all are taken now; `to` must be one of `reachableFrom`. */
export function stepsTo(payment: Payment, to: PaymentStatus, now: number): readonly Step[] {
  const steps: Step[] = []
  let current = redirect(payment, { to, reason: null, at: now }, now)
  while (current.status !== to) {
    const step = advance(current, now)
    steps.push(step)
    current = step.payment
  }
  return steps
}

function outcomeFor(to: PaymentStatus, outcome: Outcome): Outcome {
  if (to === 'processing') return refusedBeforeSubmission.includes(outcome) ? 'processing' : outcome
  if (to === 'completed') return outcome === 'slow' || outcome === 'fee_unknown' ? outcome : 'completed'
  return to as Outcome
}

type Recipient = Pick<RegistryEntry, 'address' | 'name' | 'currency' | 'outcome'> & Reason

/** The rail of an address at another bank. */
export const channelOf = (address: string): Channel => (address.startsWith('CR') ? 'pin' : 'sinpe_movil')

/** Status of an account that rejects payments with this code. */
export function statusOf(stateCode: string | null): IbanStatus {
  if (stateCode === 'account_closed') return 'closed'
  return stateCode === 'account_blocked' ? 'blocked' : 'active'
}

/** Outcome of a payment to a recipient, if a usual payment takes `settleMs` milliseconds. */
export function scenarioOf(recipient: Recipient, settleMs: number): Scenario {
  const { address, name, currency, outcome } = recipient
  const ending = endingOf(outcome, recipient)
  const after_ms = endsAfter(outcome, settleMs)
  return { address, channel: channelOf(address), name, currency, outcome, ...ending, after_ms }
}

/** Milliseconds that a usual payment takes without --settle, or on a manual rail. */
export const usualSettle = 1000

/**
 * Milliseconds that a usual payment takes, drawn for each payment. `draw` returns a random integer from 0 to a maximum
 * much larger than the width of the range, so that all values of the range are about equally likely.
 */
export function drawnSettle(time: SettleTime, draw: () => number): number {
  if (typeof time !== 'object') return longestSettle(time)
  return time.from + (draw() % (time.to - time.from + 1))
}

/** The longest time that a usual payment can take, in milliseconds. */
export function longestSettle(time: SettleTime): number {
  if (time === 'manual') return usualSettle
  return typeof time === 'object' ? time.to : time
}

/** The first rail whose range ends before it begins, and the problem as text; null: none. */
export function rangeFault(times: Partial<SettleTimes>): { readonly rail: Channel; readonly message: string } | null {
  for (const rail of Channel.enum) {
    const time = times[rail]
    if (typeof time !== 'object' || time.from <= time.to) continue
    return { rail, message: `from (${time.from}) is larger than to (${time.to})` }
  }
  return null
}

/**
 * True if one rail is manual, and the other rail is manual too or takes no time: new worlds then start with a frozen
 * clock.
 */
export function needsNoTime(times: SettleTimes): boolean {
  const all = Channel.enum.map((rail) => times[rail])
  return all.includes('manual') && all.every((time) => time === 'manual' || longestSettle(time) === 0)
}
