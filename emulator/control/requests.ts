import {
  type Caused,
  type Delivery,
  type LedgerEntry,
  money,
  type RequestsQuery,
  type LoggedRequest as Shown,
} from '../../src/contract/index.ts'
import { paginate } from '../domain/paginator.ts'
import type { Payment } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import { preciseTimestamp, timestamp, timestampOrNull } from '../domain/time.ts'
import type { Fault } from '../faults.ts'
import { type ControlHandlers, pageRequest } from '../http/context.ts'
import { type LoggedRequest, type RequestFilter, requestId } from '../observation/request_log.ts'
import type { StoredEntry } from '../store/queries.ts'
import { webhookId } from '../webhooks/send.ts'
import type { World } from '../worlds/world.ts'

export const requestHandlers = {
  async 'control.requests.list'({ query }, context) {
    const { world } = context
    const { requests: log, options } = world
    const { since, wait_ms: wait = 0 } = query
    const { request, window } = pageRequest(query, context)
    const filter = filterOf(query, log.last)
    if (wait > 0) await log.next(filter, wait)
    const found = log.list(filter)
    if (since === undefined) found.reverse()
    const end = window.offset + window.limit
    const items = found.slice(window.offset, end).map(shower(world))
    const page = paginate({ items, total: found.length }, request, options.locale)
    const isFollowed = since !== undefined && end < found.length
    return { ...page, last: isFollowed ? (found[end - 1]?.number ?? log.last) : log.last, dropped: log.dropped }
  },

  'control.requests.get'({ params }, { world }) {
    const request = requestIn(world, params.id)
    const { body, refusal, payment, replayed } = request
    return {
      ...shower(world)(request),
      ...(body !== undefined && { body }),
      errors: { ...refusal?.errors },
      caused: causedBy(replayed ? null : payment, world),
    }
  },

  'control.report': (_, { worlds }) => worlds.report(),
} satisfies Partial<ControlHandlers>

function filterOf({ since, before, endpoint, status }: RequestsQuery, last: number): RequestFilter {
  const pattern = status === undefined ? undefined : new RegExp(`^${status.replaceAll('x', '\\d')}$`)
  return {
    // Numbers start again at 1 after a reset: a number above the last number is from before the reset.
    since: since !== undefined && since > last ? 0 : since,
    before,
    matches: (request) =>
      (endpoint === undefined || request.endpoint === endpoint) &&
      (pattern === undefined || pattern.test(String(request.status))),
  }
}

/** Finds a request. Throws 404 if it does not exist or was dropped. */
export function requestIn({ requests }: World, id: string): LoggedRequest {
  const found = requests.get(Number(id.slice(1)))
  if (found) return found
  throw new Refusal(404, { message: 'Request not found' })
}

/** Returns a function that shows requests of a world; it looks up each user and client once. */
export function shower({ store }: World): (request: LoggedRequest) => Shown {
  const users = new Map<number, string>()
  const userOf = (seq: number): string => {
    const id = users.get(seq) ?? store.users.get(seq).id
    users.set(seq, id)
    return id
  }
  let clients: Map<number, string> | undefined
  const clientOf = (seq: number | null): string => {
    if (seq === null) return 'dashboard'
    clients ??= new Map(store.clients.all().map((client) => [client.seq, client.id]))
    return clients.get(seq) ?? ''
  }
  return (request) => ({
    id: requestId(request.number),
    at: preciseTimestamp(request.at),
    duration_ms: request.durationMs,
    method: request.method,
    path: request.path,
    query: request.query,
    endpoint: request.endpoint,
    status: request.status,
    answered: request.answered,
    user: request.user === null ? null : userOf(request.user),
    client: request.user === null ? null : clientOf(request.client),
    idempotency_key: request.key,
    replayed: request.replayed,
    fault: request.fault && faultInWords(request.fault),
    message: request.refusal?.message ?? null,
    payment_id: request.payment,
    broke: [...request.breaches],
  })
}

function faultInWords({ delay, status, error, fault }: Fault): string {
  const words = [delay > 0 && `delay of ${delay} ms`, status !== undefined && `status ${status}`, error, fault]
  return words.filter(Boolean).join(', ')
}

function causedBy(id: string | null, world: World): Caused {
  const { store } = world
  const payment = id === null ? undefined : store.payments.get(id)
  if (!payment) return { payments: [], entries: [], deliveries: [] }
  return {
    payments: [{ id: payment.id, status: payment.status }],
    entries: store.story.entries(payment.seq).map(shownEntry),
    deliveries: deliveriesOf(payment, world),
  }
}

/** Deliveries of a payment's events. */
export const deliveriesOf = ({ seq: payment }: Payment, { store, settings }: World): Delivery[] =>
  store.story.deliveries(payment).map(({ seq, url, ...delivery }) => ({
    ...delivery,
    id: webhookId(settings.get('series'), seq),
    due_at: timestampOrNull(delivery.due_at),
    created_at: timestamp(delivery.created_at),
  }))

export const shownEntry = ({ movement, owner, purpose, amount, currency, created_at }: StoredEntry): LedgerEntry => ({
  at: preciseTimestamp(created_at),
  movement,
  owner,
  purpose,
  amount: money(amount, currency),
})
