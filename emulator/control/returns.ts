import { creditFromOutside } from '../domain/credit.ts'
import type { Payment, Step } from '../domain/payment.ts'
import { Refusal } from '../domain/refusal.ts'
import { detailed } from '../handlers/payments.ts'
import type { ControlHandlers } from '../http/context.ts'
import type { World } from '../worlds/world.ts'

export const returnHandlers = {
  /** Credits the money that another bank sends back. The payment itself keeps its status. */
  'control.payments.return'({ params }, { world }) {
    const { store, database, payments } = world
    const payment = paymentIn(world, params.id)
    const why = notReturnable(payment, world)
    if (why !== null) throw new Refusal(409, { message: why })
    const credit = returnOf(payment, world, { id: world.ids(), seq: store.payments.nextSeq() })
    database.write(() => {
      payments.begin(credit)
      store.payments.addReturn(payment, credit.payment)
    })
    return detailed(credit.payment)
  },
} satisfies Partial<ControlHandlers>

/** Finds a payment of any user. Throws 404. */
export function paymentIn({ store }: World, id: string): Payment {
  const payment = store.payments.get(id.toLowerCase())
  if (!payment) throw new Refusal(404)
  return payment
}

/** Makes the credit that returns a payment, with the effects of the credit. */
export function returnOf(payment: Payment, { store, clock }: World, credit: Pick<Payment, 'id' | 'seq'>): Step {
  const { user, account, channel, amount, currency, payer, payee, sinpe_reference } = payment
  const phone = channel === 'sinpe_movil' ? store.users.get(user).phone : null
  return creditFromOutside({
    ...credit,
    user,
    account,
    channel,
    amount,
    currency,
    now: clock.now(),
    payer: payee,
    payee: { ...payer, phone },
    description: `Return of ${sinpe_reference}`,
    sinpe_reference: null,
  })
}

/** Reason why a payment can't be returned; null if it can be. */
export function notReturnable(payment: Payment, { store, settings, clock }: World): string | null {
  const { transfer_type, status, payee_account, account, channel } = payment
  if (transfer_type === 'credit') return 'The payment was received: only a sent payment can be returned'
  if (status !== 'completed') return `The payment is ${status}: only a completed payment can be returned`
  if (payee_account !== null) return 'The payment went to an account of this emulator: send a payment back instead'
  if (store.payments.returnOf(payment) !== undefined) return 'The payment has already been returned'
  const payer = store.accounts.bySeq(account)
  if (payer.status !== 'active') return `The payer’s account is ${payer.status}`
  return settings.isOnline(channel, clock.now()) ? null : 'The payment rail is offline'
}
