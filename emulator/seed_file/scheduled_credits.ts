import { isoTime } from '../domain/time.ts'
import type { ScheduledCredit } from '../store/scheduled_credits.ts'
import type { World } from '../worlds/world.ts'
import { type Entry, type Item, Names } from './names.ts'
import { identityOf, senderOf } from './parties.ts'
import { checkReference, givenReference } from './payments.ts'
import type { IdsBySeq, Resolving } from './resolving.ts'

/** Reads and writes credits that have not arrived yet. */
export const scheduledCreditCodec = {
  /**
   * Reads the credits in file order. A credit becomes a payment with the same id, so no credit may have an id in
   * `taken`.
   */
  read(
    entries: readonly Entry<Item<'scheduled_credits'>>[],
    resolving: Resolving,
    taken: ReadonlySet<string>,
  ): readonly ScheduledCredit[] {
    const names = new Names<ScheduledCredit>('scheduled credit', resolving.problems)
    for (const entry of entries) {
      const { value, path } = entry
      const account = resolving.accounts.find(value.account, [...path, 'account'])
      if (!account) continue
      const { channel, payer } = senderOf({ value, path, account }, resolving)
      checkReference(entry, channel, resolving)
      const { amount, description = null, sinpe_reference = null } = value
      const usual = Math.min(resolving.usual, resolving.start)
      const created_at = resolving.time(value.created_at, [...path, 'created_at'], usual)
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
  },
  write({ store }: World, { accounts }: IdsBySeq): Item<'scheduled_credits'>[] {
    const scheduled = store.scheduledCredits.all().filter(({ status }) => status === 'scheduled')
    return scheduled.map((credit) => {
      const { id, account, channel, amount, payer, description, due_at, created_at } = credit
      const from = payer.iban ?? payer.phone
      return {
        id,
        account: accounts.get(account) ?? '',
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
  },
}
