import type { Account, SendPaymentBody } from '../contract/index.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { StagedRow, StagedRows } from '../journal/staged_rows.ts'
import { parseAmount } from '../money/amount.ts'
import { hasControls, printable } from '../run/sanitise.ts'
import { type Accounts, Faults } from './batch_result.ts'
import { type CsvRecord, recordsOf, textOf } from './csv_records.ts'
import { checkDescription, parseRecipient, type Recipient, requireAmount, requirePayable } from './order.ts'

/** What a file of payments is read with. */
export interface BatchFile {
  readonly bytes: AsyncIterable<Uint8Array | string>
  /** Account to debit where a row names none. */
  readonly from: string | undefined
  /** Faulty rows that are named; the others are counted. */
  readonly maxFaults?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Puts every row of a file among the staged ones. Throws UsageError that names all rows that are wrong. */
export async function stageFile(file: BatchFile, rows: StagedRows, accounts: Accounts): Promise<void> {
  const { bytes, from, maxFaults, signal } = file
  const faults = new Faults(maxFaults)
  let heading: Heading | undefined
  for await (const record of recordsOf(textOf(bytes))) {
    signal?.throwIfAborted()
    if (!heading) {
      heading = readHeading(record.cells, { hasFrom: from !== undefined })
      continue
    }
    const read = readRow(record, { heading, accounts, from })
    if ('row' in read) rows.add(read.row)
    else faults.add(record.line, read.faults)
  }
  if (!heading)
    throw new UsageError('The file is empty.', 'Its first line names the columns: to,amount,description,from')
  faults.throwIfAny()
  if (rows.count() === 0) throw new UsageError('The file has a heading and no rows: there is nothing to pay.')
}

const columnNames = ['to', 'amount', 'description', 'from', 'currency', 'reference'] as const

type ColumnName = (typeof columnNames)[number]

/** Where each column stands in a record. */
type Heading = ReadonlyMap<ColumnName, number>

/** Reads the first record: names in any order and case. `from` may be missing when a flag gives it. */
function readHeading(cells: readonly string[], { hasFrom }: { readonly hasFrom: boolean }): Heading {
  const heading = new Map<ColumnName, number>()
  const last = cells.findLastIndex((cell) => cell.trim() !== '') // Excel adds empty columns at the end
  for (const [at, cell] of cells.slice(0, last + 1).entries()) {
    const written = printable(cell).trim()
    const name = nameOf(cell)
    if (!name) throw new UsageError(`${strange(written, cells)} Nothing was sent.`, usage)
    if (heading.has(name)) throw new UsageError(`The column ${name} stands there twice. Nothing was sent.`, usage)
    heading.set(name, at)
  }
  const required: readonly ColumnName[] = hasFrom
    ? ['to', 'amount', 'description']
    : ['to', 'amount', 'description', 'from']
  const missing = required.filter((name) => !heading.has(name))
  if (missing.length === 0) return heading
  const hint = missing.join() === 'from' ? 'Add it, or name one account for all rows: --from <account id>' : usage
  throw new UsageError(`The file has no column ${missing.join(', ')}. Nothing was sent.`, hint)
}

/** As it is read: copied headings have characters that nobody sees. */
const nameOf = (cell: string): ColumnName | undefined => {
  const written = printable(cell).trim().toLowerCase()
  return columnNames.find((known) => known === written)
}

const strange = (written: string, cells: readonly string[]): string =>
  cells.some(nameOf)
    ? `The column "${written}" is none that payctl reads.`
    : `The first line names no column that payctl reads; it begins with "${written}".`

const usage = 'The first line names the columns: to,amount,description,from and, if you like, currency,reference'

interface Rules {
  readonly heading: Heading
  readonly accounts: Accounts
  /** Account to debit where a row names none. */
  readonly from: string | undefined
}

/** A row that can be paid as far as can be told without asking, or everything that is wrong with it. */
type ReadRow = { readonly row: StagedRow } | { readonly faults: readonly string[] }

function readRow({ cells, line }: CsvRecord, rules: Rules): ReadRow {
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
  const amount = tried(() => requirePayable(requireAmount(parseAmount(cell('amount')), 'amount'), 'amount'))
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
