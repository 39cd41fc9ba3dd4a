import type { PaymentStatus, WaitBody, WaitSeen } from '../../src/contract/index.ts'
import { hasBeen, reachableFrom } from '../domain/lifecycle.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { timestampOrNull } from '../domain/time.ts'
import type { ControlHandlers } from '../http/context.ts'
import type { Sight } from '../observation/waits.ts'
import type { World } from '../worlds/world.ts'

/** Default limit of a wait, in milliseconds of real time. */
const usualTimeout = 10_000

interface Wait {
  readonly see: () => Sight<WaitSeen>
  /** Describes why the wait failed: a clause without a full stop. */
  readonly inWords: (seen: WaitSeen) => string
  /** True for a wait that succeeds when its time limit is reached. */
  readonly lasts?: boolean
}

export const waitHandlers = {
  /**
   * Answers when the awaited state is reached. Throws 409 with the last seen state if the time limit is reached, or if
   * the awaited state can no longer be reached.
   */
  async 'control.wait'({ body }, { world, gone }) {
    const { see, inWords, lasts = false } = waitOf(body, world)
    const { timeout_ms: timeout = usualTimeout } = body
    // Waits for the commit: the writes may still roll back.
    while (world.database.settled) await world.database.settled.catch(() => {})
    const { seen, done, hopeless } = await world.waits.until(see, timeout, gone)
    if (done || (lasts && !hopeless)) return seen
    const how = lasts ? '' : hopeless ? ', and will never be' : `, after ${timeout} ms`
    throw new Refusal(409, { message: `${inWords(seen)}${how}`, errors: seen })
  },
} satisfies Partial<ControlHandlers>

function waitOf(body: WaitBody, world: World): Wait {
  const { payment, status, deliveries, requests, max_requests: most, endpoint, idle } = body
  if ([payment, deliveries, requests, most, idle].filter((each) => each !== undefined).length !== 1) {
    throw invalid('payment', 'A wait needs exactly one of payment, deliveries, requests, max_requests and idle.')
  }
  if (payment !== undefined) {
    if (status === undefined) throw invalid('status', 'The status field is required when payment is present.')
    return paymentIn(world, payment.toLowerCase(), status)
  }
  if (requests !== undefined) return answered(world, requests, endpoint)
  if (most !== undefined) return noMoreRequests(world, most, endpoint)
  return deliveries === undefined ? idleness(world) : delivered(world, deliveries, body)
}

const paymentIn = ({ store }: World, id: string, wanted: PaymentStatus): Wait => ({
  see() {
    const found = store.payments.get(id)
    if (!found) throw new Refusal(404)
    // A move of the clock can take a payment through several statuses in one commit.
    const done = hasBeen(found, wanted)
    const status = done ? wanted : found.status
    return { seen: { payment: { id, status } }, done, hopeless: !done && !reachableFrom(status).includes(wanted) }
  },
  inWords: ({ payment }) => `The payment is ${payment?.status}, not ${wanted}`,
})

const delivered = ({ store }: World, wanted: number, { url, event }: WaitBody): Wait => ({
  see() {
    const deliveries = store.deliveries.countOf({ url, event })
    return { seen: { deliveries }, done: deliveries.delivered >= wanted }
  },
  inWords({ deliveries }) {
    const { delivered = 0, pending = 0, exhausted = 0 } = deliveries ?? {}
    return `Delivered: ${delivered} of ${wanted}, pending: ${pending}, exhausted: ${exhausted}`
  },
})

const answered = ({ requests }: World, wanted: number, endpoint: string | undefined): Wait => ({
  see() {
    const counts = requests.count(endpoint)
    return { seen: { requests: counts }, done: counts.answered >= wanted }
  },
  inWords: ({ requests: counts }) => `Answered requests${to(endpoint)}: ${counts?.answered} of ${wanted}`,
})

const noMoreRequests = ({ requests }: World, most: number, endpoint: string | undefined): Wait => ({
  see() {
    const counts = requests.count(endpoint)
    return { seen: { requests: counts }, done: false, hopeless: counts.came > most }
  },
  inWords: ({ requests: counts }) =>
    `${counts?.came} ${counts?.came === 1 ? 'request' : 'requests'}${to(endpoint)} came, and the limit is ${most}`,
  lasts: true,
})

const to = (endpoint: string | undefined): string => (endpoint === undefined ? '' : ` to ${endpoint}`)

const idleness = ({ scheduler, outbox }: World): Wait => ({
  see() {
    const { sending } = outbox
    const due = scheduler.nextDue()
    return { seen: { idle: { sending, next_due_at: timestampOrNull(due) } }, done: due === null && !sending }
  },
  inWords({ idle }) {
    const next = idle?.next_due_at ? `the next step is due at ${idle.next_due_at}` : 'nothing is due'
    return `The world is not idle: ${next}${idle?.sending ? ', and deliveries are being sent' : ''}`
  },
})
