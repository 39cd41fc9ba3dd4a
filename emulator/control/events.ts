import { type EventBody, eventStreamType, type LedgerEntry, money } from '../../src/contract/index.ts'
import { preciseTimestamp } from '../domain/time.ts'
import { detailed } from '../handlers/payments.ts'
import type { Reply, Request } from '../http/message.ts'
import type { EventWriter, Happening } from '../observation/event_feed.ts'
import type { DeliveryRecord } from '../store/deliveries.ts'
import type { LiveWorld } from '../worlds/live_world.ts'
import type { VisibleWorlds } from '../worlds/visible_worlds.ts'
import type { World } from '../worlds/world.ts'
import { clockState } from './clock.ts'
import { shownAttempt, shown as shownDelivery, subscriptionOfUser } from './deliveries.ts'
import { shower, shownEntry } from './requests.ts'

/** Answers with the events of a world. Resolves when the client has disconnected or the world has ended. */
export async function sendEvents(worlds: VisibleWorlds, request: Request, reply: Reply): Promise<void> {
  const live = worlds.find(request.world, request.worldId)
  // A refusal can't be sent once the answer has begun.
  live.world.events.refuseEnded()
  const after = request.headers['last-event-id']?.toString()
  // X-Accel-Buffering: without this header, some proxies hold an answer back until it is complete.
  reply.headers({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' })
  const response = reply.begin(eventStreamType)
  if (response === null) return
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  await worlds.during(live.name, () => {
    live.world.events.subscribe(response, { after, write: writerFor(live) })
    return new Promise<void>((resolve) => response.on('close', resolve))
  })
}

/** Returns a function that writes events as the contract describes them, without ids. */
function writerFor({ name, world }: Pick<LiveWorld, 'name' | 'world'>): EventWriter {
  const showRequest = shower(world)
  return (happening, time) => {
    const at = preciseTimestamp(time)
    switch (happening.type) {
      case 'open':
        return { ...happening, at, world: { name, id: world.id } }
      case 'request':
        return { type: 'request', at, request: showRequest(happening.request) }
      case 'payment': {
        const { payment, from } = happening
        const { id: account_id } = world.store.accounts.bySeq(payment.account)
        return { type: 'payment', at, payment: detailed(payment), from, account_id }
      }
      case 'movement': {
        const { payment, movement } = happening
        const booked = world.store.story.entries(payment.seq).filter((entry) => entry.movement === movement)
        return { type: 'entries', at, payment_id: payment.id, entries: booked.map(shownEntry) }
      }
      case 'funding':
        return { type: 'entries', at, payment_id: null, entries: fundingEntries(happening, time) }
      case 'queued': {
        const known = deliveryOf(happening.delivery, world)
        return known && { type: 'queued', at, ...known }
      }
      case 'delivery': {
        const known = deliveryOf(happening.delivery, world)
        return known && { type: 'delivery', at, ...known, attempt: shownAttempt(happening.attempt) }
      }
      case 'subscription': {
        const { change, subscription } = happening
        return { type: 'subscription', at, change, subscription: subscriptionOfUser(subscription, world) }
      }
      case 'clock':
        return { type: 'clock', at, clock: clockState(world), moved_ms: happening.movedMs }
      default:
        return { ...happening, at }
    }
  }
}

function fundingEntries({ account, amount }: Extract<Happening, { type: 'funding' }>, time: number): LedgerEntry[] {
  const entry = (owner: string, purpose: 'funding' | 'available', value: number): LedgerEntry => ({
    at: preciseTimestamp(time),
    movement: 'funding',
    owner,
    purpose,
    amount: money(value, account.currency),
  })
  return [entry('emulator', 'funding', -amount), entry(account.id, 'available', amount)]
}

/** A delivery with its payment and receiver; null if the subscription and its deliveries were deleted meanwhile. */
function deliveryOf(record: DeliveryRecord, world: World) {
  const subscription = world.store.subscriptions.get(record.subscription_id)
  if (!subscription) return null
  const { data }: EventBody = JSON.parse(record.body)
  return { delivery: shownDelivery(record, world), payment_id: data.id, url: subscription.url }
}
