import type { CommandRecord, Context, Input } from '../../cli/command.ts'
import { namedCurrency } from '../../contract/money.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { nameFault, type Payee } from '../../payees/payee.ts'
import {
  checkDescription,
  checkEmail,
  checkHolderName,
  checkKey,
  type Names,
  type Order,
  orderOf,
} from '../../payments/order.ts'
import { type Amount, decimalMarks, parseAmount, parseMinorAmount } from '../../values/amount.ts'
import { parseRecipient } from '../../values/recipient.ts'
import {
  type ChosenAccount,
  chosenAccount,
  currencyOf,
  defaultAccount,
  noteAccount,
  requireActive,
} from '../chosen_account.ts'

const source = '--from <account>'
const sourceName = '--from'
const recipient = '--to <payee>'

/** Of every command with `--amount`. */
export const decimalFlag = {
  '--decimal <mark>': {
    about: 'what stands before the decimals\nin --amount, where 1.500 may be both',
    choices: decimalMarks,
  },
} as const

/** The flags that describe a payment. */
export const paymentFlags = {
  [source]: {
    about:
      'account to debit: IBAN, id, last digits or currency\nor a payee’s name, where the account is yours; default: the profile’s',
    of: 'account',
  },
  [recipient]: { about: 'an IBAN, a phone, or a saved payee\nspaces and dashes are allowed', of: 'payee' },
  '--amount <amount>': { about: 'as 1500.25, 1.500,25 or ₡1500\nin major units of the account’s currency' },
  ...decimalFlag,
  '--amount-minor <integer>': { about: 'the same in minor units: 150025' },
  '--description <text>': { about: 'what the recipient reads, 15 to 255 characters' },
  '--expect-name <name>': { about: 'send only if the holder has this name\nof the account or phone' },
  '--recipient-email <email>': { about: 'where the service tells the recipient, if it does' },
  '--idempotency-key <key>': {
    about: 'names this payment: if it was sent with this key\nbefore, it is read and not sent; default: generated',
  },
} as const satisfies CommandRecord['flags']

/** As given, and what was found out of them. */
export interface GivenFlags extends Input<Record<never, never>, typeof paymentFlags> {
  /** The saved payee that `to` named. */
  readonly payee?: Payee
  /** Of the account, where it was read or the amount names it. */
  readonly currency?: string
}

/** The same with all that a payment requires. */
export interface PaymentFlags extends GivenFlags {
  readonly from: string
  readonly to: string
}

/** The flags as messages name them. */
export const flagNames: Names = {
  to: '--to',
  amount: '--amount',
  description: '--description',
  recipientEmail: '--recipient-email',
  expectedName: '--expect-name',
  idempotencyKey: '--idempotency-key',
}

/** The complete flags, asked for at a terminal unless `silent`. Throws UsageError for wrong or missing values. */
export async function completeFlags<Flags extends GivenFlags>(
  flags: Flags,
  context: Context,
  {
    silent = false,
    need = 'token',
  }: { readonly silent?: boolean | undefined; readonly need?: 'token' | 'payment' } = {},
): Promise<Flags & PaymentFlags> {
  const given = await withPayee(flags, context)
  checkGiven(given)
  const named = given.from === undefined ? await withDefaultAccount(given, context) : given
  const isAsking = !silent && context.interactive
  if (!isComplete(named) && !isAsking) throw missing(named)
  const source = named.from === undefined ? undefined : await sourceOf(named.from, need, context)
  const found = source ? { ...named, from: source.id } : named
  if (isComplete(found)) {
    if (source && source.id !== flags.from && !isAsking) noteAccount(source, flags.from === undefined, context)
    return withPlainAmount(found, source, context)
  }
  const { askMissing } = await import('./ask_missing.ts')
  const complete = await askMissing(found, await context.client(need), context)
  return withPlainAmount(complete, source, context)
}

async function withDefaultAccount<Flags extends GivenFlags>(flags: Flags, context: Context): Promise<Flags> {
  const from = await defaultAccount(context)
  return from === undefined ? flags : { ...flags, from }
}

async function sourceOf(text: string, need: 'token' | 'payment', context: Context): Promise<ChosenAccount> {
  const source = await chosenAccount(text, { name: sourceName, need }, context)
  requireActive(source, sourceName)
  return source
}

/** With an amount in minor units, whose currency, where it says one, is that of the account. */
async function withPlainAmount<Flags extends PaymentFlags>(
  flags: Flags,
  source: ChosenAccount | undefined,
  context: Context,
): Promise<Flags> {
  const { minor, currency } = writtenAmount(flags)
  const { amount: _, ...others } = flags
  const known = namedCurrency(source?.account?.balance.currency) ?? currency
  const plain = { ...others, amountMinor: String(minor), ...(known && { currency: known }) } as Flags
  if (currency === undefined) return plain
  const actual = await currencyOf(source ?? { id: flags.from }, context)
  if (actual === currency) return plain
  const why = actual === null ? 'and this token may not read in which the account is' : `and the account in ${actual}`
  throw new UsageError(`${flagNames.amount} is in ${currency}, ${why}.`, 'Write the amount without a currency')
}

/** With the IBAN or phone of a payee that `to` names. */
async function withPayee<Flags extends GivenFlags>(flags: Flags, context: Context): Promise<Flags> {
  if (flags.to === undefined || nameFault(flags.to.trim()) !== undefined) return flags
  const { payeeNamed } = await import('../../cli/saved_payees.ts')
  const payee = await payeeNamed(flags.to, context)
  return payee ? { ...flags, to: payee.iban ?? payee.phone, payee } : flags
}

const hasAmount = ({ amount, amountMinor }: GivenFlags): boolean => amount !== undefined || amountMinor !== undefined

const isComplete = <Flags extends GivenFlags>(flags: Flags): flags is Flags & PaymentFlags =>
  flags.from !== undefined && flags.to !== undefined && hasAmount(flags)

/** Checks the given flags before the user is asked for the others. */
function checkGiven(flags: GivenFlags): void {
  if (flags.to !== undefined) parseRecipient(flags.to, flagNames.to)
  if (hasAmount(flags)) writtenAmount(flags)
  if (flags.description !== undefined) checkDescription(flags.description, flagNames.description)
  if (flags.recipientEmail !== undefined) checkEmail(flags.recipientEmail, flagNames.recipientEmail)
  if (flags.expectName !== undefined) checkHolderName(flags.expectName, flagNames.expectedName)
  if (flags.idempotencyKey !== undefined) checkKey(flags.idempotencyKey, flagNames.idempotencyKey)
}

function missing({ from, to }: GivenFlags): UsageError {
  if (from === undefined) {
    return new UsageError(`required option '${source}' not specified.`, toRun(['accounts', 'list'], 'Your accounts'))
  }
  if (to === undefined) {
    return new UsageError(
      `required option '${recipient}' not specified.`,
      'Add --to 8888-1234, or --to "CR05 0152 ..."',
    )
  }
  return noAmount()
}

/** Throws UsageError; nothing is sent. */
export function parseOrder({ payee, expectName, currency, ...flags }: PaymentFlags): Order {
  const asked = orderOf({ ...flags, expectedName: expectName, amount: amountOf(flags) }, flagNames)
  const order = { ...asked, ...(currency !== undefined && { currency }) }
  if (!payee?.holder) return order
  return { ...order, expected: [{ name: payee.holder, payee: payee.name }, ...(order.expected ?? [])] }
}

type AmountFlags = Partial<Pick<GivenFlags, 'amount' | 'amountMinor' | 'decimal'>>

/** Minor units, from the flag of the two that was given. Throws UsageError where it says a currency. */
export function amountOf(flags: AmountFlags): number {
  const { minor, currency } = writtenAmount(flags)
  if (currency === undefined) return minor
  throw new UsageError(`${flagNames.amount} is in ${currency}.`, 'The account decides: write the amount alone')
}

export function writtenAmount({ amount, amountMinor, decimal }: AmountFlags): Amount {
  if (amount !== undefined && amountMinor !== undefined) {
    throw new UsageError('--amount and --amount-minor both say how much.', 'Give one of them')
  }
  if (amount !== undefined) return parseAmount(amount, { name: flagNames.amount, decimal, howToSay })
  if (amountMinor !== undefined) return { minor: parseMinorAmount(amountMinor, '--amount-minor'), currency: undefined }
  throw noAmount()
}

const howToSay = '--decimal comma, or --decimal point'

const noAmount = (): UsageError =>
  new UsageError('The amount is missing.', 'Add --amount 1500.25, or --amount-minor 150025')
