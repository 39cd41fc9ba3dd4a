import type { SendPaymentBody } from '../contract/index.ts'
import { formatMoney, maximumAmount } from '../contract/money.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { ExpectedHolder } from '../payees/holder.ts'
import { counted } from '../run/counts.ts'
import { parseRecipient } from '../values/recipient.ts'

// What a payment must be before it is sent. Every check takes the name by which the user knows the value: a flag, a column.

/** A payment as asked for: everything that can be checked here is right. */
export interface Order {
  readonly body: SendPaymentBody
  /** Its idempotency key: one payment is made of it, as long as the service remembers it. */
  readonly key: string
  /** Of the account that pays, where it is known already. */
  readonly currency?: string | null
  /** Names that the holder must have, compared before it is sent. */
  readonly expected?: readonly ExpectedHolder[]
}

/** What a payment is asked for with. */
export interface PaymentRequest {
  /** Id of the account to debit. */
  readonly from: string
  /** An IBAN or a phone in any usual notation. */
  readonly to: string
  /** Minor units of the account's currency. */
  readonly amount: number
  /** What `amount` is in, such as `CRC`: nothing is sent if the account is in another. */
  readonly currency?: string | undefined
  /** What the recipient reads, 15 to 255 characters; the channel has a default. */
  readonly description?: string | undefined
  readonly recipientEmail?: string | undefined
  /** Who must hold the account or phone: nothing is sent to another. */
  readonly expectedName?: string | undefined
  /** Names the payment: one that was sent with it before is read, not sent again. Generated when it is not given. */
  readonly idempotencyKey?: string | undefined
}

/** The names by which the user knows the values. */
export type Names = Readonly<Record<Exclude<keyof PaymentRequest, 'from' | 'currency'>, string>>

/** As a program knows them. */
const ownNames: Names = {
  to: 'to',
  amount: 'amount',
  description: 'description',
  recipientEmail: 'recipientEmail',
  expectedName: 'expectedName',
  idempotencyKey: 'idempotencyKey',
}

/** Throws UsageError; nothing is sent. */
export function orderOf(request: PaymentRequest, names: Names = ownNames): Order {
  const { from, to, amount, description, recipientEmail, expectedName, idempotencyKey } = request
  if (!Number.isSafeInteger(amount) || amount <= 0) {
    throw new UsageError(
      `${names.amount} must be a whole number of minor units, greater than 0.`,
      'For 1500.25: 150025',
    )
  }
  return {
    body: {
      source_account_id: from,
      amount,
      ...parseRecipient(to, names.to, { orPayee: names !== ownNames }),
      ...(description !== undefined && { description: checkDescription(description, names.description) }),
      ...(recipientEmail !== undefined && { recipient_email: checkEmail(recipientEmail, names.recipientEmail) }),
    },
    key: idempotencyKey === undefined ? crypto.randomUUID() : checkKey(idempotencyKey, names.idempotencyKey),
    ...(expectedName !== undefined && { expected: [{ name: checkHolderName(expectedName, names.expectedName) }] }),
  }
}

/** More is refused by the service; of a file it is known before its first row leaves. */
export function requirePayable(minor: number, name: string): number {
  if (minor <= maximumAmount) return minor
  throw new UsageError(`${name} is more than one payment can carry: ${formatMoney(maximumAmount, '').trim()}.`)
}

export function checkDescription(text: string, name: string): string {
  const length = Array.from(text).length
  if (length >= 15 && length <= 255) return text
  throw new UsageError(
    `${name} has ${counted(length, 'character')}; the service takes 15 to 255.`,
    length < 15 ? 'Write a longer one, or leave it out for the usual text' : 'Shorten it',
  )
}

/** Refuses what can't be an address anywhere; the rest is for the service to say. */
export function checkEmail(text: string, name: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 255) return text
  throw new UsageError(`${name} must be an email address of at most 255 characters.`, 'Mend it, or leave it out')
}

export function checkHolderName(text: string, name: string): string {
  if (text.trim() !== '' && text.length <= 255) return text.trim()
  throw new UsageError(`${name} must be the name of the holder, of at most 255 characters.`, 'Give it, or leave it out')
}

export const isKey = (text: string): boolean => /^[\x21-\x7e]{1,255}$/.test(text)

export function checkKey(key: string, name: string): string {
  if (isKey(key)) return key
  throw new UsageError(
    `${name} must be 1 to 255 visible ASCII characters, without spaces.`,
    'Leave it out to have one made up, or take an order number or a UUID',
  )
}

/** What made-up names of batches begin with. A given name must not, as rows are paid once under a given name. */
export const madeUpPrefix = 'b_'

/** Why a text can't be the id of a batch, if so. */
export function batchIdFault(text: string): 'made up' | 'form' | undefined {
  if (text.startsWith(madeUpPrefix)) return 'made up'
  return /^[\w.:@+][\w.:@+-]{0,63}$/.test(text) ? undefined : 'form'
}

export const batchIdForm = '1 to 64 letters, digits or any of . : @ + - _, not beginning with -'
