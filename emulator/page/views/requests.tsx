import { useEffect, useMemo } from 'preact/hooks'
import type { LoggedRequest } from '../../../src/contract/index.ts'
import { control } from '../frame/api.ts'
import { duration, text } from '../frame/language.ts'
import { onEvent } from '../frame/live.ts'
import { linkTo, query, setQuery } from '../frame/router.ts'
import { HttpStatus, Mark, Moment } from '../parts/facts.tsx'
import { LiveList, pageSize } from '../parts/live_list.ts'
import { LiveTable } from '../parts/live_table.tsx'
import { Empty, Heading } from '../parts/states.tsx'
import { RequestDetail } from './request.tsx'

/** A live list of the requests to the world, with breaches of the contract; an opened request is shown beside it. */
export function Requests({ path: [id] }: { readonly path: readonly string[] }) {
  const { status = '' } = query.value
  const list = useMemo(() => requestList(status), [status])
  useEffect(
    () =>
      onEvent((event) => {
        if (event.type === 'request' && hasStatus(event.request, status)) list.take(event.request, true)
      }),
    [list, status],
  )
  return (
    <div class={id === undefined ? 'split' : 'split open'}>
      <div class="view list requests">
        <Heading>{text('nav.requests')}</Heading>
        <div class="filters">
          <StatusFilter value={status} />
        </div>
        <LiveTable
          list={list}
          label={text('nav.requests')}
          isReading={id !== undefined}
          header={<Header />}
          row={(request) => <RequestRow request={request} isOpen={request.id === id} />}
          empty={<NoRequests isFiltered={status !== ''} />}
        />
      </div>
      {id !== undefined && <RequestDetail key={id} id={id} />}
    </div>
  )
}

const requestList = (status: string) =>
  new LiveList<LoggedRequest>({
    async read(page, after) {
      const { data, total } = await control('control.requests.list', {
        query: {
          page,
          per_page: pageSize,
          ...(status !== '' && { status }),
          ...(after && { before: Number(after.id.slice(1)) }),
        },
      })
      return { rows: data, total }
    },
  })

/** Filters of the log by status; `4xx` matches every status of that class. */
const statuses = ['', '2xx', '4xx', '5xx'] as const

/** A link to the page can also name one status, such as `404`. */
const hasStatus = ({ status }: LoggedRequest, wanted: string): boolean =>
  wanted === '' || wanted === String(status) || wanted === `${String(status)[0]}xx`

const StatusFilter = ({ value }: { readonly value: string }) => (
  <label class="filter">
    <span>{text('column.answer')}</span>
    <select value={value} onChange={(event) => setQuery({ status: event.currentTarget.value })}>
      {statuses.map((status) => (
        <option key={status} value={status}>
          {status === '' ? text('filter.all') : status}
        </option>
      ))}
    </select>
  </label>
)

const Header = () => (
  <>
    <span role="columnheader">{text('column.time')}</span>
    <span role="columnheader">{text('column.answer')}</span>
    <span role="columnheader">{text('column.request')}</span>
    <span role="columnheader" class="wide">
      {text('column.notes')}
    </span>
    <span role="columnheader" class="wide number">
      {text('column.took')}
    </span>
  </>
)

function RequestRow({ request, isOpen }: { readonly request: LoggedRequest; readonly isOpen: boolean }) {
  const { id, at, method, path, status, answered, broke, replayed, fault, duration_ms } = request
  return (
    <>
      <span role="cell" class="soft">
        <Moment at={at} />
      </span>
      <span role="cell">
        <HttpStatus status={status} answered={answered} />
      </span>
      <span role="cell" class="main-cell">
        <a
          class="row-link"
          data-row={id}
          href={linkTo(['requests', id], query.value)}
          aria-current={isOpen ? 'true' : undefined}
        >
          <span class="method">{method}</span> <bdi>{path}</bdi>
        </a>
      </span>
      <span role="cell" class="wide notes">
        {broke.length > 0 && <Mark tone="warn">{text(`breach.${broke[0]?.kind ?? 'invalid'}`)}</Mark>}
        {replayed && <span class="tag">{text('request.replayed')}</span>}
        {fault !== null && <span class="tag">{text('request.fault')}</span>}
      </span>
      <span role="cell" class="wide number soft">
        {duration(duration_ms)}
      </span>
    </>
  )
}

export const NoRequests = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title={text('requests.noMatch')} />
  ) : (
    <Empty title={text('requests.empty')} command="payctl --emulator accounts list">
      <p class="soft">{text('requests.emptyDetail')}</p>
    </Empty>
  )
