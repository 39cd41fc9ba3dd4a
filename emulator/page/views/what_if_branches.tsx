import { useSignal } from '@preact/signals'
import type { ComparedHappening, Comparison } from '../../../src/contract/index.ts'
import { act, useAnswer } from '../frame/answer.ts'
import { control } from '../frame/api.ts'
import { amount, counted, text } from '../frame/language.ts'
import { go, linkTo } from '../frame/router.ts'
import { worldName } from '../frame/session.ts'
import { Amount, ShortId } from '../parts/facts.tsx'
import { Waiting } from '../parts/states.tsx'
import { baseOf } from './what_if_fork.ts'
import { Differences, Happened } from './what_if_happening.tsx'
import type { Later } from './what_if_later.ts'

interface BranchesProps {
  /** Request or moment before which the world was forked. */
  readonly id: string
  readonly fork: string
  readonly payment: string | null
  /** Counts of the requests after the first one; null if only the first was to be sent. */
  readonly later: Later | null
}

/** This world and the fork side by side, aligned by cause. */
export function Branches({ id, fork, payment, later }: BranchesProps) {
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
      {later && (
        <p class="soft">
          {counted('whatIf.sent', later.sent)} {later.unknown > 0 && counted('whatIf.unknown', later.unknown)}
        </p>
      )}
      {data ? (
        <Compared comparison={data} id={id} payment={payment} later={later} />
      ) : (
        <Waiting error={error} retry={reload} />
      )}
    </>
  )
}

function Compared({
  comparison,
  id,
  payment,
  later: sent,
}: Omit<BranchesProps, 'fork'> & { readonly comparison: Comparison }) {
  const { worlds, same, counts, items, balances } = comparison
  const [first = '', second = ''] = worlds
  const paymentOf = ({ first, second }: ComparedHappening) => (second ?? first)?.payment_id ?? null
  const inFork = items.filter((item) => item.second !== null && item.change !== 'same').map(paymentOf)
  const payments = new Set([payment, ...inFork].filter((each) => each !== null))
  const isOwn = (item: ComparedHappening) =>
    sent !== null ||
    item.first?.id === id ||
    payments.has(paymentOf(item) ?? '') ||
    (item.change !== 'same' && item.second !== null)
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
      <h2>{text('whatIf.balances')}</h2>
      {balances.length === 0 ? (
        <p class="soft">{text('whatIf.sameBalances')}</p>
      ) : (
        <Balances balances={balances} worlds={[first, second]} />
      )}
      {later.some(({ first }) => first?.kind === 'entry') && balances.length > 0 && (
        <p class="soft what-if-note">{text('whatIf.laterBalances', { world: first })}</p>
      )}
      <h2>{text('whatIf.branches')}</h2>
      <Rows items={own} worlds={[first, second]} />
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

/** Number of rows that are drawn until the reader asks for all rows. */
const firstRows = 100

/** Runs of equal rows up to this length are not folded. */
const fewRows = 2

/** Rows of both branches. Long runs of equal rows are folded, unless all rows are equal. */
function Rows({
  items,
  worlds,
}: {
  readonly items: readonly ComparedHappening[]
  readonly worlds: readonly [string, string]
}) {
  const unfolded = useSignal<readonly number[]>([])
  const showsAll = useSignal(false)
  const shown = showsAll.value ? items : items.slice(0, firstRows)
  return (
    <>
      <table class="branches">
        <caption class="visually-hidden">{text('whatIf.branches')}</caption>
        <thead>
          <tr>
            <th scope="col">{text('whatIf.difference')}</th>
            {worlds.map((world) => (
              <th key={world} scope="col">
                <bdi>{world}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runsOf(shown).map(({ start, rows }) =>
            rows[0]?.change === 'same' &&
            rows.length > fewRows &&
            rows.length < items.length &&
            !unfolded.value.includes(start) ? (
              <tr key={start} class="same-steps">
                <td colSpan={3}>
                  <button
                    type="button"
                    class="plain"
                    onClick={() => {
                      unfolded.value = [...unfolded.value, start]
                    }}
                  >
                    {counted('whatIf.sameSteps', rows.length)}
                  </button>
                </td>
              </tr>
            ) : (
              rows.map((item, index) => <Row key={start + index} item={item} worlds={worlds} />)
            ),
          )}
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

const Row = ({ item, worlds }: { readonly item: ComparedHappening; readonly worlds: readonly [string, string] }) => (
  <tr class={item.change}>
    <th scope="row">
      <Mark change={item.change} />
    </th>
    {(['first', 'second'] as const).map((side, at) => (
      <td key={side} data-world={worlds[at]}>
        <Happened one={item[side]} />
        <Differences item={item} side={side} />
      </td>
    ))}
  </tr>
)

/** Runs of consecutive rows that are all equal or all different, with the position of the first row. */
function runsOf(items: readonly ComparedHappening[]) {
  const runs: { readonly start: number; readonly rows: ComparedHappening[] }[] = []
  for (const [start, item] of items.entries()) {
    const last = runs.at(-1)
    if (last && (last.rows[0]?.change === 'same') === (item.change === 'same')) last.rows.push(item)
    else runs.push({ start, rows: [item] })
  }
  return runs
}

/** Final balances that differ between the branches. */
const Balances = ({
  balances,
  worlds,
}: {
  readonly balances: Comparison['balances']
  readonly worlds: readonly [string, string]
}) => (
  <table class="balances">
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
