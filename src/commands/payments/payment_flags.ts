import type { Command } from 'commander'
import type { SendPaymentBody } from '../../contract/index.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { parseAmount, parseMinorAmount } from '../../money/amount.ts'
import { parseRecipient } from '../../payments/recipient.ts'
import type { Context } from '../context.ts'
import { uuid } from '../uuid.ts'

/** The flags that describe a payment, as given. */
export interface GivenFlags {
  readonly from?: string
  readonly to?: string
  readonly amount?: string
  readonly amountMinor?: string
  readonly description?: string
  readonly recipientEmail?: string
  readonly idempotencyKey?: string
}

/** The same with what makes a payment. */
export interface PaymentFlags extends GivenFlags {
  readonly from: string
  readonly to: string
}

/** Those of `send`. */
export interface SendFlags extends PaymentFlags, SendSettings {}

export interface SendSettings {
  readonly wait?: boolean
  /** Milliseconds. */
  readonly waitTimeout: number
  readonly yes?: boolean
  readonly dryRun?: boolean
}

/** A payment as asked for: everything that can be checked here is right. */
export interface Order {
  readonly body: SendPaymentBody
  readonly key: string
}

const source = '--from <account id>'
const recipient = '--to <iban|phone>'

export const paymentFlags = (command: Command): Command =>
  command
    .option(source, 'account to debit; payctl accounts list shows them', uuid)
    .option(recipient, 'recipient; spaces and dashes are allowed')
    .option('--amount <amount>', 'in major units of the account’s currency, at most two decimals: 1500.25')
    .option('--amount-minor <integer>', 'the same in minor units: 150025')
    .option('--description <text>', 'what the recipient reads, 15 to 255 characters')
    .option('--recipient-email <email>', 'where the service tells the recipient, if it does')
    .option('--idempotency-key <key>', 'names this payment; repeated, it pays once (made up when not given)')

/** All that a payment needs: asked for at a terminal, unless `silent`. Throws UsageError for what is wrong or missing. */
export async function completeFlags<Flags extends GivenFlags>(
  flags: Flags,
  context: Context,
  {
    silent = false,
    need = 'token',
  }: { readonly silent?: boolean | undefined; readonly need?: 'token' | 'payment' } = {},
): Promise<Flags & PaymentFlags> {
  checkGiven(flags)
  if (isComplete(flags)) return flags
  if (silent || !context.interactive) throw missing(flags)
  const { askMissing } = await import('./ask_missing.ts')
  return askMissing(flags, await context.client(need), context)
}

const hasAmount = ({ amount, amountMinor }: GivenFlags): boolean => amount !== undefined || amountMinor !== undefined

const isComplete = <Flags extends GivenFlags>(flags: Flags): flags is Flags & PaymentFlags =>
  flags.from !== undefined && flags.to !== undefined && hasAmount(flags)

/** Nobody shall be asked for the rest of what can't be sent. */
function checkGiven(flags: GivenFlags): void {
  if (flags.to !== undefined) parseRecipient(flags.to)
  if (hasAmount(flags)) amountOf(flags)
  if (flags.description !== undefined) checkDescription(flags.description)
  if (flags.recipientEmail !== undefined) checkEmail(flags.recipientEmail)
  if (flags.idempotencyKey !== undefined) checkKey(flags.idempotencyKey)
}

function missing({ from, to }: GivenFlags): UsageError {
  if (from === undefined) {
    return new UsageError(`required option '${source}' not specified.`, 'See your accounts: payctl accounts list')
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
export function parseOrder(flags: PaymentFlags): Order {
  return {
    body: {
      source_account_id: flags.from,
      amount: amountOf(flags),
      ...parseRecipient(flags.to),
      ...(flags.description !== undefined && { description: checkDescription(flags.description) }),
      ...(flags.recipientEmail !== undefined && { recipient_email: checkEmail(flags.recipientEmail) }),
    },
    key: flags.idempotencyKey === undefined ? crypto.randomUUID() : checkKey(flags.idempotencyKey),
  }
}

/** Minor units, from the one of the two flags that was given. */
export function amountOf({ amount, amountMinor }: Pick<GivenFlags, 'amount' | 'amountMinor'>): number {
  if (amount !== undefined && amountMinor !== undefined) {
    throw new UsageError('--amount and --amount-minor both say how much.', 'Give one of them')
  }
  if (amount !== undefined) return minorOf('--amount', parseAmount(amount))
  if (amountMinor !== undefined) return minorOf('--amount-minor', parseMinorAmount(amountMinor))
  throw noAmount()
}

const noAmount = (): UsageError =>
  new UsageError('The amount is missing.', 'Add --amount 1500.25, or --amount-minor 150025')

function minorOf(flag: string, parsed: ReturnType<typeof parseAmount>): number {
  if ('minor' in parsed) return parsed.minor
  throw new UsageError(`${flag} ${parsed.fault}.`, parsed.hint)
}

/** The text itself, when it can be sent; `where` is what the user knows it by. */
export function checkDescription(text: string, where = '--description'): string {
  const length = Array.from(text).length
  if (length >= 15 && length <= 255) return text
  throw new UsageError(
    `${where} has ${length} characters; the service takes 15 to 255.`,
    length < 15 ? 'Say more, or leave it out for the default of the channel' : 'Shorten it',
  )
}

/** What can't be an address anywhere; the rest is for the service to say. */
function checkEmail(text: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text) && text.length <= 255) return text
  throw new UsageError(
    '--recipient-email must be an email address of at most 255 characters.',
    'Mend it, or leave it out',
  )
}

function checkKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new UsageError(
    '--idempotency-key must be 1 to 255 visible ASCII characters, without spaces.',
    'Leave it out to have one made up, or take an order number or a UUID',
  )
}
