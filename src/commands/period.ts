import { InvalidArgumentError } from 'commander'
import { UsageError } from '../errors/cli_error.ts'
import type { Period } from '../payments/payment_filter.ts'

/** A time as it was typed: a day has a beginning and an end. */
interface Moment {
  /** Milliseconds since 1970. */
  readonly start: number
  /** End of the period; the end of a day is the start of the next day. */
  readonly end: number
}

/** Flags of a list whose items have a time. */
export const periodFlags = {
  '--since <when>': {
    about: 'only from this time on: 2026-11-01, 7d, 24h or today\nalso yesterday, 2026-11-01T14:30',
    parse: asMoment,
  },
  '--until <when>': { about: 'only until this time; a date includes the whole day', parse: asMoment },
} as const

export interface PeriodFlags {
  readonly since?: Moment | undefined
  readonly until?: Moment | undefined
}

function asMoment(text: string): Moment {
  return moment(text)
}

/** Throws UsageError if the period is empty. */
export function periodOf({ since, until }: PeriodFlags): Period {
  const period = { since: since?.start, until: until?.end }
  if (period.since !== undefined && period.until !== undefined && period.since >= period.until) {
    throw new UsageError('--since is not before --until, so nothing can match.', 'Exchange the two')
  }
  return period
}

const forms = 'Give a date like 2026-11-01, a time like 2026-11-01T14:30, or 7d, 24h, today, yesterday.'

const unitsOfMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }
const unitsOfDays: Readonly<Record<string, number>> = { d: 1, w: 7 }

/**
 * A parser of times. A time is in this machine's time zone unless it names a zone. `7d` means the same time of day a
 * week ago.
 */
export function moment(text: string, now = new Date()): Moment {
  const typed = text.trim().toLowerCase()
  if (typed === 'now') return at(now.getTime())
  if (typed === 'today') return dayOf(now, 0)
  if (typed === 'yesterday') return dayOf(now, -1)
  const [, count = '', unit = ''] = /^(\d{1,5})([smhdw])$/.exec(typed) ?? []
  if (count) return at(ago(now, Number(count), unit))
  return written(text.trim()) ?? refuse(text)
}

const at = (ms: number): Moment => ({ start: ms, end: ms })

/** The day that is `days` days after the day of `time`; a day on which the clock changes has 23 or 25 hours. */
function dayOf(time: Date, days: number): Moment {
  const [year, month, day] = [time.getFullYear(), time.getMonth(), time.getDate() + days]
  return { start: new Date(year, month, day).getTime(), end: new Date(year, month, day + 1).getTime() }
}

function ago(now: Date, count: number, unit: string): number {
  const ms = unitsOfMs[unit]
  if (ms !== undefined) return now.getTime() - count * ms
  const then = new Date(now)
  then.setDate(then.getDate() - count * (unitsOfDays[unit] ?? 1))
  return then.getTime()
}

const form = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?)?$/i

function written(text: string): Moment | undefined {
  const [whole, year, month, day, hour, minute, second = '00', fraction = '0', zone] = form.exec(text) ?? []
  if (whole === undefined) return undefined
  const date = new Date(Number(year), Number(month) - 1, Number(day))
  if (date.getMonth() !== Number(month) - 1 || date.getDate() !== Number(day)) return undefined
  if (hour === undefined) return dayOf(date, 0)
  const clock = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`
  const ms = Date.parse(`${clock}${zone?.toUpperCase().replace(/(\d\d)(\d\d)$/, '$1:$2') ?? ''}`)
  return Number.isNaN(ms) ? undefined : at(ms)
}

function refuse(text: string): never {
  const [, one = '', other = '', year = ''] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text.trim()) ?? []
  if (!year) throw new InvalidArgumentError(forms)
  const [first, second] = [one.padStart(2, '0'), other.padStart(2, '0')]
  const readings = [`${year}-${second}-${first}`, `${year}-${first}-${second}`].filter((text) => written(text))
  throw new InvalidArgumentError(`Write the year first: ${[...new Set(readings)].join(' or ') || '2026-11-01'}.`)
}
