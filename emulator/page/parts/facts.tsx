import type { Money, PaymentStatus } from '../../../src/contract/index.ts'
import { amount, day, text, time } from '../frame/language.ts'

type Tone = 'good' | 'bad' | 'wait' | 'warn'

/** Tones of the statuses that are not failures. */
const tones: Readonly<Partial<Record<PaymentStatus, Tone>>> = {
  pending: 'wait',
  processing: 'wait',
  completed: 'good',
}

/** Signs of the tones, drawn as paths because fonts lack some of the matching characters. */
const signs: Readonly<Record<Tone, string>> = {
  good: 'M3 8.5l3.2 3.2L13 4.6',
  bad: 'M4 4l8 8M12 4l-8 8',
  wait: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  warn: 'M8 3v6M8 12.5h.01',
}

/** A state as sign, word and colour: the colour never appears alone. */
export const Mark = ({ tone, children }: { readonly tone: Tone; readonly children: string }) => (
  <span class={`mark ${tone}`}>
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d={signs[tone]} />
    </svg>
    {children.charAt(0).toUpperCase() + children.slice(1)}
  </span>
)

export const Status = ({ status }: { readonly status: PaymentStatus }) => (
  <Mark tone={tones[status] ?? 'bad'}>{text(`status.${status}`)}</Mark>
)

/** Status of an HTTP answer; null: there was none. */
export function HttpStatus({
  status,
  answered = true,
}: {
  readonly status: number | null
  readonly answered?: boolean
}) {
  if (status === null) return <Mark tone="bad">{text('answer.none')}</Mark>
  if (!answered) return <Mark tone="bad">{text('answer.lost', { status: String(status) })}</Mark>
  return <Mark tone={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{String(status)}</Mark>
}

/** An amount of money: sent money is negative, received money positive. */
export const Amount = ({ money, direction }: { readonly money: Money; readonly direction?: 'debit' | 'credit' }) => (
  <span class="amount">
    {amount(direction === 'debit' ? -money.value : money.value, { signed: direction !== undefined })}{' '}
    <span class="currency">{money.currency}</span>
  </span>
)

/** A time, with its day unless the day is shown elsewhere. */
export const Moment = ({
  at,
  withDay = false,
  millis = false,
}: {
  readonly at: string
  readonly withDay?: boolean
  readonly millis?: boolean
}) => (
  <time dateTime={at} title={`${day(at)}, ${time(at, { millis: true })}`}>
    {withDay && `${day(at)}, `}
    {time(at, { millis })}
  </time>
)

/** The distinctive end of an id, with the whole id as a tooltip; any other text is shown unchanged. */
export const ShortId = ({ id }: { readonly id: string }) => (
  <code class="short-id" title={id}>
    {/^([0-9a-f-]{36}|whd_\d+)$/.test(id) ? id.slice(-6) : id}
  </code>
)

/** JSON of a body, indented. Always shown as text, never as markup. */
export const Json = ({ value }: { readonly value: unknown }) => (
  <pre class="json" tabIndex={0}>
    {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
  </pre>
)
