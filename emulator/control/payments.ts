import { endOfTime } from '../clock.ts'
import { creditFromOutside } from '../domain/credit.ts'
import { reachableFrom } from '../domain/lifecycle.ts'
import type { Payment } from '../domain/payment.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { detailed as detailedAccount } from '../handlers/accounts.ts'
import { detailed } from '../handlers/payments.ts'
import type { ControlHandlers } from '../http/context.ts'
import type { Account } from '../store/accounts.ts'
import type { World } from '../worlds/world.ts'

export const paymentHandlers = {
  /** Moves a payment through the runner's usual steps, so that entries and events match those of any payment. */
  'control.payments.move'({ params, body }, { world }) {
    const { database, clock, payments } = world
    const { to, state_code = null, error = null, after_ms } = body
    const payment = paymentIn(world, params.id)
    const legal = reachableFrom(payment.status)
    if (!legal.includes(to)) {
      const why = legal.length === 0 ? ', which is final' : ` and can become ${legal.join(', ')}`
      throw new Refusal(409, { message: `The payment is ${payment.status}${why}`, errors: { legal } })
    }
    const failing = to === 'failed'
    if (state_code !== null && !failing) throw invalid('state_code', 'Only a payment that fails has a state code.')
    if (error !== null && !failing) throw invalid('error', 'Only a payment that fails has an error.')
    const isNew = state_code !== null || error !== null
    const reason = isNew ? { state_code: state_code ?? payment.state_code, failure_text: error } : null
    const now = clock.now()
    const at = now + (after_ms ?? 0)
    if (at > endOfTime) throw invalid('after_ms', 'The time is beyond the end of the clock.')
    return detailed(database.write(() => payments.move(payment, { to, reason, at }, now)))
  },

  /** Credits the money that another bank sends back. The payment itself keeps its status. */
  'control.payments.return'({ params }, { world }) {
    const { store, database, clock, payments } = world
    const payment = paymentIn(world, params.id)
    const why = notReturnable(payment, world)
    if (why !== null) throw new Refusal(409, { message: why })
    const { user, account, channel, amount, currency, payer, payee, sinpe_reference } = payment
    const phone = channel === 'sinpe_movil' ? store.users.get(user).phone : null
    const credit = creditFromOutside({
      id: world.ids(),
      seq: store.payments.nextSeq(),
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
    database.write(() => {
      payments.begin(credit)
      store.payments.addReturn(payment, credit.payment)
    })
    return detailed(credit.payment)
  },

  'control.accounts.get': ({ params }, { world }) => detailedAccount(accountIn(world, params.id)),

  'control.accounts.set'({ params, body }, { world }) {
    const { database, store, clock } = world
    const account = accountIn(world, params.id)
    const { status = account.status, balance = account.balance } = body
    const at = clock.now()
    database.write(() => {
      if (status !== account.status) store.accounts.setStatus(account.seq, status, at)
      store.ledger.fund({ owner: account.id, currency: account.currency, amount: balance - account.balance, at })
    })
    return detailedAccount(accountIn(world, params.id))
  },
} satisfies Partial<ControlHandlers>

function paymentIn({ store }: World, id: string): Payment {
  const payment = store.payments.get(id.toLowerCase())
  if (!payment) throw new Refusal(404)
  return payment
}

/** Reason why a payment can't be returned; null: it can. */
function notReturnable(payment: Payment, { store, settings, clock }: World): string | null {
  const { transfer_type, status, payee_account, account, channel } = payment
  if (transfer_type === 'credit') return 'The payment was received: only a sent payment can be returned'
  if (status !== 'completed') return `The payment is ${status}: only a completed one can be returned`
  if (payee_account !== null) return 'The payment went to an account of this emulator: send a payment back instead'
  if (store.payments.isReturned(payment)) return 'The payment was returned before'
  const payer = store.accounts.bySeq(account)
  if (payer.status !== 'active') return `The payer’s account is ${payer.status}`
  return settings.isOnline(channel, clock.now()) ? null : 'The payment rail is offline'
}

function accountIn({ store }: World, id: string): Account {
  const account = store.accounts.get(id.toLowerCase())
  if (!account) throw new Refusal(404)
  return account
}
