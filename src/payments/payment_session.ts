import { type AuditOptions, type Decision, PaymentAudit } from '../audit/audit.ts'
import type { Answer, Client } from '../client/client.ts'
import type { InitiatedPayment } from '../client/received.ts'
import { defaultKeyLife, RequestGate } from '../client/retry.ts'
import { namedCurrency } from '../contract/money.ts'
import { CliError, errorMessage, reasonOf, saidBy } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import { ApiError, OutcomeUnknownError, rateLimitOf } from '../errors/service_errors.ts'
import type { Attempt } from '../journal/attempts.ts'
import { journalReason } from '../journal/database.ts'
import { type Intent, isInDoubt, mayHavePaid, type Order } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { Guard } from '../limits/guard.ts'
import type { Payees } from '../payees/payee.ts'
import { type Reporter, silent } from '../run/reporter.ts'
import { asText, foreign, say } from '../words/text.ts'
import { type Doubt, isRefusal, LookedUp, Overtaken, resolveDoubts, Unrecorded } from './doubts.ts'
import { InFlight } from './in_flight.ts'
import { recordPayment } from './made_payments.ts'
import { asInitiated } from './payment_in_history.ts'
import { accepted, notSent, type PaymentOutcome, refused } from './payment_outcome.ts'
import { needlessRepetitions, requireNeeded } from './repetitions.ts'
import { requireFactsOf, requirePaymentOf } from './same_payment.ts'
import { learnSender, MovedAway, requireLiveService, type Sender, type SenderOptions, worldMoved } from './sender.ts'

/** Dependencies and options of payments. */
export interface PaymentOptions extends SenderOptions {
  readonly journal: Journal
  /** Receives notes and questions; default: none. */
  readonly reporter?: Reporter
  /** After an abort no payment is sent. */
  readonly signal?: AbortSignal
  /** Folder of the limits to apply; absent: no limits, as in a user's program. */
  readonly limitsIn?: string
  /**
   * Loads the saved payees. An intent recorded earlier is sent only if its payee still has the holder that is saved
   * now.
   */
  readonly payees?: () => Promise<Payees>
  /** Logs each payment and refusal with the source of the agreement; default: none. */
  readonly audit?: AuditOptions
  /** Milliseconds for which the service is trusted to remember an idempotency key; default: a day. */
  readonly keyLife?: number | undefined
  /** The sender, if its lookup has already begun. */
  readonly earlySender?: Promise<Sender> | undefined
}

/** State shared by all copies of a session. */
interface Shared {
  readonly looked: LookedUp
  readonly inFlight: InFlight
  /** Delays reading the history after a rate limit. */
  readonly history: RequestGate
  /** Reason why the history could not be read. */
  unread?: unknown
  readonly audit: PaymentAudit | undefined
}

const newShared = ({
  signal = new AbortController().signal,
  audit,
  sender,
  guard,
  keyLife = defaultKeyLife,
  looked = new LookedUp(keyLife, sender),
}: SessionOptions & Partial<Pick<Shared, 'looked'>>): Shared => ({
  looked,
  inFlight: new InFlight(looked),
  history: new RequestGate(signal),
  audit: audit && new PaymentAudit(audit, sender, (source) => guard?.currencyOf(source) ?? null),
})

export interface SessionOptions extends PaymentOptions {
  readonly sender: Sender
  readonly guard?: Guard | undefined
  /** Called, instead of a search of the history, with an intent in doubt whose request made no known payment. */
  readonly onUnresolved?: (doubt: Doubt) => void
  /** Sends the request of an intent; default: `payments.create` with its body and key. */
  readonly request?: (intent: Intent) => Promise<Answer<InitiatedPayment>>
  /** Called if the journal could not be updated after a request was sent; default: a note. */
  readonly onJournalFault?: (error: unknown) => void
}

/** Looks up the sender, and runs `work` for that user. */
export async function withSession<T>(
  options: PaymentOptions & Pick<SessionOptions, 'request'>,
  work: (session: PaymentSession) => Promise<T>,
): Promise<T> {
  const sender = await (options.earlySender ?? learnSender(options))
  const { journal, audit, limitsIn } = options
  let stopWatching = () => {}
  try {
    requireLiveService(sender)
    const guard = limitsIn === undefined ? undefined : new Guard(limitsIn, sender)
    journal.guard(guard)
    if (audit) guard?.onRefusal((refusal) => audit.file.add({ event: 'refused', ...refusal }, { durable: false }))
    const session = new PaymentSession({ ...options, sender, guard })
    stopWatching = session.watch(options.client)
    return await work(session)
  } finally {
    stopWatching()
    journal.guard(undefined)
    sender.stopListening()
  }
}

/** Client, journal and user of payments. The methods of this class are in the order of an intent's life. */
export class PaymentSession {
  readonly client: Client
  readonly journal: Journal
  readonly sender: Sender
  readonly reporter: Reporter
  readonly signal: AbortSignal | undefined
  readonly guard: Guard | undefined
  readonly #options: SessionOptions
  readonly #shared: Shared

  constructor(options: SessionOptions, shared: Shared = newShared(options)) {
    this.client = options.client
    this.journal = options.journal
    this.sender = options.sender
    this.reporter = options.reporter ?? silent
    this.signal = options.signal
    this.guard = options.guard
    this.#options = options
    this.#shared = shared
  }

  /** A copy of the session with other options; the copy and the original share one state. */
  with(options: Partial<SessionOptions>): PaymentSession {
    return new PaymentSession({ ...this.#options, ...options }, this.#shared)
  }

  /** Checks each request of a client before it is sent. */
  watch(client: Client): () => void {
    const { inFlight } = this.#shared
    return client.beforeChange(({ idempotencyKey: key = '' }) => inFlight.requireOpen(key, this.journal))
  }

  /** Sets the source of agreement for the audit file from now on. */
  setDecision(decidedBy: Decision): void {
    if (this.#shared.audit) this.#shared.audit.decidedBy = decidedBy
  }

  /** Records the intent on disk: a new intent, or the sender's existing intent with this key, whatever its request. */
  writeDown(order: Order): Intent {
    const { profile, base_url, user, world } = this.sender
    const currency = order.currency ?? this.currencyOf(order.body)
    return this.journal.prepare({ ...order, profile, base_url, user, world, currency })
  }

  /** Currency of a payment, if known without a request. */
  currencyOf({ source_account_id: source }: Order['body']): string | null {
    return this.guard?.currencyOf(source) ?? this.journal.currencyOf(this.sender, source)
  }

  /** Finds the outcome of an intent: reads its payment if that is known, otherwise sends or finds the payment. */
  async outcomeOf(intent: Intent): Promise<PaymentOutcome> {
    const { payment_id: id } = intent
    if (id === null) return this.signal?.aborted ? this.#kept(intent, this.signal.reason) : this.send(intent)
    try {
      const payment = await this.client.call('payments.get', { params: { id } })
      requireFactsOf(intent, payment)
      return accepted(intent, asInitiated({ ...payment, id }, intent))
    } catch (error) {
      if (this.signal?.aborted) throw error
      return unread(intent, error)
    }
  }

  /**
   * Settles the intents in doubt whose payment is in the history, and returns the others. Reads the history once,
   * before any intent is sent again. If the history can't be read for a reason other than a rate limit, none of the
   * intents is sent again in this session.
   */
  async settleFound(doubtful: readonly Intent[]): Promise<readonly Intent[]> {
    if (doubtful.length === 0) return []
    try {
      this.signal?.throwIfAborted()
      await this.#shared.history.released()
      const resolutions = await resolveDoubts(
        doubtful.map((intent) => ({ intent, refusal: undefined })),
        this,
      )
      const needless = await needlessRepetitions(
        doubtful.filter((intent) => !resolutions.get(intent)?.payment),
        this,
      )
      for (const intent of doubtful) {
        this.looked.add(intent, { ...resolutions.get(intent), isNeedless: needless.has(intent.id) })
        const payment = this.looked.paymentOf(intent)
        if (payment) this.#auditOutcome(intent, accepted(intent, asInitiated(payment, intent)))
      }
      return doubtful.filter((intent) => !this.looked.paymentOf(intent))
    } catch (error) {
      this.#shared.unread = this.sender.hasMoved ? moved(error) : error
      this.#shared.history.heed(error)
      return doubtful
    }
  }

  /** Results of `settleFound`. */
  get looked(): LookedUp {
    return this.#shared.looked
  }

  /**
   * Sends an intent's request, the first time or again: while the service remembers the intent's key, the intent's
   * requests make at most one payment. Records the result before it returns. While any request of the intent is in
   * doubt, the outcome is unknown.
   */
  async send(intent: Intent): Promise<PaymentOutcome> {
    if (this.sender.hasMoved) return this.#kept(intent, mayHavePaid(intent.status) ? moved() : new MovedAway())
    const known = isInDoubt(intent) ? await this.#beforeRepetition(intent) : undefined
    if (known) return known
    let attempt: Attempt
    try {
      await requireNeeded(intent, this)
      await this.guard?.learn([intent.body.source_account_id], this.client)
      this.#shared.audit?.asked(intent)
      attempt = this.journal.markSent(intent.id, intent.status)
    } catch (error) {
      return this.#kept(intent, error)
    }
    const { inFlight } = this.#shared
    inFlight.add(intent, attempt)
    const outcome = await this.#request(intent, attempt).finally(() => inFlight.delete(intent))
    this.#auditOutcome(intent, outcome)
    return outcome
  }

  /**
   * Returns the outcome if the history has the payment or can't be read, if the key is too old, or if the service does not
   * confirm that the earlier payments of the row failed.
   */
  async #beforeRepetition(intent: Intent): Promise<PaymentOutcome | undefined> {
    const { looked, unread } = this.#shared
    if (!looked.has(intent) && (unread === undefined || rateLimitOf(unread))) await this.settleFound([intent])
    if (!looked.has(intent)) return this.#kept(intent, this.#shared.unread)
    const found = looked.paymentOf(intent)
    if (found) return accepted(intent, asInitiated(found, intent))
    try {
      // A person may have thought for an hour since the earlier payments of the row were read.
      for (const id of await needlessRepetitions([intent], this)) looked.addNeedless(id)
      this.signal?.throwIfAborted()
    } catch (error) {
      return this.#kept(intent, error)
    }
    return looked.prospectOf(intent) === 'old' ? this.#kept(intent, looked.oldKeyOf(intent)) : undefined
  }

  async #request(intent: Intent, attempt: Attempt): Promise<PaymentOutcome> {
    const { request } = this.#options
    let answer: Answer<InitiatedPayment>
    try {
      const headers = { 'X-Idempotency-Key': intent.idempotency_key }
      answer = await (request?.(intent) ?? this.client.answer('payments.create', { headers, body: intent.body }))
    } catch (error) {
      return await this.#unlessSettled(intent, await this.#withoutPayment(intent, attempt, error))
    }
    return this.#accept(intent, attempt, answer)
  }

  /** The outcome of this request, unless another process has settled the intent: then that payment is the outcome. */
  async #unlessSettled(intent: Intent, outcome: PaymentOutcome): Promise<PaymentOutcome> {
    if (outcome.outcome === 'accepted') return outcome
    const now = this.#record(() => this.journal.find(intent.id))
    if (now?.status !== 'settled') return outcome
    return this.signal?.aborted ? unread(now, this.signal.reason) : await this.outcomeOf(now)
  }

  #accept(intent: Intent, attempt: Attempt, { data, headers }: Answer<InitiatedPayment>): PaymentOutcome {
    try {
      if (this.sender.hasMoved) throw moved() // answers of another world say nothing about this payment
      requirePaymentOf(intent, data)
    } catch (error) {
      return this.#lost(intent, attempt, error)
    }
    this.#record(() => recordPayment(intent, data, this))
    if (headers['idempotent-replayed'] === 'true') {
      this.reporter.remark('This payment was made by an earlier request with this key. Nothing was paid twice.')
    }
    return accepted(intent, data)
  }

  /** Handles an answer without a payment: a refusal, an unsent request, or doubt. */
  async #withoutPayment(intent: Intent, attempt: Attempt, error: unknown): Promise<PaymentOutcome> {
    // Overtaken is thrown before a request, or before a retry of a lost request.
    if (error instanceof Overtaken || (error instanceof OutcomeUnknownError && error.cause instanceof Overtaken))
      return notSent(intent, new Overtaken())
    if (this.sender.hasMoved && !(error instanceof MovedAway)) return this.#lost(intent, attempt, moved(error))
    if (error instanceof OutcomeUnknownError) {
      this.#record(() => this.journal.markLost(attempt, error.reason))
      return await this.#search(intent, error)
    }
    const isRefused = isRefusal(error)
    const recorded = this.#record(() =>
      isRefused
        ? this.journal.markRejected(attempt, error.message)
        : this.journal.markUnsent(attempt, errorMessage(error)),
    )
    // Another request with this key is in doubt, or has paid in the meantime.
    if (mayHavePaid(recorded ?? intent.status)) return await this.#search(intent, error)
    if (recorded === undefined) return { outcome: 'unknown', intentId: intent.id, error: new Unrecorded(intent, error) }
    return isRefused ? refused(intent, error) : notSent(intent, error)
  }

  /**
   * This request made no known payment, and it or an earlier request is in doubt. A refusal of a repetition says
   * nothing about the earlier request, which may even be the cause of the refusal (the balance is spent). The history
   * decides. A missing payment is conclusive only after a refusal: the history may lack a payment that is still being
   * processed.
   */
  async #search(intent: Intent, error: unknown): Promise<PaymentOutcome> {
    const answer = error instanceof OutcomeUnknownError ? error.cause : error
    if (!isRefusal(answer) || answer.status >= 500) return this.#unknown(intent, error)
    const refusal = error instanceof ApiError ? error : undefined
    if (!refusal && !mayHavePaid(intent.status)) return this.#unknown(intent, error)
    const doubt = { intent, refusal: refusal?.message }
    if (this.#options.onUnresolved) {
      this.#options.onUnresolved(doubt)
      return this.#unknown(intent, error)
    }
    try {
      const { payment, isAbsent, reason } = (await resolveDoubts([doubt], this)).get(intent) ?? {}
      if (payment) return accepted(intent, asInitiated(payment, intent))
      if (isAbsent && refusal) return refused(intent, refusal)
      return this.#unknown(intent, reason === undefined ? error : new Error(reason))
    } catch (failure) {
      return this.#unknown(intent, this.sender.hasMoved ? moved(failure) : failure)
    }
  }

  /**
   * Returns the outcome if this request is not sent, and removes the mark from the intent. The result of an earlier
   * request stays open.
   */
  #kept(intent: Intent, error: unknown): PaymentOutcome {
    this.#record(() => this.journal.retract([intent.id]))
    if (mayHavePaid(intent.status)) return this.#unknown(intent, error)
    this.#record(() => this.journal.releasePrepared(intent.id)) // an unsent payment counts towards no limit
    return notSent(intent, error)
  }

  /** Records that the request was sent, and that its answer is not known. */
  #lost(intent: Intent, attempt: Attempt, cause: unknown): PaymentOutcome {
    this.#record(() => this.journal.markLost(attempt, String(reasonOf(cause))))
    return this.#unknown(intent, cause)
  }

  #unknown(intent: Intent, cause: unknown): PaymentOutcome {
    const reason = cause instanceof OutcomeUnknownError ? foreign(cause.reason) : reasonOf(cause)
    this.#record(() => this.journal.markUnknown(intent.id, String(reason)))
    const next: NextStep = this.sender.hasMoved
      ? { kind: 'read_history_of_new_world' }
      : { kind: 'resume', intentId: intent.id }
    const message = say`The outcome of the payment is unknown; money may have moved: ${reason}. Sending it again could pay twice.`
    return { outcome: 'unknown', intentId: intent.id, error: new CliError('outcome_unknown', message, next, { cause }) }
  }

  #auditOutcome(intent: Intent, outcome: PaymentOutcome): void {
    const isAccepted = outcome.outcome === 'accepted'
    const error = isAccepted ? '' : `: ${reasonOf(outcome.error)}`
    try {
      this.#shared.audit?.outcome(intent, {
        payment: isAccepted ? outcome.payment.id : null,
        what: outcome.outcome + error,
        currency: isAccepted ? namedCurrency(outcome.payment.amount.currency) : null,
      })
    } catch (error) {
      this.reporter.remark(say`The outcome is not in the audit file: ${asText(saidBy(error))}`)
    }
  }

  /** Writes to the journal. Reports a failure without throwing: after a request was sent, the payment matters more. */
  #record<T>(write: () => T): T | undefined {
    try {
      return write()
    } catch (error) {
      if (this.#options.onJournalFault) this.#options.onJournalFault(error)
      else this.reporter.remark(say`The payment journal could not be updated: ${journalReason(error)}.`)
      return undefined
    }
  }
}

/** The outcome of an intent whose payment is known to have been made, but can't be read. */
function unread({ id: intentId, payment_id: id }: Intent, error: unknown): PaymentOutcome {
  const message = say`Payment ${id ?? ''} has been sent with this key, but it can't be read: ${reasonOf(error)}.`
  const next: NextStep = { kind: 'get_payment', paymentId: id ?? '' }
  return { outcome: 'unknown', intentId, error: new CliError('outcome_unknown', message, next) }
}

const moved = (cause?: unknown): OutcomeUnknownError => new OutcomeUnknownError(undefined, worldMoved, cause)
