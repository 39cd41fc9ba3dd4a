import { isUuid } from '../../cli/arguments.ts'
import type { Context } from '../../cli/command.ts'
import { askChoice, askText, type Choice } from '../../cli/prompts.ts'
import type { Client } from '../../client/client.ts'
import { type Account, isNamed } from '../../client/received.ts'
import { formatIban } from '../../contract/iban.ts'
import { moneyText } from '../../contract/money.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { permitted } from '../../errors/service_errors.ts'
import { checkDescription } from '../../payments/order.ts'
import type { Amount, DecimalMark } from '../../values/amount.ts'
import type { Recipient } from '../../values/recipient.ts'
import { say } from '../../words/text.ts'
import { askPayee } from './ask_payee.ts'
import { type FlagsRead, typedAmount } from './payment_flags.ts'

/** Flags with all values that a payment requires. */
export interface CompleteFlags extends FlagsRead {
  readonly from: string
  readonly recipient: Recipient
  readonly amount: Amount
}

/** Asks at the terminal for values that no flag gives. */
export async function askMissing(read: FlagsRead, client: Client, context: Context): Promise<CompleteFlags> {
  const source = read.from === undefined ? await askSource(client, context) : await readSource(read.from, client)
  const { recipient, payee } =
    read.recipient === undefined ? await askPayee(client, context) : { recipient: read.recipient, payee: read.payee }
  const amount = read.amount ?? (await askAmount(source.account, read, context))
  const description = read.description ?? (await askDescription(context))
  return { ...read, from: source.id, recipient, payee, amount, description }
}

interface SourceAccount {
  readonly id: string
  /** Null if the token is not allowed to read the account. */
  readonly account: Account | null
}

/** Maximum number of accounts in the list to choose from. */
const mostChoices = 100

export async function askSource(client: Client, context: Context): Promise<SourceAccount> {
  const page = await permitted(client.call('accounts.list', { query: { per_page: mostChoices } }))
  if (page === null) {
    const check = (answer: string) => {
      if (!isUuid(answer.trim())) throw new UsageError('Give a UUID like 3f2504e0-4f89-41d3-9a0c-0305e82c3301.')
    }
    const id = await askText({ message: 'From (account id):', check }, context)
    return { id: id.toLowerCase(), account: null }
  }
  const active = page.data.filter(isNamed).filter(({ status }) => status === 'active')
  if (active.length === 0) throw noAccount()
  if ((page.total ?? 0) > page.data.length) {
    context.output.note(
      say`Showing ${page.data.length} of ${page.total ?? ''} accounts; for another account use --from`,
    )
  }
  const account = await askChoice({ message: 'From:', choices: accountChoices(active) }, context)
  return { id: account.id, account }
}

/** Accounts to choose from, with aligned balances. */
export function accountChoices<One extends Account>(accounts: readonly One[]): readonly Choice<One>[] {
  const width = Math.max(...accounts.map(({ balance }) => moneyText(balance).length))
  return accounts.map((account) => ({
    value: account,
    name: `${formatIban(account.iban ?? '')}  ${moneyText(account.balance).padStart(width)}`,
    description: `${account.owner_name}, ${account.id}`,
  }))
}

export const readSource = async (id: string, client: Client): Promise<SourceAccount> => ({
  id,
  account: await permitted(client.call('accounts.get', { params: { id } })),
})

/** `filled`: initial answer, which the user can edit. */
export async function askAmount(
  account: Account | null,
  { decimal, filled }: { readonly decimal?: DecimalMark | undefined; readonly filled?: string },
  context: Context,
): Promise<Amount> {
  const currency = account?.balance.currency
  const has = moneyText(account?.balance)
  const inCurrency = has === '' ? say`Amount in ${currency ?? ''}:` : say`Amount in ${currency ?? ''} (balance ${has}):`
  const message = currency ? inCurrency : 'Amount, like 1500.25:'
  const check = (answer: string) => {
    const amount = typedAmount(answer.trim(), decimal)
    if (amount.currency === undefined || amount.currency === currency) return
    throw new UsageError(
      say`The amount is in ${amount.currency}, but the account is in ${currency ?? say`an unknown currency`}.`,
    )
  }
  return typedAmount(await askText({ message, check, filled }, context), decimal)
}

/** Asks for the description; undefined for an empty answer. `filled`: initial answer, which the user can edit. */
export async function askDescription(context: Context, filled?: string): Promise<string | undefined> {
  const answer = await askText(
    {
      filled,
      message: 'Description (optional, 15 to 255 characters):',
      check: (answer) => answer.trim() === '' || checkDescription(answer.trim(), '--description'),
    },
    context,
  )
  return answer === '' ? undefined : answer
}

const noAccount = (): CliError =>
  new CliError(
    'not_found',
    'You have no active account to send from.',
    toRun(['accounts', 'create', '--currency', 'CRC']),
  )
