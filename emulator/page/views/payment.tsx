import { act, useAnswer } from '../frame/answer.ts'
import { control } from '../frame/api.ts'
import { counted, text } from '../frame/language.ts'
import { linkTo, query } from '../frame/router.ts'
import { Detail, Facts } from '../parts/detail.tsx'
import { Amount, Moment, ShortId, Status } from '../parts/facts.tsx'
import { Command, Waiting } from '../parts/states.tsx'
import { type Story, Timeline } from './timeline.tsx'

type Step = Story['next'][number]

/** One payment beside the list: facts, possible next steps, and all its events. */
export function PaymentDetail({ id }: { readonly id: string }) {
  const { data, error, reload } = useAnswer(
    'control.payments.get',
    { params: { id } },
    {
      when: (event) =>
        (event.type === 'payment' && event.payment.id === id) ||
        ('payment_id' in event && event.payment_id === id) ||
        (event.type === 'request' && event.request.payment_id === id) ||
        event.type === 'clock',
    },
  )
  return (
    <Detail
      title={
        <>
          {text('payment.title')} <ShortId id={id} />
        </>
      }
      close={linkTo(['payments'], query.value)}
    >
      {data ? <Content story={data} reload={reload} /> : <Waiting error={error} retry={reload} />}
    </Detail>
  )
}

function Content({ story, reload }: { readonly story: Story; readonly reload: () => void }) {
  const { amount, transfer_type, status, payer, payee, fee, held } = story
  const other = transfer_type === 'debit' ? payee : payer
  return (
    <>
      <div class="payment-head">
        <p class="payment-amount">
          <Amount money={amount} direction={transfer_type} />
        </p>
        <p class="payment-party">
          <Status status={status} />{' '}
          <span class="soft">{text(transfer_type === 'debit' ? 'payment.toParty' : 'payment.fromParty')}</span>{' '}
          <bdi>{other.name || text('party.unknown')}</bdi>
        </p>
        {story.error_message !== null && (
          <p class="payment-error">
            <bdi>{story.error_message}</bdi>
          </p>
        )}
      </div>
      <Next story={story} reload={reload} />
      <section>
        <h3>{text('payment.timeline')}</h3>
        <Timeline story={story} />
      </section>
      <section>
        <h3>{text('payment.facts')}</h3>
        <Facts
          rows={[
            ['payment.payer', <Party key="p" name={payer.name} place={payer.iban} />],
            ['payment.payee', <Party key="r" name={payee.name} place={payee.iban ?? payee.phone_number ?? null} />],
            ['column.description', story.description !== null && <bdi>{story.description}</bdi>],
            ['payment.fee', fee !== null && <Amount money={fee} />],
            ['payment.held', held.value !== 0 && <Amount money={held} />],
            ['column.rail', text(`channel.${story.channel}`)],
            ['request.key', <code key="k">{story.idempotency_key}</code>],
            ['payment.reference', story.sinpe_reference !== undefined && <code>{story.sinpe_reference}</code>],
            ['payment.channelReference', <code key="c">{story.channel_reference}</code>],
            ['payment.account', <code key="a">{story.account_id}</code>],
            ['column.id', <code key="i">{story.id}</code>],
            [
              'payment.returnedBy',
              story.returned_by !== null && (
                <a href={linkTo(['payments', story.returned_by])}>
                  <ShortId id={story.returned_by} />
                </a>
              ),
            ],
          ]}
        />
        <Command>{`payctl emulator show ${story.id}`}</Command>
      </section>
    </>
  )
}

const Party = ({ name, place }: { readonly name: string; readonly place: string | null }) => (
  <>
    <bdi>{name}</bdi>
    {place !== null && <code class="soft block">{place}</code>}
  </>
)

/** The possible next steps of the payment with their effects, each with a button. */
function Next({ story, reload }: { readonly story: Story; readonly reload: () => void }) {
  if (story.next.length === 0) return null
  const take = async (step: Step) => {
    const { params, to } = { params: { id: story.id }, to: step.to }
    const done = await act(
      () =>
        to === 'returned'
          ? control('control.payments.return', { params })
          : control('control.payments.move', { params, body: { to } }),
      text(to === 'returned' ? 'payment.returned' : 'payment.moved', { status: statusName(to) }),
    )
    if (done) reload()
  }
  return (
    <section class="next">
      <h3>{text('payment.next')}</h3>
      <ul>
        {story.next.map((step) => (
          <li key={step.to}>
            <button type="button" onClick={() => void take(step)}>
              {text(step.to === 'returned' ? 'do.return' : 'do.move', { status: statusName(step.to) })}
            </button>
            <span class="soft next-effects">
              {step.due_at !== null && (
                <>
                  {text('payment.byItself')} <Moment at={step.due_at} />
                  {' · '}
                </>
              )}
              {effectsOf(step)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const statusName = (status: Step['to']): string =>
  status === 'returned' ? text('status.returned') : text(`status.${status}`)

const effectsOf = ({ entries, events }: Step): string =>
  [
    entries.length > 0 && counted('request.entries', entries.length),
    ...events.map(({ event, deliveries }) => `${event} (${counted('payment.deliveries', deliveries)})`),
  ]
    .filter(Boolean)
    .join(' · ') || text('payment.noEffects')
