/** Costa Rica is UTC-6 all year, without daylight saving. */
const costaRicaOffset = 6 * 60 * 60 * 1000

/**
 * Converts an ISO 8601 time with its zone to epoch milliseconds; returns NaN for a date that does not exist, such as 30
 * February.
 */
export function timeOf(text: string): number {
  // Date.parse reads 30 February as 2 March.
  const date = text.slice(0, 'YYYY-MM-DD'.length)
  const midnight = Date.parse(date)
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date)
  return exists ? Date.parse(text) : Number.NaN
}

/**
 * Formats epoch milliseconds for the API, with whole seconds and six zeros for microseconds:
 * `2026-01-05T18:00:00.000000Z`.
 */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}.000000Z`

/** Formats epoch milliseconds for the API, with real milliseconds: `2026-01-05T18:00:00.250000Z`. */
export const preciseTimestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 23)}000Z`

/** Formats epoch milliseconds as ISO 8601 in UTC with three decimals: `2026-01-05T18:00:00.250Z`. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))

export const timestampOrNull = (ms: number | null): string | null => (ms === null ? null : timestamp(ms))

/** Formats epoch milliseconds as the local date in Costa Rica: `20260105`. */
export const localDate = (ms: number): string =>
  new Date(ms - costaRicaOffset).toISOString().slice(0, 10).replaceAll('-', '')

export const dayMs = 24 * 60 * 60 * 1000
export const weekMs = 7 * dayMs

/** The first Sunday after the epoch, at midnight UTC, in epoch milliseconds. */
const firstSunday = Date.UTC(1970, 0, 4)

/** Midnight in Costa Rica at or before a time, and the next midnight, in epoch milliseconds. */
export function localDay(ms: number): { from: number; to: number } {
  const from = Math.floor((ms - costaRicaOffset) / dayMs) * dayMs + costaRicaOffset
  return { from, to: from + dayMs }
}

/**
 * Midnight in Costa Rica at the start of the week, which begins on Sunday, and of the next week, in epoch milliseconds.
 */
export function localWeek(ms: number): { from: number; to: number } {
  const start = firstSunday + costaRicaOffset
  const from = Math.floor((ms - start) / weekMs) * weekMs + start
  return { from, to: from + weekMs }
}

/** Formats epoch milliseconds as local time without a zone: `2026-01-05 12:00:00`. */
export const localDateTime = (ms: number): string =>
  new Date(ms - costaRicaOffset).toISOString().slice(0, 19).replace('T', ' ')

/** Formats epoch milliseconds as local time with its offset: `2026-01-05T12:00:00-06:00`. */
export const localTimestamp = (ms: number): string =>
  `${new Date(ms - costaRicaOffset).toISOString().slice(0, 19)}-06:00`
