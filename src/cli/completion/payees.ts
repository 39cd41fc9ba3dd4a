import { inspectJournal } from '../../journal/inspect.ts'
import type { Context } from '../command.ts'
import { savedPayees } from '../saved_payees.ts'
import { briefly, type Candidate } from './candidate.ts'

/** Saved payees by name; where a payment is made, also IBANs and phones that were paid with this profile, newest first. */
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
