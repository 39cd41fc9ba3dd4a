import type { Audit, AuditLine, Decision } from '../audit/audit.ts'
import { type Intent, isInDoubt } from '../journal/intent.ts'
import type { Guard } from '../limits/guard.ts'
import type { Sender } from './sender.ts'

export interface AuditOptions {
  readonly file: Audit
  /** Source of the agreement to what is sent. */
  readonly decidedBy: Decision
}

interface Payer {
  readonly sender: Pick<Sender, 'profile' | 'base_url' | 'user'>
  readonly guard?: Guard | undefined
}

/** Writes a session's payments to the audit file. Lines of a batch are forced to disk in groups. */
export class PaymentAudit {
  readonly #options: AuditOptions
  readonly #payer: Payer

  constructor(options: AuditOptions, payer: Payer) {
    this.#options = options
    this.#payer = payer
  }

  /** Call before the request is sent. Throws if the line can't be written: then nothing is sent. */
  asked(intent: Intent): void {
    const decided_by = isInDoubt(intent) ? 'earlier' : this.#options.decidedBy
    this.#add(intent, { event: 'asked', decided_by })
  }

  /** `currency`: as in the answer. */
  outcome(intent: Intent, { currency, ...facts }: Pick<AuditLine, 'payment' | 'what' | 'currency'>): void {
    this.#add(intent, { event: 'outcome', ...facts, ...(currency !== null && { currency }) })
  }

  #add(intent: Intent, facts: Pick<AuditLine, 'event'> & Partial<AuditLine>): void {
    const { sender, guard } = this.#payer
    const { profile, base_url: service, user } = sender
    const { id, batch, idempotency_key: key, body } = intent
    const { amount, source_account_id, recipient_iban, recipient_phone } = body
    const line = {
      profile,
      service,
      user,
      amount,
      key,
      intent: id,
      currency: intent.currency ?? guard?.currencyOf(source_account_id) ?? null,
      payee: recipient_iban ?? recipient_phone ?? null,
    }
    this.#options.file.add({ ...line, ...facts }, { durable: batch === null })
  }
}
