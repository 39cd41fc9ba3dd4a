import { status } from '../../output/columns.ts'
import type { Paint } from '../../run/colour.ts'
import { escapeHidden, printable } from '../../run/sanitise.ts'
import { clockTime, localTime } from '../../run/time.ts'
import { factsOf, type TailEvent } from '../../webhooks/event.ts'
import { isAccepted, type Outcome } from '../../webhooks/forward.ts'

export interface Look {
  readonly paint: Paint
  /** Columns of the terminal; infinite where nothing is to be cut. */
  readonly width: number
}

/** From here on a payment's whole id fits beside the rest. */
const wide = 120

/** Of a body that is no event. */
const longestRaw = 500

const { tone } = status<string>('status', (text) => text)

/** One line for an event, cut to the terminal: time, event, payment, amount, status, who is at the other end. */
export function eventLine(event: TailEvent, { paint, width }: Look): string {
  const { id, amountText, status: state, counterparty, error, time } = factsOf(event)
  const name = event.event ?? (event.recovered ? 'no event' : 'unreadable body')
  const shownState = printable(`${state ?? ''}${event.recovered ? ' recovered' : ''}`)
  const parts = [
    clockTime(event.received_at),
    name.padEnd(20),
    (width < wide ? shortened(id ?? '') : (id ?? '')).padEnd(width < wide ? 9 : 36),
    amountText.padStart(16),
    shownState.padEnd(10),
  ].map(printable)
  const past = event.recovered ? localTime(time) : ''
  const rest = [past, counterparty, error && `(${error})`, event.raw?.slice(0, longestRaw)].filter((text) => text)
  const line = [...parts, printable(rest.join(' '))].join('  ').trimEnd()
  const head = parts.slice(0, 4).join('  ').length + 2
  const cut = cutTo(line, width)
  const [before, marked, after] = [
    cut.slice(0, head),
    cut.slice(head, head + shownState.length),
    cut.slice(head + shownState.length),
  ]
  const colour = event.recovered ? 'busy' : (tone?.(state ?? '') ?? 'dim')
  return marked === '' ? cut : `${before}${paint.tone(colour, marked)}${after}`
}

/** The time-ordered ids of one minute begin alike: their ends tell them apart. */
const shortened = (id: string): string => (id.length > 9 ? `…${id.slice(-8)}` : id)

const cutTo = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text)

/** What came of passing a delivery on. */
export function forwardLine(event: TailEvent, outcome: Outcome, look: Look & { url: string }) {
  const { status: code, error, durationMs } = outcome
  const { id } = factsOf(event)
  const redirect = code !== null && code >= 300 && code < 400 ? ' (redirects are not followed)' : ''
  const attempt = (event.attempt ?? 1) > 1 ? `  attempt ${event.attempt}` : ''
  const result = look.paint.tone(
    isAccepted(outcome) ? 'good' : 'bad',
    `${code ?? printable(error ?? 'no answer')}${redirect}`,
  )
  const payment = printable(id === null ? '' : `  ${shortened(id)}`)
  return `${clockTime(new Date().toISOString())}    -> ${printable(look.url)}  ${result}  ${durationMs} ms${payment}${attempt}`
}

/** The body for reading, indented. */
export function bodyLines({ raw, data }: TailEvent): string[] {
  const text = raw ?? escapeHidden(JSON.stringify(data, null, 2))
  return text.split('\n').map((line) => `    ${printable(line)}`)
}
