import { isoTime } from '../domain/time.ts'
import type { Account } from '../store/accounts.ts'
import type { ScheduledCredit } from '../store/scheduled_credits.ts'
import { type Entry, type Item, Names } from './names.ts'
import { identityOf, senderOf } from './parties.ts'
import { checkReference, givenReference, type PastPayment } from './payments.ts'
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

/** Scheduled credits that have not arrived yet. */
export function scheduledSeeds(credits: readonly ScheduledCredit[], accounts: readonly Account[]) {
  const accountIds = new Map(accounts.map(({ seq, id }) => [seq, id]))
  return credits
    .filter(({ status }) => status === 'scheduled')
    .map((credit): Item<'scheduled_credits'> => {
      const { id, account, channel, amount, payer, description, due_at, created_at } = credit
      const from = payer.iban ?? payer.phone
      return {
        id,
        account: accountIds.get(account) ?? '',
        channel,
        amount,
        ...(from !== null && { from }),
        ...identityOf(payer),
        ...(description !== null && { description }),
        ...givenReference(credit),
        due_at: isoTime(due_at),
        created_at: isoTime(created_at),
      }
    })
}
