import { type Channel, weekdays } from '../../src/contract/index.ts'
import { dayMs, localWeek, weekMs } from './time.ts'

/** Maintenance windows by rail, like `02:00-04:00` or `sun 22:00-23:30`, in Costa Rica's time. */
export type Maintenance = Readonly<Record<Channel, readonly string[]>>

export const noMaintenance: Maintenance = { pin: [], sinpe_movil: [] }

/** Epoch milliseconds; `to` is exclusive. */
interface Span {
  readonly from: number
  readonly to: number
}

/** End of the maintenance in progress at a time, in epoch milliseconds; null: none. */
export const maintenanceEnd = (windows: readonly string[], now: number): number | null =>
  spansAround(windows, now).find(({ from, to }) => from <= now && now < to)?.to ?? null

/** True if the windows cover the whole week. */
export const isEndless = (windows: readonly string[]): boolean =>
  spansAround(windows, 0).some(({ from, to }) => to - from >= weekMs)

export const endlessMaintenance = 'The windows leave the rail no time online'

/** Maintenance spans of three weeks around a time, in order; windows that overlap or touch are merged. */
function spansAround(windows: readonly string[], now: number): readonly Span[] {
  const { from: sunday } = localWeek(now)
  const spans = windows.flatMap((window) => {
    const { days, begin, length } = parsed(window)
    const begins = [-7, 0, 7].flatMap((week) => days.map((day) => sunday + (week + day) * dayMs + begin))
    return begins.map((from) => ({ from, to: from + length }))
  })
  const joined: Span[] = []
  for (const span of spans.sort((one, other) => one.from - other.from)) {
    const last = joined.at(-1)
    if (!last || span.from > last.to) joined.push(span)
    else if (span.to > last.to) joined[joined.length - 1] = { ...last, to: span.to }
  }
  return joined
}

/**
 * Weekdays on which a window begins (0 for Sunday), the time of day at which it begins, in milliseconds after midnight,
 * and its length in milliseconds.
 */
function parsed(window: string): { days: readonly number[]; begin: number; length: number } {
  const [days, hours] = window.includes(' ') ? window.split(' ') : [undefined, window]
  const [begin = 0, end = 0] = hours?.split('-').map(msOf) ?? []
  return { days: daysOf(days), begin, length: end > begin ? end - begin : end + dayMs - begin }
}

/** All days if the window names none; `fri-mon` is four days. */
function daysOf(text: string | undefined): readonly number[] {
  if (text === undefined) return weekdays.map((_, day) => day)
  const [first = 0, last = first] = text.split('-').map((name) => (weekdays as readonly string[]).indexOf(name))
  const count = ((last - first + weekdays.length) % weekdays.length) + 1
  return Array.from({ length: count }, (_, at) => (first + at) % weekdays.length)
}

function msOf(clock: string): number {
  const [hours, minutes] = clock.split(':').map(Number)
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000
}
