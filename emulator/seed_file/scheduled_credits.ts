import type { ScheduledCredit } from '../store/scheduled_credits.ts'
import { type Entry, type Item, Names } from './names.ts'
import { senderOf } from './parties.ts'
import { checkReference, type PastPayment } from './payments.ts'
import type { Resolving } from './resolving.ts'

/**
 * Credits that have not arrived yet, in file order. A credit becomes a payment with its id, so `payments`, those of the
 * seed, must not have it.
 */
export function resolveScheduledCredits(
  entries: readonly Entry<Item<'scheduled_credits'>>[],
  resolving: Resolving,
  payments: readonly PastPayment[],
): readonly ScheduledCredit[] {
  const taken = new Set(payments.map(({ payment }) => payment.id))
  const names = new Names<ScheduledCredit>('scheduled credit', resolving.problems)
  for (const entry of entries) {
    const { value, path } = entry
    const account = resolving.accounts.find(value.account, [...path, 'account'])
    if (!account) continue
    const { channel, payer } = senderOf({ value, path, account }, resolving)
    checkReference(entry, channel, resolving)
    const { amount, description = null, sinpe_reference = null } = value
    const created_at = resolving.time(
      value.created_at,
      [...path, 'created_at'],
      Math.min(resolving.usual, resolving.start),
    )
    const due_at = resolving.time(value.due_at, [...path, 'due_at'], resolving.start)
    const { id } = names.add(entry, (id) => ({
      id,
      account: account.seq,
      channel,
      amount,
      payer,
      description,
      sinpe_reference,
      status: 'scheduled',
      state_code: null,
      due_at,
      created_at,
    }))
    if (taken.has(id)) resolving.complain([...path, 'id'], `${id} is the id of a payment`)
  }
  return names.all
}
