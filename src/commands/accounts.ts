import { Option } from 'commander'
import type { Account, AccountBalance, CreatedAccount } from '../client/received.ts'
import type { Currency } from '../contract/index.ts'
import { moneyText } from '../contract/money.ts'
import { currencies } from '../contract/payment_names.ts'
import { UsageError } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import { decimal } from '../money/decimal.ts'
import { detail, field, iban, id, money, status, time, words } from '../output/columns.ts'
import type { Column, Layout } from '../output/output.ts'
import type { ChosenAccount } from './chosen_account.ts'
import type { CommandModule, Context } from './context.ts'
import { examples } from './examples.ts'
import { listOptions } from './list_options.ts'
import { withHint } from './next_step.ts'
import { envelopeOf, noneOn, notePage, type PageFlags, pageOptions, partOf } from './page_note.ts'

export const accounts: CommandModule = (command) => {
  command.description('List and open accounts, read balances.')
  examples(command, ['payctl accounts list', 'payctl accounts create --currency CRC'])
  return {
    list: { summary: 'List your accounts with their balances, oldest first.', load: () => list },
    create: { summary: 'Open an account. At a terminal it asks for the currency.', load: () => create },
    get: { summary: 'Show one account.', usage: '[account]', load: () => get },
    balance: { summary: 'Show the balance of an account.', usage: '[account]', load: () => balance },
  }
}

const compactColumns: readonly Column<Account>[] = [
  { ...id('id', (account) => account.id), shortened: true },
  iban('iban', (account) => account.iban),
  money('balance', (account) => account.balance),
  detail('currency', (account) => account.balance.currency),
  status('status', (account) => account.status),
  words('owner_name', (account) => account.owner_name),
]

export const accountColumns: readonly Column<Account>[] = [
  ...compactColumns,
  field('document_number', (account) => account.document_number),
  field('document_type', (account) => account.document_type),
  time('created_at', (account) => account.created_at),
  time('updated_at', (account) => account.updated_at),
]

const accountLayout: Layout<Account> = {
  columns: accountColumns,
  table: compactColumns,
  schema: 'Account',
}

const noneIn = ({ globals }: Context): string =>
  withHint('No accounts.', toRun(['accounts', 'create', '--currency', 'CRC'], 'Open one'), globals)

const list: CommandModule = (command, context) => {
  pageOptions(command, 'accounts').action(async ({ all, page, perPage, envelope }: PageFlags) => {
    const client = await context.client()
    const { output } = context
    const none = noneIn(context)
    if (all)
      return output.stream(client.items('accounts.list', { query: { per_page: perPage } }), accountLayout, { none })
    const answer = await client.call('accounts.list', { query: { page, per_page: perPage } })
    await output.list(answer.data, accountLayout, {
      ...envelopeOf(answer, envelope, context),
      none: noneOn(answer, none),
      part: partOf(answer),
    })
    notePage(answer, { items: 'accounts' }, context)
  })
  listOptions(command, accountLayout, context)
  examples(command, [
    'payctl accounts list',
    'payctl accounts list --all --output csv > accounts.csv',
    'payctl accounts list --page 2 --per-page 50 --json',
  ])
}

const createdColumns: readonly Column<CreatedAccount>[] = [
  field('id', ({ id }) => id),
  field('iban', ({ iban }) => iban),
  field('currency', ({ currency }) => currency),
  time('created_at', (account) => account.created_at),
  time('updated_at', (account) => account.updated_at),
]

const currencyFlag = '--currency <currency>'

const create: CommandModule = (command, context) => {
  command
    .addOption(new Option(currencyFlag, 'currency of the account').choices(currencies))
    .action(async (flags: { readonly currency?: Currency }) => {
      const currency = flags.currency ?? (await askCurrency(context))
      const client = await context.client()
      await context.output.record(await client.call('accounts.create', { body: { currency } }), createdColumns)
    })
  examples(command, ['payctl accounts create --currency CRC', 'payctl accounts create --currency USD --json'])
}

async function askCurrency(context: Context): Promise<Currency> {
  if (!context.interactive) {
    throw new UsageError(`required option '${currencyFlag}' not specified.`, 'Add --currency CRC, or --currency USD')
  }
  const { askChoice } = await import('./prompts.ts')
  const choices = currencies.map((currency) => ({ value: currency, name: currency }))
  return askChoice({ message: 'Currency of the new account:', choices }, context)
}

const accountArgument =
  'its IBAN, id, the end of one of them, or its currency (default: the profile’s, or the only one)'

const get: CommandModule = (command, context) => {
  command.argument('[account]', accountArgument).action(async (text: string | undefined) => {
    const { id, account } = await shownAccount(text, context)
    const client = await context.client()
    await context.output.record(account ?? (await client.call('accounts.get', { params: { id } })), accountColumns)
  })
  examples(command, ['payctl accounts get 3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'payctl accounts get CRC'])
}

/** To read the only account, nobody needs to name it. */
async function shownAccount(text: string | undefined, context: Context): Promise<ChosenAccount> {
  const { chosenAccount, defaultAccount, onlyAccount } = await import('./chosen_account.ts')
  const named = text ?? (await defaultAccount(context))
  return named === undefined
    ? onlyAccount(context)
    : chosenAccount(named, { name: 'account', isSubject: true }, context)
}

const balanceColumns: readonly Column<AccountBalance>[] = [
  field('iban', ({ iban }) => iban),
  {
    name: 'balance',
    data: (account) => decimal(account.balance),
    text: ({ balance, currency }) => moneyText({ value: balance, currency }),
    align: 'right',
  },
  field('currency', ({ currency }) => currency),
]

const balance: CommandModule = (command, context) => {
  command.argument('[account]', accountArgument).action(async (text: string | undefined) => {
    const { id } = await shownAccount(text, context)
    const client = await context.client()
    await context.output.record(await client.call('accounts.balance', { params: { id } }), balanceColumns)
  })
  examples(command, [
    'payctl accounts balance 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    'payctl accounts balance USD --json',
  ])
}
