import { endOfTime } from '../clock.ts'
import type { Payment } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import type { ControlHandlers } from '../http/context.ts'
import { asked } from '../observation/happenings.ts'
import { inOrder, storyOf } from '../observation/payment_story.ts'
import type { LoggedRequest } from '../observation/request_log.ts'
import type { World } from '../worlds/world.ts'
import { storyText } from './readings.ts'
import { requestIn } from './requests.ts'

/** Longest wait for deliveries that are due, in milliseconds of real time. */
const longestQuiet = 10_000

export const timelineHandlers = {
  /**
   * Lists all events of a payment. The id may also be that of a request: then lists the events of the payment that the
   * request made, or only the request if it made no payment.
   */
  'control.timeline'({ params }, { world }) {
    const id = params.id.toLowerCase()
    const payment = id.startsWith('r') ? paymentOf(requestIn(world, id), world) : world.store.payments.get(id)
    if (payment) return inOrder(storyOf(payment, world))
    if (id.startsWith('r')) return inOrder([asked(requestIn(world, id), 'request')])
    throw new Refusal(404, { message: 'Payment not found' })
  },

  async 'control.story'(_, { world, name, worlds, gone }) {
    const { waits, outbox, clock, store } = world
    const isDue = (subscription: number) => (store.deliveries.nextDue(subscription) ?? endOfTime) <= clock.now()
    const isQuiet = () => !outbox.sending && !store.subscriptions.active().some(isDue)
    await waits.until(() => ({ seen: {}, done: isQuiet() }), longestQuiet, gone)
    return { text: await storyText({ world, worlds, name, gone }) }
  },
} satisfies Partial<ControlHandlers>

const paymentOf = ({ payment }: LoggedRequest, { store }: World): Payment | undefined =>
  payment === null ? undefined : store.payments.get(payment)
