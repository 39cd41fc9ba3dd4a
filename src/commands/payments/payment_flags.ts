import type { CommandRecord, Context, Input } from '../../cli/command.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { nameFault, type Payee } from '../../payees/payee.ts'
import { checkDescription, checkEmail, checkHolderName, checkKey } from '../../payments/order.ts'
import { type Amount, decimalMarks, parseAmount, parseMinorAmount } from '../../values/amount.ts'
import { parseDocument } from '../../values/document.ts'
import { parseRecipient, type Recipient } from '../../values/recipient.ts'
import { say } from '../../words/text.ts'

// The flags that describe a payment, each parsed once.

export const source = '--from <account>'
export const recipient = '--to <payee>'

/** Flag of every command with `--amount`. */
export const decimalFlag = {
  '--decimal <mark>': {
    about: 'decimal mark of --amount\nneeded if 1.500 has two readings',
    choices: decimalMarks,
  },
} as const

export const paymentFlags = {
  [source]: {
    about:
      'account to debit: IBAN, id, last digits or currency\nor a payee’s name, if the account is yours; default: the profile’s',
    of: 'account',
  },
  [recipient]: { about: 'an IBAN, a phone, or a saved payee\nspaces and dashes are allowed', of: 'payee' },
  '--amount <amount>': { about: 'as 1500.25, 1.500,25 or ₡1500\nin major units of the account’s currency' },
  ...decimalFlag,
  '--amount-minor <integer>': { about: 'amount in minor units: 150025' },
  '--description <text>': { about: 'text for the recipient, 15 to 255 characters' },
  '--expect-name <name>': { about: 'send only if the holder has this name\nthe holder of the account or phone' },
  '--expect-document <document>': { about: 'send only if the holder has this identity document' },
  '--recipient-email <email>': { about: 'email address of the recipient, for a notification if the service sends one' },
  '--idempotency-key <key>': {
    about:
      'your key for this payment, so that it is never made twice\nif a payment with this key exists, it is shown, and nothing is sent; default: generated',
  },
} as const satisfies CommandRecord['flags']

type PaymentFlags = Input<Record<never, never>, typeof paymentFlags>

/** Values of the flags in the command line. */
export interface FlagsRead
  extends Pick<
    PaymentFlags,
    'from' | 'decimal' | 'description' | 'recipientEmail' | 'expectName' | 'expectDocument' | 'idempotencyKey'
  > {
  readonly recipient: Recipient | undefined
  /** The saved payee that `--to` names. */
  readonly payee: Payee | undefined
  readonly amount: Amount | undefined
}

/** Throws UsageError for a wrong value, before the user is asked for missing values. */
export async function readFlags(flags: PaymentFlags, context: Context): Promise<FlagsRead> {
  const payee = await payeeIn(flags.to, context)
  return { ...checkedFlags(flags, payee ? (payee.iban ?? payee.phone) : flags.to), payee }
}

/**
 * Checks the values of the flags and parses them. `address`: the IBAN or phone that `--to` means. Throws UsageError for
 * a wrong value.
 */
export function checkedFlags(flags: Partial<PaymentFlags>, address: string | undefined): Omit<FlagsRead, 'payee'> {
  const {
    from,
    amount,
    amountMinor,
    decimal,
    description,
    recipientEmail,
    expectName,
    expectDocument,
    idempotencyKey,
  } = flags
  return {
    from,
    recipient: address === undefined ? undefined : parseRecipient(address, '--to'),
    amount: amount === undefined && amountMinor === undefined ? undefined : writtenAmount(flags),
    decimal,
    description: description === undefined ? undefined : checkDescription(description, '--description'),
    recipientEmail: recipientEmail === undefined ? undefined : checkEmail(recipientEmail, '--recipient-email'),
    expectName: expectName === undefined ? undefined : checkHolderName(expectName, '--expect-name'),
    expectDocument:
      expectDocument === undefined ? undefined : parseDocument(expectDocument, '--expect-document').number,
    idempotencyKey: idempotencyKey === undefined ? undefined : checkKey(idempotencyKey, '--idempotency-key'),
  }
}

/** Throws UsageError for a name that is not saved. */
async function payeeIn(to: string | undefined, context: Context): Promise<Payee | undefined> {
  if (to === undefined || nameFault(to.trim()) !== undefined) return undefined
  const { payeeNamed } = await import('../../cli/saved_payees.ts')
  return payeeNamed(to, context)
}

/** Parses a typed amount by the rules of `--amount`. */
export const typedAmount = (text: string, decimal: PaymentFlags['decimal']): Amount =>
  parseAmount(text, { name: '--amount', decimal, howToSay })

type AmountFlags = Partial<Pick<PaymentFlags, 'amount' | 'amountMinor' | 'decimal'>>

/** Minor units of --amount or --amount-minor. Throws UsageError for an amount with a currency. */
export function amountOf(flags: AmountFlags): number {
  const { minor, currency } = writtenAmount(flags)
  if (currency === undefined) return minor
  throw new UsageError(say`--amount is in ${currency}.`, 'The account decides the currency: write the amount alone')
}

function writtenAmount({ amount, amountMinor, decimal }: AmountFlags): Amount {
  if (amount !== undefined && amountMinor !== undefined) {
    throw new UsageError('--amount and --amount-minor both give the amount.', 'Give one of them')
  }
  if (amount !== undefined) return typedAmount(amount, decimal)
  if (amountMinor !== undefined) return { minor: parseMinorAmount(amountMinor, '--amount-minor'), currency: undefined }
  throw noAmount()
}

const howToSay = '--decimal comma, or --decimal point'

export const noAmount = (): UsageError =>
  new UsageError('The amount is missing.', 'Add --amount 1500.25, or --amount-minor 150025')
