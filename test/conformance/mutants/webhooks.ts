import { answers, event, eventsOfOne, handles, type Mutant, subscriptionLife, text } from './mutant.ts'
import type { Delivery } from './mutating_proxy.ts'

export const subscriptions: readonly Mutant[] = [
  {
    name: 'suspending does nothing',
    caughtBy: subscriptionLife,
    start: handles('webhooks.suspend', () => async (request, send) => {
      const read = { ...request, method: 'GET', url: request.url.replace('/suspend', ''), body: undefined }
      const { body, ...answer } = await send(read)
      const { id } = body.data
      const data = { id, active: false, suspended_at: body.data.created_at, suspended_reason: 'Manual suspension' }
      return { ...answer, body: { ...body, message: 'Webhook subscription suspended successfully', data } }
    }),
  },
  {
    name: 'a subscription can be resumed twice',
    caughtBy: subscriptionLife,
    start: answers('webhooks.resume', (answer) => {
      if (answer.status === 409) answer.status = 200
    }),
  },
  {
    name: 'a subscription that was deleted is still there',
    caughtBy: subscriptionLife,
    start: handles('webhooks.delete', () => async (request, send) => {
      const answer = await send({ ...request, method: 'GET' })
      const { active, last_sent_at, suspended_at, suspended_reason, ...data } = answer.body.data
      return { ...answer, body: { ...answer.body, message: 'Webhook subscription deleted successfully', data } }
    }),
  },
]

export const events: readonly Mutant[] = [
  {
    name: 'an event has another amount than its payment',
    caughtBy: eventsOfOne,
    start: event('payment.completed', ({ data: { amount } }) =>
      Object.assign(amount, { value: amount.value + 1, formatted: text(amount.value + 1, 'CRC') }),
    ),
  },
  {
    name: 'an event has another status than it says',
    caughtBy: eventsOfOne,
    start: event('payment.processing', ({ data }) => Object.assign(data, { status: 'pending' })),
  },
  {
    name: 'an event leaves out the fee',
    caughtBy: eventsOfOne,
    start: event('payment.created', ({ data }) => delete data.fee),
  },
  {
    name: 'an event’s times have no offset',
    caughtBy: 'events > events > times are those of the payment, local to Costa Rica',
    start: event('payment.completed', (body) => Object.assign(body, { timestamp: body.timestamp.slice(0, 19) })),
  },
  {
    name: 'a failed payment’s event does not say why',
    caughtBy: 'events > events > a payment to Rechazo Siempre is told of as failed: rejected',
    start: event('payment.failed', ({ data }) => delete data.state_code),
  },
  {
    name: 'the event of a new payment is not sent',
    caughtBy: eventsOfOne,
    start: () => ({ deliveries: (delivery) => (delivery.body.event === 'payment.created' ? [] : [delivery]) }),
  },
  {
    name: 'deliveries leave out the subscription’s headers',
    caughtBy: 'events > events > deliveries carry the subscription’s headers, and when the last was sent is kept',
    start: () => ({
      deliveries: ({ headers: { 'x-secret': _, ...headers }, body }: Delivery) => [{ headers, body }],
    }),
  },
]
