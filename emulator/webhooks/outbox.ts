import type { EventName, PaymentStatus } from '../../src/contract/index.ts'
import type { Payment } from '../domain/payment.ts'
import type { Store } from '../store/store.ts'
import { payloadOf } from './payload.ts'

/** The states of a payment sent from here that are told of. The others show only to those who ask. */
const eventOfStatus: Partial<Record<PaymentStatus, EventName>> = {
  pending: 'payment.created',
  processing: 'payment.processing',
  completed: 'payment.completed',
  failed: 'payment.failed',
}

const eventOf = ({ transfer_type, status }: Payment): EventName | undefined =>
  transfer_type === 'credit' ? 'transaction.received' : eventOfStatus[status]

/**
 * Writes the event of a payment's new state for everybody subscribed to it, in the caller's transaction.
 * Returns the subscriptions that now have something to send.
 */
export function writeEvent(store: Store, payment: Payment, now: number): readonly number[] {
  const event = eventOf(payment)
  if (event === undefined) return []
  const subscriptions = store.deliveries.subscribers(payment.user, event)
  if (subscriptions.length === 0) return []
  const body = JSON.stringify(payloadOf(event, payment, now))
  store.deliveries.add({ name: event, payment: payment.seq, body, at: now }, subscriptions)
  return subscriptions
}
