import type { AnswerOf, CreatedSubscription, DeletedSubscription, WebhookSubscription } from '../../client/received.ts'
import { eventNames } from '../../contract/event_names.ts'
import { detail, field, status, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

/** Any shape in which the service shows a subscription. */
type Subscription = DeletedSubscription & Partial<WebhookSubscription>

/** Header values can be secrets of the receiver: they are masked unless `showHeaders`. */
const headers = (showHeaders: boolean | undefined) =>
  field<Subscription>('headers', (subscription) =>
    Object.entries(subscription.headers ?? {})
      .map(([name, value]) => `${name}: ${showHeaders ? value : '***'}`)
      .join(', '),
  )

const id = field<Subscription>('id', (subscription) => subscription.id)
const url = field<Subscription>('url', (subscription) => subscription.url)
const events: Column<Subscription> = {
  name: 'events',
  data: (subscription) => [subscription.events].flat().join(','),
  text: ({ events: named }) =>
    eventNames.every((name) => [named].flat().includes(name)) ? 'all' : [named].flat().join(', '),
}
const state = status<Subscription>('status', ({ active }) => (active === false ? 'suspended' : 'active'))

const settings = (showHeaders: boolean | undefined): readonly Column<Subscription>[] => [
  field('max_attempts', ({ max_attempts }) => max_attempts),
  field('timeout', ({ timeout }) => timeout),
  headers(showHeaders),
]

const times: readonly Column<Subscription>[] = [
  time('created_at', ({ created_at }) => created_at),
  time('updated_at', ({ updated_at }) => updated_at),
]

const suspension: readonly Column<Partial<WebhookSubscription>>[] = [
  time('suspended_at', ({ suspended_at }) => suspended_at),
  field('suspended_reason', ({ suspended_reason }) => suspended_reason),
]

/** All that the service returns about a subscription. */
export const subscriptionColumns = (showHeaders?: boolean): readonly Column<Subscription>[] => [
  id,
  url,
  events,
  state,
  ...settings(showHeaders),
  time('last_sent_at', ({ last_sent_at }) => last_sent_at),
  ...times,
  ...suspension,
]

/** Columns of a list. Its table shows only the ones that fit on a line. */
export const listColumns = (showHeaders?: boolean): readonly Column<WebhookSubscription>[] => {
  const shown = ['id', 'url', 'events', 'status', 'last_sent_at', ...(showHeaders ? ['headers'] : [])]
  return subscriptionColumns(showHeaders).map((column) => {
    if (!shown.includes(column.name)) return { ...column, detail: true }
    if (column.name === 'id') return { ...column, shortened: true, uncut: true }
    if (column.name === 'url') return { ...column, width: 32 }
    return column.name === 'last_sent_at' ? { ...column, dispensable: true } : column
  })
}

/** The secret is shown only here. */
export const createdColumns: readonly Column<CreatedSubscription>[] = [
  ...subscriptionColumns(),
  { ...field('secret', ({ secret }) => secret), uncut: true },
]

export const deletedColumns: readonly Column<DeletedSubscription>[] = [id, url, events, ...settings(false), ...times]

type Suspended = AnswerOf<'webhooks.suspend'>

export const suspendedColumns: readonly Column<Suspended>[] = [
  field('id', (subscription) => subscription.id),
  status('status', () => 'suspended'),
  ...suspension,
]

export type Resumed = AnswerOf<'webhooks.resume'>

export const resumedColumns: readonly Column<Resumed>[] = [
  field('id', (subscription) => subscription.id),
  status('status', () => 'active'),
  detail('suspended_webhooks_count', (subscription) => subscription.suspended_webhooks_count),
  detail('retry_job_dispatched', (subscription) => subscription.retry_job_dispatched),
]
