import { type EventName, formatMoney } from '../../src/contract/index.ts'
import type { Payment } from '../domain/payment.ts'
import type { Attempt } from '../store/deliveries.ts'
import type { StoredDelivery, StoredEntry, StoredEvent } from '../store/queries.ts'
import { statusesOf } from './happenings.ts'
import type { RecordedWorld } from './recorded_world.ts'
import type { LoggedRequest } from './request_log.ts'
import { StoryNames, StoryTime } from './story_names.ts'

/** Lines about one cause, with the time of the cause in epoch milliseconds of the world's clock. */
interface Block {
  readonly at: number
  /** Orders blocks with equal times: a request comes before the move of the clock that follows it. */
  readonly rank: 'a request' | 'money received' | 'the clock'
  readonly lines: readonly string[]
}

/**
 * Writes everything that happened in a world since the world was made or opened, as text. Another run of the same
 * program gives the same text: ids are numbered by first appearance, times are relative to the start, and ports and
 * durations are left out. The effects of a request are listed below the request, so that the text stays the same if a
 * delivery takes longer.
 */
export function storyOf(world: RecordedWorld): string {
  const { requests, startedAt, clock } = world
  const time = new StoryTime({ startedAt, now: clock.now(), moves: requests.moves })
  const payments = paymentStories(world, time)
  const blocks: Block[] = requestBlocks(requests.list(), payments, time)
  // The remaining payments have no request in the log: for example, received money.
  for (const { at, lines } of payments.values())
    blocks.push({ at, rank: 'money received', lines: timed(time.at(at), lines) })
  for (const { from, to } of requests.moves) {
    blocks.push({ at: from, rank: 'the clock', lines: [`${time.at(from)} the clock moves to ${time.at(to)}`] })
  }
  const order: Block['rank'][] = ['a request', 'money received', 'the clock']
  const inOrder = blocks.toSorted(
    (one, other) => one.at - other.at || order.indexOf(one.rank) - order.indexOf(other.rank),
  )
  const lines = inOrder.flatMap((block) => block.lines)
  const { dropped } = requests
  if (dropped > 0) lines.unshift(`The log no longer has the oldest requests: ${dropped}.`)
  if (lines.length === 0) return 'Nothing has happened.\n'
  return `${new StoryNames(world, time).replacedIn(lines.join('\n'))}\n`
}

const timed = (at: string, [first = '', ...others]: readonly string[]): string[] => [`${at} ${first}`, ...others]

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`)

interface PaymentStory {
  readonly at: number
  readonly lines: readonly string[]
}

/** Returns the requests, each followed by the payment that it made, and removes these payments from `payments`. */
function requestBlocks(log: readonly LoggedRequest[], payments: Map<string, PaymentStory>, time: StoryTime): Block[] {
  const users = new Set(log.flatMap(({ user }) => user ?? []))
  const blocks: Block[] = []
  let last = ''
  for (const request of log) {
    const { at, payment, replayed, endpoint } = request
    const [first = '', ...details] = requestLines(request, { withUser: users.size > 1 })
    const made = endpoint === 'payments.create' && !replayed && payment !== null ? payments.get(payment) : undefined
    if (made && payment !== null) payments.delete(payment)
    const text = [first, ...details].join('\n')
    // Leaves out a read that is equal to the request before it, because fast machines poll more often.
    if (request.method === 'GET' && text === last) continue
    last = text
    blocks.push({
      at,
      rank: 'a request',
      lines: [`${time.at(at)} ${first}`, ...indented(details), ...indented(made?.lines ?? [])],
    })
  }
  return blocks
}

function requestLines(request: LoggedRequest, { withUser }: { readonly withUser: boolean }): string[] {
  const { method, path, query, status, answered, user, key, body, replayed, fault, refusal, breaches } = request
  const parameters = new URLSearchParams(query).toString()
  const notes = [
    withUser && user !== null && `by {user ${user}}`,
    key !== null && `with {key ${key}}`,
    replayed && 'answered as before',
    !answered && status !== null && 'the answer was lost',
    fault?.fault && `fault ${fault.fault}`,
  ].filter(Boolean)
  return [
    `${method} ${path}${parameters && `?${parameters}`} ${status ?? 'no answer'}${notes.map((note) => `, ${note}`).join('')}`,
    ...(body === undefined ? [] : [JSON.stringify(body)]),
    ...(refusal ? [`refused: ${refusal.message}`] : []),
    ...breaches.map(({ what }) => `breaks the contract: ${what}`),
  ]
}

/** Stories of the payments that were made or took a step since the world was made or opened, by id of the payment. */
function paymentStories({ store, startedAt }: RecordedWorld, time: StoryTime): Map<string, PaymentStory> {
  const all = store.story.all()
  const attempts = store.deliveries.allAttempts()
  const madeHere = new Set(store.payments.madeHere().map(({ id }) => id))
  const accounts = new Map(store.accounts.all().map(({ seq, id }) => [seq, id]))
  const stories = new Map<string, PaymentStory>()
  for (const payment of store.payments.all()) {
    const parts = {
      entries: all.entries.get(payment.seq) ?? [],
      events: all.events.get(payment.seq) ?? [],
      deliveries: all.deliveries.get(payment.seq) ?? [],
      attempts,
    }
    const isNew = madeHere.has(payment.id)
    const steps = statusesOf(payment, parts.entries).filter(({ at }) => isNew || at > startedAt)
    if (steps.length === 0) continue
    const lines = steps.flatMap(({ status, at, rank }) => [
      `${at === payment.created_at ? '' : `${time.at(at)} `}${status}`,
      ...indented(effectsOf(parts, rank)),
    ])
    const title = titleOf(payment, accounts.get(payment.account) ?? '')
    stories.set(payment.id, { at: steps[0]?.at ?? 0, lines: [title, ...indented(lines)] })
  }
  return stories
}

function titleOf({ id, amount, currency, transfer_type, payer, payee }: Payment, account: string): string {
  const [from, to] = [payer, payee].map(({ phone, iban, name }) => phone ?? iban ?? name)
  const money = formatMoney(amount, currency)
  return transfer_type === 'debit'
    ? `${id}: ${money} from ${account} to ${to}`
    : `${id}: ${money} to ${account} from ${from}`
}

interface PaymentParts {
  readonly entries: readonly StoredEntry[]
  readonly events: readonly StoredEvent[]
  readonly deliveries: readonly StoredDelivery[]
  readonly attempts: ReadonlyMap<number, readonly Attempt[]>
}

type Step = ReturnType<typeof statusesOf>[number]['rank']

/** The step of a payment that books a movement. */
const bookedBy: Readonly<Record<StoredEntry['movement'], Step>> = {
  hold: 'created',
  credit: 'created',
  capture: 'ended',
  release: 'ended',
}

/** The step of a payment that an event reports. */
const reportedBy: Readonly<Record<EventName, Step>> = {
  'payment.created': 'created',
  'transaction.received': 'created',
  'payment.processing': 'submitted',
  'payment.completed': 'ended',
  'payment.failed': 'ended',
}

/** Lines about the ledger entries, events and deliveries that a step caused. */
function effectsOf({ entries, events, deliveries, attempts }: PaymentParts, step: Step): string[] {
  const booked = Map.groupBy(
    entries.filter(({ movement }) => bookedBy[movement] === step),
    ({ movement }) => movement,
  )
  const movements = [...booked].map(([movement, legs]) => {
    const inWords = legs.map(
      ({ purpose, owner, amount, currency }) => `${purpose} of ${owner} ${formatMoney(amount, currency)}`,
    )
    return `${movement}: ${inWords.join(', ')}`
  })
  const reported = events
    .filter(({ name }) => reportedBy[name] === step)
    .flatMap(({ name }) => {
      const sent = deliveries.filter(({ event }) => event === name)
      return [`event ${name}`, ...indented(sent.map((one) => deliveryLine(one, attempts.get(one.seq) ?? [])))]
    })
  return [...movements, ...reported]
}

/** A line such as `to http://127.0.0.1:port-1/: 500, delivered`. */
function deliveryLine({ url, status }: StoredDelivery, attempts: readonly Attempt[]): string {
  const results: (string | number)[] = attempts.map(({ status: answer, error }) =>
    error === null ? 'delivered' : (answer ?? 'no answer'),
  )
  if (status === 'pending') results.push('due')
  return `to ${url}: ${results.join(', ')}`
}
