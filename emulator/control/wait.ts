import type { ControlInputOf, PaymentStatus, WaitBody, WaitSeen } from '../../src/contract/index.ts'
import type { ControlContext } from '../context.ts'
import { reachableFrom } from '../domain/lifecycle.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { timestampOrNull } from '../domain/time.ts'
import type { Sight } from '../waits.ts'
import type { World } from '../world.ts'

/** How long a wait lasts that does not say, in milliseconds of real time. */
const usualTimeout = 10_000

/** What to look at, and what to say of it when the wait ends otherwise: a clause without a point. */
interface Wait {
  readonly see: () => Sight<WaitSeen>
  readonly inWords: (seen: WaitSeen) => string
}

/** Answers when it has happened. A wait that runs out is a 409 with what was seen. */
export async function wait(
  { body }: ControlInputOf<'control.wait'>,
  { world, gone }: ControlContext,
): Promise<WaitSeen> {
  const { see, inWords } = waitOf(body, world)
  const { timeout_ms: timeout = usualTimeout } = body
  // What is not committed may never have been.
  while (world.database.settled) await world.database.settled.catch(() => {})
  const { seen, done, hopeless } = await world.waits.until(see, timeout, gone)
  if (done) return seen
  const how = hopeless ? 'and will never be' : `after ${timeout} ms`
  throw new Refusal(409, { message: `${inWords(seen)}, ${how}`, errors: seen })
}

function waitOf(body: WaitBody, world: World): Wait {
  const { payment, status, deliveries, idle } = body
  if ([payment, deliveries, idle].filter((each) => each !== undefined).length !== 1) {
    throw invalid('payment', 'A wait is for one of payment, deliveries and idle.')
  }
  if (payment !== undefined) {
    if (status === undefined) throw invalid('status', 'The status field is required with payment.')
    return paymentIn(world, payment.toLowerCase(), status)
  }
  return deliveries === undefined ? idleness(world) : delivered(world, deliveries, body)
}

const paymentIn = ({ store }: World, id: string, wanted: PaymentStatus): Wait => ({
  see() {
    const found = store.payments.get(id)
    if (!found) throw new Refusal(404)
    const { status } = found
    const done = status === wanted
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
    return `${delivered} of ${wanted} were delivered, ${pending} are pending and ${exhausted} exhausted`
  },
})

const idleness = ({ scheduler, outbox }: World): Wait => ({
  see() {
    const { sending } = outbox
    const due = scheduler.nextDue()
    return { seen: { idle: { sending, next_due_at: timestampOrNull(due) } }, done: due === null && !sending }
  },
  inWords({ idle }) {
    const next = idle?.next_due_at ? `the next step is due at ${idle.next_due_at}` : 'nothing is due'
    return `The world is not idle: ${next}${idle?.sending ? ', and deliveries are under way' : ''}`
  },
})
