import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { act, useAnswer } from '../frame/answer.ts'
import { control } from '../frame/api.ts'
import { counted, duration, number, text } from '../frame/language.ts'
import { linkTo, query } from '../frame/router.ts'
import { Detail, Facts } from '../parts/detail.tsx'
import { HttpStatus, Json, Mark, Moment, ShortId } from '../parts/facts.tsx'
import { Waiting } from '../parts/states.tsx'
import type { Subscription } from './webhook_subscription.tsx'

type Delivery = ControlOutputOf<'control.deliveries.list'>['data'][number]
type Detailed = ControlOutputOf<'control.deliveries.get'>
type Attempt = Detailed['history'][number]

/** Deliveries of a page of the list. */
const pageSize = 50

/** Deliveries, newest first. While one is open, new ones wait, so that the list does not move. */
export function Deliveries({ openId }: { readonly openId: string | undefined }) {
  const { page: wanted = '1' } = query.value
  const page = Number(wanted) || 1
  const { data, error, reload } = useAnswer(
    'control.deliveries.list',
    { query: { page, per_page: pageSize } },
    { when: ({ type }) => type === 'delivery' || type === 'queued' || type === 'subscription' },
  )
  const top = useSignal<string | null>(null)
  const all = data?.data ?? []
  const newest = all[0]?.id ?? null
  useEffect(() => {
    top.value = openId === undefined ? null : newest
  }, [openId, data === null])
  const waiting = Math.max(
    0,
    all.findIndex(({ id }) => id === top.value),
  )
  return (
    <section>
      <h2>{text('webhooks.deliveries')}</h2>
      {!data && <Waiting error={error} retry={reload} />}
      {data && (
        <p class="count soft" role="status">
          {counted('list.rows', data.total - waiting)}
          {waiting > 0 && (
            <button
              type="button"
              class="new-rows"
              onClick={() => {
                top.value = newest
              }}
            >
              {counted('list.new', waiting)}
            </button>
          )}
        </p>
      )}
      {all.length > 0 && <Table rows={all.slice(waiting)} openId={openId} />}
      {data && data.last_page > 1 && (
        <nav class="actions pages" aria-label={text('webhooks.pages')}>
          {page > 1 && <a href={linkTo(['webhooks'], { page: page - 1 })}>{text('webhooks.newer')}</a>}
          {page < data.last_page && <a href={linkTo(['webhooks'], { page: page + 1 })}>{text('webhooks.older')}</a>}
        </nav>
      )}
    </section>
  )
}

const tones = { pending: 'wait', delivered: 'good', exhausted: 'bad' } as const

const State = ({ status }: Pick<Delivery, 'status'>) => <Mark tone={tones[status]}>{text(`delivery.${status}`)}</Mark>

const Table = ({ rows, openId }: { readonly rows: readonly Delivery[]; readonly openId: string | undefined }) => (
  <div class="table-box">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{text('timeline.event')}</th>
          <th scope="col">{text('column.status')}</th>
          <th scope="col" class="number">
            {text('webhooks.attempts')}
          </th>
          <th scope="col">{text('webhooks.next')}</th>
          <th scope="col" class="wide">
            {text('column.time')}
          </th>
          <th scope="col" class="wide">
            {text('column.id')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, event, status, attempts, due_at, created_at }) => (
          <tr key={id}>
            <th scope="row">
              <a
                data-row={id}
                href={linkTo(['webhooks', id], query.value)}
                aria-current={id === openId ? 'true' : undefined}
              >
                <code>{event}</code>
              </a>
            </th>
            <td>
              <State status={status} />
            </td>
            <td class="number">{number(attempts)}</td>
            <td>{due_at !== null && <Moment at={due_at} />}</td>
            <td class="wide soft">
              <Moment at={created_at} withDay />
            </td>
            <td class="wide">
              <ShortId id={id} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
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
      close={linkTo(['webhooks'], query.value)}
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

/** A timestamp has no fractions of a second: the attempt may be due later within it. */
const secondAfter = (at: string): string => new Date(Date.parse(at) + 1000).toISOString()

/** Request of an attempt, and its answer. */
export const AttemptContent = ({
  delivery: { headers, body },
  attempt: { number, error, answer },
}: {
  readonly delivery: Pick<Detailed, 'headers' | 'body'>
  readonly attempt: Attempt
}) => (
  <>
    {error !== null && (
      <p>
        <bdi>{error}</bdi>
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

/** Header lines of an attempt: attempts differ only in their number. */
const headerLines = (headers: Detailed['headers'], number: number): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${name === 'X-Webhook-Attempt' ? number : value}`)
    .join('\n')
