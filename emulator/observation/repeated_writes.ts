import type { EventName } from '../../src/contract/index.ts'
import type { LoggedRequest } from './request_log.ts'

/**
 * Maximum time between the start of a delivery and a write that it may have caused, in milliseconds of the world's
 * time.
 */
const effectWindow = 60_000

/** Start of an attempt at a delivery. */
export interface AttemptStart {
  /** Number of the last request that was answered before the attempt. */
  readonly request: number
  /** Epoch milliseconds of the world's clock. */
  readonly at: number
}

/** An attempt that a receiver accepted. */
export interface Attempt extends AttemptStart {
  /** Number of the last request that was answered when the receiver accepted the attempt. */
  readonly end: number
}

export interface AcceptedDelivery {
  readonly seq: number
  readonly event: EventName
  readonly url: string
}

/** A delivery that was accepted and sent again. */
interface ResentDelivery {
  readonly delivery: AcceptedDelivery
  readonly attempts: readonly Attempt[]
}

/** Equal writes after two deliveries of one event. */
export interface RepeatedWrite {
  readonly delivery: AcceptedDelivery
  readonly requests: readonly [LoggedRequest, LoggedRequest]
}

/** Number of events of one type that a receiver accepted, and number of accepted attempts to deliver them. */
interface DeliveryCounts {
  readonly events: number
  readonly attempts: number
}

/** A write, and all writes that are equal to it. */
interface Write {
  readonly request: LoggedRequest
  readonly same: readonly LoggedRequest[]
}

/**
 * Finds writes that were made twice, once for each of two deliveries of one event. If deliveries of several events
 * overlap, writes for one event may occur during the delivery of another event. A pair of writes is assigned to only
 * one event.
 */
export function repeatedWrites(
  resent: readonly ResentDelivery[],
  requests: readonly LoggedRequest[],
  countsOf: (delivery: AcceptedDelivery) => DeliveryCounts,
): readonly RepeatedWrite[] {
  const writes = equalWrites(requests)
  const possible = resent.flatMap(({ delivery, attempts }, place) =>
    attempts.slice(1).map((second, at) => {
      const between = sameWrites(writes, [attempts[at] as AttemptStart, second])
      const inside = between.filter(({ same }) => isInside(same, attempts))
      const often = between.slice(0, 1).filter(({ same }) => isAsOftenAsDelivered(same.length, countsOf(delivery)))
      return { place, delivery, pairs: (inside.length > 0 ? inside : often).map(({ pair }) => pair) }
    }),
  )
  const taken = new Set<LoggedRequest>()
  const found: (RepeatedWrite & { readonly place: number })[] = []
  // Deliveries with the fewest candidate pairs are handled first, so that the other deliveries can use the remaining
  // pairs.
  for (const { place, delivery, pairs } of possible.toSorted((one, other) => one.pairs.length - other.pairs.length)) {
    const pair = pairs.find(([, second]) => !taken.has(second))
    if (!pair) continue
    taken.add(pair[1])
    found.push({ place, delivery, requests: pair })
  }
  return found.sort((one, other) => one.place - other.place)
}

/** Groups writes by user, method, path and body; skips requests without a body. */
export function equalWrites(requests: readonly LoggedRequest[]): readonly Write[] {
  const groups = new Map<string, LoggedRequest[]>()
  return requests.flatMap((request) => {
    const { user, method, path, body } = request
    if (body === undefined) return []
    const key = JSON.stringify([user, method, path, body], sorted)
    const same = groups.get(key) ?? []
    groups.set(key, same)
    same.push(request)
    return [{ request, same }]
  })
}

/** JSON replacer that sorts members, because their order has no meaning. */
const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

interface SameWrites {
  readonly pair: readonly [LoggedRequest, LoggedRequest]
  readonly same: readonly LoggedRequest[]
}

/** Finds the writes that follow the first of two attempts, and that are repeated after the second attempt. */
function sameWrites(
  writes: readonly Write[],
  [first, second]: readonly [AttemptStart, AttemptStart],
): readonly SameWrites[] {
  const soon = (write: LoggedRequest, { at }: AttemptStart) => write.at - at <= effectWindow
  const seen = new Set<readonly LoggedRequest[]>()
  const found: SameWrites[] = []
  for (let at = placeAfter(writes, first.request); at < writes.length; at += 1) {
    const { request, same } = writes[at] as Write
    if (request.number > second.request) break
    if (seen.has(same) || !soon(request, first)) continue
    seen.add(same)
    const again = same.find((write) => write.number > second.request && soon(write, second))
    if (again) found.push({ pair: [request, again], same })
  }
  return found
}

/** Index of the first write after a request; writes are ordered by number. */
function placeAfter(writes: readonly Write[], number: number): number {
  let [low, high] = [0, writes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((writes[middle] as Write).request.number > number) high = middle
    else low = middle + 1
  }
  return low
}

/** True if each of these writes happened during an attempt, but not all of them during the same attempt. */
function isInside(writes: readonly LoggedRequest[], attempts: readonly Attempt[]): boolean {
  const during = writes.map(({ number }) => attempts.findIndex(({ request, end }) => request < number && number <= end))
  return !during.includes(-1) && new Set(during).size > 1
}

/** True if a write occurred more often than events arrived, but at most as often as they were delivered. */
const isAsOftenAsDelivered = (times: number, { events, attempts }: DeliveryCounts): boolean =>
  times > events && times <= attempts
