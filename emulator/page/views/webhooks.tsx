import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { useAnswer } from '../frame/answer.ts'
import { duration, number, text } from '../frame/language.ts'
import { linkTo } from '../frame/router.ts'
import { Mark } from '../parts/facts.tsx'
import { Command, Cut, Heading, Waiting } from '../parts/states.tsx'
import { Deliveries, DeliveryDetail } from './webhook_deliveries.tsx'
import { ReceiverDetail } from './webhook_receiver.tsx'
import { SubscribeForm, type Subscription, SubscriptionDetail } from './webhook_subscription.tsx'

type Receiver = ControlOutputOf<'control.receivers.list'>[number]
type User = ControlOutputOf<'control.users.list'>[number]

/**
 * Subscriptions of all users, built-in receivers, and deliveries. Beside them is a delivery (`webhooks/whd_…`), a
 * receiver (`webhooks/receivers/<id>`) or a subscription (`webhooks/<id>`).
 */
export function Webhooks({ path: [id, receiver] }: { readonly path: readonly string[] }) {
  const when = { when: ({ type }: { readonly type: string }) => type === 'delivery' || type === 'subscription' }
  const subscriptions = useAnswer('control.subscriptions.list', { query: { per_page: 1000 } }, when)
  const receivers = useAnswer('control.receivers.list', {}, when)
  const users = useAnswer('control.users.list')
  const reload = () => {
    subscriptions.reload()
    receivers.reload()
  }
  const all = subscriptions.data?.data ?? []
  const open = all.find((subscription) => subscription.id === id)
  const hasDetail = open !== undefined || id?.startsWith('whd_') === true || receiver !== undefined
  return (
    <div class={hasDetail ? 'split open' : 'split'}>
      <div class="view webhooks">
        <Heading>{text('nav.webhooks')}</Heading>
        <section>
          <h2>{text('webhooks.subscriptions')}</h2>
          {subscriptions.data && users.data ? (
            <>
              <Subscriptions all={all} users={users.data} openId={id} />
              <Cut page={subscriptions.data} />
              {!hasDetail && <SubscribeForm users={users.data} reload={reload} />}
            </>
          ) : (
            <Waiting
              error={subscriptions.error ?? users.error}
              retry={() => {
                subscriptions.reload()
                users.reload()
              }}
            />
          )}
        </section>
        <section>
          <h2>{text('webhooks.receivers')}</h2>
          <p class="soft lead">{text('webhooks.receiversLead')}</p>
          {receivers.data ? (
            <Receivers all={receivers.data} openId={receiver} />
          ) : (
            <Waiting error={receivers.error} retry={receivers.reload} />
          )}
        </section>
        <Deliveries openId={id} />
        <Command>payctl emulator deliveries</Command>
      </div>
      {open && <SubscriptionDetail key={open.id} subscription={open} users={users.data ?? []} reload={reload} />}
      {id?.startsWith('whd_') && <DeliveryDetail key={id} id={id} subscriptions={all} />}
      {receiver !== undefined && <ReceiverDetail key={receiver} id={receiver} reload={reload} />}
    </div>
  )
}

function Subscriptions({
  all,
  users,
  openId,
}: {
  readonly all: readonly Subscription[]
  readonly users: readonly User[]
  readonly openId: string | undefined
}) {
  if (all.length === 0) return <p class="soft">{text('webhooks.none')}</p>
  return (
    <div class="table-box">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">URL</th>
            <th scope="col">{text('webhooks.events')}</th>
            <th scope="col" class="wide">
              {text('request.user')}
            </th>
            <th scope="col">{text('column.status')}</th>
          </tr>
        </thead>
        <tbody>
          {all.map(({ id, url, events, user_id, active }) => (
            <tr key={id}>
              <th scope="row">
                <a data-row={id} href={linkTo(['webhooks', id])} aria-current={id === openId ? 'true' : undefined}>
                  <bdi>{url}</bdi>
                </a>
              </th>
              <td>
                {events.map((event) => (
                  <code key={event} class="block">
                    {event}
                  </code>
                ))}
              </td>
              <td class="wide">
                <bdi>{users.find((user) => user.id === user_id)?.name}</bdi>
              </td>
              <td>
                <Mark tone={active ? 'good' : 'warn'}>{text(active ? 'webhooks.active' : 'webhooks.suspended')}</Mark>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Receivers = ({ all, openId }: { readonly all: readonly Receiver[]; readonly openId: string | undefined }) => (
  <ul class="plain-list">
    {all.map(({ id, answer, arrived }) => (
      <li key={id}>
        <a
          class="grow"
          data-row={id}
          href={linkTo(['webhooks', 'receivers', id])}
          aria-current={id === openId ? 'true' : undefined}
        >
          {id}
        </a>
        <span class="soft">{answerText(answer)}</span>
        <span>{text('webhooks.arrived', { count: number(arrived) })}</span>
      </li>
    ))}
  </ul>
)

function answerText({ status, delay_ms: delay, hang_up: hangsUp }: Receiver['answer']): string {
  const answer = hangsUp ? text('webhooks.hangsUp') : text('webhooks.answers', { status: `${status}` })
  return delay > 0 ? `${answer}, ${text('webhooks.after', { time: duration(delay) })}` : answer
}
