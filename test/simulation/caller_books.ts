import { hasEnded } from '../../src/contract/terminal_statuses.ts'
import { IntentError } from '../../src/errors/cli_error.ts'
import { ApiError } from '../../src/errors/service_errors.ts'
import { LimitError } from '../../src/limits/refusals.ts'
import { Broken } from './broken.ts'
import type { End } from './callers.ts'
import type { Conduct } from './conduct.ts'
import type { IntentRow, Journals } from './journals.ts'
import { checkLimits, type LimitsInForce } from './limits_books.ts'
import { descriptionOf, type Place, places, profiles, scopeOf, userIds } from './places.ts'
import type { Told } from './told.ts'
import {
  checkAccepted,
  checkBatch,
  checkEnded,
  checkPages,
  checkPatience,
  checkRepetitions,
  checkSettled,
  isOf,
  type PaymentRow,
  type Payments,
} from './told_books.ts'

// What callers keep on disk and what they are told is true of the service.

const broken = (invariant: string, message: string): never => {
  throw new Broken(invariant, message)
}

/** How an operation was while it ran. */
export interface Circumstances {
  /** Nobody else used its journal. */
  readonly alone: boolean
  /** No payment changed. */
  readonly unchanged: boolean
  /** The service was there, and its disk had room. */
  readonly calm: boolean
}

export class CallerBooks {
  readonly #journals: Journals
  readonly #conduct: Conduct
  readonly #limits: LimitsInForce
  /** Ends of payments that a journal has known, by intent. */
  readonly #ends = new Map<string, string>()
  /** Profiles in whose journal a process was killed, or had no room, and the keys of which nobody told then what became of them. */
  readonly #hurt = new Map<string, Set<string>>()
  /** In what batch each payment was told, by its id. */
  readonly #scopes = new Map<string, string>()
  /** Profiles whose login was ended, and logins under way. */
  readonly #loggedOut = new Set<string>()
  readonly #loggingIn = new Set<End['action']>()

  constructor(journals: Journals, conduct: Conduct, limits: LimitsInForce) {
    this.#journals = journals
    this.#conduct = conduct
    this.#limits = limits
  }

  /** Hears that an operation begins. */
  begins(action: End['action']): void {
    if (action.do !== 'log in') return
    this.#loggedOut.delete(places[action.caller].profile)
    this.#loggingIn.add(action)
  }

  /** Hears that what was not forced to disk is lost: that a payment has ended may be. */
  forget(): void {
    this.#ends.clear()
  }

  /** What journals say at any moment. */
  check(payments: Payments): void {
    for (const place of profiles) this.#checkJournal(place, payments)
  }

  /** Once everything has been resumed. */
  checkEnd(payments: Payments): void {
    for (const place of profiles) {
      const { profile, user } = place
      const open = this.#journals.intents(place).filter(({ status }) => status === 'sent' || status === 'unknown')
      for (const intent of open) {
        const { id, status, idempotency_key } = intent
        const made = payments.find((one) => one.owner === userIds[user] && one.idempotency_key === idempotency_key)
        // Somebody else of the same user has used its key for another payment.
        if (made && !isOf(intent, made)) continue
        broken('doubt ends', `${id} of ${profile} is ${status} after everything was resumed`)
      }
    }
  }

  #checkJournal(place: Place, payments: Payments): void {
    const { profile: name, user } = place
    const own = payments.filter((one) => one.owner === userIds[user] && one.transfer_type === 'debit')
    const byKey = new Map(own.map((payment) => [payment.idempotency_key, payment]))
    const intents = this.#journals.intents(place)
    for (const intent of intents) {
      const used = byKey.get(intent.idempotency_key)
      const made = used && isOf(intent, used) ? used : undefined
      if (intent.status === 'rejected') this.#checkRejected(intent, made, place)
      if (intent.status === 'prepared' && made) {
        broken('written before sent', `${intent.id} never left, and its payment is ${made.id}`)
      }
      if (intent.status === 'settled') checkSettled(intent, used)
      this.#checkKnownEnd(intent, made)
    }
    checkRepetitions(intents)
    const written = new Set(intents.map(({ idempotency_key }) => idempotency_key))
    const stray = own.find((one) => one.description.startsWith(`Order ${name}-`) && !written.has(one.idempotency_key))
    if (stray) broken('written before sent', `payment ${stray.id} of ${name} is in no journal`)
    const counted = this.#journals.counted(place)
    if (place.limits) checkLimits(place, { intents, counted, byKey, conduct: this.#conduct, inForce: this.#limits })
  }

  #checkRejected({ id, idempotency_key }: IntentRow, made: PaymentRow | undefined, { user }: Place): void {
    if (made) broken('rejected moves nothing', `${id} is rejected, and its payment ${made.id} is ${made.status}`)
    if (!this.#conduct.hasRefused(user, idempotency_key)) {
      broken('rejected by the service', `${id} is rejected, and the service has not refused it`)
    }
  }

  /** What a payment has come to is not forgotten. */
  #checkKnownEnd({ id, status, payment_status }: IntentRow, made: PaymentRow | undefined): void {
    const known = this.#ends.get(id)
    const end = status === 'settled' && hasEnded(payment_status) ? payment_status : null
    if (known !== undefined && end !== known) {
      broken('a known end is kept', `the payment of ${id} was ${known}, and is ${payment_status} in the journal`)
    }
    if (end === null) return
    this.#ends.set(id, end)
    if (made?.status !== end) broken('a known end is kept', `the payment of ${id} is ${made?.status}, not ${end}`)
  }

  /** Hears that an operation has ended. */
  ended({ action, process, faults }: End): void {
    this.#loggingIn.delete(action)
    if (process.alive && !faults.includes('disk full')) return
    const { journal } = places[action.caller]
    for (const place of profiles) {
      if (place.journal !== journal) continue
      const keys = this.#hurt.get(place.profile) ?? new Set()
      this.#hurt.set(place.profile, keys)
      for (const { status, idempotency_key } of this.#journals.intents(place)) {
        if (status !== 'settled') keys.add(idempotency_key)
      }
    }
  }

  /** What a caller was told is true. */
  checkTold(end: End, circumstances: Circumstances, payments: Payments): void {
    const { action, process, faults } = end
    const place = places[action.caller]
    if (!process.alive) return
    this.#checkLogin(end, circumstances)
    this.#checkTaken(end)
    const isWritten = circumstances.alone && !faults.includes('disk full')
    for (const told of end.told) {
      if (told.what === 'pages') {
        if (circumstances.unchanged) checkPages(told, payments)
      } else if (told.what === 'batch') checkBatch(told)
      else if (told.what === 'ended') checkEnded(told, payments)
      else if (told.what === 'outcome') this.#checkOutcome(told, { place, isWritten }, payments)
      else if (told.what === 'row') this.#checkRow(told, { place, isWritten }, payments)
    }
    this.#checkRows(end)
    if (circumstances.calm && circumstances.alone) checkPatience(end, place)
    this.#checkAudit(end, place)
    if (!circumstances.alone) return
    this.#checkDoubts(place)
    if (place.limits) this.#checkCounted(end, place)
  }

  #checkOutcome(told: Extract<Told, { what: 'outcome' }>, { place, isWritten }: Written, payments: Payments): void {
    if (told.outcome === 'accepted') checkAccepted(told, payments)
    if (!isWritten) return
    const status = this.#journals.withKey(place, told.key)?.status
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
    const made = payments.find((one) => one.idempotency_key === told.key && one.description === told.description)
    if (made) broken('told true', `${told.description} was told ${told.outcome}, and its payment is ${made.id}`)
  }

  #checkRow(told: Extract<Told, { what: 'row' }>, { place, isWritten }: Written, payments: Payments): void {
    const { status, payment, description } = told
    if (payment !== null) checkAccepted({ ...told, payment }, payments)
    if (hasEnded(status) && status !== 'rejected') checkEnded({ payment: payment ?? '', status }, payments)
    if (!isWritten) return
    const intent = this.#journals.intents(place).find(({ id }) => id === told.intent)
    const expected = status === 'rejected' ? ['rejected'] : status === 'not_sent' ? ['prepared', 'rejected'] : undefined
    if (payment !== null && intent?.payment_status !== status) {
      broken('told true', `${description} was told ${status}, and is ${intent?.payment_status} in the journal`)
    }
    const isTrue = payment === null ? (expected?.includes(intent?.status ?? '') ?? true) : intent?.status === 'settled'
    if (!isTrue) broken('told true', `${description} was told ${status}, and is ${intent?.status} in the journal`)
  }

  /** A key that is said to be another payment's is. */
  #checkTaken({ action, error }: End): void {
    if (action.do !== 'send' || !(error instanceof IntentError) || !error.message.includes('another payment')) return
    const intent = this.#journals.withKey(places[action.caller], action.key)
    if (intent && JSON.parse(intent.body).description !== descriptionOf(action)) return
    broken('told true', `${action.key} is said to be another payment's, and is not`)
  }

  /** A login that can be renewed is, and one that was ended stays so. */
  #checkLogin({ action, told, error, faults }: End, { alone }: Circumstances): void {
    const place = places[action.caller]
    const { profile, logsIn } = place
    if (told.some(({ what }) => what === 'logged out') && this.#loggingIn.size === 0) this.#loggedOut.add(profile)
    if (!logsIn) return
    const token = this.#journals.refreshToken(place)
    if (this.#loggedOut.has(profile) && token !== undefined) broken('logged out', `the login of ${profile} is back`)
    const failures = [error, ...told.map((one) => ('error' in one ? one.error : undefined))]
    const isRefused = failures.some((cause) => cause instanceof ApiError && cause.status === 401)
    if (faults.includes('answered 401')) return
    if (isRefused && alone && token !== undefined && this.#conduct.isGood(token)) {
      broken('a login is renewed', `${action.do} of ${profile} was refused, and its refresh token is good`)
    }
  }

  /** Each row of a batch is told once, and paid by a payment of its own. */
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

  /** What left and was answered is in the audit file, and so is what limits kept. */
  #checkAudit({ told, error, action, faults }: End, place: Place): void {
    if (faults.includes('killed')) return
    const lines = this.#journals.audit(place)
    for (const one of told) {
      if (one.what !== 'outcome' || one.outcome !== 'accepted') continue
      const known = lines.some(({ event, key }) => event === 'asked' && key === one.key)
      if (!known) broken('audit', `${one.description} was paid, and the audit file does not say that it was sent`)
    }
    if (!(error instanceof LimitError) || action.do !== 'send' || action.rehearse) return
    const isThere = lines.some(({ event, key }) => event === 'refused' && key === action.key)
    if (!isThere) broken('audit', `${action.key} was kept by limits, and the audit file does not say so`)
  }

  /** Of what has never left nothing is in doubt. */
  #checkDoubts(place: Place): void {
    const { profile } = place
    const hurt = this.#hurt.get(profile)
    for (const { id, status, idempotency_key: key } of this.#journals.intents(place)) {
      if (hurt?.has(key)) continue
      if ((status === 'sent' || status === 'unknown') && !this.#conduct.leavings.has(`${profile} ${key}`)) {
        broken('only what left is in doubt', `${id} of ${profile} is ${status}, and has never left`)
      }
    }
  }

  /** What is in doubt counts for limits; what has not left, or was refused, for none. */
  #checkCounted({ error }: End, place: Place): void {
    const { profile } = place
    const intents = new Map(this.#journals.intents(place).map((intent) => [intent.idempotency_key, intent]))
    const counted = this.#journals.counted(place)
    const hurt = this.#hurt.get(profile)
    for (const { idempotency_key } of counted) {
      const intent = hurt?.has(idempotency_key) ? undefined : intents.get(idempotency_key)
      if (intent?.status !== 'rejected' && intent?.status !== 'prepared') continue
      broken('limits', `${intent.id} is ${intent.status}, and counts for the limits of ${profile}`)
    }
    const keys = new Set(counted.map(({ idempotency_key }) => idempotency_key))
    for (const { id, status, idempotency_key } of intents.values()) {
      if (status !== 'sent' && status !== 'unknown') continue
      if (!keys.has(idempotency_key)) broken('limits', `${id} is ${status}, and counts for no limit of ${profile}`)
    }
    if (hurt || !(error instanceof LimitError) || !('used' in error.refusal) || error.refusal.kind === 'per_payment')
      return
    const sum = counted.reduce((total, { amount }) => total + amount, 0)
    if (error.refusal.used > sum) broken('limits', `${error.refusal.used} is said to be used, and ${sum} was sent`)
  }
}

interface Written {
  readonly place: Place
  /** The journal is as this operation has left it. */
  readonly isWritten: boolean
}
