import { endedUnpaid } from '../../../src/contract/payment_names.ts'
import { LimitError } from '../../../src/limits/refusals.ts'
import { broken } from '../broken.ts'
import type { End } from '../callers/callers.ts'
import type { Place, PlaceLimits } from '../script/places.ts'
import type { Conduct } from './conduct.ts'
import type { CountedRow, IntentRow, Journals } from './journals.ts'
import type { PaymentRow } from './told_invariants.ts'

// Checks limits independently: payments sent on a day must not exceed them.

/** Highest value of each limit during a run, by profile. */
export class LimitsInForce {
  readonly #most = new Map<string, PlaceLimits>()
  /** Profiles of processes whose clock has jumped: the day of their payments is uncertain. */
  readonly #unsure = new Set<string>()

  allow({ profile }: Place, limits: PlaceLimits): void {
    const before = this.#most.get(profile)
    const most = (one: number | undefined, other: number | undefined) =>
      one === undefined || other === undefined ? undefined : Math.max(one, other)
    this.#most.set(
      profile,
      before === undefined
        ? limits
        : {
            perDay: Math.max(before.perDay, limits.perDay),
            perPayment: most(before.perPayment, limits.perPayment),
            perPayeeDay: most(before.perPayeeDay, limits.perPayeeDay),
            hours: before.hours === limits.hours ? limits.hours : undefined,
          },
    )
  }

  doubt({ profile }: Place): void {
    this.#unsure.add(profile)
  }

  of({ profile }: Place): PlaceLimits | undefined {
    return this.#most.get(profile)
  }

  isSure({ profile }: Place): boolean {
    return !this.#unsure.has(profile)
  }
}

/** Facts of one world. */
interface Facts {
  readonly intents: readonly IntentRow[]
  readonly counted: readonly CountedRow[]
  /** Payments that were made, by idempotency key. */
  readonly byKey: ReadonlyMap<string, PaymentRow>
  readonly conduct: Conduct
  readonly inForce: LimitsInForce
}

/** Time after midnight, in milliseconds, in which a payment of the day before may still be sent. */
const lateness = 15 * 60_000

export function checkLimits(place: Place, { intents, counted, byKey, conduct, inForce }: Facts): void {
  const limits = inForce.of(place)
  if (!limits) return
  const { profile } = place
  const dayOf = new Map(counted.map((one) => [one.idempotency_key, one.day]))
  const byDay = new Sums()
  for (const { idempotency_key: key, world, body } of intents) {
    const made = byKey.get(key)
    if (!made || made.description !== JSON.parse(body).description || endedUnpaid(made.status)) continue
    const day = dayOf.get(key)
    if (day === undefined) broken('limits', `payment ${made.id} of ${profile} was not counted`)
    const { amount } = made
    if (amount > (limits.perPayment ?? amount))
      broken('limits', `${profile} has paid ${amount}, of ${limits.perPayment} at most`)
    byDay.add(`as counted on ${day}`, amount)
    const leaving = conduct.leavings.get(`${profile} ${world} ${key}`)
    if (!leaving || !inForce.isSure(place)) continue
    const there = new Date(leaving - 6 * 3_600_000)
    checkHours(there, limits.hours, made)
    if (leaving - Date.parse(`${there.toISOString().slice(0, 10)}T06:00:00Z`) < lateness) continue
    byDay.add(`that left on ${there.toISOString().slice(0, 10)}`, amount)
    byDay.add(`that left on ${there.toISOString().slice(0, 10)} to ${made.payee_phone}`, amount)
  }
  for (const [what, sum] of byDay) {
    const limit = what.includes(' to ') ? limits.perPayeeDay : limits.perDay
    if (limit !== undefined && sum > limit) broken('limits', `${profile} has paid ${sum} ${what}, of ${limit}`)
  }
}

interface Counting {
  readonly place: Place
  readonly journals: Journals
  readonly conduct: Conduct
  /**
   * Keys of intents that were not settled when a process of the journal was killed, ran out of disk space or lost
   * power.
   */
  readonly hurt: ReadonlySet<string> | undefined
}

/**
 * Checks that payments in doubt count against limits, and that payments not sent, refused, or known to have failed do
 * not.
 */
export function checkCounted({ process, error }: End, { place, journals, conduct, hurt }: Counting): void {
  const { profile } = place
  const nameOf = (one: { readonly world: string; readonly idempotency_key: string }) =>
    `${one.world} ${one.idempotency_key}`
  const intents = new Map(journals.intents(place).map((intent) => [nameOf(intent), intent]))
  const counted = journals.counted(place)
  for (const one of counted) {
    const intent = hurt?.has(one.idempotency_key) ? undefined : intents.get(nameOf(one))
    if (!intent) continue
    const { status, payment_status } = intent
    if (status !== 'rejected' && status !== 'prepared' && !(status === 'settled' && endedUnpaid(payment_status)))
      continue
    broken('limits', `${intent.id} is ${status} (${payment_status}), and counts for the limits of ${profile}`)
  }
  const names = new Set(counted.map(nameOf))
  for (const intent of intents.values()) {
    if (intent.status !== 'sent' && intent.status !== 'unknown') continue
    if (!names.has(nameOf(intent)))
      broken('limits', `${intent.id} is ${intent.status}, and counts for no limit of ${profile}`)
  }
  if (!(error instanceof LimitError) || !('used' in error.refusal) || error.refusal.kind === 'per_payment') return
  const present = conduct.onlyWorldOf(process)
  if (present === undefined) return
  const ofDays = new Sums()
  for (const { world, day, amount } of counted) if (world === present) ofDays.add(day, amount)
  const sum = Math.max(0, ...ofDays.values())
  if (error.refusal.used > sum) broken('limits', `${error.refusal.used} is said to be used, and ${sum} was sent`)
}

class Sums extends Map<string, number> {
  add(name: string, amount: number): void {
    this.set(name, (this.get(name) ?? 0) + amount)
  }
}

/** Checks allowed hours. A payment that was prepared before the hours end may be sent a little later. */
function checkHours(there: Date, hours: string | undefined, { id }: PaymentRow): void {
  if (hours === undefined) return
  const minuteOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
  const [from = '', until = ''] = hours.split('-')
  const minute = there.getUTCHours() * 60 + there.getUTCMinutes()
  if (minute >= minuteOf(from) && minute < minuteOf(until) + lateness / 60_000) return
  broken('limits', `payment ${id} left at ${there.toISOString().slice(11, 16)}, outside of ${hours}`)
}
