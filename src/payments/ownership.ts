import { repeatFlags } from '../commands/payments/repeat_flags.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { type Intent, isStandIn, mayHavePaid, ownershipOf } from '../journal/intent.ts'
import type { Desk } from './payment_session.ts'
import { differenceFrom } from './same_payment.ts'
import type { Sender } from './sender.ts'

/**
 * Intents that may be the sender's or another user's, as an older payctl wrote them down or a token that could not tell
 * whose it was: repeated by the wrong user they would be paid twice.
 */
export const isUnclear = (intent: Intent, { sender }: Pick<Desk, 'sender'>): boolean =>
  ownershipOf(intent, sender) === 'unclear'

/** Those of which the history that the sender reads has the payment are the sender's, and settled. Read once for all. */
export async function claimFound(unclear: readonly Intent[], { client, journal, sender }: Desk): Promise<void> {
  if (unclear.length === 0) return
  const byKey = Map.groupBy(unclear, ({ idempotency_key }) => idempotency_key)
  for await (const payment of client.items('payments.history', { query: { per_page: 1000 } })) {
    if (sender.hasMoved) return
    for (const intent of byKey.get(payment.idempotency_key) ?? []) {
      if (differenceFrom(intent, payment) !== undefined) continue
      journal.claim(intent.id, sender)
      journal.markSettled(intent.id, payment)
    }
    byKey.delete(payment.idempotency_key)
    if (byKey.size === 0) return
  }
}

/** Intents whose user a person has named. Throws UsageError where that is not who sends now. */
export function claimNamed(unclear: readonly Intent[], sentBy: string, { journal, sender }: Desk): void {
  requireSender(sentBy, sender)
  for (const { id } of unclear) journal.claim(id, sender)
}

function requireSender(named: string, { user, name, profile }: Sender): void {
  if (isStandIn(user)) {
    throw new UsageError(
      `The service does not tell this token whose it is, so it can't be ${named}'s for certain. Nothing was sent.`,
      `Use a token with the scope read-user: payctl login --profile ${profile}`,
    )
  }
  const isNamed = [user, name].some((known) => known?.toLowerCase() === named.trim().toLowerCase())
  if (isNamed) return
  throw new UsageError(
    `--sent-by names ${named}, and this run sends as ${name ?? user} (profile ${profile}). Nothing was sent.`,
    'Use the profile or token of the user who sent it',
  )
}

/** One that is in doubt can only be repeated by who sent it. */
export function unclearDoubt(
  intents: readonly Intent[],
  which: string,
  { sender, context }: Pick<Desk, 'sender' | 'context'>,
): CliError {
  const [one] = intents
  const is = intents.length === 1 ? 'is' : 'are'
  const sentBy = ` --sent-by ${isStandIn(sender.user) ? '<email>' : (sender.name ?? sender.user)}`
  const who = isStandIn(sender.user)
    ? 'This token may not tell whose it is either: use one with the scope read-user. '
    : ''
  return new CliError(
    'outcome_unknown',
    `${which} ${is} in doubt, money may have moved, and who sent ${intents.length === 1 ? 'it' : 'them'} is not known: the history that this token reads has no such payment. Repeated by another user it would be paid twice.`,
    `${who}If it was you: payctl payments resume${intents.length === 1 && one ? ` ${one.id}` : ''}${sentBy}${repeatFlags(context.globals)}`,
  )
}

export const isInDoubt = ({ status }: Intent): boolean => mayHavePaid(status) && status !== 'settled'
