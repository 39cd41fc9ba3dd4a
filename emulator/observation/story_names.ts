import type { Store } from '../store/store.ts'
import type { ClockMove } from './request_log.ts'

/** Costa Rica is six hours behind UTC all year. */
const localOffset = -6 * 3_600_000

const dayLength = 24 * 3_600_000

interface Times {
  /** Epoch milliseconds of the world's clock. */
  readonly startedAt: number
  readonly now: number
  readonly moves: readonly ClockMove[]
}

/**
 * Times since the start of a world, which is the time at which it was made or opened. If the clock ran, times are
 * rounded to seconds, and time that passed without a move of the clock is left out, because it differs from run to run.
 */
export class StoryTime {
  readonly #startedAt: number
  readonly #moves: readonly ClockMove[]
  readonly #stoodStill: boolean

  constructor({ startedAt, now, moves }: Times) {
    this.#startedAt = startedAt
    this.#moves = moves
    this.#stoodStill = now - startedAt === moves.reduce((sum, { from, to }) => sum + to - from, 0)
  }

  /** Time since the start, such as `+0s`, `+1m` or `+2h 0m 1.500s`. */
  at(time: number): string {
    if (this.#stoodStill) return signed(time - this.#startedAt)
    const moved = this.#moves.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(time, to) - from), 0)
    return signed(Math.round(moved / 1000) * 1000)
  }

  /** Days from the start to a date in Costa Rica, such as `2026-01-05`. */
  day(date: string): string {
    const days = Date.parse(date) / dayLength - Math.floor((this.#startedAt + localOffset) / dayLength)
    return `day ${days < 0 ? '' : '+'}${days}`
  }
}

function signed(ms: number): string {
  const sign = ms < 0 ? '-' : '+'
  const all = Math.abs(ms)
  const [hours, minutes] = [Math.floor(all / 3_600_000), Math.floor(all / 60_000) % 60]
  const seconds = (all % 60_000) / 1000
  const parts = [
    hours > 0 && `${hours}h`,
    minutes > 0 && `${minutes}m`,
    (seconds > 0 || all < 60_000) && `${Number.isInteger(seconds) ? seconds : seconds.toFixed(3)}s`,
  ]
  return `${sign}${parts.filter(Boolean).join(' ')}`
}

const patterns = [
  // Markers of keys and users.
  /\{(?:key [^\n]*?|user \d+)\}(?=,|\n|$)/,
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/,
  /\b\d{25}\b/,
  /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/,
  /\b\d{4}-\d\d-\d\d\b/,
  /(?<=127\.0\.0\.1:|localhost:|\[::1\]:)\d+/,
]

const volatile = new RegExp(patterns.map(({ source }) => source).join('|'), 'gi')

/**
 * Replaces values that differ from run to run: ids and keys get a name from their kind and the order of their first
 * appearance, and times become relative.
 */
export class StoryNames {
  readonly #names = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  readonly #store: Store
  readonly #time: StoryTime

  constructor({ store }: { readonly store: Store }, time: StoryTime) {
    this.#store = store
    this.#time = time
  }

  replacedIn = (text: string): string => text.replace(volatile, (found) => this.#replacement(found))

  #replacement(found: string): string {
    if (/^\d{4}-\d\d-\d\dT/.test(found)) return this.#time.at(Date.parse(found))
    if (/^\d{4}-\d\d-\d\d$/.test(found)) return this.#time.day(found)
    const id = found.startsWith('{') ? found : found.toLowerCase()
    return this.#names.get(id) ?? this.#named(id)
  }

  #named(id: string): string {
    const kind = this.#kindOf(id)
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    this.#names.set(id, `${kind}-${count}`)
    return `${kind}-${count}`
  }

  #kindOf(id: string): string {
    if (id.startsWith('{')) return id.startsWith('{key ') ? 'key' : 'user'
    if (/^\d+$/.test(id)) return id.length === 25 ? 'reference' : 'port'
    const { payments, accounts, users, subscriptions } = this.#store
    if (payments.get(id)) return 'payment'
    if (accounts.get(id)) return 'account'
    if (users.byId(id)) return 'user'
    return subscriptions.get(id) ? 'subscription' : 'id'
  }
}
