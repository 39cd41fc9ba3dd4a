import type { ExchangeRate } from '../../src/contract/index.ts'

/** How the sandbox makes its rates. `bid` and `ask` are upstream's, in CRC for one USD; null lets them move by themselves. */
export interface RateSettings {
  readonly bid: number | null
  readonly ask: number | null
  /** The service's share on each side: 0.004 is 0.4 %. */
  readonly spread: number
  readonly offline: boolean
}

const middle = { bid: 500, ask: 510 }
const swing = 5
const hour = 60 * 60 * 1000
const period = 24 * hour

/** Upstream's rates at a time: the same for the same hour, drifting a few colones up and down over a day. */
export function upstreamRates({ bid, ask }: RateSettings, now: number): { bid: number; ask: number; at: number } {
  const at = Math.floor(now / hour) * hour
  const drift = swing * Math.sin((2 * Math.PI * (at % period)) / period)
  return { bid: bid ?? rounded(middle.bid + drift), ask: ask ?? rounded(middle.ask + drift), at }
}

/** The service's own: it pays less for a dollar and takes more. */
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
