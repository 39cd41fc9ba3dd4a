import type { Payment } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import type { ControlHandlers } from '../http/context.ts'
import { asked } from '../observation/happenings.ts'
import { inOrder, storyOf } from '../observation/payment_story.ts'
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
