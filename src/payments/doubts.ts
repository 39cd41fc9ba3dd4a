import type { Named, Payment } from '../client/received.ts'
import { mayBeForgotten, quietTime } from '../client/retry.ts'
import { CliError, reasonOf } from '../errors/cli_error.ts'
import { ApiError } from '../errors/service_errors.ts'
import { type Intent, isInDoubt } from '../journal/intent.ts'
import { foreign, type Said, say, type Text } from '../words/text.ts'
import { recordPayment } from './made_payments.ts'
import { type HistoryAccess, lookFor, requirePayer } from './payment_in_history.ts'
import { isPaymentOf } from './same_payment.ts'
import { isUnclear, MovedAway, type Sender } from './sender.ts'

// Resolves payments in doubt. The history is read before any payment in doubt is sent again, and after a repetition was
// refused.

/** 401, 403, 429 and a gateway's answer say nothing about the payment. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.fromService && ![401, 403, 429].includes(error.status)

/**
 * ISO time: a request given up before this time can no longer arrive at the time `now`. `last`: ISO time at which a
 * request was last sent or given up.
 */
const quietSince = (now: number, sender: Sender, last = ''): string =>
  new Date(now - leadSince(last, now, sender) - quietTime).toISOString()

/**
 * Milliseconds by which this machine's clock may have been set forward since the ISO time `last`: the service's clock
 * shows that less than ten minutes have passed. If it shows a time more than ten minutes before `last`, the clocks
 * already differed then, so it does not count: the doubt might never end.
 */
const leadSince = (last: string, now: number, { clockLead }: Sender): number =>
  clockLead > 0 && Math.abs(now - clockLead - Date.parse(last)) < quietTime ? clockLead : 0

/**
 * An intent in doubt. `refusal`: the service's message when it refused the repetition; undefined: not repeated, or not
 * refused.
 */
export interface Doubt {
  readonly intent: Intent
  readonly refusal: string | undefined
}

/**
 * Prospect of an intent in doubt that is not known to have paid.
 *
 * - `unread`: not sent again, because the history could not be read
 * - `old`: not sent again, because the service may have forgotten the key, or because the intent repeats a payment that
 *   may have paid after all
 * - `unsure`: sent again; the history, as far as it can be read, does not show whether the payment was made
 * - `absent`: sent again; the history does not have the payment
 */
export type Prospect = 'unread' | 'old' | 'unsure' | 'absent'

/** Result of looking up an intent in doubt. */
interface Resolution {
  /** The payment was made. */
  readonly payment?: Named<Payment>
  /** The payment was not made. */
  readonly isAbsent?: true
  /** True for the repetition of a payment that may have paid after all. */
  readonly isNeedless?: boolean
  /** Reason why the payment stays in doubt; undefined if the reason is only that the history lacks the payment. */
  readonly reason?: string | undefined
}

/**
 * Reads the history once, looks up the payments of all intents in doubt, and records the results. A payment that the
 * history contains was made. A missing payment was not made if its repetition was refused, the history is complete, and
 * no earlier request can still arrive. Throws NetworkError, ApiError or MovedAway, and a plain Error if the token can't
 * read a paying account; the remaining intents then stay in doubt.
 */
export async function resolveDoubts(
  doubts: readonly Doubt[],
  { client, journal, sender, reporter }: HistoryAccess,
): Promise<ReadonlyMap<Intent, Resolution>> {
  const resolutions = new Map<Intent, Resolution>()
  const start = Date.now()
  const intents = doubts.map(({ intent }) => intent)
  const gaps = await lookFor(intents, client, (intent, payment) => {
    if (sender.hasMoved) throw new MovedAway()
    recordPayment(intent, payment, { journal, reporter })
    if (!resolutions.has(intent)) resolutions.set(intent, { payment })
  })
  if (sender.hasMoved) throw new MovedAway()
  const stay = (intent: Intent, reason: string) => {
    journal.markUnknown(intent.id, reason)
    // The last open request may have been refused in another process.
    const isRefused = journal.find(intent.id)?.status === 'rejected'
    resolutions.set(intent, isRefused ? { isAbsent: true } : { reason })
  }
  const refused: RefusedDoubt[] = []
  for (const { intent, refusal } of doubts) {
    if (resolutions.has(intent)) continue
    const gap = gaps.get(intent)
    if (refusal === undefined) resolutions.set(intent, { reason: gap })
    else if (gap !== undefined) stay(intent, `its repetition was refused (${clause(refusal)}), but ${gap}`)
    else refused.push({ intent, refusal })
  }
  for (const ofAccount of Map.groupBy(refused, ({ intent }) => intent.body.source_account_id).values()) {
    const [{ intent: first }] = ofAccount as [RefusedDoubt]
    await requirePayer(first, client)
    if (sender.hasMoved) throw new MovedAway()
    for (const { intent, refusal } of ofAccount) {
      const since = quietSince(start, sender, journal.lastDoubt(intent.id))
      if (journal.markAbsent(intent.id, refusal, since)) resolutions.set(intent, { isAbsent: true })
      else stay(intent, notMadeSoFar(refusal, journal.lastDoubt(intent.id), sender))
    }
  }
  return resolutions
}

interface RefusedDoubt extends Doubt {
  readonly refusal: string
}

const clause = (sentence: string): string => sentence.replace(/\.$/, '')

function notMadeSoFar(refusal: string, last: string | undefined, sender: Sender): string {
  const at = Date.parse(last ?? '') || Date.now()
  const quiet = at + quietTime
  const until = quiet + leadSince(new Date(at).toISOString(), Math.max(Date.now(), quiet), sender)
  return (
    `it has not been made so far (the service refused its repetition: ${clause(refusal)}, and the history does not have it), ` +
    `but the request of ${timeText(at)} may still arrive. Resume it after ${timeText(until)} to be sure`
  )
}

/** A time to the second, so that a person can wait for it: `20:12:31 UTC`; with the day if it is hours away. */
function timeText(ms: number): string {
  const [day, time] = new Date(ms).toISOString().split('T') as [string, string]
  const isNear = Math.abs(ms - Date.now()) < 12 * 3_600_000
  return `${isNear ? '' : `${day} `}${time.slice(0, 8)} UTC`
}

/**
 * Reads the history for intents that may be another user's. If the history has the payment, the intent is the sender's:
 * claims and settles it, and settles the sender's own intent with the same key. Returns the intents that may still be
 * the sender's: those in doubt, those that are too recent for the history, and those that an incomplete history may
 * lack.
 */
export async function claimFound(unclear: readonly Intent[], { client, journal, sender, reporter }: HistoryAccess) {
  if (unclear.length === 0) return []
  const gaps = await lookFor(unclear, client, (intent, payment) => {
    if (sender.hasMoved) throw new MovedAway()
    journal.claim(intent.id, sender)
    recordPayment(intent, payment, { journal, reporter })
    const own = journal.withKey(sender, intent.idempotency_key)
    if (own && own.id !== intent.id && isPaymentOf(own, payment)) recordPayment(own, payment, { journal, reporter })
  })
  if (sender.hasMoved) throw new MovedAway()
  const now = Date.now()
  // Payments of an older payctl, which saved no user, are not recent.
  const isRecent = ({ user, updated_at: at }: Intent) => user !== null && at > quietSince(now, sender, at)
  return unclear
    .map((intent) => ({ gap: gaps.has(intent), now: journal.find(intent.id) ?? intent }))
    .filter(({ now, gap }) => isUnclear(now, sender) && (isInDoubt(now) || gap || isRecent(now)))
    .map(({ now }) => now)
}

/**
 * True if a repetition of an intent in doubt could pay again, because the service may have forgotten the key when the
 * repetition arrives. `keyLife` in milliseconds.
 */
const isKeyOld = (intent: Intent, keyLife: number, sender: Sender): boolean =>
  isInDoubt(intent) && (ageOf(intent, sender) > keyLife - quietTime || isAhead(intent))

/** True if the clock was set back since the intent was sent or last looked up: the age of its key is not known. */
const isAhead = ({ in_doubt_since, created_at, updated_at }: Intent): boolean =>
  [in_doubt_since ?? created_at, updated_at].some((time) => Date.parse(time) > Date.now() + quietTime)

/** Milliseconds since the first request without a known answer. The service's clock counts if it is ahead. */
const ageOf = ({ in_doubt_since, created_at }: Intent, { clockLead }: Sender): number =>
  Date.now() - Math.min(clockLead, 0) - Date.parse(in_doubt_since ?? created_at)

/**
 * The intent is not sent again, because the service may have forgotten its key, or because the payment that it repeats
 * may have paid. The message is a clause.
 */
export class OldKey extends Error {
  readonly said: Text

  constructor(said: Text) {
    super(String(said))
    this.said = said
  }

  /** `keyLife` in milliseconds. `gap`: reason why the history may lack the payment although it was made. */
  static of(intent: Intent, sender: Sender, keyLife: number, gap: string | undefined): OldKey {
    const age = ageOf(intent, sender)
    const forgetting =
      age > keyLife
        ? say`the service may have forgotten its idempotency key since`
        : say`a repetition can take ${spanText(quietTime)} to arrive, and the service may have forgotten its idempotency key by then`
    const [ago, life] = [spanText(age), spanText(keyLife)]
    if (isAhead(intent)) {
      return new OldKey(
        gap === undefined
          ? say`the history does not have it, this machine's clock was set back since it was sent, and the service may have forgotten its idempotency key since, so that a repetition could pay again`
          : say`it may have been made (${foreign(gap)}), this machine's clock was set back since it was sent, and the service may have forgotten its idempotency key since, so that a repetition could pay again`,
      )
    }
    // Names the service's clock, because it may be wrong.
    if (sender.clockLead < 0) {
      return new OldKey(
        gap === undefined
          ? say`the history does not have it, it was sent ${ago} ago by the service's clock, and ${forgetting} (keys are trusted for ${life}), so that a repetition could pay again`
          : say`it may have been made (${foreign(gap)}), it was sent ${ago} ago by the service's clock, and ${forgetting} (keys are trusted for ${life}), so that a repetition could pay again`,
      )
    }
    return new OldKey(
      gap === undefined
        ? say`the history does not have it, it was sent ${ago} ago, and ${forgetting} (keys are trusted for ${life}), so that a repetition could pay again`
        : say`it may have been made (${foreign(gap)}), it was sent ${ago} ago, and ${forgetting} (keys are trusted for ${life}), so that a repetition could pay again`,
    )
  }
}

/** Results of looking up intents in doubt in the history, and a person's agreement to repeat old keys. */
export class LookedUp {
  /** Keyed by the id of the intent. */
  readonly #results = new Map<string, Resolution>()
  readonly #allowed = new Set<string>()
  readonly #keyLife: number
  readonly #sender: Sender

  /** `keyLife` in milliseconds. */
  constructor(keyLife: number, sender: Sender) {
    this.#keyLife = keyLife
    this.#sender = sender
  }

  has = ({ id }: Intent): boolean => this.#results.has(id)

  add({ id }: Intent, resolution: Resolution = {}): void {
    this.#results.set(id, resolution)
  }

  /** Records that the intent with this id repeats a payment that may have paid after all. */
  addNeedless(id: string): void {
    this.#results.set(id, { ...this.#results.get(id), isNeedless: true })
  }

  /** Payment in the history; undefined if the history has none, or if the intent was not looked up. */
  paymentOf = ({ id }: Intent): Named<Payment> | undefined => this.#results.get(id)?.payment

  /** Records that a person agreed to send these intents again, although the service may have forgotten their keys. */
  allowOldKeys(intents: readonly Intent[]): void {
    for (const { id } of intents) this.#allowed.add(id)
  }

  /** Prospect of an intent whose payment is not known. */
  prospectOf(intent: Intent): Prospect {
    const result = this.#results.get(intent.id)
    if (!result) return 'unread'
    const isRisky = result.isNeedless || isKeyOld(intent, this.#keyLife, this.#sender)
    if (isRisky && !this.#allowed.has(intent.id)) return 'old'
    return result.reason === undefined ? 'absent' : 'unsure'
  }

  /** True if the service may have forgotten the key of a request that this run has sent at `since` (milliseconds). */
  mayBeForgotten = (since: number): boolean => mayBeForgotten(since, this.#keyLife)

  /** True if the intent, whose payment is not known, is sent again. */
  isRepeated = (intent: Intent): boolean => ['absent', 'unsure'].includes(this.prospectOf(intent))

  /** Reason not to repeat an intent whose prospect is `old`. */
  oldKeyOf(intent: Intent): OldKey {
    const { isNeedless, reason } = this.#results.get(intent.id) ?? {}
    return isNeedless
      ? new OldKey(say`it repeats a payment, and the service no longer confirms that this payment failed`)
      : OldKey.of(intent, this.#sender, this.#keyLife, reason)
  }
}

/** Minutes below one hour, hours up to two days, then days. */
function spanText(ms: number): Said {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.round(ms / 3_600_000)
  return hours <= 48 ? `${hours} h` : say`${Math.round(hours / 24)} days`
}

/**
 * Error for an intent whose request must not be sent, because another process has found the payment or its refusal in
 * the meantime.
 */
export class Overtaken extends CliError {
  constructor() {
    super(
      'conflict',
      'Another process has found the outcome of this payment meanwhile; nothing more was sent for it.',
      {
        kind: 'list_intents',
      },
    )
  }
}

/** Error for a repetition that is not sent, because so much time has passed since the payment was sent. */
export class KeyTooOld extends CliError {
  constructor() {
    super(
      'conflict',
      'The service may have forgotten the idempotency key of this payment since it was sent. Nothing more was sent.',
      { kind: 'list_intents' },
    )
  }
}

/**
 * Error for a payment that was certainly not made, but that the journal still has as sent: a resumption would send it
 * again, so the caller must not replace it by another payment.
 */
export class Unrecorded extends CliError {
  constructor({ id }: Intent, cause: unknown) {
    super(
      'outcome_unknown',
      say`The payment was not made: ${reasonOf(cause)}. The payment journal could not record this, so a resumption sends the payment again: do not replace it by a new payment.`,
      { kind: 'resume', intentId: id },
      { cause },
    )
  }
}
