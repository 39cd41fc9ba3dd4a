import type { Context } from '../../cli/command.ts'
import type { Currency } from '../../contract/index.ts'
import { namedCurrency } from '../../contract/money.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import type { Order } from '../../journal/intent.ts'
import type { Payee } from '../../payees/payee.ts'
import { orderOf } from '../../payments/order.ts'
import { say } from '../../words/text.ts'
import {
  type ChosenAccount,
  chosenAccount,
  currencyOf,
  defaultAccount,
  noteAccount,
  requireActive,
} from '../chosen_account.ts'
import type { CompleteFlags } from './ask_missing.ts'
import type { EarlyReads, ReadsWanted } from './early_reads.ts'
import { type FlagsRead, noAmount, readFlags, recipient, source } from './payment_flags.ts'

type Flags = Parameters<typeof readFlags>[0]

interface Asking {
  readonly silent?: boolean | undefined
  readonly need?: 'token' | 'payment'
  /** True: the reads for the question begin early. */
  readonly readsEarly?: boolean
}

/** An order with all its values. */
export interface CompleteOrder {
  readonly order: Order
  /** The saved payee who is paid. */
  readonly payee: Payee | undefined
  readonly early: EarlyReads | undefined
  /** True if a person was asked for values. */
  readonly isAsked: boolean
}

/** Makes an order from flags. Asks at a terminal for missing values, unless `silent`. Throws UsageError. */
export async function orderOfFlags(
  flags: Flags,
  context: Context,
  { silent = false, need = 'token', readsEarly = false }: Asking = {},
): Promise<CompleteOrder> {
  const read = await readFlags(flags, context)
  const from = read.from ?? (await defaultAccount(context))
  const isAsking = !silent && context.interactive
  const isWhole = from !== undefined && read.recipient !== undefined && read.amount !== undefined
  if (!isWhole && !isAsking) throw missing({ ...read, from })
  const choosing = from === undefined ? Promise.resolve(undefined) : sourceOf(from, need, context)
  const wanted = { need, account: choosing, recipient: read.recipient, isShown: !silent }
  const reading = readsEarly ? begin(wanted, context) : undefined
  reading?.catch(() => {})
  const account = await choosing
  const early = await reading
  const found = { ...read, from: account?.id }
  if (!isComplete(found)) {
    const { askMissing } = await import('./ask_missing.ts')
    const client = await (early?.client ?? context.client(need))
    return { ...(await completed(await askMissing(found, client, context), account, context)), early, isAsked: true }
  }
  if (account && account.id !== flags.from && !isAsking) noteAccount(account, flags.from === undefined, context)
  return { ...(await completed(found, account, context)), early, isAsked: false }
}

async function begin(wanted: ReadsWanted, context: Context): Promise<EarlyReads> {
  const { beginReads } = await import('./early_reads.ts')
  return beginReads(wanted, context)
}

async function sourceOf(text: string, need: 'token' | 'payment', context: Context): Promise<ChosenAccount> {
  const account = await chosenAccount(text, { name: '--from', need }, context)
  requireActive(account, '--from')
  return account
}

const isComplete = (read: FlagsRead): read is CompleteFlags =>
  read.from !== undefined && read.recipient !== undefined && read.amount !== undefined

function missing({ from, recipient: to }: FlagsRead): UsageError {
  if (from === undefined) {
    return new UsageError(say`required option '${source}' not specified.`, toRun(['accounts', 'list'], 'Your accounts'))
  }
  if (to === undefined) {
    return new UsageError(
      say`required option '${recipient}' not specified.`,
      'Add --to 8888-1234, or --to "CR05 0152 ..."',
    )
  }
  return noAmount()
}

async function completed(
  asked: CompleteFlags,
  account: ChosenAccount | undefined,
  context: Context,
): Promise<Pick<CompleteOrder, 'order' | 'payee'>> {
  const { payee, expectName, expectDocument, amount, idempotencyKey, ...values } = asked
  if (amount.currency !== undefined) {
    await requireCurrency(amount.currency, account ?? { id: asked.from }, context)
  }
  const draft = {
    ...values,
    amount: amount.minor,
    currency: namedCurrency(account?.account?.balance.currency) ?? amount.currency ?? null,
    expected: [
      ...(payee?.holder ? [{ name: payee.holder, payee: payee.name }] : []),
      ...(expectName === undefined ? [] : [{ name: expectName }]),
    ],
    expectedDocument: expectDocument,
  }
  return { order: orderOf(draft, idempotencyKey), payee }
}

/** Throws UsageError unless the account is known to have the currency of the amount. */
async function requireCurrency(currency: Currency, account: ChosenAccount, context: Context): Promise<void> {
  const actual = await currencyOf(account, context)
  if (actual === currency) return
  const fault =
    actual === null
      ? say`--amount is in ${currency}, but the currency of the account can't be checked: this token is not allowed to read the account.`
      : say`--amount is in ${currency}, but the account is in ${actual}.`
  throw new UsageError(fault, 'Write the amount without a currency')
}
