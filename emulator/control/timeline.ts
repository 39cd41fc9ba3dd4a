import type { TimelineEntry } from '../../src/contract/index.ts'
import type { Payment } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import type { ControlHandlers } from '../http/context.ts'
import { asked, type Happening, happeningsOf, moved, shownHappening } from '../observation/happenings.ts'
import type { LoggedRequest } from '../observation/request_log.ts'
import type { World } from '../worlds/world.ts'
import { requestIn } from './requests.ts'

export const timelineHandlers = {
  /** Lists all events of a payment, or all effects of a request. */
  'control.timeline'({ params }, { world }) {
    const id = params.id.toLowerCase()
    const payment = id.startsWith('r') ? paymentOf(requestIn(world, id), world) : world.store.payments.get(id)
    if (payment) return inOrder(storyOf(payment, world))
    if (id.startsWith('r')) return inOrder([asked(requestIn(world, id), 'request')])
    throw new Refusal(404, { message: 'Payment not found' })
  },
} satisfies Partial<ControlHandlers>

const paymentOf = ({ payment }: LoggedRequest, { store }: World): Payment | undefined =>
  payment === null ? undefined : store.payments.get(payment)

const inOrder = (all: readonly Happening[]): TimelineEntry[] =>
  all.toSorted((a, b) => a.time - b.time || a.rank - b.rank).map(shownHappening)

function storyOf(payment: Payment, world: World): Happening[] {
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

/** Requests that made a payment, repeated its key or read it, oldest first, as far as the log has them. */
export const requestsAbout = ({ id }: Payment, { requests }: World): LoggedRequest[] =>
  requests.list({ matches: ({ payment, path }) => payment === id || path.toLowerCase().endsWith(`/${id}`) })
