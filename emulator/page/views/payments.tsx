import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { ControlInputOf, Payment } from '../../../src/contract/index.ts'
import { control } from '../frame/api.ts'
import { day, type MessageKey, text } from '../frame/language.ts'
import { onEvent } from '../frame/live.ts'
import { linkTo, query, setQuery } from '../frame/router.ts'
import { Amount, Moment, ShortId, Status } from '../parts/facts.tsx'
import { LiveList, pageSize } from '../parts/live_list.ts'
import { LiveTable } from '../parts/live_table.tsx'
import { Empty, Heading } from '../parts/states.tsx'
import { FirstPayment } from './first_payment.tsx'
import { PaymentDetail } from './payment.tsx'

/** Query parameters of the page's address that filter the payments. */
const filters = ['status', 'channel', 'transfer_type', 'text'] as const

type Filter = Readonly<Partial<Record<(typeof filters)[number], string>>>

/** A list of the payments of all users; an opened payment is shown beside it. */
export function Payments({ path: [id] }: { readonly path: readonly string[] }) {
  const given = query.value
  const filter: Filter = Object.fromEntries(filters.map((name) => [name, given[name]]).filter(([, value]) => value))
  const key = JSON.stringify(filter)
  const list = useMemo(() => paymentList(filter), [key])
  const isFiltered = key !== '{}'
  useEffect(() => followPayments(list, filter), [list, key])
  return (
    <div class={id === undefined ? 'split' : 'split open'}>
      <div class="view list payments">
        <Heading>{text('nav.payments')}</Heading>
        <Filters filter={filter} />
        <LiveTable
          list={list}
          label={text('nav.payments')}
          isReading={id !== undefined}
          header={<Header />}
          row={(payment, above) => <PaymentRow payment={payment} above={above} isOpen={payment.id === id} />}
          empty={isFiltered ? <NoMatch /> : <FirstPayment />}
        />
      </div>
      {id !== undefined && <PaymentDetail key={id} id={id} />}
    </div>
  )
}

type PaymentQuery = NonNullable<ControlInputOf<'control.payments.list'>['query']>

const paymentList = (filter: Filter) =>
  new LiveList<Payment>({
    async read(page, after) {
      // The filter comes from the page's URL, so the emulator checks its values.
      const query = { page, per_page: pageSize, ...filter, ...(after && { before: after.id }) } as PaymentQuery
      const { data, total } = await control('control.payments.list', { query })
      return { rows: data, total }
    },
  })

const NoMatch = () => (
  <Empty title={text('payments.noMatch')}>
    <p>
      <a href={linkTo(['payments'])}>{text('payments.showAll')}</a>
    </p>
  </Empty>
)

/** Milliseconds from a change of a payment until a filtered list is read again. */
const refreshAfter = 300

/**
 * Applies payments from events to a list. A filtered list is read again, because only the emulator knows whether a new
 * payment matches a filter with text.
 */
function followPayments(list: LiveList<Payment>, filter: Filter): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const isPlain = Object.keys(filter).length === 0
  const stop = onEvent((event) => {
    if (event.type !== 'payment') return
    list.take(event.payment, isPlain && event.from === null)
    if (!isPlain && timer === undefined) {
      timer = setTimeout(() => {
        timer = undefined
        void list.restart()
      }, refreshAfter)
    }
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

const choices = {
  status: [
    ['', 'filter.all'],
    ['pending,processing', 'filter.underWay'],
    ['completed', 'status.completed'],
    ['failed,timeout,service_unavailable,validation_failed,system_error', 'filter.unpaid'],
  ],
  channel: [
    ['', 'filter.all'],
    ['pin', 'channel.pin'],
    ['sinpe_movil', 'channel.sinpe_movil'],
  ],
  transfer_type: [
    ['', 'filter.all'],
    ['debit', 'filter.sent'],
    ['credit', 'filter.received'],
  ],
} as const satisfies Record<string, readonly (readonly [string, MessageKey])[]>

const titles = { status: 'column.status', channel: 'column.rail', transfer_type: 'filter.direction' } as const

/** Milliseconds without typing after which the entered text filters the list. */
const quiet = 250

function Filters({ filter }: { readonly filter: Filter }) {
  const { text: wanted = '' } = filter
  const typed = useSignal(wanted)
  /** Text that this field has put into the address: the user may have typed more since. */
  const sent = useRef(wanted)
  useEffect(() => {
    const timer = setTimeout(() => {
      sent.current = typed.value.trim()
      if (sent.current !== wanted) setQuery({ text: sent.current })
    }, quiet)
    return () => clearTimeout(timer)
  }, [typed.value])
  useEffect(() => {
    if (wanted !== sent.current) typed.value = wanted
    sent.current = wanted
  }, [wanted])
  return (
    <div class="filters">
      <label class="filter grow">
        <span>{text('filter.text')}</span>
        <input
          type="search"
          spellcheck={false}
          autocomplete="off"
          value={typed}
          onInput={(event) => {
            typed.value = event.currentTarget.value
          }}
        />
      </label>
      {(['status', 'channel', 'transfer_type'] as const).map((name) => (
        <label class="filter" key={name}>
          <span>{text(titles[name])}</span>
          <select value={filter[name] ?? ''} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
            {choices[name].map(([value, title]) => (
              <option key={value} value={value}>
                {text(title)}
              </option>
            ))}
          </select>
        </label>
      ))}
    </div>
  )
}

const Header = () => (
  <>
    <span role="columnheader">{text('column.time')}</span>
    <span role="columnheader">{text('column.status')}</span>
    <span role="columnheader" class="number">
      {text('column.amount')}
    </span>
    <span role="columnheader">{text('column.party')}</span>
    <span role="columnheader" class="wide">
      {text('column.description')}
    </span>
    <span role="columnheader" class="wide">
      {text('column.rail')}
    </span>
    <span role="columnheader" class="wide">
      {text('column.id')}
    </span>
  </>
)

function PaymentRow({
  payment,
  above,
  isOpen,
}: {
  readonly payment: Payment
  readonly above: Payment | undefined
  readonly isOpen: boolean
}) {
  const { id, created_at, status, amount, transfer_type, payer, payee, description, channel } = payment
  const other = transfer_type === 'debit' ? payee : payer
  return (
    <>
      <span role="cell" class="soft when">
        {day(created_at) !== (above && day(above.created_at)) && <span class="day">{day(created_at)}</span>}
        <Moment at={created_at} />
      </span>
      <span role="cell">
        <Status status={status} />
      </span>
      <span role="cell" class="number">
        <Amount money={amount} direction={transfer_type} />
      </span>
      <span role="cell" class="main-cell">
        <a
          class="row-link"
          data-row={id}
          href={linkTo(['payments', id], query.value)}
          aria-current={isOpen ? 'true' : undefined}
        >
          <bdi>{other.name || text('party.unknown')}</bdi>
        </a>
      </span>
      <span role="cell" class="wide soft cut">
        <bdi>{description}</bdi>
      </span>
      <span role="cell" class="wide soft">
        {text(`channel.${channel}`)}
      </span>
      <span role="cell" class="wide soft">
        <ShortId id={id} />
      </span>
    </>
  )
}
