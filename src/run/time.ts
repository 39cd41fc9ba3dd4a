/** `2026-01-05 12:00:00` in the machine's time zone. Returns text that is not a time unchanged. */
export function localTime(iso: string | null | undefined): string {
  if (typeof iso !== 'string') return iso ? String(iso) : ''
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

const two = (number: number): string => String(number).padStart(2, '0')

/** `12:00:00` in the machine's time zone. */
export const clockTime = (iso: string): string => localTime(iso).slice(-8)

/** `2026-01-05 12:00:00 (UTC-6)`, for a single time. */
export function zonedTime(iso: string | null | undefined): string {
  const text = localTime(iso)
  return text === '' || text === iso ? text : `${text} (${offsetOf(new Date(iso ?? ''))})`
}

/** Label of the time zone, for a list of times: `UTC-6`, or the name (`Europe/Madrid`) if the zone has summer time. */
export function zoneName(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const year = new Date().getFullYear()
  const [winter, summer] = [offsetOf(new Date(year, 0, 1)), offsetOf(new Date(year, 6, 1))]
  return winter === summer ? winter : timeZone
}

/** `UTC-6`, `UTC+5:30`, `UTC`. */
function offsetOf(time: Date): string {
  const minutes = -time.getTimezoneOffset()
  if (minutes === 0) return 'UTC'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${two(rest)}`}`
}

const months = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')

/**
 * Heading for the local day of a time: `TODAY`, `YESTERDAY`, `19 NOV`, `19 NOV 2025`; empty if the text is not a time.
 */
export function dayOf(iso: string | null | undefined, now = new Date()): string {
  const time = new Date(iso ?? '')
  if (Number.isNaN(time.getTime())) return ''
  const midnight = ({ year, month, day }: Day) => new Date(year, month, day).getTime()
  const day = dayIn(time)
  const today = dayIn(now)
  if (midnight(day) === midnight(today)) return 'TODAY'
  if (midnight(day) === midnight({ ...today, day: today.day - 1 })) return 'YESTERDAY'
  const date = `${day.day} ${months[day.month]}`
  return day.year === today.year ? date : `${date} ${day.year}`
}

interface Day {
  readonly year: number
  /** From 0. */
  readonly month: number
  readonly day: number
}

const dayIn = (time: Date): Day => ({ year: time.getFullYear(), month: time.getMonth(), day: time.getDate() })

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a duration with its unit: `500ms`, `30s`, `1.5m`, `2h`, `1d`; NaN for any other text. */
export function parseDuration(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? []
  return Math.round(Number(number) * (units[unit] ?? Number.NaN))
}

/** Milliseconds for which a service remembers idempotency keys, from a minute to ten years; NaN for any other text. */
export function parseKeyLife(text: string): number {
  const ms = parseDuration(text)
  return ms >= 60_000 && ms <= 3650 * 86_400_000 ? ms : Number.NaN
}
