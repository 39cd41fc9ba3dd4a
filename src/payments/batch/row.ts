import { checkDescription } from '../../commands/payments/payment_flags.ts'
import type { Account, SendPaymentBody } from '../../contract/index.ts'
import { formatMoney, maximumAmount } from '../../contract/money.ts'
import type { SheetRow } from '../../journal/staged_rows.ts'
import { parseAmount } from '../../money/amount.ts'
import { hasControls } from '../../run/sanitise.ts'
import type { CsvRecord } from '../csv_records.ts'
import { parseRecipient, type Recipient } from '../recipient.ts'
import type { ColumnName, Heading } from './heading.ts'

/** The user's accounts by id; null when the token may not read them. */
export type Accounts = ReadonlyMap<string, Account> | null

export interface Rules {
  readonly heading: Heading
  readonly accounts: Accounts
  /** Account to debit where a row names none. */
  readonly from: string | undefined
}

/** A row that can be paid as far as can be told without asking, or everything that is wrong with it. */
export type ReadRow = { readonly row: SheetRow } | { readonly faults: readonly string[] }

export function readRow({ cells, line }: CsvRecord, rules: Rules): ReadRow {
  const cell = (name: ColumnName): string => (cells[rules.heading.get(name) ?? -1] ?? '').trim()
  const faults: string[] = []
  const tried = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      faults.push(faultOf(error))
      return undefined
    }
  }
  const width = Math.max(...rules.heading.values()) + 1
  if (cells.slice(width).some((extra) => extra.trim() !== '')) {
    return { faults: [`it has ${cells.length} fields, the heading ${width}: quote a field that has a delimiter in it`] }
  }
  const recipient = tried(() => parseRecipient(cell('to'), 'to'))
  const amount = tried(() => amountOf(cell('amount')))
  const description = tried(() => descriptionOf(cell('description')))
  const source = tried(() => sourceOf(cell('from') || rules.from || '', rules.accounts))
  tried(() => checkCurrency({ stated: cell('currency'), recipient, account: source?.account }))
  const reference = cell('reference') || null
  if (faults.length > 0 || !recipient || amount === undefined || !source) return { faults }
  const body: SendPaymentBody = {
    source_account_id: source.id,
    amount,
    ...recipient,
    ...(description && { description }),
  }
  return { row: { line, body, reference } }
}

class RowFault extends Error {}

const fault = (text: string): never => {
  throw new RowFault(text)
}

/** A sentence without its full stop, with the remedy where there is one. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) throw error
  const message = error.message.replace(/\.$/, '')
  return 'hint' in error && typeof error.hint === 'string' ? `${message}. ${error.hint}` : message
}

function amountOf(text: string): number {
  const parsed = parseAmount(text)
  if ('fault' in parsed) return fault(`amount ${parsed.fault}${parsed.hint ? `. ${parsed.hint}` : ''}`)
  if (parsed.minor <= maximumAmount) return parsed.minor
  return fault(`amount is more than one payment can carry: ${formatMoney(maximumAmount, '').trim()}`)
}

/** Empty for the default of the channel. */
function descriptionOf(text: string): string {
  if (hasControls(text.replaceAll('\n', ''))) return fault('description has control characters')
  return text === '' ? '' : checkDescription(text, 'description')
}

interface Source {
  readonly id: string
  readonly account: Account | undefined
}

function sourceOf(text: string, accounts: Accounts): Source {
  const id = text.toLowerCase()
  if (id === '') return fault('from is empty. Name the account to debit, or one for all rows: --from')
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) {
    return fault(`from "${text}" is not the id of an account: payctl accounts list shows them`)
  }
  if (!accounts) return { id, account: undefined }
  const account = accounts.get(id)
  if (!account) return fault(`from ${id} is none of your accounts: payctl accounts list shows them`)
  if (account.status !== 'active') return fault(`from ${id} is an account that is ${account.status}`)
  return { id, account }
}

interface Claim {
  readonly stated: string
  readonly recipient: Recipient | undefined
  readonly account: Account | undefined
}

function checkCurrency({ stated, recipient, account }: Claim): void {
  const claimed = stated.toUpperCase()
  const currency = account?.balance.currency ?? claimed
  if (claimed !== '' && claimed !== currency) {
    fault(`currency is ${claimed}, but the account that pays is in ${currency}`)
  }
  if (recipient && 'recipient_phone' in recipient && currency !== '' && currency !== 'CRC') {
    fault(`to is a phone: SINPE Móvil carries CRC only, and the account that pays is in ${currency}`)
  }
  if (recipient && 'recipient_iban' in recipient && recipient.recipient_iban === account?.iban) {
    fault('to is the account that pays')
  }
}
