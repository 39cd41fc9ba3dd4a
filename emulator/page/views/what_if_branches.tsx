import { useSignal } from '@preact/signals'
import type { ComparedHappening, Comparison } from '../../../src/contract/index.ts'
import { act, useAnswer } from '../frame/answer.ts'
import { control } from '../frame/api.ts'
import { amount, counted, type MessageKey, text } from '../frame/language.ts'
import { go, linkTo } from '../frame/router.ts'
import { worldName } from '../frame/session.ts'
import { Amount, HttpStatus, ShortId, Status } from '../parts/facts.tsx'
import { Waiting } from '../parts/states.tsx'
import { baseOf } from './what_if_fork.ts'

interface BranchesProps {
  /** Request or moment before which the world was forked. */
  readonly id: string
  readonly fork: string
  readonly payment: string | null
}

/** This world and the fork beside each other, aligned by cause. */
export function Branches({ id, fork, payment }: BranchesProps) {
  const { data, error, reload } = useAnswer(
    'control.compare',
    { query: { world: [worldName, fork], all: 'true' } },
    { when: ({ type }) => type === 'payment' },
  )
  const remove = async () => {
    const done = await act(
      () => control('control.worlds.delete', { params: { name: fork } }),
      text('whatIf.deleted', { world: fork }),
    )
    if (done) go(['what-if', id], { payment: payment ?? undefined })
  }
  return (
    <>
      <p class="actions">
        <a class="button" href={`${baseOf(fork)}/_emulator/`}>
          {text('whatIf.openFork')}
        </a>
        <button type="button" onClick={reload}>
          {text('whatIf.again')}
        </button>
        <a class="button" href={linkTo(['what-if', id], { payment: payment ?? undefined })}>
          {text('whatIf.other')}
        </a>
        <button type="button" onClick={() => void remove()}>
          {text('whatIf.delete')}
        </button>
      </p>
      {data ? <Compared comparison={data} id={id} payment={payment} /> : <Waiting error={error} retry={reload} />}
    </>
  )
}

function Compared({
  comparison,
  id,
  payment,
}: {
  readonly comparison: Comparison
  readonly id: string
  readonly payment: string | null
}) {
  const { worlds, same, counts, items, balances } = comparison
  const [first = '', second = ''] = worlds
  const paymentOf = ({ first, second }: ComparedHappening) => (second ?? first)?.payment_id ?? null
  const inFork = items.filter((item) => item.second !== null && item.change !== 'same').map(paymentOf)
  const payments = new Set([payment, ...inFork].filter((each) => each !== null))
  const isOwn = (item: ComparedHappening) =>
    item.first?.id === id || payments.has(paymentOf(item) ?? '') || (item.change !== 'same' && item.second !== null)
  const own = items.filter(isOwn)
  const later = items.filter((item) => !isOwn(item) && item.change === 'removed')
  return (
    <>
      <p class="what-if-counts" role="status">
        {same ? (
          <strong>{text('whatIf.noDifference')}</strong>
        ) : (
          (['changed', 'removed', 'added', 'same'] as const).map((change) => (
            <span key={change}>
              <Mark change={change} /> {counts[change]}
            </span>
          ))
        )}
      </p>
      <Rows items={own} worlds={[first, second]} />
      <h2>{text('whatIf.balances')}</h2>
      {balances.length === 0 ? (
        <p class="soft">{text('whatIf.sameBalances')}</p>
      ) : (
        <Balances balances={balances} worlds={[first, second]} />
      )}
      {later.some(({ first }) => first?.kind === 'entry') && balances.length > 0 && (
        <p class="soft what-if-note">{text('whatIf.laterBalances', { world: first })}</p>
      )}
      {later.length > 0 && (
        <details class="what-if-later">
          <summary>{counted('whatIf.laterOnly', later.length, { world: first })}</summary>
          <p class="soft">{text('whatIf.laterDetail')}</p>
          <Rows items={later} worlds={[first, second]} />
        </details>
      )}
    </>
  )
}

type Change = ComparedHappening['change']

const signs: Readonly<Record<Change, string>> = { same: '=', added: '+', removed: '\u2212', changed: '~' }

/** Sign and word of a change. */
const Mark = ({ change }: { readonly change: Change }) => (
  <span class={`change ${change}`}>
    <span aria-hidden="true" class="sign">
      {signs[change]}
    </span>
    {text(`change.${change}`)}
  </span>
)

/** Rows that are drawn before the reader asks for all. */
const firstRows = 100

function Rows({
  items,
  worlds: [first, second],
}: {
  readonly items: readonly ComparedHappening[]
  readonly worlds: readonly [string, string]
}) {
  const showsAll = useSignal(false)
  const shown = showsAll.value ? items : items.slice(0, firstRows)
  return (
    <>
      <table class="branches">
        <caption class="visually-hidden">{text('whatIf.branches')}</caption>
        <thead>
          <tr>
            <th scope="col">{text('whatIf.difference')}</th>
            <th scope="col">
              <bdi>{first}</bdi>
            </th>
            <th scope="col">
              <bdi>{second}</bdi>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((item, index) => (
            <tr key={index} class={item.change}>
              <th scope="row">
                <Mark change={item.change} />
              </th>
              <td data-world={first}>
                <Happened one={item.first} />
                <Facts item={item} world="first" />
              </td>
              <td data-world={second}>
                <Happened one={item.second} />
                <Facts item={item} world="second" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {items.length > shown.length && (
        <button
          type="button"
          onClick={() => {
            showsAll.value = true
          }}
        >
          {counted('whatIf.all', items.length)}
        </button>
      )}
    </>
  )
}

type Happening = ComparedHappening['first']

/** A cell: the event in one branch. */
function Happened({ one }: { readonly one: Happening }) {
  if (one === null) return <span class="soft">{text('whatIf.absent')}</span>
  const { kind, id, what, status, amount: money } = one
  if (kind === 'request') {
    return (
      <>
        <HttpStatus status={status === null ? null : Number(status)} answered={!/answer was lost/.test(what)} />{' '}
        <bdi>{what}</bdi> <code class="soft">{id}</code>
      </>
    )
  }
  if (kind === 'status' && status !== null) {
    return (
      <>
        <Status status={status as 'completed'} /> {money && <Amount money={money} />}
      </>
    )
  }
  if (kind === 'entry' && money) {
    const [, movement, purpose, owner = ''] = /^(\w+): (\w+) of (.+)$/.exec(what) ?? []
    return (
      <>
        {movement === undefined ? (
          what
        ) : (
          <>
            {text(`movement.${movement}` as MessageKey)}: {text(`purpose.${purpose}` as MessageKey)}{' '}
            <ShortId id={owner} />
          </>
        )}{' '}
        <span class="amount">
          {amount(money.value, { signed: true })} <span class="currency">{money.currency}</span>
        </span>
      </>
    )
  }
  return <bdi>{what}</bdi>
}

/** Differing facts of one branch, except those that the row shows anyway. */
function Facts({ item, world }: { readonly item: ComparedHappening; readonly world: 'first' | 'second' }) {
  const facts = item.differences.filter(({ field }) => !['what', 'status', 'amount'].includes(field))
  if (facts.length === 0) return null
  return (
    <ul class="differences">
      {facts.map((fact) => (
        <li key={fact.field}>
          <span class="soft">{factName(fact.field)}</span> <ShortId id={String(fact[world] ?? '–')} />
        </li>
      ))}
    </ul>
  )
}

function factName(field: string): string {
  if (field === 'idempotency_key') return text('request.key')
  if (field === 'payment_id') return text('payment.title')
  return field.replaceAll('_', ' ')
}

/** Final balances that differ. */
const Balances = ({
  balances,
  worlds,
}: {
  readonly balances: Comparison['balances']
  readonly worlds: readonly [string, string]
}) => (
  <table class="branches balances">
    <thead>
      <tr>
        <th scope="col">{text('whatIf.owner')}</th>
        {worlds.map((world) => (
          <th key={world} scope="col" class="number">
            <bdi>{world}</bdi>
          </th>
        ))}
        <th scope="col" class="number">
          {text('whatIf.difference')}
        </th>
      </tr>
    </thead>
    <tbody>
      {balances.map(({ owner, purpose, first, second }) => (
        <tr key={`${owner} ${purpose} ${first.currency}`}>
          <th scope="row">
            {text(`purpose.${purpose}`)} <ShortId id={owner} />
          </th>
          <td class="number" data-world={worlds[0]}>
            <Amount money={first} />
          </td>
          <td class="number" data-world={worlds[1]}>
            <Amount money={second} />
          </td>
          <td class="number" data-world={text('whatIf.difference')}>
            <strong>{amount(second.value - first.value, { signed: true })}</strong>{' '}
            <span class="currency">{first.currency}</span>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
