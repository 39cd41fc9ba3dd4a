import { hasEnded } from '../../../src/contract/payment_names.ts'
import { broken } from '../broken.ts'
import type { End } from '../callers/callers.ts'
import type { Told } from '../callers/told.ts'
import type { Process } from '../machine/machine.ts'
import { type Place, places, profiles, scopeOf, userIds } from '../script/places.ts'
import type { Conduct } from './conduct.ts'
import type { CountedRow, IntentRow, Journals } from './journals.ts'
import { checkCounted, checkLimits, type LimitsInForce } from './limit_invariants.ts'
import { LoginInvariants } from './login_invariants.ts'
import {
  checkAccepted,
  checkAudit,
  checkBatch,
  checkEnded,
  checkPages,
  checkPatience,
  checkRepetitions,
  checkSettled,
  checkTaken,
  checkWalk,
  isOf,
  type PaymentRow,
  type Payments,
  type Present,
} from './told_invariants.ts'

// Journals and results of callers must agree with the service.

/** Circumstances of an operation. */
export interface Circumstances {
  /** True if no other process used the journal. */
  readonly alone: boolean
  /** True if no payment changed. */
  readonly unchanged: boolean
  /** True if the service was running, and its disk had room. */
  readonly calm: boolean
  /** True if no tokens were ended early: an early end can also end a token that was just renewed. */
  readonly steady: boolean
}

export class CallerInvariants {
  readonly #journals: Journals
  readonly #conduct: Conduct
  readonly #limits: LimitsInForce
  /** Final statuses of payments that a journal has recorded, by the intent's id; null: no final status yet. */
  readonly #ends = new Map<string, string | null>()
  /**
   * Profiles in whose journal a process was killed, ran out of disk space or lost power, with the keys of the intents
   * that were not settled then.
   */
  readonly #hurt = new Map<string, Set<string>>()
  /** Batch that reported each payment, by the payment's id. */
  readonly #scopes = new Map<string, string>()
  readonly #logins: LoginInvariants

  constructor(journals: Journals, conduct: Conduct, limits: LimitsInForce) {
    this.#journals = journals
    this.#conduct = conduct
    this.#limits = limits
    this.#logins = new LoginInvariants(journals, conduct)
  }

  /** Called when an operation begins. */
  begins(action: End['action']): void {
    if (action.do === 'log in') this.#logins.begins(action)
  }

  /**
   * Called when data that was not forced to disk is lost. The journals may then forget that a payment has ended, or
   * that it was not sent.
   */
  forget(): void {
    this.#ends.clear()
    for (const place of profiles) this.#isHurt(place)
  }

  /** Checks journals; can be called at any moment. */
  check(payments: Payments): void {
    const byWorld = Map.groupBy(payments, ({ world }) => world)
    for (const place of profiles) this.#checkJournal(place, byWorld)
  }

  /** Checks journals once everything has been resumed. Skips ended worlds, which can't be compared. */
  checkEnd({ payments, world }: Present): void {
    const present = payments.filter((one) => one.world === world)
    for (const place of profiles) {
      const { profile, user } = place
      for (const intent of this.#journals.intents(place)) {
        const { id, status, idempotency_key } = intent
        if (intent.world !== world || (status !== 'sent' && status !== 'unknown')) continue
        const own = present.filter((one) => one.owner === userIds[user] && one.idempotency_key === idempotency_key)
        const made = paidBy(intent, own)
        // Another caller of the same user has used the key for a different payment.
        if (made && !isOf(intent, made)) continue
        broken('doubt ends', `${id} of ${profile} is ${status} after everything was resumed`)
      }
    }
  }

  #checkJournal(place: Place, payments: ReadonlyMap<string, Payments>): void {
    const all = this.#journals.intents(place)
    checkRepetitions(all)
    const counted = Map.groupBy(this.#journals.counted(place), ({ world }) => world)
    const keys = new Set(all.map(({ idempotency_key }) => idempotency_key))
    const intents = Map.groupBy(all, ({ world }) => world)
    for (const world of new Set([...payments.keys(), ...intents.keys()])) {
      const facts = { intents: intents.get(world) ?? [], counted: counted.get(world) ?? [], keys }
      this.#checkWorld(place, facts, payments.get(world) ?? [])
    }
  }

  /**
   * Compares a world with a journal. A payment under way at the end of a world may have been made in the next world.
   */
  #checkWorld(place: Place, { intents, counted, keys }: Written, payments: Payments): void {
    const { profile: name, user } = place
    const own = payments.filter((one) => one.owner === userIds[user] && one.transfer_type === 'debit')
    const all = Map.groupBy(own, ({ idempotency_key }) => idempotency_key)
    const byKey = new Map<string, PaymentRow>()
    for (const intent of intents) {
      const used = paidBy(intent, all.get(intent.idempotency_key))
      const isStray = intent.status !== 'settled' && this.#isStray(intent, place)
      const made = used && isOf(intent, used) && !isStray ? used : undefined
      if (used && !isStray) byKey.set(intent.idempotency_key, used)
      if (intent.status === 'rejected') this.#checkRejected(intent, made, place)
      if (intent.status === 'prepared' && made) {
        broken('written before sent', `${intent.id} never left, and its payment is ${made.id}`)
      }
      if (intent.status === 'settled') checkSettled(intent, used)
      this.#checkKnownEnd(intent, made)
    }
    const stray = own.find((one) => one.description.startsWith(`Order ${name}-`) && !keys.has(one.idempotency_key))
    if (stray) broken('written before sent', `payment ${stray.id} of ${name} is in no journal`)
    if (place.limits) checkLimits(place, { intents, counted, byKey, conduct: this.#conduct, inForce: this.#limits })
  }

  #isStray = ({ world, idempotency_key }: IntentRow, { user }: Place): boolean =>
    this.#conduct.mayBeStray(world, user, idempotency_key)

  #checkRejected({ id, world, idempotency_key }: IntentRow, made: PaymentRow | undefined, { user }: Place): void {
    if (made) broken('rejected moves nothing', `${id} is rejected, and its payment ${made.id} is ${made.status}`)
    if (!this.#conduct.hasRefused(world, user, idempotency_key)) {
      broken('rejected by the service', `${id} is rejected, and the service has not refused it`)
    }
  }

  /** Checks that a journal does not forget that a payment was made, or how it ended. */
  #checkKnownEnd({ id, status, payment_status }: IntentRow, made: PaymentRow | undefined): void {
    const known = this.#ends.get(id)
    if (status !== 'settled') {
      if (known !== undefined) broken('a known end is kept', `the payment of ${id} was made, and ${id} is ${status}`)
      return
    }
    const end = hasEnded(payment_status) ? payment_status : null
    if (known && end !== known) {
      broken('a known end is kept', `the payment of ${id} was ${known}, and is ${payment_status} in the journal`)
    }
    this.#ends.set(id, end)
    if (end === null) return
    if (made?.status !== end) broken('a known end is kept', `the payment of ${id} is ${made?.status}, not ${end}`)
  }

  /** Called when an operation has ended. */
  ended({ action, process, faults }: End): void {
    this.#logins.ended(action)
    if (process.alive && !faults.includes('disk full')) return
    const { journal } = places[action.caller]
    for (const place of profiles) if (place.journal === journal) this.#isHurt(place)
  }

  #isHurt(place: Place): void {
    const keys = this.#hurt.get(place.profile) ?? new Set()
    this.#hurt.set(place.profile, keys)
    for (const { status, idempotency_key } of this.#journals.intents(place)) {
      if (status !== 'settled') keys.add(idempotency_key)
    }
  }

  /** Checks that a payment that is reported as refused was not made, by this process or another. */
  checkRefused({ caller }: End['action'], told: Refused, payments: Payments): void {
    const place = places[caller]
    const intent = this.#journals.intents(place).find(({ id }) => id === told.intent)
    if (!intent || this.#isStray(intent, place)) return
    const { world, idempotency_key: key } = intent
    const own = payments.filter((one) => one.world === world && one.owner === userIds[place.user])
    const made = own.find((one) => one.idempotency_key === key && isOf(intent, one))
    if (made) broken('told true', `${told.intent} is told to be refused, and its payment is ${made.id}`)
  }

  /** Checks that everything that an operation reported to its caller is true. */
  checkTold(end: End, circumstances: Circumstances, { payments, world }: Present): void {
    const { action, process, faults } = end
    const place = places[action.caller]
    if (!process.alive) return
    this.#logins.check(end, circumstances, world)
    checkTaken(end, (key) => this.#journals.withKey(place, key))
    const isWritten = circumstances.alone && !faults.includes('disk full')
    for (const told of end.told) {
      if (told.what === 'pages') {
        const present = payments.filter((one) => one.world === world)
        if (circumstances.unchanged) checkPages(told, present)
      } else if (told.what === 'batch') checkBatch(told)
      else if (told.what === 'ended') checkEnded(told, payments)
      else if (told.what === 'outcome') this.#checkOutcome(told, { place, isWritten, process }, payments)
      else if (told.what === 'row') this.#checkRow(told, { place, isWritten, process }, payments)
    }
    if (circumstances.unchanged) checkWalk(end)
    this.#checkRows(end)
    if (circumstances.calm && circumstances.alone) checkPatience(end, place)
    checkAudit(end, this.#journals.audit(place))
    if (!circumstances.alone) return
    this.#checkDoubts(place)
    const hurt = this.#hurt.get(place.profile)
    if (place.limits) checkCounted(end, { place, journals: this.#journals, conduct: this.#conduct, hurt })
  }

  #checkOutcome(told: Extract<Told, { what: 'outcome' }>, teller: Teller, payments: Payments): void {
    const { place, isWritten } = teller
    if (told.outcome === 'accepted') checkAccepted(told, payments)
    const intent = this.#journals.intents(place).find(({ id }) => id === told.intent)
    if (told.outcome === 'refused' || told.outcome === 'not_sent') this.#checkDenied(told, teller, intent)
    if (!isWritten) return
    const status = intent?.status
    const expected: Readonly<Record<typeof told.outcome, readonly (string | undefined)[]>> = {
      accepted: ['settled'],
      refused: ['rejected'],
      not_sent: ['prepared', 'rejected', undefined],
      unknown: ['sent', 'unknown', 'settled'],
    }
    if (!expected[told.outcome].includes(status)) {
      broken('told true', `${told.description} was told ${told.outcome}, and is ${status} in the journal`)
    }
    if (told.outcome === 'accepted' || told.outcome === 'unknown') return
    if (intent && this.#isStray(intent, place)) return
    const isIt = (one: PaymentRow) => one.idempotency_key === told.key && one.description === told.description
    const made = payments.find((one) => one.world === intent?.world && isIt(one))
    if (made) broken('told true', `${told.description} was told ${told.outcome}, and its payment is ${made.id}`)
  }

  /** Checks that a payment that was reported as not made was not made in another world. */
  #checkDenied({ description }: { readonly description: string }, { process }: Teller, intent?: IntentRow): void {
    if (!intent || !this.#conduct.hasStrayed(process, intent.idempotency_key)) return
    broken('told true', `${description} was told not to be paid, and was, in another world`)
  }

  #checkRow(told: Extract<Told, { what: 'row' }>, teller: Teller, payments: Payments): void {
    const { place, isWritten } = teller
    const { status, payment, description } = told
    const intent = this.#journals.intents(place).find(({ id }) => id === told.intent)
    if (status === 'rejected' || status === 'not_sent') this.#checkDenied(told, teller, intent)
    if (payment !== null) checkAccepted({ ...told, payment }, payments)
    if (hasEnded(status) && status !== 'rejected') checkEnded({ payment: payment ?? '', status }, payments)
    if (!isWritten) return
    const expected = status === 'rejected' ? ['rejected'] : status === 'not_sent' ? ['prepared', 'rejected'] : undefined
    if (payment !== null && intent?.payment_status !== status) {
      broken('told true', `${description} was told ${status}, and is ${intent?.payment_status} in the journal`)
    }
    const isTrue = payment === null ? (expected?.includes(intent?.status ?? '') ?? true) : intent?.status === 'settled'
    if (!isTrue) broken('told true', `${description} was told ${status}, and is ${intent?.status} in the journal`)
  }

  /** Checks that an operation reports each row once, and that no payment is reported for two batches. */
  #checkRows({ action, told }: End): void {
    const rows = told.filter((one) => one.what === 'row').map(({ intent }) => intent)
    const twice = rows.find((id, at) => rows.indexOf(id) !== at)
    if (twice) broken('each row once', `${twice} was told twice`)
    if (!('batch' in action)) return
    const scope = scopeOf(action)
    for (const one of told) {
      if (one.what !== 'row' || one.payment === null) continue
      const other = this.#scopes.get(one.payment) ?? scope
      this.#scopes.set(one.payment, scope)
      if (other !== scope) broken('each row once', `${one.payment} pays a row of ${scope}, and one of ${other}`)
    }
  }

  /** Checks that an intent that was never sent is not in doubt. */
  #checkDoubts(place: Place): void {
    const { profile } = place
    const hurt = this.#hurt.get(profile)
    for (const { id, world, status, idempotency_key: key } of this.#journals.intents(place)) {
      if (hurt?.has(key)) continue
      if ((status === 'sent' || status === 'unknown') && !this.#conduct.leavings.has(`${profile} ${world} ${key}`)) {
        broken('only what left is in doubt', `${id} of ${profile} is ${status}, and has never left`)
      }
    }
  }
}

type Refused = Extract<Told, { readonly what: 'outcome' | 'row' }>

/** True if a result says that no money moved, and none will. */
export const saysRefused = (told: Told): told is Refused =>
  told.what === 'outcome' ? told.outcome === 'refused' : told.what === 'row' && told.status === 'rejected'

/** A journal's data about one world. */
interface Written {
  readonly intents: readonly IntentRow[]
  readonly counted: readonly CountedRow[]
  /** Keys of all worlds. */
  readonly keys: ReadonlySet<string>
}

/** The process that reported a result. */
interface Teller {
  readonly place: Place
  readonly process: Process
  /** True if the journal must contain the result: no other process used the journal, and its disk had room. */
  readonly isWritten: boolean
}

/**
 * The payment of an intent, among all payments with its key: once the service has forgotten a key, another caller may
 * have paid with it.
 */
const paidBy = (intent: IntentRow, all: Payments = []): PaymentRow | undefined =>
  all.find(({ id }) => id === intent.payment_id) ?? all.find((one) => isOf(intent, one)) ?? all.at(-1)
