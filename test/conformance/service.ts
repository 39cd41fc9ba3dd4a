import { type Account, controlEndpoints, type Endpoint, type EndpointId, endpoints } from '../../src/contract/index.ts'
import { formatMoney } from '../../src/contract/money.ts'
import { CliError, UsageError } from '../../src/errors/cli_error.ts'
import { printable } from '../../src/run/sanitise.ts'
import type { Allowance } from './allowance.ts'
import type { Arguments } from './arguments.ts'
import { exchangeAt } from './http_exchange.ts'
import { Undecided } from './not_applicable.ts'
import type { Reply } from './target.ts'
import { isEmulator } from './targets/remote.ts'
import { doesSettleAsUsual } from './targets/running_emulator.ts'

/** The server of a run. */
export interface Service {
  /** Facts of an emulator on this machine, which moves no real money; null for any other server. */
  readonly emulator: { readonly settlesAsUsual: boolean } | null
  /** The account that the arguments name. */
  readonly payer: Account | undefined
}

/**
 * Reads the facts about the server that are needed before the first case. Throws CliError if the server can't be
 * reached, refuses a token, or does not show its accounts: no case could be decided then.
 */
export async function meet({ baseUrl, token, controlToken, account, allowsPayments }: Arguments): Promise<Service> {
  const exchange = exchangeAt(baseUrl)
  const read = async (id: EndpointId, query = ''): Promise<Reply> => {
    const { method, path }: Endpoint = endpoints[id]
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' }
    const reply = await exchange({ method, url: path + query, headers })
    if (reply.status !== 401) return reply
    throw new CliError('unauthenticated', 'The service does not accept the token.', 'Give a token with every scope')
  }
  try {
    await read('user.get')
    if (await isEmulator(baseUrl)) {
      await requireControl(baseUrl, controlToken)
      return { emulator: { settlesAsUsual: await doesSettleAsUsual({ baseUrl, controlToken }) }, payer: undefined }
    }
    if (account === undefined && !allowsPayments) return { emulator: null, payer: undefined }
    const accounts = accountsIn(await read('accounts.list', '?per_page=1000'))
    return { emulator: null, payer: chosen(account, accounts) }
  } catch (error) {
    if (!(error instanceof Undecided)) throw error
    throw new CliError(
      'unavailable',
      `${error.message}.`,
      'Nothing was tried. Check --base-url, and that the server is running',
    )
  }
}

async function requireControl(baseUrl: string, token: string | undefined): Promise<void> {
  const { method, path } = controlEndpoints['control.clock.get']
  const headers = { Host: 'localhost', ...(token !== undefined && { Authorization: `Bearer ${token}` }) }
  const { status } = await exchangeAt(baseUrl)({ method, url: path, headers })
  if (status !== 401) return
  throw new CliError('unauthenticated', 'The emulator does not accept the control token.', 'Set PAYCTL_CONTROL_TOKEN')
}

function accountsIn({ status, text }: Reply): readonly Account[] {
  const fail = () =>
    new CliError(
      'unavailable',
      `The accounts can’t be read: GET /api/accounts answered ${status}.`,
      'Nothing was tried',
    )
  try {
    const accounts: unknown = JSON.parse(text).data.data
    if (status === 200 && Array.isArray(accounts)) return accounts
  } catch {
    throw fail()
  }
  throw fail()
}

function chosen(wanted: string | undefined, accounts: readonly Account[]): Account {
  const list = accounts.map(({ id, iban, balance }) => `  ${printable(`${id}  ${iban}  ${balance?.formatted}`)}`)
  const known = list.length > 0 ? `The token’s accounts:\n${list.join('\n')}` : 'The token has no account.'
  if (wanted === undefined) {
    throw new UsageError('--allow-payments needs --account: the account that may be debited.', known)
  }
  const text = wanted.replaceAll(/[\s-]/g, '').toLowerCase()
  const isWanted = (value: string) => value.replaceAll('-', '').toLowerCase() === text
  const found = accounts.find(({ id, iban }) => isWanted(id) || isWanted(iban))
  if (!found) throw new UsageError('--account is not one of the token’s accounts.', known)
  const { currency } = found.balance
  if (currency !== 'CRC') throw new UsageError(`--account is in ${currency}, but all cases pay in CRC.`, known)
  return found
}

/**
 * The allowance for payments: the sum that the cases need, or less if the user limits it. Throws UsageError if the
 * account has too little money.
 */
export function allowanceOf(payer: Account, needed: number, most: number | undefined): Allowance {
  const total = Math.min(needed, most ?? needed)
  const { value, currency } = payer.balance
  if (value < total) {
    throw new UsageError(
      `The account has ${formatMoney(value, currency)}, but the payments may need ${formatMoney(total, currency)}.`,
      'Give an account with more money, or a smaller --max-amount',
    )
  }
  return { account: { id: payer.id, currency }, total }
}
