import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ControlInputOf, ControlOutputOf } from '../../../src/contract/index.ts'
import { act, useAnswer } from '../frame/answer.ts'
import { control } from '../frame/api.ts'
import { type MessageKey, text } from '../frame/language.ts'
import { linkTo } from '../frame/router.ts'
import { Copy } from '../parts/copy.tsx'
import { Detail } from '../parts/detail.tsx'
import { HttpStatus, Json, Mark, Moment } from '../parts/facts.tsx'
import { Waiting } from '../parts/states.tsx'

type Detailed = ControlOutputOf<'control.receivers.get'>
type Arrival = Detailed['arrivals'][number]

/** Ways in which a built-in receiver can answer, each with the settings for it. */
const answers = [
  ['webhooks.answer.accept', {}],
  ['webhooks.answer.error', { status: 500 }],
  ['webhooks.answer.slow', { delay_ms: 60_000 }],
  ['webhooks.answer.hangUp', { hang_up: true }],
] as const satisfies readonly (readonly [MessageKey, ControlInputOf<'control.receivers.set'>['body']])[]

const answerOf = ({ status, delay_ms, hang_up }: Detailed['answer']): number =>
  hang_up ? 3 : delay_ms > 0 ? 2 : status < 300 ? 0 : 1

/** A built-in receiver beside the list: its configured answer and its deliveries. */
export function ReceiverDetail({ id, reload }: { readonly id: string; readonly reload: () => void }) {
  const {
    data,
    error,
    reload: read,
  } = useAnswer('control.receivers.get', { params: { id } }, { when: ({ type }) => type === 'delivery' })
  return (
    <Detail
      title={
        <>
          {text('webhooks.receiver')} <code>{id}</code>
        </>
      }
      close={linkTo(['webhooks'])}
    >
      {data ? (
        <Content
          key={data.id}
          receiver={data}
          reload={() => {
            read()
            reload()
          }}
        />
      ) : (
        <Waiting error={error} retry={read} />
      )}
    </Detail>
  )
}

function Content({ receiver, reload }: { readonly receiver: Detailed; readonly reload: () => void }) {
  const { id, url, answer, arrivals } = receiver
  const chosen = useSignal(answerOf(answer))
  // The last answer that the field has shown or that this form has set: another answer comes from elsewhere.
  const known = useRef(chosen.peek())
  useEffect(() => {
    if (known.current === answerOf(answer)) return
    known.current = answerOf(answer)
    chosen.value = known.current
  }, [JSON.stringify(answer)])
  const set = async (): Promise<void> => {
    const before = known.current
    const [, body] = answers[chosen.value] ?? answers[0]
    known.current = chosen.value
    const isSet = await act(
      () => control('control.receivers.set', { params: { id }, body }),
      text('webhooks.answerSet'),
    )
    if (isSet) reload()
    else known.current = before
  }
  return (
    <>
      <div class="command">
        <code>{url}</code>
        <Copy value={url} label="do.copy" />
      </div>
      <form
        class="form inline"
        onSubmit={(event) => {
          event.preventDefault()
          void set()
        }}
      >
        <label class="field">
          <span>{text('column.answer')}</span>
          <select
            value={chosen}
            onChange={({ currentTarget }) => {
              chosen.value = Number(currentTarget.value)
            }}
          >
            {answers.map(([label], at) => (
              <option key={label} value={at}>
                {text(label)}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">{text('webhooks.setAnswer')}</button>
      </form>
      <section>
        <h3>{text('webhooks.arrivals')}</h3>
        {arrivals.length === 0 && <p class="soft">{text('webhooks.noArrivals')}</p>}
        <ul class="findings arrivals">
          {arrivals.map((arrival) => (
            <Arrived key={`${arrival.delivery_id} ${arrival.attempt} ${arrival.at}`} arrival={arrival} />
          ))}
        </ul>
      </section>
    </>
  )
}

const signatures = { valid: 'good', wrong: 'bad', none: 'wait' } as const

const Arrived = ({ arrival }: { readonly arrival: Arrival }) => (
  <li>
    <details>
      <summary>
        <HttpStatus status={arrival.status} /> <code>{arrival.event}</code>{' '}
        <span class="soft">
          {text('timeline.attempt', { number: arrival.attempt })}, <Moment at={arrival.at} withDay />
        </span>{' '}
        <Mark tone={signatures[arrival.signature]}>{text(`webhooks.signature.${arrival.signature}`)}</Mark>
      </summary>
      <h4>{text('timeline.headers')}</h4>
      <Json
        value={Object.entries(arrival.headers)
          .map((line) => line.join(': '))
          .join('\n')}
      />
      <h4>{text('timeline.sent')}</h4>
      <Json value={arrival.body} />
      <p>
        <a href={linkTo(['webhooks', arrival.delivery_id])}>{text('timeline.openDelivery')}</a>
      </p>
    </details>
  </li>
)
