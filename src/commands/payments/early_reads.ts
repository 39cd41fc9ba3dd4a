import type { Context } from '../../cli/command.ts'
import type { Client } from '../../client/client.ts'
import { lookUpHolder } from '../../payees/holder.ts'
import { addressOf } from '../../payments/holders.ts'
import { readingOnce } from '../../payments/reading_once.ts'
import { learnSender, type Sender } from '../../payments/sender.ts'
import type { Recipient } from '../../values/recipient.ts'
import type { ChosenAccount } from '../chosen_account.ts'
import { senderOptions } from './session.ts'

/** Reads that begin before the user is asked to send the payment. */
export interface EarlyReads {
  /** Client that reads each account and holder once. */
  readonly client: Promise<Client>
  readonly sender: Promise<Sender>
}

export interface ReadsWanted {
  readonly need: 'token' | 'payment'
  /** The account to debit; the lookup may still be running. */
  readonly account: Promise<ChosenAccount | undefined>
  readonly recipient: Recipient | undefined
  /** True if account and holder are shown to a person. */
  readonly isShown: boolean
}

/** Begins all reads at the same time; throws the error of a read only when its result is needed. */
export function beginReads({ need, account, recipient, isShown }: ReadsWanted, context: Context): EarlyReads {
  const options = senderOptions(context, need)
  const listed = account.then((chosen) => chosen?.account)
  const client = options.then((known) => readingOnce(known.client, listed))
  const sender = options.then(learnSender)
  const reads: Promise<unknown>[] = [listed, client, sender]
  if (isShown) {
    if (recipient) reads.push(client.then((one) => lookUpHolder(addressOf(recipient), one)))
    reads.push(
      Promise.all([client, account]).then(
        ([one, chosen]) => chosen && one.call('accounts.get', { params: { id: chosen.id } }),
      ),
    )
  }
  for (const read of reads) read.catch(() => {})
  return { client, sender }
}
