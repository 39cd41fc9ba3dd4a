import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ControlOutputOf, LedgerEntry } from '../../../src/contract/index.ts'
import { useAnswer } from '../frame/answer.ts'
import { control } from '../frame/api.ts'
import { amount, day, duration, text } from '../frame/language.ts'
import { linkTo } from '../frame/router.ts'
import { HttpStatus, Json, Mark, Moment, ShortId, Status } from '../parts/facts.tsx'
import { AttemptContent } from './webhook_deliveries.tsx'

export type Story = ControlOutputOf<'control.payments.get'>
type Request = ControlOutputOf<'control.requests.get'>
type Delivery = ControlOutputOf<'control.deliveries.get'>

/** An event of the payment. Items with equal times are in the order of their rank. */
interface Item {
  readonly key: string
  readonly at: string
  readonly rank: number
  readonly kind: 'request' | 'status' | 'entry' | 'event' | 'delivery' | 'due'
  readonly title: ComponentChildren
  /** Shown when the reader opens the item. */
  readonly more?: ComponentChildren
  /** Address of the view "What if" for the state before the event. */
  readonly whatIf?: string | undefined
}

/** Minimum time without events that is drawn as a gap, in milliseconds. */
const shortestGap = 5000

/** All events of a payment, oldest first; times without events are collapsed. */
export function Timeline({ story }: { readonly story: Story }) {
  const requests = useEach(story.requests, (id) => control('control.requests.get', { params: { id } }))
  const attempts = story.deliveries.map(({ id, attempts }) => `${id} ${attempts}`)
  const deliveries = useEach(attempts, (key) => control('control.deliveries.get', { params: { id: idIn(key) } }))
  const moments = useAnswer(
    'control.moments.list',
    { query: { payment: story.id, per_page: 100 } },
    { when: (event) => event.type === 'payment' && event.payment.id === story.id },
  )
  const steps = stepsOf(moments.data?.data ?? [])
  const items = [
    ...requests.map(requestItem),
    ...story.statuses.map((status, index) => statusItem(status, index, story.id, steps)),
    ...movementsOf(story.entries).map(entryItem),
    ...story.events.map(eventItem),
    ...deliveries.flatMap((delivery) => deliveryItems(delivery, eventTime(story, delivery.event))),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.rank - b.rank)
  return (
    <ol class="timeline">
      {items.map((item, index) => {
        const idle = Date.parse(item.at) - Date.parse(items[index - 1]?.at ?? item.at)
        return (
          <li key={item.key} class={item.kind}>
            {(index === 0 || isOtherDay(item.at, items[index - 1]?.at)) && <p class="day-mark">{day(item.at)}</p>}
            {idle >= shortestGap && <p class="gap">{text('timeline.later', { time: duration(idle) })}</p>}
            <div class="moment">
              <Moment at={item.at} millis />
              <div class="what">
                {item.more === undefined ? (
                  item.title
                ) : (
                  <details>
                    <summary>{item.title}</summary>
                    {item.more}
                  </details>
                )}
                {item.whatIf !== undefined && (
                  <a class="what-if-link" href={item.whatIf}>
                    {text('do.whatIf')}
                  </a>
                )}
              </div>
            </div>
          </li>
        )
      })}
    </ol>
  )
}

const eventTime = ({ events, created_at }: Story, name: string): string =>
  events.find(({ event }) => event === name)?.at ?? created_at

const isOtherDay = (at: string, before: string | undefined): boolean =>
  before !== undefined && new Date(at).toDateString() !== new Date(before).toDateString()

/**
 * Reads a value once for each key. A key begins with an id. An id's earlier value stays until the value for its new key
 * has been read, so that an open item stays open. Drops ids that are no longer among the keys.
 */
function useEach<T>(keys: readonly string[], read: (key: string) => Promise<T>): readonly T[] {
  const found = useSignal<ReadonlyMap<string, { readonly key: string; readonly value: T }>>(new Map())
  const wanted = useRef(keys)
  wanted.current = keys
  useEffect(() => {
    const missing = keys.filter((key) => found.value.get(idIn(key))?.key !== key)
    void Promise.all(
      missing.map(async (key) => {
        const value = await read(key).catch(() => null) // the log no longer has the request
        if (value === null || !wanted.current.includes(key)) return
        found.value = new Map([...found.value, [idIn(key), { key, value }]])
      }),
    )
  }, [keys.join()])
  return keys.flatMap((key) => found.value.get(idIn(key))?.value ?? [])
}

const idIn = (key: string): string => key.split(' ')[0] ?? ''

function requestItem(request: Request): Item {
  const { id, at, method, path, status, answered, replayed, idempotency_key, body, broke } = request
  return {
    key: id,
    at,
    rank: replayed || method === 'GET' ? 8 : 0,
    kind: 'request',
    whatIf: method === 'GET' ? undefined : linkTo(['what-if', id]),
    title: (
      <>
        <HttpStatus status={status} answered={answered} /> <span class="method">{method}</span> <bdi>{path}</bdi>
        {replayed && <span class="tag">{text('request.replayed')}</span>}
      </>
    ),
    more: (
      <>
        {idempotency_key !== null && (
          <p>
            {text('request.key')} <code>{idempotency_key}</code>
          </p>
        )}
        {broke.map(({ what }) => (
          <p key={what}>
            <Mark tone="warn">{what}</Mark>
          </p>
        ))}
        {body !== undefined && <Json value={body} />}
        <p>
          <a href={linkTo(['requests', id])}>{text('timeline.openRequest')}</a>
        </p>
      </>
    ),
  }
}

type Step = ControlOutputOf<'control.moments.list'>['data'][number]

/**
 * Moments at which a payment took its steps, oldest first. The first statuses of a payment are part of the request that
 * made it.
 */
const stepsOf = (moments: readonly Step[]): readonly Step[] =>
  moments.filter(({ cause }) => cause.kind !== 'request').reverse()

function statusItem(
  { status, at }: Story['statuses'][number],
  index: number,
  payment: string,
  steps: readonly Step[],
): Item {
  const made = index === 0 ? undefined : steps.find((step) => Date.parse(step.at) >= Date.parse(at))
  return {
    key: `status ${index}`,
    at,
    rank: index === 0 ? 1 : 4,
    kind: 'status',
    title: <Status status={status} />,
    whatIf: made?.before ? linkTo(['what-if', made.before], { payment }) : undefined,
  }
}

interface Movement {
  readonly at: string
  readonly movement: LedgerEntry['movement']
  readonly legs: LedgerEntry[]
}

/** Entries with the same kind and time are the legs of one movement. */
function movementsOf(entries: readonly LedgerEntry[]): Movement[] {
  const found: Movement[] = []
  for (const entry of entries) {
    const last = found.at(-1)
    if (last?.at === entry.at && last.movement === entry.movement) last.legs.push(entry)
    else found.push({ at: entry.at, movement: entry.movement, legs: [entry] })
  }
  return found
}

const entryItem = ({ at, movement, legs }: Movement, index: number): Item => ({
  key: `entry ${index}`,
  at,
  rank: movement === 'hold' ? 2 : 5,
  kind: 'entry',
  title: text(`movement.${movement}`),
  more: (
    <table class="legs">
      <tbody>
        {legs.map(({ owner, purpose, amount: { value, currency } }) => (
          <tr key={`${owner} ${purpose}`}>
            <th scope="row">{text(`purpose.${purpose}`)}</th>
            <td>
              <ShortId id={owner} />
            </td>
            <td class="number">
              {amount(value, { signed: true })} {currency}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  ),
})

const eventItem = ({ id, event, at }: Story['events'][number]): Item => ({
  key: `event ${id}`,
  at,
  rank: event === 'payment.created' ? 3 : 6,
  kind: 'event',
  title: (
    <>
      {text('timeline.event')} <code>{event}</code>
    </>
  ),
})

/** The attempts at a delivery that were made, and the next attempt if one is planned. */
function deliveryItems(delivery: Delivery, after: string): Item[] {
  const { id, event, history, due_at } = delivery
  const attempts = history.map((attempt): Item => {
    const { number, started_at, status, duration_ms } = attempt
    return {
      key: `${id} ${number}`,
      // The start time of an attempt has no fractions of a second, so the attempt could seem to come before its event.
      at: Date.parse(started_at) < Date.parse(after) ? after : started_at,
      rank: 7,
      kind: 'delivery',
      title: (
        <>
          <HttpStatus status={status} /> {text('timeline.attempt', { number })} <code>{event}</code>{' '}
          <span class="soft">{duration(duration_ms)}</span>
        </>
      ),
      more: (
        <>
          <AttemptContent delivery={delivery} attempt={attempt} />
          <p>
            <a href={linkTo(['webhooks', id])}>{text('timeline.openDelivery')}</a>
          </p>
        </>
      ),
    }
  })
  if (due_at === null) return attempts
  const next: Item = {
    key: `${id} due`,
    at: due_at,
    rank: 9,
    kind: 'due',
    title: <Mark tone="wait">{text('timeline.due', { number: history.length + 1, event })}</Mark>,
  }
  return [...attempts, next]
}
