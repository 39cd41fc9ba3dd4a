import type { Decision } from '../audit/audit.ts'
import type { Answer, Client } from '../client/client.ts'
import type { InitiatedPayment, Named, Payment } from '../client/received.ts'
import { namedCurrency } from '../contract/money.ts'
import { CliError, errorMessage, reasonOf } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import { ApiError, OutcomeUnknownError } from '../errors/service_errors.ts'
import { journalReason } from '../journal/database.ts'
import { type Intent, mayHavePaid } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { Guard } from '../limits/guard.ts'
import type { Payees } from '../payees/payee.ts'
import { type Reporter, silent } from '../run/reporter.ts'
import { asInitiated, findPayment, requirePayer } from './find_payment.ts'
import type { Order } from './order.ts'
import { type AuditOptions, PaymentAudit } from './payment_audit.ts'
import { requireFactsOf, requirePaymentOf } from './same_payment.ts'
import { learnSender, MovedAway, requireLiveService, type Sender, type SenderOptions, worldMoved } from './sender.ts'

/**
 * What became of a payment that was asked for.
 *
 * - `accepted`: the service has it, now or from before; it pays once, unless its status says that it ended otherwise
 * - `refused`: no money moved, and none will: sent anew it is another payment
 * - `not_sent`: nothing left this machine, or who sends was not let in; it can be resumed as it is
 * - `unknown`: money may have moved. Sent anew it could be paid twice; resumed it pays once
 */
export type PaymentOutcome = { readonly intentId: string } & (
  | { readonly outcome: 'accepted'; readonly payment: Named<InitiatedPayment> }
  | { readonly outcome: 'refused'; readonly error: ApiError }
  | { readonly outcome: 'not_sent' | 'unknown'; readonly error: unknown }
)

/** What payments are made with. */
export interface PaymentOptions extends SenderOptions {
  readonly journal: Journal
  /** Hears what a person should know; nobody does when it is not given. */
  readonly reporter?: Reporter
  /** Once it is aborted no payment leaves. */
  readonly signal?: AbortSignal
  /** Folder of the limits that hold; without it, as in a program of the user's own, none do. */
  readonly limitsIn?: string
  /** The saved payees. An intent that was written down earlier is sent only if its payee still has the holder saved here. */
  readonly payees?: () => Promise<Payees>
  /** Keeps a line of each payment and refusal, and who agreed to it; nobody does when it is not given. */
  readonly audit?: AuditOptions
}

export interface SessionOptions extends PaymentOptions {
  readonly sender: Sender
  readonly guard?: Guard | undefined
  /**
   * Told of an intent in doubt whose repetition made no payment, instead of a search of the history for it alone; it
   * stays in doubt until then. Without `refusal`, the service's words, only a payment in the history settles it.
   */
  readonly onUnresolved?: (intent: Intent, refusal: string | undefined) => void
  /** Makes the request of an intent; `payments.create` with its body and key if not given. */
  readonly request?: (intent: Intent) => Promise<Answer<InitiatedPayment>>
  /** Told that the journal could not be updated once a request had left; a remark when it is not given. */
  readonly onJournalFault?: (error: unknown) => void
}

/** Asks the service who sends, and runs `work` for that user. */
export async function withSession<T>(
  options: PaymentOptions & Pick<SessionOptions, 'request'>,
  work: (session: PaymentSession) => Promise<T>,
): Promise<T> {
  const sender = await learnSender(options)
  const { journal, audit, limitsIn } = options
  try {
    requireLiveService(sender)
    const guard = guardOf(sender, limitsIn)
    journal.guard(guard)
    if (audit) guard?.onRefusal((refusal) => audit.file.add({ event: 'refused', ...refusal }, { durable: false }))
    return await work(new PaymentSession({ ...options, sender, guard }))
  } finally {
    journal.guard(undefined)
    sender.stopListening()
  }
}

/** What holds a sender to the limits in a folder. */
export const guardOf = (sender: Sender, limitsIn: string | undefined): Guard | undefined =>
  limitsIn === undefined ? undefined : new Guard(limitsIn, sender)

/** Who sends, through what, and where it is written down. The life of a payment intent is told here from top to bottom. */
export class PaymentSession {
  readonly client: Client
  readonly journal: Journal
  readonly sender: Sender
  readonly reporter: Reporter
  readonly signal: AbortSignal | undefined
  readonly guard: Guard | undefined
  #audit: PaymentAudit | undefined
  #options: SessionOptions

  constructor(options: SessionOptions) {
    this.client = options.client
    this.journal = options.journal
    this.sender = options.sender
    this.reporter = options.reporter ?? silent
    this.signal = options.signal
    this.guard = options.guard
    this.#audit = options.audit && new PaymentAudit(options.audit, options)
    this.#options = options
  }

  /** The same session with other options. */
  with(options: Partial<SessionOptions>): PaymentSession {
    return new PaymentSession({ ...this.#options, ...options })
  }

  /** Sets who agrees to what is sent from now on, for the audit file. */
  setDecision(decidedBy: Decision): void {
    const { audit } = this.#options
    if (!audit) return
    this.#options = { ...this.#options, audit: { ...audit, decidedBy } }
    this.#audit = new PaymentAudit({ ...audit, decidedBy }, this.#options)
  }

  /** The intent is on disk when this returns: a new one, or the sender's own with this key, whatever that asks for. */
  writeDown({ body, key, expected = [], currency = this.currencyOf(body) }: Order): Intent {
    const { profile, base_url, user, world } = this.sender
    const draft = { profile, base_url, user, world, idempotency_key: key, body, currency, expected_names: expected }
    return this.journal.prepare(draft)
  }

  /** The currency of a payment, as far as it is known without asking. */
  currencyOf({ source_account_id: source }: Order['body']): string | null {
    return this.guard?.currencyOf(source) ?? this.journal.currencyOf(this.sender, source)
  }

  /** The payment of an intent: read, when it is known to have been made; else sent, or found. */
  async outcomeOf(intent: Intent): Promise<PaymentOutcome> {
    const { payment_id: id } = intent
    if (id === null) return this.signal?.aborted ? this.#kept(intent, this.signal.reason) : this.send(intent)
    try {
      const payment = await this.client.call('payments.get', { params: { id } })
      requireFactsOf(intent, payment)
      return accepted(intent, asInitiated({ ...payment, id }, intent))
    } catch (error) {
      if (this.signal?.aborted) throw error
      const message = `Payment ${id} has been sent with this key, but it can't be read: ${reasonOf(error)}.`
      const unread = new CliError('outcome_unknown', message, { kind: 'get_payment', paymentId: id })
      return { outcome: 'unknown', intentId: intent.id, error: unread }
    }
  }

  /**
   * Sends an intent's request, the first time or again: its key makes it pay once. What comes of it is in the journal
   * before anybody hears of it. While any request of the intent is in doubt its outcome is unknown, whatever the last
   * one met with.
   */
  async send(intent: Intent): Promise<PaymentOutcome> {
    if (this.sender.hasMoved) return this.#kept(intent, mayHavePaid(intent.status) ? moved() : new MovedAway())
    try {
      await this.guard?.learn([intent.body.source_account_id], this.client)
      this.#audit?.asked(intent)
      this.journal.markSent(intent.id)
    } catch (error) {
      return this.#kept(intent, error)
    }
    const outcome = await this.#request(intent)
    this.#auditOutcome(intent, outcome)
    return outcome
  }

  async #request(intent: Intent): Promise<PaymentOutcome> {
    const { request } = this.#options
    let answer: Answer<InitiatedPayment>
    try {
      const headers = { 'X-Idempotency-Key': intent.idempotency_key }
      answer = await (request?.(intent) ?? this.client.answer('payments.create', { headers, body: intent.body }))
    } catch (error) {
      return await this.#withoutPayment(intent, error)
    }
    return this.#accept(intent, answer)
  }

  #accept(intent: Intent, { data, headers }: Answer<InitiatedPayment>): PaymentOutcome {
    try {
      if (this.sender.hasMoved) throw moved() // the answers of another world say nothing of this payment
      requirePaymentOf(intent, data)
    } catch (error) {
      return this.#unknown(intent, error)
    }
    this.#settle(intent, data)
    if (headers['idempotent-replayed'] === 'true') {
      this.reporter.remark('This key had been sent before: this is the payment it made then. Nothing was paid twice.')
    }
    return accepted(intent, data)
  }

  /** The service has not named a payment: a refusal, nothing sent, or doubt. */
  async #withoutPayment(intent: Intent, error: unknown): Promise<PaymentOutcome> {
    if (this.sender.hasMoved && !(error instanceof MovedAway)) return this.#unknown(intent, moved(error))
    if (error instanceof OutcomeUnknownError) return await this.#search(intent, error)
    const isRefused = isRefusal(error)
    const recorded = this.#record(() =>
      isRefused
        ? this.journal.markRejected(intent.id, error.message)
        : this.journal.markUnsent(intent.id, errorMessage(error)),
    )
    // Another request with this key is in doubt, or has paid meanwhile.
    if (mayHavePaid(recorded ?? intent.status)) return await this.#search(intent, error)
    return isRefused ? refused(intent, error) : notSent(intent, error)
  }

  /**
   * This request made no payment that is known, and it or an earlier one is in doubt. A refusal of a repetition tells
   * nothing of the earlier request: it may come from what that did (the balance is gone). The history knows. That it has
   * nothing settles the matter only after a refusal as well: what is still being processed is in no history yet.
   */
  async #search(intent: Intent, error: unknown): Promise<PaymentOutcome> {
    const answer = error instanceof OutcomeUnknownError ? error.cause : error
    if (!isRefusal(answer) || answer.status >= 500) return this.#unknown(intent, error)
    const refusal = error instanceof ApiError ? error : undefined
    if (!refusal && !mayHavePaid(intent.status)) return this.#unknown(intent, error)
    if (this.#options.onUnresolved) {
      this.#options.onUnresolved(intent, refusal?.message)
      return this.#unknown(intent, error)
    }
    try {
      const payment = await findPayment(intent, refusal?.message, this.client)
      if (this.sender.hasMoved) throw moved()
      if (payment) {
        this.#settle(intent, payment)
        return accepted(intent, asInitiated(payment, intent))
      }
      if (refusal) await requirePayer(intent, this.client)
      if (this.sender.hasMoved) throw moved()
    } catch (failure) {
      return this.#unknown(intent, failure)
    }
    if (!refusal) return this.#unknown(intent, error)
    this.#record(() => this.journal.markAbsent(intent.id, refusal.message))
    return refused(intent, refusal)
  }

  /** This request stays here; what an earlier one did is as open as before. */
  #kept(intent: Intent, error: unknown): PaymentOutcome {
    if (mayHavePaid(intent.status)) return this.#unknown(intent, error)
    this.#record(() => this.journal.releasePrepared(intent.id)) // it counts for no limit while it stays here
    return notSent(intent, error)
  }

  #settle({ id }: Intent, payment: Named<InitiatedPayment | Payment>): void {
    this.#record(() => this.journal.markSettled(id, payment))
  }

  #unknown(intent: Intent, cause: unknown): PaymentOutcome {
    const reason = cause instanceof OutcomeUnknownError ? cause.reason : reasonOf(cause)
    this.#record(() => this.journal.markUnknown(intent.id, reason))
    const next: NextStep = this.sender.hasMoved
      ? { kind: 'read_history_of_new_world' }
      : { kind: 'resume', intentId: intent.id }
    const message = `The outcome of the payment is unknown, money may have moved: ${reason}. Sent anew it could be paid twice.`
    return { outcome: 'unknown', intentId: intent.id, error: new CliError('outcome_unknown', message, next, { cause }) }
  }

  #auditOutcome(intent: Intent, outcome: PaymentOutcome): void {
    const isAccepted = outcome.outcome === 'accepted'
    const error = isAccepted ? '' : `: ${reasonOf(outcome.error)}`
    try {
      this.#audit?.outcome(intent, {
        ...{ payment: isAccepted ? outcome.payment.id : null, what: outcome.outcome + error },
        currency: isAccepted ? namedCurrency(outcome.payment.amount.currency) : null,
      })
    } catch (error) {
      this.reporter.remark(`The outcome is not in the audit file: ${errorMessage(error)}`)
    }
  }

  /** Once the request has left, the payment matters more than the journal, which already says that it was sent. */
  #record<T>(write: () => T): T | undefined {
    try {
      return write()
    } catch (error) {
      if (this.#options.onJournalFault) this.#options.onJournalFault(error)
      else this.reporter.remark(`The payment journal could not be updated: ${journalReason(error)}`)
      return undefined
    }
  }
}

const accepted = ({ id: intentId }: Intent, payment: Named<InitiatedPayment>): PaymentOutcome => ({
  outcome: 'accepted',
  intentId,
  payment,
})

const refused = ({ id }: Intent, error: ApiError): PaymentOutcome => ({ outcome: 'refused', intentId: id, error })

const notSent = ({ id }: Intent, error: unknown): PaymentOutcome => ({ outcome: 'not_sent', intentId: id, error })

const moved = (cause?: unknown): OutcomeUnknownError => new OutcomeUnknownError(undefined, worldMoved, cause)

/** 401, 403 and 429 say that the service does not know or hear who sends, and nothing of the payment. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status !== 401 && error.status !== 403 && error.status !== 429
