import type { ControlOutputOf, LoggedRequest } from '../../../src/contract/index.ts'
import { useAnswer } from '../frame/answer.ts'
import { counted, duration, text } from '../frame/language.ts'
import { linkTo, query } from '../frame/router.ts'
import { Copy } from '../parts/copy.tsx'
import { Detail, Facts } from '../parts/detail.tsx'
import { HttpStatus, Json, Mark, Moment, ShortId, Status } from '../parts/facts.tsx'
import { Waiting } from '../parts/states.tsx'
import { apiCommand, asSent, curlCommand } from './request_commands.ts'
import { SendAgain } from './send_again.tsx'

type Detailed = ControlOutputOf<'control.requests.get'>

/** One request beside the list: answer, breaches, body, effects, and ways to send it again. */
export function RequestDetail({ id }: { readonly id: string }) {
  const { data, error, reload } = useAnswer(
    'control.requests.get',
    { params: { id } },
    { when: (event) => event.type === 'payment' || event.type === 'delivery' },
  )
  return (
    <Detail
      title={
        <>
          {text('request.title')} <code>{id}</code>
        </>
      }
      close={linkTo(['requests'], query.value)}
    >
      {data ? <Content request={data} /> : <Waiting error={error} retry={reload} />}
    </Detail>
  )
}

function Content({ request }: { readonly request: Detailed }) {
  const { at, method, path, status, answered, duration_ms, message, broke, body, errors } = request
  return (
    <>
      <p class="request-line">
        <span class="method">{method}</span> <bdi>{path}</bdi>
      </p>
      <Facts
        rows={[
          ['column.answer', <HttpStatus key="s" status={status} answered={answered} />],
          ['request.message', message !== null && <bdi>{message}</bdi>],
          ['column.time', <Moment key="t" at={at} withDay millis />],
          ['column.took', duration(duration_ms)],
          ...whoAndKey(request),
        ]}
      />
      {broke.length > 0 && (
        <section>
          <h3>{counted('request.breaches', broke.length)}</h3>
          <ul class="breaches">
            {broke.map(({ kind, what }) => (
              <li key={`${kind} ${what}`}>
                <Mark tone="warn">{text(`breach.${kind}`)}</Mark>
                <bdi class="soft">{what}</bdi>
              </li>
            ))}
          </ul>
        </section>
      )}
      {Object.keys(errors).length > 0 && (
        <section>
          <h3>{text('request.errors')}</h3>
          <Json value={errors} />
        </section>
      )}
      {body !== undefined && (
        <section>
          <h3>{text('request.body')}</h3>
          <Json value={body} />
        </section>
      )}
      <Effects caused={request.caused} payment={request.payment_id} />
      <section>
        <h3>{text('request.again')}</h3>
        <p class="actions">
          <Copy value={curlCommand(asSent(request))} label="do.copyCurl" />
          <Copy value={apiCommand(asSent(request))} label="do.copyApi" />
          <a class="button" href={linkTo(['what-if', request.id])}>
            {text('do.whatIf')}
          </a>
        </p>
        <SendAgain request={request} />
      </section>
    </>
  )
}

const whoAndKey = ({ user, client, idempotency_key, replayed, fault, payment_id }: LoggedRequest) =>
  [
    ['request.user', user !== null && <ShortId id={user} />],
    ['request.client', client],
    ['request.key', idempotency_key !== null && <code>{idempotency_key}</code>],
    ['request.replayed', replayed && text('request.replayedDetail')],
    ['request.fault', fault],
    [
      'request.payment',
      payment_id !== null && (
        <a href={linkTo(['payments', payment_id])}>
          <ShortId id={payment_id} />
        </a>
      ),
    ],
  ] as const

/** Payment, ledger entries and deliveries that the request has caused so far. */
function Effects({ caused, payment }: { readonly caused: Detailed['caused']; readonly payment: string | null }) {
  const { payments, entries, deliveries } = caused
  if (payments.length + entries.length + deliveries.length === 0) return null
  return (
    <section>
      <h3>{text('request.effects')}</h3>
      <ul class="effects">
        {payments.map(({ id, status }) => (
          <li key={id}>
            <Status status={status} />{' '}
            <a href={linkTo(['payments', id])}>
              {text('request.payment')} <ShortId id={id} />
            </a>
          </li>
        ))}
        {entries.length > 0 && <li>{counted('request.entries', entries.length)}</li>}
        {deliveries.map(({ id, event, status }) => (
          <li key={id}>
            <a href={linkTo(['webhooks', id])}>{event}</a> <span class="soft">{text(`delivery.${status}`)}</span>
          </li>
        ))}
      </ul>
      {payment !== null && (
        <p class="after">
          <a href={linkTo(['payments', payment])}>{text('request.story')}</a>
        </p>
      )}
    </section>
  )
}
