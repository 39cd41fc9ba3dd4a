import type { ControlOutputOf } from '../../src/contract/index.ts'
import { paginate } from '../domain/paginator.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { timestamp, timestampOrNull } from '../domain/time.ts'
import { shownSubscription } from '../handlers/webhooks.ts'
import { type ControlHandlers, pageRequest } from '../http/context.ts'
import type { Attempt, DeliveryRecord } from '../store/deliveries.ts'
import type { Subscription } from '../store/subscriptions.ts'
import { seqOfWebhook, webhookId } from '../webhooks/send.ts'
import type { World } from '../worlds/world.ts'

export const deliveryHandlers = {
  'control.subscriptions.list'({ query }, context) {
    const { world } = context
    const { request, window } = pageRequest(query, context)
    const { items, total } = world.store.subscriptions.listAll(window)
    const withUsers = items.map((subscription) => subscriptionOfUser(subscription, world))
    return paginate({ items: withUsers, total }, request, world.options.locale)
  },

  'control.deliveries.list'({ query }, context) {
    const { world } = context
    const { store, options } = world
    const { request, window } = pageRequest(query, context)
    const before = query.before === undefined ? null : seqBefore(world, query.before)
    const { items, total } = store.deliveries.list(window, before)
    return paginate({ items: items.map((delivery) => shown(delivery, world)), total }, request, options.locale)
  },

  'control.deliveries.get'({ params }, { world }) {
    const delivery = find(world, params.id)
    const history = world.store.deliveries.attempts(delivery.seq).map(shownAttempt)
    const subscription = world.store.subscriptions.get(delivery.subscription_id)
    const attempt = Math.max(1, delivery.attempts)
    const headers = subscription ? world.sender.shownHeaders({ ...delivery, attempt }, subscription) : {}
    return { ...shown(delivery, world), headers, body: JSON.parse(delivery.body), history }
  },

  'control.deliveries.resend'({ params }, { world }) {
    const { database, store, outbox, clock } = world
    const { seq, subscription_id } = find(world, params.id)
    const subscription = store.subscriptions.get(subscription_id)
    if (!subscription) throw new Refusal(404)
    if (outbox.isSending(subscription.seq, seq)) throw new Refusal(409)
    database.write(() => outbox.sendAgain(subscription.seq, seq, clock.now()))
    return shown(find(world, params.id), world)
  },

  'control.deliverySettings.get': (_, { world }) => world.deliverySettings,

  'control.deliverySettings.set'({ body }, { world }) {
    const { database, settings, store } = world
    database.write(() => {
      settings.set('deliveries', { ...settings.get('deliveries'), ...body })
      if (body.signature_header === null) store.subscriptions.forgetSecrets()
    })
    return world.deliverySettings
  },
} satisfies Partial<ControlHandlers>

/** A subscription as control endpoints show it. */
export const subscriptionOfUser = (subscription: Subscription, { store }: World) => ({
  ...shownSubscription(subscription),
  user_id: store.users.get(subscription.user).id,
})

/** Sequence number in a delivery's id. The delivery may no longer exist. Throws 422 for an id of another world. */
function seqBefore({ settings }: World, id: string): number {
  const seq = seqOfWebhook(settings.get('series'), id)
  if (seq === undefined) throw invalid('before', 'No delivery of this world has this id.')
  return seq
}

/** Finds a delivery by the id that receivers see. Throws 404. */
function find({ store, settings }: World, id: string): DeliveryRecord {
  const seq = seqOfWebhook(settings.get('series'), id)
  const delivery = seq === undefined ? undefined : store.deliveries.get(seq)
  if (!delivery) throw new Refusal(404)
  return delivery
}

export const shown = (delivery: DeliveryRecord, { settings }: World): ControlOutputOf<'control.deliveries.resend'> => ({
  id: webhookId(settings.get('series'), delivery.seq),
  subscription_id: delivery.subscription_id,
  event: delivery.event,
  status: delivery.status,
  attempts: delivery.attempts,
  due_at: timestampOrNull(delivery.due_at),
  created_at: timestamp(delivery.created_at),
})

export const shownAttempt = ({ started_at, ...rest }: Attempt) => ({ ...rest, started_at: timestamp(started_at) })
