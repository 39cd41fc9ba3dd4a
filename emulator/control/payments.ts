import type { ControlInputOf, ControlOutputOf } from '../../src/contract/index.ts'
import { endOfTime } from '../clock.ts'
import type { ControlContext } from '../context.ts'
import { reachableFrom } from '../domain/lifecycle.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { detailed } from '../handlers/payment_view.ts'

/** By the steps that the runner takes, so that entries and events are the same. */
export function movePayment(
  { params, body }: ControlInputOf<'control.payments.move'>,
  { world }: ControlContext,
): ControlOutputOf<'control.payments.move'> {
  const { store, database, clock, payments } = world
  const { to, state_code = null, error = null, after_ms } = body
  const payment = store.payments.get(params.id.toLowerCase())
  if (!payment) throw new Refusal(404)
  const legal = reachableFrom(payment.status)
  if (!legal.includes(to)) {
    const why = legal.length === 0 ? 'which no payment leaves' : `and can become ${legal.join(', ')}`
    throw new Refusal(409, { message: `The payment is ${payment.status}, ${why}`, errors: { legal } })
  }
  const failing = to === 'failed'
  if (state_code !== null && !failing) throw invalid('state_code', 'Only a payment that fails has a state code.')
  if (error !== null && !failing) throw invalid('error', 'Only a payment that fails has an error.')
  const isNew = state_code !== null || error !== null
  const reason = isNew ? { state_code: state_code ?? payment.state_code, failure_text: error } : null
  const now = clock.now()
  const at = now + (after_ms ?? 0)
  if (at > endOfTime) throw invalid('after_ms', 'The clock does not go so far.')
  return detailed(database.write(() => payments.move(payment, { to, reason, at }, now)))
}
