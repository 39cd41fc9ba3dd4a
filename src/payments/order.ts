import { formatMoney, maximumAmount } from '../contract/money.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { ExpectedName, Order } from '../journal/intent.ts'
import { grouped } from '../run/counts.ts'
import type { Recipient } from '../values/recipient.ts'
import { say } from '../words/text.ts'

// Checks that a payment must pass before it is sent. Each check accepts the name that its messages use for the value,
// such as the name of a flag or a column.

/** A payment whose values have been read and checked, from flags, a program's request or a row of a file. */
export interface Draft {
  /** Id of the account to debit. */
  readonly from: string
  readonly recipient: Recipient
  /** Minor units. */
  readonly amount: number
  /** Currency of the account, if known. */
  readonly currency?: string | null
  readonly description?: string | undefined
  readonly recipientEmail?: string | undefined
  /** Names that the holder must have. */
  readonly expected?: readonly ExpectedName[]
  /** Identity document that the holder must have, as `parseDocument` returns its number. */
  readonly expectedDocument?: string | null | undefined
}

/** An order without its key: a row of a batch receives its key when equal rows are counted. */
export function unkeyed(draft: Draft): Omit<Order, 'idempotency_key'> {
  const {
    from,
    recipient,
    amount,
    currency = null,
    description,
    recipientEmail,
    expected = [],
    expectedDocument = null,
  } = draft
  return {
    body: {
      source_account_id: from,
      amount,
      ...recipient,
      ...(description !== undefined && { description }),
      ...(recipientEmail !== undefined && { recipient_email: recipientEmail }),
    },
    currency,
    expected_names: expected,
    expected_document: expectedDocument,
  }
}

export const orderOf = (draft: Draft, key: string = crypto.randomUUID()): Order => ({
  ...unkeyed(draft),
  idempotency_key: key,
})

/** Throws for an amount above the service's maximum, so that a file fails before its first row is sent. */
export function requirePayable(minor: number, name: string): number {
  if (minor <= maximumAmount) return minor
  throw new UsageError(say`${name} is more than one payment can carry: ${formatMoney(maximumAmount, '').trim()}.`)
}

export function checkDescription(text: string, name: string): string {
  const length = Array.from(text).length
  if (length >= 15 && length <= 255) return text
  throw new UsageError(
    length === 1
      ? say`${name} has 1 character; the service takes 15 to 255.`
      : say`${name} has ${grouped(length)} characters; the service takes 15 to 255.`,
    length < 15 ? 'Write a longer description, or leave it out for the default description' : 'Shorten it',
  )
}

/** Refuses text that can't be an email address; only the service validates the address fully. */
export function checkEmail(text: string, name: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 255) return text
  throw new UsageError(
    say`${name} must be an email address of at most 255 characters.`,
    'Correct the address, or leave it out',
  )
}

export function checkHolderName(text: string, name: string): string {
  if (text.trim() !== '' && text.length <= 255) return text.trim()
  throw new UsageError(
    say`${name} must be the name of the holder, of at most 255 characters.`,
    'Give the name, or leave it out',
  )
}

export const isKey = (text: string): boolean => /^[\x21-\x7e]{1,255}$/.test(text)

export function checkKey(key: string, name: string): string {
  if (isKey(key)) return key
  throw new UsageError(
    say`${name} must be 1 to 255 visible ASCII characters, without spaces.`,
    'Leave the key out to have one generated, or use an order number or a UUID',
  )
}

/**
 * Prefix of generated batch names. A caller's name must not begin with this prefix: rows of a named batch get other
 * keys than rows of an unnamed batch, so a generated name used as `--batch-id` would pay all rows again.
 */
export const generatedPrefix = 'b_'

/** Reason why a value can't be a batch id, if any. */
export function batchIdFault(text: string): 'generated' | 'form' | undefined {
  if (text.startsWith(generatedPrefix)) return 'generated'
  return /^[\w.:@+][\w.:@+-]{0,63}$/.test(text) ? undefined : 'form'
}

export const batchIdForm = '1 to 64 letters, digits or any of . : @ + - _, not beginning with -'
