import type { TimelineEntry } from '../../src/contract/index.ts'
import type { Payment } from '../domain/payment.ts'
import type { World } from '../worlds/world.ts'
import { asked, type Happening, happeningsOf, moved, shownHappening } from './happenings.ts'
import type { LoggedRequest } from './request_log.ts'

export const inOrder = (all: readonly Happening[]): TimelineEntry[] =>
  all.toSorted((a, b) => a.time - b.time || a.rank - b.rank).map(shownHappening)

/** Lists everything that happened to a payment. */
export function storyOf(payment: Payment, world: World): Happening[] {
  const requests = requestsAbout(payment, world).map((request) =>
    asked(request, request.payment && !request.replayed ? 'request' : 'otherRequest'),
  )
  const { story, deliveries } = world.store
  const stored = {
    entries: story.entries(payment.seq),
    events: story.events(payment.seq),
    deliveries: story
      .deliveries(payment.seq)
      .map((delivery) => ({ ...delivery, history: deliveries.attempts(delivery.seq) })),
  }
  const happened = [...requests, ...happeningsOf(payment, stored, world.settings.get('series'))]
  const times = happened.map(({ time }) => time)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const moves = world.requests.moves.filter(({ from, to }) => to >= first && from <= last)
  return [...happened, ...moves.map(moved)]
}

/** Requests that made a payment, repeated its key or read it, oldest first, as far as the log still has them. */
export const requestsAbout = ({ id }: Payment, { requests }: World): LoggedRequest[] =>
  requests.list({ matches: ({ payment, path }) => payment === id || path.toLowerCase().endsWith(`/${id}`) })

/** Kinds of timeline entries that show how an order was paid twice. */
const kindsOfDouble: readonly TimelineEntry['kind'][] = ['request', 'status', 'delivery']

/** Maximum number of entries in the timeline of an order that was paid twice. */
const longestTimeline = 100

/**
 * Timeline of several payments: the requests with their keys, and the statuses and deliveries of the payments, oldest
 * first.
 */
export function timelineOfBoth(ids: readonly string[], world: World): TimelineEntry[] {
  const payments = ids.flatMap((id) => world.store.payments.get(id) ?? [])
  const stories = payments.flatMap((payment) => storyOf(payment, world))
  const others = stories.filter(({ kind }) => kind !== 'request' && kindsOfDouble.includes(kind))
  const about = payments.flatMap((payment) => requestsAbout(payment, world))
  const keys = new Set(
    about.flatMap(({ key, endpoint }) => (endpoint === 'payments.create' && key !== null ? key : [])),
  )
  const isTried = ({ key, endpoint }: LoggedRequest) => endpoint === 'payments.create' && key !== null && keys.has(key)
  const requests = new Set([...about, ...world.requests.list({ matches: isTried })])
  const withKeys = [...requests].map((request): Happening => {
    const happening = asked(request, request.payment && !request.replayed ? 'request' : 'otherRequest')
    return request.key === null ? happening : { ...happening, what: `${happening.what}; key ${request.key}` }
  })
  return inOrder([...withKeys, ...others]).slice(0, longestTimeline)
}
