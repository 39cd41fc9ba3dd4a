import { type Expected, refused, success } from './exchange.ts'
import { Free, matching, text } from './matching.ts'
import type { Caller } from './payments.ts'

interface Pair {
  readonly bid: Free<number>
  readonly ask: Free<number>
}

const spread = 0.004

/** Largest distance of upstream's rates from the middle, in CRC for one USD. */
const drift = 10

/**
 * Rates of USD/CRC: one pair of bid and ask for each hour, around 500 and 510. The service's own rates differ by the
 * spread on each side.
 */
export class Rates {
  online = true
  /** Pairs of the upstream rates and the service's rates, by the time of their last change. */
  readonly #pairs = { upstream: new Map<string, Pair>(), service: new Map<string, Pair>() }

  /** GET /api/fx/{provider}-rates. */
  upstream(provider: string, call: Caller): Expected[] {
    const words = `${provider[0]?.toUpperCase()}${provider.slice(1)} exchange rates`
    const pair = this.#pairs.service.get(updatedIn(call))
    const under = (share: number, free: Free<number> | undefined, middle: number) => (rate: number) =>
      Math.abs(rate - middle) <= drift && (free?.value === undefined || free.value === apart(rate, share))
    const [bid, ask] = [under(-spread, pair?.bid, 500), under(spread, pair?.ask, 510)]
    return this.#answer(words, this.#pairs.upstream, { call, bid, ask })
  }

  /** GET /api/fx/rates. */
  service(call: Caller): Expected[] {
    const pair = this.#pairs.upstream.get(updatedIn(call))
    const spreadOn = (share: number, free: Free<number> | undefined, middle: number) => (rate: number) => {
      if (free?.value === undefined) return Math.abs(rate - middle) <= drift * 2
      return rate === apart(free.value, share)
    }
    const [bid, ask] = [spreadOn(-spread, pair?.bid, 500), spreadOn(spread, pair?.ask, 510)]
    return this.#answer('Exchange rates', this.#pairs.service, { call, bid, ask })
  }

  #answer(words: string, pairs: Map<string, Pair>, { call, bid, ask }: Bounds): Expected[] {
    if (!this.online) return [refused(503, `${words} are currently unavailable`)]
    const updated = updatedIn(call)
    const pair = pairs.get(updated) ?? { bid: rate(bid), ask: rate(ask) }
    const data = {
      ...pair,
      last_updated_utc: matching('a time before now', (value) => {
        return isTime(value) && Date.parse(String(value)) <= call.now
      }),
      source: matching('a URL', text(/^https:\/\//)),
    }
    return [success(`${words} retrieved successfully`, data, { learn: () => pairs.set(updated, pair) })]
  }
}

/** An upstream rate plus the service's share, rounded to two decimals. */
const apart = (rate: number, share: number): number => Math.round(rate * (1 + share) * 100) / 100

interface Bounds {
  readonly call: Caller
  readonly bid: (rate: number) => boolean
  readonly ask: (rate: number) => boolean
}

const isTime = text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)

const updatedIn = ({ answer }: Caller): string =>
  String((answer.body as { data?: { last_updated_utc?: unknown } } | null)?.data?.last_updated_utc)

const rate = (fits: (rate: number) => boolean): Free<number> =>
  new Free<number>('a possible rate', (value) => typeof value === 'number' && fits(value))
