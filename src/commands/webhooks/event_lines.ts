import { status } from '../../output/columns.ts'
import { cutTo, textWidth } from '../../run/cell_lines.ts'
import { escapeHidden, printable } from '../../run/sanitise.ts'
import { write } from '../../run/sink.ts'
import { loadPaint, type Paint, wantsColour } from '../../run/style.ts'
import { clockTime, zonedTime } from '../../run/time.ts'
import type { QueuedEvent } from '../../webhooks/delivery_handler.ts'
import { factsOf, type TailEvent } from '../../webhooks/event.ts'
import { firstLine, isAccepted, type Outcome, shownUrl } from '../../webhooks/forward.ts'
import { maximumAttempts } from '../../webhooks/temporary_subscription.ts'
import type { Printing } from './run_tail.ts'

interface Look {
  readonly paint: Paint
  /** Width of the terminal in cells; infinite: nothing is cut or shortened. */
  readonly width: number
}

/** Indent of the lines below an event: they start under the event's name. */
const margin = ' '.repeat('14:28:51  '.length)

/** Prints a line for each event, and below it the reason for a failure and the answer of the target. */
export async function printLines(events: AsyncIterable<QueuedEvent>, printing: Printing): Promise<void> {
  const { context, body, isRouted, onPrinted } = printing
  const { io, globals, env } = context
  const isTerminal = io.stdout.isTTY === true
  const paint = await loadPaint(wantsColour(globals, env, isTerminal))
  const look = (): Look => ({ paint, width: isTerminal ? io.stdout.columns || 80 : Number.POSITIVE_INFINITY })
  const print = (lines: readonly string[]) => write(io.stdout, lines.map((line) => `${line}\n`).join(''))
  /** Event of the last printed lines. An answer below other lines names its event. */
  let above: string | undefined
  const answers = new Set<Promise<void>>()
  for await (const { event, isNew, times, forward } of events) {
    if (isNew) {
      above = subjectOf(event, look())
      await print([...eventLines(event, look()), ...(body ? bodyLines(event) : [])])
    }
    if (forward) {
      const answer = forward.then((outcome) => {
        const subject = subjectOf(event, look())
        const named = subject === above ? undefined : subject
        above = subject
        return print(answerLines(outcome, { ...look(), named, isRouted, attempt: event.attempt ?? times }))
      })
      answers.add(answer)
      answer.then(
        () => answers.delete(answer),
        () => {}, // Promise.all below throws the error
      )
    }
    if (isNew && !onPrinted(event)) break
  }
  await Promise.all(answers)
}

const nameOf = ({ event, recovered }: TailEvent): string => event ?? (recovered ? 'no event' : 'unreadable body')

/** `payment.failed 9b252`. */
const subjectOf = (event: TailEvent, look: Look): string =>
  printable(`${nameOf(event)} ${shortId(event, look) || (event.delivery_id ?? event.received_at)}`)

/** Ids from the same minute begin alike, so a terminal shows the end of the id. */
function shortId(event: TailEvent, { width }: Look): string {
  const { id } = factsOf(event)
  return id === null ? '' : width === Number.POSITIVE_INFINITY ? id : id.slice(-5)
}

const [nameWidth, amountWidth, shortestPayee, longestPayee] = [20, 18, 8, 32]

const { tone } = status<string>('status', (text) => text)

/** Maximum printed length of a body that is not an event, in characters. */
const longestRaw = 500

/**
 * Lines for an event: time, name, signed amount, other party and id; below them, the reason for a failure and the
 * origin of the event.
 */
function eventLines(event: TailEvent, look: Look): readonly string[] {
  const { paint, width } = look
  const { amountText, transferType, counterparty, status: state, error, time } = factsOf(event)
  const sign = amountText === '' || /^[-+]/.test(amountText) ? '' : transferType === 'credit' ? '+' : '-'
  const id = printable(shortId(event, look))
  const head = `${clockTime(event.received_at)}  ${printable(nameOf(event)).padEnd(nameWidth)}`
  const amount = printable(`${sign}${amountText}`).padStart(amountWidth)
  const room = Math.min(longestPayee, Math.max(shortestPayee, width - head.length - amount.length - id.length - 6))
  const payee = cutTo(printable(counterparty ?? ''), room)
  const rest = `${amount}  ${payee}${' '.repeat(Math.max(0, room - textWidth(payee)))}  ${id}`.trimEnd()
  const colour = event.recovered ? 'busy' : (tone?.(state ?? '') ?? 'dim')
  const below = [
    event.event === null && state !== null && `the payment ended as ${state}, a status without an event`,
    error,
    event.recovered && `recovered from the history: ${zonedTime(time)}`,
    event.raw?.slice(0, longestRaw),
  ]
  const line = cutTo(`${head}  ${rest}`, width)
  return [
    line.startsWith(head)
      ? `${head.slice(0, 10)}${paint.tone(colour, head.slice(10))}${line.slice(head.length)}`
      : line,
    ...below.flatMap((text) => (text ? [cutTo(`${margin}${printable(text)}`, width)] : [])),
  ]
}

interface Answering extends Look {
  /** Name of the event, if other lines are between the event and its answer; otherwise undefined. */
  readonly named: string | undefined
  readonly isRouted: boolean
  /** Number of the attempt, from 1. */
  readonly attempt: number
}

/**
 * Lines for the answer of the target: `-> 500 in 31 ms, attempt 1 of 3 "TypeError: cannot read fee of undefined"`, in
 * two lines if one line is too long.
 */
function answerLines(outcome: Outcome, { paint, width, named, isRouted, attempt }: Answering): readonly string[] {
  const { status: code, error, durationMs, url } = outcome
  const accepted = isAccepted(outcome)
  const isRedirect = code !== null && code >= 300 && code < 400
  const result = `${code ?? printable(error ?? 'no answer')}${isRedirect ? ' (redirects are not followed)' : ''}`
  const count = accepted ? attempt > 1 && `attempt ${attempt}` : `attempt ${attempt} of ${maximumAttempts}`
  const facts = [`${result} in ${durationMs} ms`, count, named && `for ${named}`].filter((fact) => fact).join(', ')
  const where = isRouted && url !== undefined ? `${printable(shownUrl(url))} ` : ''
  const line = firstLine(outcome)
  const [first, said] = [`${margin}-> ${where}${facts}`, line === null ? '' : `"${printable(line)}"`]
  const isOne = said === '' || textWidth(first) + 2 + textWidth(said) <= width
  const lines = isOne ? [`${first}  ${said}`.trimEnd()] : [first, `${margin}   ${said}`]
  const tone = accepted ? 'good' : 'bad'
  return lines.map((text, at) => {
    const cut = cutTo(text, width)
    return at === 0 ? cut.replace(result, () => paint.tone(tone, result)) : cut
  })
}

/** Body for people, indented. */
function bodyLines({ raw, data }: TailEvent): string[] {
  const text = raw ?? escapeHidden(JSON.stringify(data, null, 2))
  return text.split('\n').map((line) => `    ${printable(line)}`)
}
