import type { InputOf, OutputOf } from '../../src/contract/index.ts'
import { paginate } from '../domain/paginator.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { timestamp, timestampOrNull } from '../domain/time.ts'
import { type Context, callerOf, pageRequest } from '../http/context.ts'
import { randomText } from '../random.ts'
import type { Subscription } from '../store/subscriptions.ts'
import { receiverAt } from '../webhooks/receivers.ts'
import { headersFault, subscriptionDefaults, targetFault } from '../webhooks/target.ts'

/** Number of letters and digits in a generated secret. */
const secretLength = 32

export function listSubscriptions({ query }: InputOf<'webhooks.list'>, context: Context): OutputOf<'webhooks.list'> {
  const { request, window } = pageRequest(query, context)
  const { items, total } = context.world.store.subscriptions.list(callerOf(context), window)
  return paginate({ items: items.map(shownSubscription), total }, request, context.world.options.locale)
}

export function createSubscription(
  { body }: InputOf<'webhooks.create'>,
  context: Context,
): OutputOf<'webhooks.create'> {
  const { world, now } = context
  const { url, headers = null } = body
  const events = [...new Set(body.events)]
  const user = callerOf(context)
  const fault = targetFault(url)
  if (fault !== null) throw invalid('url', fault)
  const faultOfHeaders = headersFault(headers)
  if (faultOfHeaders !== null) throw invalid('headers', faultOfHeaders)
  const target = new URL(url)
  if (world.ownAddress.isNamedBy(target) && receiverAt(target, world.ownAddress) === null)
    throw invalid('url', 'The url field must not lead back to the emulator.')
  if (world.store.subscriptions.exists(user, url, events)) {
    throw invalid('events', 'A webhook subscription with same URL and events already exists')
  }
  const id = world.ids()
  const secret = randomText(secretLength, world.random.secrets)
  world.store.subscriptions.add({
    id,
    user,
    url,
    events,
    max_attempts: body.max_attempts ?? subscriptionDefaults.max_attempts,
    timeout: body.timeout ?? subscriptionDefaults.timeout,
    headers: Array.isArray(headers) ? null : headers,
    secret,
    signs: world.deliverySettings.signature_header !== null,
    created_at: now,
    updated_at: now,
  })
  const subscription = ownSubscription(id, context)
  world.events.subscription('created', subscription)
  return { ...shownSubscription(subscription), secret }
}

export function getSubscription({ params }: InputOf<'webhooks.get'>, context: Context): OutputOf<'webhooks.get'> {
  return shownSubscription(ownSubscription(params.id, context))
}

export function deleteSubscription(
  { params }: InputOf<'webhooks.delete'>,
  context: Context,
): OutputOf<'webhooks.delete'> {
  const subscription = ownSubscription(params.id, context)
  context.world.store.subscriptions.remove(subscription.seq)
  context.world.events.subscription('deleted', subscription)
  return configuration(subscription)
}

export function suspendSubscription(
  { params, body }: InputOf<'webhooks.suspend'>,
  context: Context,
): OutputOf<'webhooks.suspend'> {
  const { seq, id, suspended_at } = ownSubscription(params.id, context)
  if (suspended_at !== null) throw new Refusal(409)
  const suspended_reason = body.reason ?? subscriptionDefaults.reason
  context.world.store.subscriptions.suspend(seq, { reason: suspended_reason, at: context.now })
  context.world.events.subscription('suspended', ownSubscription(id, context))
  return { id, active: false, suspended_at: timestamp(context.now), suspended_reason }
}

/** Resumes a suspended subscription, and makes all its waiting deliveries, including retries, due immediately. */
export function resumeSubscription(
  { params }: InputOf<'webhooks.resume'>,
  context: Context,
): OutputOf<'webhooks.resume'> {
  const { world, now } = context
  const { seq, id, suspended_at } = ownSubscription(params.id, context)
  if (suspended_at === null) throw new Refusal(409)
  world.store.subscriptions.resume(seq, now)
  world.events.subscription('resumed', ownSubscription(id, context))
  const waiting = world.store.deliveries.waiting(seq)
  world.outbox.hasten(seq, now)
  return { id, active: true, suspended_webhooks_count: waiting, retry_job_dispatched: true }
}

/** Throws 404 for an unknown subscription, and for a subscription of another user. */
function ownSubscription(id: string, context: Context): Subscription {
  const subscription = context.world.store.subscriptions.get(id.toLowerCase())
  if (subscription?.user !== callerOf(context)) throw new Refusal(404)
  return subscription
}

export const shownSubscription = (subscription: Subscription): OutputOf<'webhooks.get'> => {
  const { id, url, events, ...others } = configuration(subscription)
  const { suspended_at, suspended_reason, last_sent_at } = subscription
  return {
    id,
    url,
    events,
    active: suspended_at === null,
    ...others,
    last_sent_at: timestampOrNull(last_sent_at),
    suspended_at: timestampOrNull(suspended_at),
    suspended_reason,
  }
}

const configuration = (subscription: Subscription): OutputOf<'webhooks.delete'> => ({
  id: subscription.id,
  url: subscription.url,
  events: [...subscription.events],
  max_attempts: subscription.max_attempts,
  timeout: subscription.timeout,
  headers: subscription.headers,
  created_at: timestamp(subscription.created_at),
  updated_at: timestamp(subscription.updated_at),
})
