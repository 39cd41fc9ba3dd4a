import type { EventBody } from '../../src/contract/index.ts'
import { type AcceptedDelivery, equalWrites, type RepeatedWrite } from './repeated_writes.ts'
import type { LoggedRequest } from './request_log.ts'

/** Length of the last part of a UUID: a description often contains only this part of a payment's id. */
const lastPart = 12

/** A delivery of which at least one attempt may have reached its receiver. */
export interface ArrivedDelivery {
  readonly delivery: AcceptedDelivery
  /** Number of the last request that was answered before the first attempt at the delivery. */
  readonly since: number
  /**
   * Number of attempts that may have reached the receiver, including attempts that it answered with an error, too late,
   * or not at all.
   */
  readonly attempts: number
}

/**
 * Finds writes that a receiver repeated because a delivery came again. The time of a write does not matter: a receiver
 * may answer first and work later. A write belongs to the events whose payment it names. A write that names no payment
 * belongs to the credits that it pays back. There are too many equal writes if they outnumber the events that they
 * belong to. If they outnumber even the attempts at delivery, the deliveries did not cause them.
 */
export function repeatedEffects(
  arrived: readonly ArrivedDelivery[],
  writes: readonly LoggedRequest[],
  bodyOf: (delivery: AcceptedDelivery) => EventBody | undefined,
): readonly RepeatedWrite[] {
  if (!arrived.some(({ attempts }) => attempts > 1)) return []
  const bodies = new Map(arrived.map(({ delivery }) => [delivery, bodyOf(delivery)]))
  const groups = new Set(equalWrites(writes).map(({ same }) => same))
  return [...groups].flatMap((same) => {
    const [first] = same
    if (!first || same.length < 2) return []
    const eventsWhere = (belongs: typeof names) =>
      arrived.filter(({ delivery }) => belongs(first, bodies.get(delivery)))
    const named = eventsWhere(names)
    const events = named.length > 0 ? named : eventsWhere(paysBack)
    const byReceiver = Map.groupBy(events, ({ delivery: { event, url } }) => `${event} ${url}`)
    return [...byReceiver.values()].flatMap((ofReceiver) => excess(same, ofReceiver))
  })
}

/**
 * If there are more equal writes than events, pairs each surplus write with an earlier equal write. All the events were
 * delivered to one receiver.
 */
function excess(same: readonly LoggedRequest[], events: readonly ArrivedDelivery[]): readonly RepeatedWrite[] {
  const since = Math.min(...events.map((event) => event.since))
  const writes = same.filter(({ number }) => number > since)
  const attempts = events.reduce((sum, event) => sum + event.attempts, 0)
  if (writes.length > attempts) return []
  const repeated = events.flatMap((event) => Array.from({ length: event.attempts - 1 }, () => event.delivery))
  return writes.slice(events.length).flatMap((second, at): RepeatedWrite[] => {
    const [first, delivery] = [writes[at], repeated[at]]
    return first && delivery ? [{ delivery, requests: [first, second] }] : []
  })
}

/**
 * True if a write names the payment of an event: by the payment's SINPE reference, its id, or the last part of its id.
 */
function names({ path, body }: LoggedRequest, event: EventBody | undefined): boolean {
  if (!event) return false
  const { id, sinpe_reference } = event.data
  const text = `${path} ${JSON.stringify(body)}`
  return text.includes(id.slice(-lastPart)) || (sinpe_reference !== null && text.includes(sinpe_reference))
}

/** True if a write sends the amount of a received credit back to its payer. */
function paysBack({ body }: LoggedRequest, event: EventBody | undefined): boolean {
  if (event?.data.transfer_type !== 'credit') return false
  const { payer, amount } = event.data
  const given = (body ?? {}) as Readonly<Record<string, unknown>>
  const isToPayer =
    (payer.iban !== null && given.recipient_iban === payer.iban) ||
    (payer.phone_number != null && given.recipient_phone === payer.phone_number)
  return isToPayer && given.amount === amount.value
}
