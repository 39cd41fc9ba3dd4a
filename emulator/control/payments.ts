import {
  type EmulatedPayment,
  money,
  type PaymentStatus,
  type PaymentStory,
  type PaymentsQuery,
} from '../../src/contract/index.ts'
import { endOfTime } from '../clock.ts'
import { reachableFrom } from '../domain/lifecycle.ts'
import { paginate } from '../domain/paginator.ts'
import type { Payment } from '../domain/payment.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { preciseTimestamp, timeOf } from '../domain/time.ts'
import { detailed as detailedAccount } from '../handlers/accounts.ts'
import { detailed } from '../handlers/payments.ts'
import { type ControlHandlers, pageRequest } from '../http/context.ts'
import { statusesOf } from '../observation/happenings.ts'
import { requestsAbout } from '../observation/payment_story.ts'
import { requestId } from '../observation/request_log.ts'
import type { Account } from '../store/accounts.ts'
import type { PaymentSearch } from '../store/payment_search.ts'
import type { World } from '../worlds/world.ts'
import { nextSteps } from './next_steps.ts'
import { deliveriesOf, shownEntry } from './requests.ts'
import { paymentIn } from './returns.ts'

export const paymentHandlers = {
  'control.payments.list'({ query }, context) {
    const { world } = context
    const { request, window } = pageRequest(query, context)
    const { items, total } = world.store.payments.search(searchOf(query, world), window)
    return paginate({ items: items.map(shower(world)), total }, request, world.options.locale)
  },

  'control.payments.get': ({ params }, { world }) => storyOf(paymentIn(world, params.id), world),

  /** Moves a payment through the runner's usual steps, so that entries and events match those of any other payment. */
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

  'control.accounts.list'({ query }, context) {
    const { store, options } = context.world
    const { request, window } = pageRequest(query, context)
    const { items, total } = store.accounts.listAll(window)
    const shown = items.map((account) => ({
      ...detailedAccount(account),
      user_id: store.users.get(account.user).id,
      held: money(account.held, account.currency),
    }))
    return paginate({ items: shown, total }, request, options.locale)
  },

  'control.accounts.get': ({ params }, { world }) => detailedAccount(accountIn(world, params.id)),

  'control.accounts.set'({ params, body }, { world }) {
    const { database, store, clock, events } = world
    const account = accountIn(world, params.id)
    const { status = account.status, balance = account.balance } = body
    const at = clock.now()
    database.write(() => {
      if (status !== account.status) store.accounts.setStatus(account.seq, status, at)
      const amount = balance - account.balance
      store.ledger.fund({ owner: account.id, currency: account.currency, amount, at })
      events.funding(account, amount)
    })
    return detailedAccount(accountIn(world, params.id))
  },
} satisfies Partial<ControlHandlers>

/** Turns a query into search conditions. Throws a Refusal for an account, payment or date that does not exist. */
function searchOf(query: PaymentsQuery, { store }: World): PaymentSearch {
  const { status, channel, transfer_type: transferType, account: accountId, text, from, to, before: beforeId } = query
  const account = accountId === undefined ? undefined : store.accounts.get(accountId.toLowerCase())
  if (accountId !== undefined && !account) throw invalid('account', 'No account of this world has this id.')
  const before = beforeId === undefined ? undefined : store.payments.get(beforeId.toLowerCase())
  if (beforeId !== undefined && !before) throw invalid('before', 'No payment of this world has this id.')
  return {
    statuses: status?.split(',') as PaymentStatus[] | undefined,
    channel,
    transferType,
    account: account?.seq,
    text,
    from: timeIn('from', from),
    to: timeIn('to', to),
    before: before?.seq,
  }
}

function timeIn(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = timeOf(text)
  if (Number.isNaN(time)) throw invalid(field, `The ${field} field must be a date that exists.`)
  return time
}

function storyOf(payment: Payment, world: World): PaymentStory {
  const { story, payments } = world.store
  const entries = story.entries(payment.seq)
  const held = entries.filter(({ purpose }) => purpose === 'held').reduce((sum, { amount }) => sum + amount, 0)
  return {
    ...shower(world)(payment),
    statuses: statusesOf(payment, entries).map(({ status, at }) => ({ status, at: preciseTimestamp(at) })),
    held: money(held, payment.currency),
    entries: entries.map(shownEntry),
    events: story
      .events(payment.seq)
      .map(({ seq, name, created_at }) => ({ id: String(seq), event: name, at: preciseTimestamp(created_at) })),
    deliveries: deliveriesOf(payment, world),
    requests: requestsAbout(payment, world).map(({ number }) => requestId(number)),
    returned_by: payments.returnOf(payment)?.id ?? null,
    next: nextSteps(payment, world),
  }
}

/** Returns a function that shows payments of a world; it looks up each user and account once. */
function shower({ store }: World): (payment: Payment) => EmulatedPayment {
  const once = (read: (seq: number) => string) => {
    const known = new Map<number, string>()
    return (seq: number): string => known.get(seq) ?? (known.set(seq, read(seq)).get(seq) as string)
  }
  const userId = once((seq) => store.users.get(seq).id)
  const accountId = once((seq) => store.accounts.bySeq(seq).id)
  return (payment) => ({
    ...detailed(payment),
    user_id: userId(payment.user),
    account_id: accountId(payment.account),
    outcome: payment.outcome,
    due_at: payment.due_at === null ? null : preciseTimestamp(payment.due_at),
  })
}

function accountIn({ store }: World, id: string): Account {
  const account = store.accounts.get(id.toLowerCase())
  if (!account) throw new Refusal(404)
  return account
}
