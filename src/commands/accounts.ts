import { type Context, command } from '../cli/command.ts'
import { endpointCommand, type RowOf } from '../cli/endpoint_command.ts'
import { answer } from '../cli/prints.ts'
import type { Account, AccountBalance, CreatedAccount } from '../client/received.ts'
import type { Currency } from '../contract/index.ts'
import { decimal, moneyText } from '../contract/money.ts'
import { currencies } from '../contract/payment_names.ts'
import { UsageError } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import { columnsOf, detail, field, iban, id, money, status, time, words } from '../output/columns.ts'
import type { Layout } from '../output/output.ts'
import { say } from '../words/text.ts'
import type { ChosenAccount } from './chosen_account.ts'

export const accounts = command({
  summary: 'List and open accounts, and show balances',
  about: 'List and open accounts, and show balances.',
  examples: ['payctl accounts list', 'payctl accounts create --currency CRC'],
  commands: { list: () => list, create: () => create, get: () => get, balance: () => balance },
})

const mainColumns = columnsOf<Account>(
  { ...id('id'), shortened: true },
  iban('iban'),
  money('balance'),
  { ...detail('currency', ({ balance }: Account) => balance.currency), meaning: 'Currency of the account' },
  status('status'),
  words('owner_name'),
)

export const accountColumns = columnsOf<Account>(
  ...mainColumns,
  'document_number',
  'document_type',
  time('created_at'),
  time('updated_at'),
)

const accountLayout: Layout<Account> = {
  columns: accountColumns,
  table: columnsOf<Account>(
    ...mainColumns,
    { ...field('document_number'), spare: true },
    { ...time('created_at'), spare: true },
  ),
  schema: 'Account',
}

const list = endpointCommand('accounts.list', {
  summary: 'List your accounts with their balances, oldest first.',
  items: 'accounts',
  columns: accountLayout,
  none: { words: 'No accounts.', next: toRun(['accounts', 'create', '--currency', 'CRC'], 'Open one') },
  examples: [
    'payctl accounts list',
    'payctl accounts list --all --output csv > accounts.csv',
    'payctl accounts list --page 2 --per-page 50 --json',
  ],
})

const createdColumns = columnsOf<CreatedAccount>('id', 'iban', 'currency', time('created_at'), time('updated_at'))

const currencyFlag = '--currency <currency>'

const create = command({
  summary: 'Open an account. Asks for the currency at a terminal.',
  flags: { [currencyFlag]: { about: 'currency of the account', choices: currencies } },
  prints: answer('accounts.create'),
  examples: ['payctl accounts create --currency CRC', 'payctl accounts create --currency USD --json'],
  async run({ currency: given }, context) {
    const currency = given ?? (await askCurrency(context))
    const client = await context.client()
    await context.output.record(await client.call('accounts.create', { body: { currency } }), createdColumns)
  },
})

async function askCurrency(context: Context): Promise<Currency> {
  if (!context.interactive) {
    throw new UsageError(say`required option '${currencyFlag}' not specified.`, 'Add --currency CRC, or --currency USD')
  }
  const { askChoice } = await import('../cli/prompts.ts')
  const choices = currencies.map((currency) => ({ value: currency, name: currency }))
  return askChoice({ message: 'Currency of the new account:', choices }, context)
}

const accountArgument = {
  '[account]': {
    about: 'IBAN, id, the end of either, or currency (default: the profile’s account, or your only account)',
    of: 'account',
  },
} as const

const get = command({
  summary: 'Show one account.',
  args: accountArgument,
  prints: answer('accounts.get'),
  examples: ['payctl accounts get 3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'payctl accounts get CRC'],
  async run({ account: text }, context) {
    const { id, account } = await shownAccount(text, context)
    const client = await context.client()
    await context.output.record(account ?? (await client.call('accounts.get', { params: { id } })), accountColumns)
  },
})

/** Finds the named account; without a name, the account of the profile, or else the user's only account. */
async function shownAccount(text: string | undefined, context: Context): Promise<ChosenAccount> {
  const { chosenAccount, defaultAccount, onlyAccount } = await import('./chosen_account.ts')
  const named = text ?? (await defaultAccount(context))
  return named === undefined ? onlyAccount(context) : chosenAccount(named, { isSubject: true }, context)
}

const balanceColumns = columnsOf<AccountBalance>(
  'iban',
  {
    name: 'balance',
    data: (account) => decimal(account.balance),
    text: ({ balance, currency }) => moneyText({ value: balance, currency }),
    align: 'right',
  },
  'currency',
)

/** The balance of an account that was read to find the account's id; undefined if part of the balance is missing. */
function balanceIn(account: Account | undefined): AccountBalance | undefined {
  const { iban, balance: { value, currency, formatted } = {} } = account ?? {}
  if (!iban || !Number.isSafeInteger(value) || !currency || typeof formatted !== 'string') return undefined
  return { iban, currency, balance: value, formatted }
}

const balance = command({
  summary: 'Show the balance of an account.',
  args: accountArgument,
  prints: answer('accounts.balance'),
  examples: ['payctl accounts balance 3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'payctl accounts balance USD --json'],
  async run({ account: text }, context) {
    const { id, account } = await shownAccount(text, context)
    const client = await context.client()
    const balance = balanceIn(account) ?? (await client.call('accounts.balance', { params: { id } }))
    await context.output.record(balance, balanceColumns)
  },
})

export const user = endpointCommand('user.get', {
  summary: 'Show your user at the service',
  about: 'Show the user to whom the token belongs.',
  columns: columnsOf<RowOf<'user.get'>>(
    'id',
    'name',
    'email',
    time('email_verified_at'),
    time('created_at'),
    time('updated_at'),
  ),
  examples: ['payctl --emulator user', 'payctl user --json'],
})
