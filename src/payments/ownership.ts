import { CliError, UsageError } from '../errors/cli_error.ts'
import { type Intent, isStandIn, mayHavePaid, ownershipOf } from '../journal/intent.ts'
import type { PaymentSession } from './payment_session.ts'
import { isPaymentOf } from './same_payment.ts'
import type { Sender } from './sender.ts'

// Whose an intent is. A key names one payment among those of its user: repeated by another user it would be paid twice.

/** Money may have moved, and whether it has is not known. */
export const isInDoubt = ({ status }: Intent): boolean => mayHavePaid(status) && status !== 'settled'

/** Whether it may be the sender's or another user's: an older payctl, or a token that could not tell its user, wrote it. */
export const isUnclear = (intent: Intent, sender: Sender): boolean => ownershipOf(intent, sender) === 'unclear'

/** Throws for an intent that is known to be another's. */
export function requireOwn(intent: Intent, session: PaymentSession): void {
  const { sender } = session
  const { id, base_url, profile, user } = intent
  const there = profile === 'default' || profile === sender.profile ? undefined : { profile }
  const resume = `payments resume ${id}`
  switch (ownershipOf(intent, sender)) {
    case 'other service':
      if (base_url === sender.base_url) throw replaced(intent)
      throw new UsageError(
        `${id} was made for ${base_url} (profile ${profile}), not for ${sender.base_url}. Nothing was sent.`,
        session.commandFor(resume, there ?? { baseUrl: base_url }),
      )
    case 'other user': {
      const here = sender.name ?? 'the holder of this token'
      const again = session.commandFor(resume, there)
      throw new UsageError(
        `${id} was sent by another user (${user}, profile ${profile}), not by ${here}. Nothing was sent.`,
        there || again === undefined ? again : `With that user's login or token: ${again}`,
      )
    }
    case 'other world':
      throw new CliError(
        'conflict',
        `${id} was sent in a world of an emulator that is not there any more (it was reset, or is another one): the payment existed only there. Nothing was sent.`,
        'Make it anew, in the world that is there: payctl payments send',
      )
    default:
  }
}

function replaced({ id, base_url, world }: Intent): UsageError {
  const [then, now] = world === null ? ['no emulator', 'one'] : ['an emulator', 'none']
  return new UsageError(
    `${id} was sent to ${base_url} when that was ${then}, and now it is ${now}. Nothing was sent.`,
    'Resume it once the service is there again',
  )
}

/** Unclear intents whose payment is in the history that the sender reads are the sender's, and settled. Read once for all. */
export async function claimFound(unclear: readonly Intent[], session: PaymentSession): Promise<void> {
  if (unclear.length === 0) return
  const { client, journal, sender } = session
  const byKey = Map.groupBy(unclear, ({ idempotency_key }) => idempotency_key)
  for await (const payment of client.items('payments.history', { query: { per_page: 1000 } })) {
    if (sender.hasMoved) return
    for (const intent of byKey.get(payment.idempotency_key) ?? []) {
      if (!isPaymentOf(intent, payment)) continue
      journal.claim(intent.id, sender)
      journal.markSettled(intent.id, payment)
    }
    byKey.delete(payment.idempotency_key)
    if (byKey.size === 0) return
  }
}

/** Intents whose user a person has named. Throws UsageError where that is not who sends now. */
export function claimNamed(unclear: readonly Intent[], sentBy: string, { journal, sender }: PaymentSession): void {
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

/** Of unclear intents in doubt, which only their sender may repeat. `which` begins the message. */
export function unclearDoubt(intents: readonly Intent[], which: string, session: PaymentSession): CliError {
  const { sender } = session
  const single = intents.length === 1 ? intents[0] : undefined
  const [is, them] = single ? ['is', 'it'] : ['are', 'them']
  const isNameless = isStandIn(sender.user)
  const sentBy = isNameless ? '<email>' : (sender.name ?? sender.user)
  const who = isNameless ? 'This token may not tell whose it is either: use one with the scope read-user. ' : ''
  const resume = session.commandFor(`payments resume${single ? ` ${single.id}` : ''} --sent-by ${sentBy}`)
  return new CliError(
    'outcome_unknown',
    `${which} ${is} in doubt, money may have moved, and who sent ${them} is not known: the history that this token reads has no such payment. Repeated by another user it would be paid twice.`,
    resume && `${who}If it was you: ${resume}`,
  )
}
