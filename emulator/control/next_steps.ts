import {
  controlEndpoints,
  type EventName,
  MovePaymentBody,
  money,
  type NextStep,
  type PaymentStatus,
} from '../../src/contract/index.ts'
import { incomingFrom } from '../domain/credit.ts'
import { type Books, entriesOf } from '../domain/entries.ts'
import { advance, reachableFrom, stepsTo, withoutRail } from '../domain/lifecycle.ts'
import type { Payment, Step } from '../domain/payment.ts'
import { preciseTimestamp } from '../domain/time.ts'
import type { Purpose } from '../store/ledger.ts'
import type { World } from '../worlds/world.ts'
import { notReturnable, returnOf } from './returns.ts'

/** Steps that a payment can take now, with their effects; automatic steps first. */
export function nextSteps(payment: Payment, world: World): NextStep[] {
  const due = upcoming(payment, world)
  const legal = reachableFrom(payment.status)
  const ordered = [...due.keys(), ...legal.filter((status) => !due.has(status))]
  const moves = ordered.map((to) => moveTo(to, due.get(to), payment, world))
  return notReturnable(payment, world) === null ? [...moves, returned(payment, world)] : moves
}

function moveTo(to: PaymentStatus, dueAt: number | undefined, payment: Payment, world: World): NextStep {
  const steps = stepsTo(payment, to, world.clock.now())
  const { method, path } = controlEndpoints['control.payments.move']
  return {
    to,
    due_at: dueAt === undefined ? null : preciseTimestamp(dueAt),
    statuses: steps.map(({ payment: { status } }) => status),
    ...effectsOf(steps, world),
    call: {
      endpoint: 'control.payments.move',
      method,
      path: path.replace('{id}', payment.id),
      body: { to },
      options: to === 'failed' ? moveOptions : moveOptions.filter((name) => !reasons.includes(name)),
    },
  }
}

const moveOptions = Object.keys(MovePaymentBody.properties).filter((name) => name !== 'to')

/** Members of the body that are allowed only if the payment is moved to `failed`. */
const reasons: readonly string[] = ['state_code', 'error'] satisfies (keyof typeof MovePaymentBody.properties)[]

function returned(payment: Payment, world: World): NextStep {
  const { method, path } = controlEndpoints['control.payments.return']
  return {
    to: 'returned',
    due_at: null,
    statuses: [],
    ...effectsOf([returnOf(payment, world, unborn)], world),
    call: {
      endpoint: 'control.payments.return',
      method,
      path: path.replace('{id}', payment.id),
      body: null,
      options: [],
    },
  }
}

/** Placeholder for the identity of a record that a step would add. The previewed effects do not depend on it. */
const unborn = { id: '', seq: 0 }

/** Statuses that a payment reaches if nobody intervenes, in order, with their times in epoch milliseconds. */
function upcoming(payment: Payment, { settings, clock }: World): ReadonlyMap<PaymentStatus, number> {
  const times = new Map<PaymentStatus, number>()
  const { channel } = payment
  const hangs = payment.due_at === null && reachableFrom(payment.status).length > 0 && !isMeantToStay(payment)
  let current: Payment = hangs ? { ...payment, due_at: clock.now() } : payment
  while (current.due_at !== null) {
    const at = Math.max(current.due_at, clock.now())
    const fate = settings.underWayAt(channel, at)
    if (fate === 'timeout') return times.set(withoutRail(current).to, at)
    if (fate === 'hang') current = { ...current, due_at: settings.onlineFrom(channel, at) }
    else {
      current = advance(current, at).payment
      times.set(current.status, at)
    }
  }
  return times
}

const isMeantToStay = ({ status, outcome }: Payment): boolean => status === 'processing' && outcome === 'processing'

/**
 * Name of a ledger account, used instead of its id: the account may not be open yet, and a preview must not open it.
 */
interface LedgerName {
  readonly owner: string
  readonly purpose: Purpose
}

function effectsOf(steps: readonly Step[], world: World): Pick<NextStep, 'entries' | 'balances' | 'events'> {
  const [entries, events]: [NextStep['entries'], EventsOfUsers] = [[], []]
  const changes = new Map<string, LedgerName & { amount: number }>()
  for (const { payment, movement, event } of steps) {
    if (event !== null) events.push([event, payment.user])
    if (movement === null) continue
    for (const { account, amount } of entriesOf(movement, payment, namedBooks(payment, world))) {
      const name = `${account.purpose} of ${account.owner}`
      changes.set(name, { ...account, amount: amount + (changes.get(name)?.amount ?? 0) })
      entries.push({ movement, ...account, amount: money(amount, payment.currency) })
    }
    if (movement === 'capture' && payment.payee_account !== null) {
      const { user, iban, seq: account } = world.store.accounts.bySeq(payment.payee_account)
      const receipt = incomingFrom(payment, { ...unborn, user, account, iban })
      if (receipt.event !== null) events.push([receipt.event, user])
    }
  }
  const currency = steps[0]?.payment.currency ?? 'CRC'
  const { ledger, deliveries } = world.store
  return {
    entries,
    balances: [...changes.values()].map(({ owner, purpose, amount }) => {
      const before = ledger.balanceOf(owner, purpose, currency)
      return { owner, purpose, before: money(before, currency), after: money(before + amount, currency) }
    }),
    events: events.map(([event, user]) => ({ event, deliveries: deliveries.subscribers(user, event).length })),
  }
}

type EventsOfUsers = [event: EventName, user: number][]

function namedBooks({ account, payee_account, channel }: Payment, { store }: World): Books<LedgerName> {
  const { id: owner } = store.accounts.bySeq(account)
  const rail: LedgerName = { owner: channel, purpose: 'rail' }
  return {
    available: { owner, purpose: 'available' },
    held: { owner, purpose: 'held' },
    rail,
    destination:
      payee_account === null ? rail : { owner: store.accounts.bySeq(payee_account).id, purpose: 'available' },
    fees: { owner: 'emulator', purpose: 'fees' },
  }
}
