import type { PaymentStatus } from '../../src/contract/index.ts'
import type { Outcome, Payment, Step } from './payment.ts'
import { sinpeReference } from './references.ts'

const slowness = 10

const reasons: Partial<Record<PaymentStatus, string>> = {
  failed: 'The payment was rejected by the destination entity',
  timeout: 'The rail did not answer in time',
  service_unavailable: 'The payment rail is not available',
  validation_failed: 'The rail refused the payment data',
  system_error: 'The payment could not be processed because of an internal error',
}

export const reasonFor = (status: PaymentStatus): string | null => reasons[status] ?? null

/** Outcomes a payment reaches without having been submitted to the rail. */
const refusedBeforeSubmission: readonly Outcome[] = ['service_unavailable', 'validation_failed']

/** How long a payment to a recipient with this outcome takes in all, in milliseconds. */
export const settleTime = (outcome: Outcome, base: number): number => (outcome === 'slow' ? base * slowness : base)

/** The first step is due halfway, the last at the end. */
export const firstStepAt = (createdAt: number, settleMs: number): number => createdAt + Math.floor(settleMs / 2)

/** Moves a payment that has a step due to its next state. Terminal states have no step due and never change. */
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
    sinpe_reference: sinpeReference(payment.seq, payment.channel, now),
    submitted_at: now,
    due_at: payment.outcome === 'processing' ? null : payment.created_at + payment.settle_ms,
  }
  return { payment: submitted, settlement: null }
}

function finish(payment: Payment, now: number): Step {
  const { outcome } = payment
  if (outcome === 'completed' || outcome === 'slow') {
    return { payment: { ...payment, status: 'completed', completed_at: now, due_at: null }, settlement: 'capture' }
  }
  if (outcome === 'processing') throw new Error(`Payment ${payment.id} is meant to stay in processing`)
  const ended: Payment = { ...payment, status: outcome, error_message: reasonFor(outcome), due_at: null }
  return { payment: ended, settlement: 'release' }
}
