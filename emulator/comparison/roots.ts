import type { Payment } from '../domain/payment.ts'
import { asked, booked, type Happening, happeningsOf } from '../observation/happenings.ts'
import type { RecordedWorld } from '../observation/recorded_world.ts'
import type { LoggedRequest } from '../observation/request_log.ts'
import { templateOf } from './correspondence.ts'

/** Values that must agree for an event to count as the same in two worlds. */
export type Facts = Readonly<Record<string, string | number | null>>

/** An event of a timeline, with the facts to compare. */
export interface Item {
  readonly happening: Happening
  readonly facts: Facts
  readonly paymentId: string | null
}

/** An event with a cause outside the world, and all its effects: a request, a payment, or a funding. */
export interface Root {
  /**
   * Keys that are equal for corresponding roots, the surest first: each pass pairs roots by one key. A null key equals
   * no other key.
   */
  readonly keys: readonly (string | null)[]
  /** Id of the root's payment: the payment that is the root, or the payment that the root's request made. */
  readonly madePayment: string | null
  readonly isRequest: boolean
  readonly items: readonly Item[]
}

/** Roots of a world in order, and the ids and keys in the world. */
export interface Timeline {
  readonly roots: readonly Root[]
  /** Ids of the world's resources. */
  readonly ids: readonly string[]
  /** Idempotency keys that were used. */
  readonly keys: readonly string[]
}

/** Timeline of a world: all its payments and fundings, and its requests after the request number `afterRequest`. */
export function timelineOf({ store, requests, settings }: RecordedWorld, afterRequest: number): Timeline {
  const stories = store.story.all()
  const attempts = store.deliveries.allAttempts()
  const series = settings.get('series')
  const payments = store.payments.all()
  const log = requests.list({ since: afterRequest })
  const fundings = store.story.fundings().map((entry): Root => {
    const happening = booked(entry)
    const account = `funding ${happening.what}`
    const keys = [`${account} ${entry.amount} ${entry.currency}`, null, null, null, account]
    return { keys, madePayment: null, isRequest: false, items: [itemOf(happening)] }
  })
  const roots = payments.map((payment) => {
    const deliveries = stories.deliveries.get(payment.seq) ?? []
    const story = {
      entries: stories.entries.get(payment.seq) ?? [],
      events: stories.events.get(payment.seq) ?? [],
      deliveries: deliveries.map((one) => ({ ...one, history: attempts.get(one.seq) ?? [] })),
    }
    return paymentRoot(payment, happeningsOf(payment, story, series))
  })
  const resources = [payments, store.accounts.all(), store.users.all(), store.subscriptions.all()].flat()
  return {
    roots: [...fundings, ...inOrder(log, roots)],
    ids: resources.map(({ id }) => id),
    keys: [
      ...payments.map(({ idempotency_key }) => idempotency_key),
      ...log.flatMap(({ key }) => (key === null ? [] : [key])),
    ],
  }
}

/** Puts each request before the payment that it made. Payments are in the order in which they were made. */
function inOrder(requests: readonly LoggedRequest[], payments: readonly Root[]): Root[] {
  const places = new Map(payments.map(({ madePayment }, place) => [madePayment, place]))
  const roots: Root[] = []
  let next = 0
  for (const request of requests) {
    const made = request.replayed || request.payment === null ? undefined : places.get(request.payment)
    const isMaker = made !== undefined && made >= next && request.endpoint === 'payments.create'
    if (isMaker) roots.push(...payments.slice(next, made))
    roots.push(requestRoot(request, isMaker ? request.payment : null))
    if (isMaker) {
      roots.push(...payments.slice(made, made + 1))
      next = made + 1
    }
  }
  return [...roots, ...payments.slice(next)]
}

function paymentRoot(payment: Payment, happenings: readonly Happening[]): Root {
  const { id, idempotency_key, transfer_type, channel, user, account, amount, currency, description } = payment
  const { payee, payer, fee, error_message, state_code } = payment
  const details: Readonly<Record<string, Facts>> = {
    created: {
      transfer_type,
      channel,
      fee,
      description,
      payee: payee.iban ?? payee.phone ?? payee.name,
      payer: payer.iban ?? payer.phone ?? payer.name,
    },
    ended: { error_message, state_code },
  }
  const content = [transfer_type, channel, user, account, payee.iban, payee.phone, amount, currency].join(' ')
  return {
    keys: [
      `payment ${id}`,
      transfer_type === 'debit' ? `payment of ${user} with ${idempotency_key}` : null,
      null,
      null,
      `payment ${content}`,
    ],
    madePayment: id,
    isRequest: false,
    items: happenings.map((happening) =>
      itemOf(happening, { ...(happening.kind === 'status' && details[happening.cause]) }, id),
    ),
  }
}

function requestRoot(request: LoggedRequest, madePayment: string | null): Root {
  const { method, path, query, key, body, payment } = request
  const happening = asked(request, 'request')
  const asText = `${method} ${path} ${JSON.stringify(query)} ${JSON.stringify(body) ?? ''}`
  const facts = {
    idempotency_key: key,
    payment_id: payment,
    query: JSON.stringify(query),
    body: JSON.stringify(body) ?? null,
  }
  return {
    keys: [
      key === null ? `request ${asText}` : `request ${method} ${path} with ${key}`,
      null,
      `request ${templateOf(asText).text}`,
      `request ${method} ${templateOf(path).text} ${payeeIn(body)}`,
      null,
    ],
    madePayment,
    isRequest: true,
    items: [itemOf(happening, facts, payment)],
  }
}

/** The payee of a payment request: a request to another payee makes a different payment. */
function payeeIn(body: unknown): string {
  const { recipient_iban = '', recipient_phone = '' } = (body ?? {}) as Readonly<Record<string, unknown>>
  return `${recipient_iban}${recipient_phone}`
}

function itemOf(happening: Happening, details: Facts = {}, paymentId: string | null = null): Item {
  const { kind, what, status = null, amount } = happening
  // Leaves out `what` for a status, because it only repeats `status`.
  const facts = { ...(kind !== 'status' && { what }), status, amount: amount?.formatted ?? null, ...details }
  return { happening, facts, paymentId }
}
