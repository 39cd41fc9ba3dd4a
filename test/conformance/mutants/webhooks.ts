import {
  answers,
  data,
  deliveries,
  event,
  eventsOfOne,
  handles,
  hooks,
  type Mutant,
  renumbers,
  subscriptionLife,
  text,
} from './mutant.ts'
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
    start: renumbers('webhooks.resume', 409, 200),
  },
  {
    name: 'suspending changes how often a delivery is tried',
    caughtBy: `${hooks} > a subscription reads back as it was made, and keeps that when it is suspended and resumed`,
    start: () => {
      const suspended = new Set<string>()
      return {
        async answer(request, send) {
          const answer = await send(request)
          if (request.endpoint === 'webhooks.suspend') suspended.add(request.url.replace('/suspend', ''))
          if (request.endpoint === 'webhooks.get' && suspended.has(request.url)) answer.body.data.max_attempts = 1
          return answer
        },
      }
    },
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
  {
    name: 'a subscription that is read shows its secret',
    caughtBy:
      'subscriptions > webhook subscriptions > each subscription has its own secret, which only the answer to its creation shows',
    start: data('webhooks.get', (subscription) => Object.assign(subscription, { secret: 'x'.repeat(32) })),
  },
  {
    name: 'a subscription that was deleted is answered without a body',
    caughtBy: 'subscriptions > webhook subscriptions > deleting returns the subscription, which then does not exist',
    start: answers('webhooks.delete', (answer) => {
      if (answer.status === 200) Object.assign(answer, { status: 204, body: '' })
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
    caughtBy: 'events > events > events have the times of the payment, in Costa Rica’s local time',
    start: event('payment.completed', (body) => Object.assign(body, { timestamp: body.timestamp.slice(0, 19) })),
  },
  {
    name: 'a failed payment’s event does not say why',
    caughtBy: `${deliveries} > the event of a payment that failed says why`,
    start: event('payment.failed', ({ data }) => delete data.state_code),
  },
  {
    name: 'the event of a new payment is not sent',
    caughtBy: eventsOfOne,
    start: () => ({ deliveries: (delivery) => (delivery.body.event === 'payment.created' ? [] : [delivery]) }),
  },
  {
    name: 'deliveries leave out the subscription’s headers',
    caughtBy: eventsOfOne,
    start: () => ({
      deliveries: ({ headers: { 'x-case': _, ...headers }, body }: Delivery) => [{ headers, body }],
    }),
  },
  {
    name: 'an event has the key of another payment',
    caughtBy: eventsOfOne,
    start: event('payment.created', ({ data }) => Object.assign(data, { idempotency_key: 'another' })),
  },
  {
    name: 'an event overtakes the one before it',
    caughtBy: 'events > events > a payment by pin is reported when it is created, submitted and completed',
    start: () => {
      let held: readonly Delivery[] = []
      return {
        deliveries(delivery) {
          const all = [delivery, ...held]
          held = delivery.body.event === 'payment.processing' ? [delivery] : []
          return held.length > 0 ? [] : all
        },
      }
    },
  },
]
