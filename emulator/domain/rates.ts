import type { ExchangeRate } from '../../src/contract/index.ts'

/**
 * Setting of a world's exchange rates. `bid` and `ask` are the upstream rates, in CRC for one USD; null: they drift.
 */
export interface RateSettings {
  readonly bid: number | null
  readonly ask: number | null
  /** The service's margin on each side: 0.004 is 0.4 %. */
  readonly spread: number
  readonly offline: boolean
}

const middle = { bid: 500, ask: 510 }
const swing = 5
const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

/** Upstream's rates at a time. A drifting rate changes every hour and stays within 5 CRC of its middle value. */
export function upstreamRates({ bid, ask }: RateSettings, now: number): { bid: number; ask: number; at: number } {
  const at = Math.floor(now / hourMs) * hourMs
  const drift = swing * Math.sin((2 * Math.PI * (at % dayMs)) / dayMs)
  return { bid: bid ?? rounded(middle.bid + drift), ask: ask ?? rounded(middle.ask + drift), at }
}

/** Least difference between ask and bid over time. Negative: the ask can be below the bid. */
export function gapOf(settings: RateSettings): number {
  const { bid, ask } = closestRates(settings)
  return ask - bid
}

/** End of a message about rates with a negative gap, after “The”. */
export function crossingOf(settings: RateSettings): string {
  const { bid, ask } = closestRates(settings)
  return settings.bid === null || settings.ask === null
    ? `ask (${ask}) can be below the bid (${bid}). Set both rates, or let both drift (null)`
    : `ask (${ask}) is below the bid (${bid})`
}

/** The rates at the time when they are closest to each other. One rate may be set while the other drifts. */
function closestRates({ bid, ask }: RateSettings): { bid: number; ask: number } {
  if (bid === null && ask === null) return middle
  return { bid: bid ?? middle.bid + swing, ask: ask ?? middle.ask - swing }
}

/** The service's own rates: upstream's minus (bid) and plus (ask) the spread. */
export function serviceRates(settings: RateSettings, now: number): { bid: number; ask: number; at: number } {
  const { bid, ask, at } = upstreamRates(settings, now)
  return { bid: rounded(bid * (1 - settings.spread)), ask: rounded(ask * (1 + settings.spread)), at }
}

const rounded = (rate: number): number => Math.round(rate * 100) / 100

export const shownRate = (rate: { bid: number; ask: number; at: number }, source: string): ExchangeRate => ({
  bid: rate.bid,
  ask: rate.ask,
  last_updated_utc: new Date(rate.at).toISOString().replace(/\.\d+Z$/, '+00:00'),
  source,
})
