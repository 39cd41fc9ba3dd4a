import type { ComparedHappening } from '../../../src/contract/index.ts'
import { amount, type MessageKey, text } from '../frame/language.ts'
import { Amount, HttpStatus, Mark, ShortId, Status } from '../parts/facts.tsx'

type Happening = NonNullable<ComparedHappening['first']>

/** A cell with an event of one branch, in the language of the page. */
export function Happened({ one }: { readonly one: Happening | null }) {
  if (one === null) return <span class="soft">{text('whatIf.absent')}</span>
  if (one.kind === 'request') return <Request one={one} />
  if (one.kind === 'entry') return <Entry one={one} />
  if (one.kind === 'delivery') return <Delivery one={one} />
  if (one.kind === 'event') {
    return (
      <>
        {text('timeline.event')} <code>{one.details.event}</code>
      </>
    )
  }
  return (
    <>
      <Status status={one.status as 'completed'} /> {one.amount && <Amount money={one.amount} />}
    </>
  )
}

function Request({ one: { id, status, details } }: { readonly one: Happening }) {
  const { method, path, answered, replayed, fault, message, breach } = details
  return (
    <>
      <HttpStatus status={status === null ? null : Number(status)} answered={answered === true} />{' '}
      <span class="method">{method}</span> <bdi>{path}</bdi> <code class="soft">{id}</code>
      {replayed === true && <span class="block soft">{text('whatIf.keyKnown')}</span>}
      {fault !== null && (
        <span class="block soft">
          {text('request.fault')} <code>{fault}</code>
        </span>
      )}
      {message !== null && <bdi class="block soft">{message}</bdi>}
      {breach !== null && (
        <span class="block">
          <Mark tone="warn">{text(`breach.${breach}` as MessageKey)}</Mark>
        </span>
      )}
    </>
  )
}

const Entry = ({ one: { amount: money, details } }: { readonly one: Happening }) => (
  <>
    {text(`movement.${details.movement}` as MessageKey)}: {text(`purpose.${details.purpose}` as MessageKey)}{' '}
    <ShortId id={String(details.owner)} />{' '}
    {money && (
      <span class="amount">
        {amount(money.value, { signed: true })} <span class="currency">{money.currency}</span>
      </span>
    )}
  </>
)

function Delivery({ one: { status, details } }: { readonly one: Happening }) {
  const { event, url, attempt, error, due } = details
  return (
    <>
      {due === true ? (
        <Mark tone="wait">{text('timeline.due', { number: Number(attempt), event: String(event) })}</Mark>
      ) : (
        <>
          <HttpStatus status={status === null ? null : Number(status)} />{' '}
          {text('timeline.attempt', { number: Number(attempt) })} <code>{event}</code>
        </>
      )}{' '}
      <bdi class="soft">{url}</bdi>
      {error !== null && status === null && <bdi class="block soft">{error}</bdi>}
    </>
  )
}

interface DifferencesProps {
  readonly item: ComparedHappening
  readonly side: 'first' | 'second'
}

/** Facts of one branch that differ, apart from those that the row shows anyway. */
export function Differences({ item, side }: DifferencesProps) {
  const facts = item.differences.filter(({ field }) => !['what', 'status', 'amount'].includes(field))
  if (facts.length === 0) return null
  return (
    <ul class="differences">
      {facts.map((fact) => (
        <li key={fact.field}>
          <span class="soft">{factName(fact.field)}</span> <ShortId id={String(fact[side] ?? '–')} />
        </li>
      ))}
    </ul>
  )
}

/** Messages for the names of facts. */
const factNames: Readonly<Record<string, MessageKey>> = {
  idempotency_key: 'request.key',
  payment_id: 'payment.title',
  query: 'request.query',
  body: 'request.body',
  channel: 'column.rail',
  fee: 'payment.fee',
  description: 'column.description',
  payee: 'payment.payee',
  payer: 'payment.payer',
  error_message: 'request.message',
  state_code: 'payment.stateCode',
}

const factName = (field: string): string => {
  const key = factNames[field]
  return key === undefined ? field.replaceAll('_', ' ') : text(key)
}
