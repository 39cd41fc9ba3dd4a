import { decimal } from '../../contract/money.ts'
import { inspectJournal, type Summary } from '../../journal/inspect.ts'
import type { Context } from '../command.ts'
import { savedPayees } from '../saved_payees.ts'
import type { Candidate } from './candidate.ts'

// Values that are saved on this machine. Tab completion loads SQLite only for these values.

/** Time limit, in milliseconds, for waiting until another process has written to the journal. */
const briefly = { patience: 200 }

/** Intents that `payments resume` can settle, newest first. */
export const unsettledIntents = (stateDir: string): readonly Candidate[] =>
  inspectJournal(
    stateDir,
    (journal) =>
      journal.recent('unsettled').map((intent) => ({ value: intent.id, about: summaryOf(intent, intent.status) })),
    briefly,
  ) ?? []

/** Payments that this machine sent, newest first. */
export const knownPayments = (stateDir: string): readonly Candidate[] =>
  inspectJournal(
    stateDir,
    (journal) =>
      journal.recent('paid').map((intent) => ({
        value: intent.payment_id ?? '',
        about: summaryOf(intent, intent.payment_status ?? 'sent'),
      })),
    briefly,
  ) ?? []

const summaryOf = ({ body, created_at }: Summary, status: string): string =>
  `${decimal(body.amount)} to ${body.recipient_iban ?? body.recipient_phone}, ${status}, ${created_at.slice(0, 16)}Z`

/** Names of saved payees; for a payment, also IBANs and phones that were paid with this profile, newest first. */
export async function knownPayees(path: readonly string[], context: Context): Promise<readonly Candidate[]> {
  const { all } = await savedPayees(context)
  const saved = all.map(({ name, holder, iban, phone }) => ({
    value: name,
    about: [holder ?? 'not verified', iban ?? phone].join(', '),
  }))
  if (path[0] === 'payees') return saved
  const { baseUrl, profile } = await context.target()
  const paid = inspectJournal(context.stateDir, (journal) => journal.paidTo({ baseUrl, profile }), briefly) ?? []
  return [...saved, ...paid.map(({ iban, phone }) => ({ value: iban ?? phone, about: 'paid before' }))]
}
