import { decimal } from '../../contract/money.ts'
import { inspectJournal, type Summary } from '../../journal/inspect.ts'
import { briefly, type Candidate } from './candidate.ts'

/** Intents that `payments resume` can settle, newest first. */
export const unsettledIntents = (stateDir: string): readonly Candidate[] =>
  inspectJournal(
    stateDir,
    (journal) =>
      journal.recent('unsettled').map((intent) => ({ value: intent.id, about: words(intent, intent.status) })),
    briefly,
  ) ?? []

/** Payments that this machine sent, newest first. */
export const knownPayments = (stateDir: string): readonly Candidate[] =>
  inspectJournal(
    stateDir,
    (journal) =>
      journal
        .recent('paid')
        .map((intent) => ({ value: intent.payment_id ?? '', about: words(intent, intent.payment_status ?? 'sent') })),
    briefly,
  ) ?? []

const words = ({ body, created_at }: Summary, status: string): string =>
  `${decimal(body.amount)} to ${body.recipient_iban ?? body.recipient_phone}, ${status}, ${created_at.slice(0, 16)}Z`
