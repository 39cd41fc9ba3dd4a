import { useEffect, useMemo } from 'preact/hooks'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { act, useAnswer } from '../frame/answer.ts'
import { control } from '../frame/api.ts'
import { duration, number, text } from '../frame/language.ts'
import { onEvent } from '../frame/live.ts'
import { linkTo } from '../frame/router.ts'
import { Detail, Facts } from '../parts/detail.tsx'
import { HttpStatus, Json, Mark, Moment, ShortId } from '../parts/facts.tsx'
import { LiveList, pageSize } from '../parts/live_list.ts'
import { LiveTable } from '../parts/live_table.tsx'
import { Waiting } from '../parts/states.tsx'
import type { Subscription } from './webhook_subscription.tsx'

type Delivery = ControlOutputOf<'control.deliveries.list'>['data'][number]
type Detailed = ControlOutputOf<'control.deliveries.get'>
type Attempt = Detailed['history'][number]

/** Deliveries, newest first. While a delivery is open, new deliveries wait, so that the list does not move. */
export function Deliveries({ openId }: { readonly openId: string | undefined }) {
  const list = useMemo(deliveryList, [])
  useEffect(() => followDeliveries(list), [list])
  return (
    <section class="deliveries">
      <h2>{text('webhooks.deliveries')}</h2>
      <LiveTable
        list={list}
        label={text('webhooks.deliveries')}
        isReading={openId?.startsWith('whd_') === true}
        header={<Header />}
        row={(delivery) => <DeliveryRow delivery={delivery} isOpen={delivery.id === openId} />}
        empty={<p class="soft">{text('webhooks.noDeliveries')}</p>}
      />
    </section>
  )
}

const deliveryList = () =>
  new LiveList<Delivery>({
    async read(page, after) {
      const { data, total } = await control('control.deliveries.list', {
        query: { page, per_page: pageSize, ...(after && { before: after.id }) },
      })
      return { rows: data, total }
    },
  })

/** Applies deliveries from events to a list. */
const followDeliveries = (list: LiveList<Delivery>): (() => void) =>
  onEvent((event) => {
    // A change of a subscription can remove its deliveries, or make them due.
    if (event.type === 'subscription' && event.change !== 'created') void list.restart()
    if (event.type === 'delivery') list.take(event.delivery, false)
    if (event.type === 'queued') list.take(event.delivery, event.delivery.attempts === 0)
  })

const tones = { pending: 'wait', delivered: 'good', exhausted: 'bad' } as const

const State = ({ status }: Pick<Delivery, 'status'>) => <Mark tone={tones[status]}>{text(`delivery.${status}`)}</Mark>

const Header = () => (
  <>
    <span role="columnheader">{text('column.time')}</span>
    <span role="columnheader">{text('column.status')}</span>
    <span role="columnheader">{text('timeline.event')}</span>
    <span role="columnheader" class="number">
      {text('webhooks.attempts')}
    </span>
    <span role="columnheader">{text('webhooks.next')}</span>
    <span role="columnheader" class="wide">
      {text('column.id')}
    </span>
  </>
)

const DeliveryRow = ({ delivery, isOpen }: { readonly delivery: Delivery; readonly isOpen: boolean }) => (
  <>
    <span role="cell" class="soft">
      <Moment at={delivery.created_at} />
    </span>
    <span role="cell">
      <State status={delivery.status} />
    </span>
    <span role="cell" class="main-cell">
      <a
        class="row-link"
        data-row={delivery.id}
        href={linkTo(['webhooks', delivery.id])}
        aria-current={isOpen ? 'true' : undefined}
      >
        {delivery.event}
      </a>
    </span>
    <span role="cell" class="number soft">
      {number(delivery.attempts)}
    </span>
    <span role="cell" class="soft">
      {delivery.due_at !== null && <Moment at={delivery.due_at} />}
    </span>
    <span role="cell" class="wide soft">
      <ShortId id={delivery.id} />
    </span>
  </>
)

interface DetailProps {
  readonly id: string
  readonly subscriptions: readonly Subscription[]
}

/** One delivery beside the list, with each attempt. */
export function DeliveryDetail({ id, subscriptions }: DetailProps) {
  const { data, error, reload } = useAnswer(
    'control.deliveries.get',
    { params: { id } },
    {
      when: (event) =>
        event.type === 'clock' || event.type === 'subscription' || ('delivery' in event && event.delivery.id === id),
    },
  )
  return (
    <Detail
      title={
        <>
          {text('kind.delivery')} <ShortId id={id} />
        </>
      }
      close={linkTo(['webhooks'])}
    >
      {data ? (
        <Content delivery={data} subscriptions={subscriptions} reload={reload} />
      ) : (
        <Waiting error={error} retry={reload} />
      )}
    </Detail>
  )
}

function Content({
  delivery,
  subscriptions,
  reload,
}: Omit<DetailProps, 'id'> & { readonly delivery: Detailed; readonly reload: () => void }) {
  const { id, event, status, due_at, created_at, subscription_id, body, history } = delivery
  const url = subscriptions.find((each) => each.id === subscription_id)?.url ?? subscription_id
  const payment = (body as { readonly data?: { readonly id?: string } }).data?.id
  const run = async (work: () => Promise<unknown>, done: string) => {
    if (await act(work, done)) reload()
  }
  return (
    <>
      <Facts
        rows={[
          ['timeline.event', <code key="e">{event}</code>],
          ['column.status', <State key="s" status={status} />],
          ['webhooks.next', due_at !== null && <Moment at={due_at} withDay />],
          [
            'kind.subscription',
            <a key="u" href={linkTo(['webhooks', subscription_id])}>
              <bdi>{url}</bdi>
            </a>,
          ],
          [
            'kind.payment',
            payment !== undefined && (
              <a href={linkTo(['payments', payment])}>
                <ShortId id={payment} />
              </a>
            ),
          ],
          ['column.time', <Moment key="t" at={created_at} withDay />],
          ['column.id', <code key="i">{id}</code>],
        ]}
      />
      <div class="actions status-actions">
        <button
          type="button"
          onClick={() =>
            void run(() => control('control.deliveries.resend', { params: { id } }), text('webhooks.queued'))
          }
        >
          {text('request.again')}
        </button>
        {due_at !== null && (
          <button
            type="button"
            onClick={() =>
              void run(
                () => control('control.clock.set', { body: { time: secondAfter(due_at) } }),
                text('time.advanced'),
              )
            }
          >
            {text('webhooks.moveClock')}
          </button>
        )}
      </div>
      <section>
        <h3>{text('webhooks.attempts')}</h3>
        {history.length === 0 && <p class="soft">{text('webhooks.noAttempts')}</p>}
        <ol class="findings attempts">
          {history.map((attempt) => (
            <li key={attempt.number}>
              <details>
                <summary>
                  <HttpStatus status={attempt.status} /> {text('timeline.attempt', { number: attempt.number })}{' '}
                  <span class="soft">
                    <Moment at={attempt.started_at} withDay />, {duration(attempt.duration_ms)}
                  </span>
                </summary>
                <AttemptContent delivery={delivery} attempt={attempt} />
              </details>
            </li>
          ))}
        </ol>
      </section>
    </>
  )
}

/** A timestamp has no fractions of a second: the attempt may be due later within that second. */
const secondAfter = (at: string): string => new Date(Date.parse(at) + 1000).toISOString()

/** Request of an attempt, and its answer. */
export const AttemptContent = ({
  delivery: { headers, body },
  attempt: { number, status, error, answer },
}: {
  readonly delivery: Pick<Detailed, 'headers' | 'body'>
  readonly attempt: Attempt
}) => (
  <>
    {error !== null && (
      <p>
        <bdi>
          {status === null
            ? error
            : text(isRedirect(status) ? 'webhooks.redirected' : 'webhooks.answered', { status: `${status}` })}
        </bdi>
      </p>
    )}
    <h4>{text('timeline.headers')}</h4>
    <Json value={headerLines(headers, number)} />
    <h4>{text('timeline.sent')}</h4>
    <Json value={body} />
    {answer !== null && answer !== '' && (
      <>
        <h4>{text('timeline.answer')}</h4>
        <Json value={answer} />
      </>
    )}
  </>
)

const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** Header lines of an attempt: only the number of the attempt differs from one attempt to the next. */
const headerLines = (headers: Detailed['headers'], number: number): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${name === 'X-Webhook-Attempt' ? number : value}`)
    .join('\n')
