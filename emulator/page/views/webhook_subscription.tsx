import { useSignal } from '@preact/signals'
import type { ControlOutputOf, EventName } from '../../../src/contract/index.ts'
import { act } from '../frame/answer.ts'
import { asUser, control, service } from '../frame/api.ts'
import { number, text } from '../frame/language.ts'
import { go, linkTo } from '../frame/router.ts'
import { Detail, Facts } from '../parts/detail.tsx'
import { Mark, Moment } from '../parts/facts.tsx'
import { type User, UserField } from '../parts/user_field.tsx'

export type Subscription = ControlOutputOf<'control.subscriptions.list'>['data'][number]

const events = [
  'payment.created',
  'payment.processing',
  'payment.completed',
  'payment.failed',
  'transaction.received',
] as const satisfies readonly EventName[]

interface FormProps {
  readonly users: readonly User[]
  readonly reload: () => void
}

/** Form that subscribes a URL, or a built-in receiver by its name, for a user. */
export function SubscribeForm({ users, reload }: FormProps) {
  const target = useSignal('shop')
  const event = useSignal('*')
  const user = useSignal(users[0]?.id ?? '')
  const subscribe = async () => {
    const url = /^https?:/i.test(target.value) ? target.value : await receiverUrl(target.value)
    const wanted = event.value === '*' ? [...events] : [event.value as EventName]
    await asUser(user.value, (token) => service('webhooks.create', { body: { url, events: wanted } }, token))
  }
  return (
    <form
      class="form inline"
      onSubmit={async (submitted) => {
        submitted.preventDefault()
        if (await act(subscribe, text('webhooks.subscribed'))) reload()
      }}
    >
      <label class="field">
        <span>{text('webhooks.target')}</span>
        <input
          required
          pattern="https?://.+|[a-z0-9][a-z0-9\-]*"
          autocomplete="off"
          spellcheck={false}
          value={target}
          onInput={({ currentTarget }) => {
            target.value = currentTarget.value
          }}
        />
      </label>
      <label class="field">
        <span>{text('webhooks.events')}</span>
        <select
          value={event}
          onChange={({ currentTarget }) => {
            event.value = currentTarget.value
          }}
        >
          <option value="*">{text('filter.all')}</option>
          {events.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <UserField users={users} value={user} />
      <button type="submit" class="primary">
        {text('webhooks.subscribe')}
      </button>
    </form>
  )
}

/** Returns the URL of a built-in receiver; makes the receiver if it does not exist. */
async function receiverUrl(id: string): Promise<string> {
  const known = await control('control.receivers.list')
  const receiver = known.find((each) => each.id === id)
  return (receiver ?? (await control('control.receivers.set', { params: { id }, body: {} }))).url
}

/**
 * One subscription beside the list: facts, and buttons that suspend, resume and delete the subscription as its user.
 */
export function SubscriptionDetail({
  subscription,
  users,
  reload,
}: FormProps & { readonly subscription: Subscription }) {
  const { id, url, active, user_id, max_attempts, timeout, headers, last_sent_at } = subscription
  const { suspended_at, suspended_reason, created_at } = subscription
  const change = async (endpoint: 'webhooks.suspend' | 'webhooks.resume' | 'webhooks.delete', done: string) => {
    const input = { params: { id }, ...(endpoint === 'webhooks.suspend' && { body: {} }) }
    if (!(await act(() => asUser(user_id, (token) => service(endpoint, input as never, token)), done))) return
    reload()
    if (endpoint === 'webhooks.delete') go(['webhooks'])
  }
  const [, receiver] = /\/_emulator\/receivers\/([a-z0-9-]+)$/.exec(url) ?? []
  return (
    <Detail title={text('kind.subscription')} close={linkTo(['webhooks'])}>
      <Facts
        rows={[
          [
            'column.status',
            <Mark key="s" tone={active ? 'good' : 'warn'}>
              {text(active ? 'webhooks.active' : 'webhooks.suspended')}
            </Mark>,
          ],
          ['webhooks.reason', suspended_reason !== null && <bdi>{suspended_reason}</bdi>],
          ['webhooks.suspendedAt', suspended_at !== null && <Moment at={suspended_at} withDay />],
          ['webhooks.url', <bdi key="u">{url}</bdi>],
          ['webhooks.events', subscription.events.join(', ')],
          ['request.user', <bdi key="n">{users.find((user) => user.id === user_id)?.name ?? user_id}</bdi>],
          ['webhooks.maxAttempts', number(max_attempts)],
          ['webhooks.timeout', `${number(timeout)} s`],
          ['timeline.headers', headers !== null && <bdi>{Object.keys(headers).join(', ')}</bdi>],
          ['webhooks.lastSent', last_sent_at !== null && <Moment at={last_sent_at} withDay />],
          ['webhooks.since', <Moment key="c" at={created_at} withDay />],
          ['column.id', <code key="i">{id}</code>],
        ]}
      />
      {receiver !== undefined && (
        <p class="status-actions">
          <a href={linkTo(['webhooks', 'receivers', receiver])}>{text('webhooks.openReceiver', { id: receiver })}</a>
        </p>
      )}
      <div class="actions status-actions">
        {active ? (
          <button type="button" onClick={() => void change('webhooks.suspend', text('webhooks.suspended'))}>
            {text('webhooks.suspend')}
          </button>
        ) : (
          <button
            type="button"
            class="primary"
            onClick={() => void change('webhooks.resume', text('webhooks.resumed'))}
          >
            {text('webhooks.resume')}
          </button>
        )}
        <button type="button" onClick={() => void change('webhooks.delete', text('webhooks.deleted'))}>
          {text('worlds.delete')}
        </button>
      </div>
      <p class="soft">{text('webhooks.suspendHint')}</p>
    </Detail>
  )
}
