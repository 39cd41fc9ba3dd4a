import type { AnswerOf, CreatedSubscription, DeletedSubscription, WebhookSubscription } from '../../client/received.ts'
import { eventNames } from '../../contract/event_names.ts'
import { columnsOf, field, status, time } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'

/** A subscription in any shape that the service returns. */
type Subscription = DeletedSubscription & Partial<WebhookSubscription>

/** Header values can be secrets of the receiver: they are masked unless `showHeaders`. */
const headers = (showHeaders: boolean | undefined) =>
  field<Subscription>('headers', (subscription) =>
    Object.entries(subscription.headers ?? {})
      .map(([name, value]) => `${name}: ${showHeaders ? value : '***'}`)
      .join(', '),
  )

const events: Column<Subscription> = {
  name: 'events',
  data: (subscription) => [subscription.events].flat().join(','),
  text: ({ events: named }) =>
    eventNames.every((name) => [named].flat().includes(name)) ? 'all' : [named].flat().join(', '),
}
const state = status<Subscription>('status', ({ active }) => (active === false ? 'suspended' : 'active'))

const settings = (showHeaders: boolean | undefined) =>
  columnsOf<Subscription>('max_attempts', 'timeout', headers(showHeaders))

const times = columnsOf<Subscription>(time('created_at'), time('updated_at'))

const suspension = columnsOf<Partial<WebhookSubscription>>(time('suspended_at'), 'suspended_reason')

/** Everything that the service returns about a subscription. */
export const subscriptionColumns = (showHeaders?: boolean) =>
  columnsOf<Subscription>(
    'id',
    'url',
    events,
    state,
    ...settings(showHeaders),
    time('last_sent_at'),
    ...times,
    ...suspension,
  )

/** Columns of a list. The table omits columns that do not fit on a line. */
export const listColumns = (showHeaders?: boolean): readonly Column<WebhookSubscription>[] => {
  const shown = ['id', 'url', 'events', 'status', 'last_sent_at', ...(showHeaders ? ['headers'] : [])]
  return subscriptionColumns(showHeaders).map((column) => {
    if (column.name === 'max_attempts' || column.name === 'created_at') return { ...column, spare: true }
    if (!shown.includes(column.name)) return { ...column, detail: true }
    if (column.name === 'id') return { ...column, shortened: true, uncut: true }
    if (column.name === 'url') return { ...column, width: 32 }
    return column.name === 'last_sent_at' ? { ...column, dispensable: true } : column
  })
}

/** Only the answer to the creation contains the secret. */
export const createdColumns = columnsOf<CreatedSubscription>(...subscriptionColumns(), {
  ...field('secret'),
  uncut: true,
})

export const deletedColumns = columnsOf<DeletedSubscription>('id', 'url', events, ...settings(false), ...times)

export const suspendedColumns = columnsOf<AnswerOf<'webhooks.suspend'>>(
  'id',
  status('status', () => 'suspended'),
  ...suspension,
)

export const resumedColumns = columnsOf<AnswerOf<'webhooks.resume'>>(
  'id',
  status('status', () => 'active'),
  '-suspended_webhooks_count',
  '-retry_job_dispatched',
)
