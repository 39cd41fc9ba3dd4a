import { reasonOf, UsageError } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import type { CheckedRow } from '../journal/intent.ts'
import type { StagedRows } from '../journal/staged_rows.ts'
import { dayOf } from '../limits/limits.ts'
import { nameFault, type Payee, type Payees } from '../payees/payee.ts'
import { hasControls, printable } from '../run/sanitise.ts'
import { readSheet } from '../sheets/read_sheet.ts'
import { isBlank, isSeparatorLine, type Sheet, SheetError, type SheetRow } from '../sheets/sheet.ts'
import type { DecimalMark } from '../values/amount.ts'
import { parseDocument } from '../values/document.ts'
import { parseRecipient, type Recipient } from '../values/recipient.ts'
import { asText, type Said, say, type Text } from '../words/text.ts'
import { type Accounts, checkCurrency, currencyOf, sourceOf } from './accounts.ts'
import { AmountColumn, computedColumns, dayFault, unseenFault } from './batch_cells.ts'
import {
  type ColumnMap,
  type ColumnName,
  type Heading,
  isHeading,
  isLikelyHeading,
  likelyColumns,
  noHeading,
  readHeading,
} from './batch_columns.ts'
import { describeColumns } from './batch_layouts.ts'
import { Faults } from './checked_rows.ts'
import { ControlSums, isTotal } from './control_sum.ts'
import { checkDescription, unkeyed } from './order.ts'

/** Options for reading a file of payments. */
export interface BatchFile {
  readonly bytes: AsyncIterable<Uint8Array | string>
  /** Account to debit if a row names none. */
  readonly from: string | undefined
  /** Description of rows that have none. */
  readonly description?: string | undefined
  /** Headings to read in place of payctl's own. */
  readonly map?: ColumnMap | undefined
  /** Finds the columns of files whose headings differ from payctl's own. */
  readonly layouts?: FileLayouts | undefined
  /** Sheet of an .xlsx file. */
  readonly sheet?: string | undefined
  /** Decimal mark of the file's amounts. */
  readonly decimal?: DecimalMark | undefined
  /** Loads the saved payees; called only if a row or `from` may name a payee. */
  readonly payees?: (() => Promise<Payees>) | undefined
  /** Called with the opened file after its heading has been read and before its rows are read. */
  readonly onHeading?: ((file: StagedFile) => void) | undefined
  /** True: saves the original rows, so that wrong rows can be written back. */
  readonly keepsOriginals?: boolean
  /** Called with notes on how the file was read. */
  readonly remark?: ((text: Said) => void) | undefined
  /** Maximum number of wrong rows to name; further rows are only counted. */
  readonly maxFaults?: number | undefined
  /** Joins a row's fault with its next step. */
  readonly explain?: (problem: Said, next: NextStep) => Text
  readonly signal?: AbortSignal | undefined
}

/** Remembers the columns that a person has agreed to, and asks a person to agree to the columns of a new file. */
export interface FileLayouts {
  /** Columns that a person has agreed to for files with these headings. */
  remembered(headings: readonly string[]): ColumnMap | undefined
  /**
   * Asks a person to agree, and remembers the answer, unless the answer rejects required columns. Resolves to false if
   * nobody can be asked.
   */
  agree(headings: readonly string[], likely: ColumnMap, areNeeded: boolean): Promise<boolean>
}

/** Structure of a file that is being read. */
export interface StagedFile {
  readonly sheet: Sheet
  /** The heading row and its meaning. */
  readonly header: SheetRow
  readonly heading: Heading
  readonly amounts: AmountColumn
}

/** Stages every row of a file. Throws UsageError that names the wrong rows. */
export async function stageFile(file: BatchFile, staged: StagedRows, accounts: Accounts): Promise<void> {
  try {
    await stageRowsOf(file, staged, accounts)
  } catch (error) {
    if (!(error instanceof SheetError)) throw error
    throw new UsageError(say`${asText(error.said)} Nothing was sent.`, error.next ?? error.saidHint)
  }
}

async function stageRowsOf(file: BatchFile, staged: StagedRows, accounts: Accounts): Promise<void> {
  const { from, maxFaults, explain = asText, signal } = file
  const { sheet, heading, amounts } = await openFile(file)
  let payees: Payees | undefined
  const currencies = new Set([...(accounts?.values() ?? [])].map(({ balance }) => balance.currency))
  const learnPayees = async (text: string) => {
    const isCurrency = currencies.has(text.trim().toUpperCase())
    if (!payees && !isCurrency && nameFault(text.trim()) === undefined) payees = await file.payees?.()
  }
  if (from !== undefined && !heading.places.has('from')) {
    await learnPayees(from)
    sourceOf(savedAccount(from, { accounts, payees }), accounts)
  }
  const faults = new Faults(maxFaults)
  const sums = new ControlSums(amounts)
  const today = dayOf(Date.now())
  for await (const row of sheet.rows) {
    signal?.throwIfAborted()
    if (file.keepsOriginals) staged.keepOriginal(row)
    for (const name of ['to', 'from'] as const) await learnPayees(row.cells[heading.places.get(name) ?? -1] ?? '')
    const rules = { sheet, heading, accounts, payees, amounts, from, description: file.description, today, explain }
    if (isTotalRow(row, rules)) {
      const fault = misplacedFault(row, rules) ?? sums.read(row)
      if (fault !== undefined) faults.add(row.line, [fault])
      continue
    }
    const read = readRow(row, rules)
    if ('row' in read) {
      staged.add(read.row)
      for (const { line, fault } of sums.add(read.row.body, read.row.currency ?? null)) faults.add(line, [fault])
      for (const name of computedColumns(row.notes, heading)) staged.markComputed(name, row.line)
    } else faults.add(row.line, read.faults)
  }
  for (const { line, fault } of amounts.contradictions()) faults.add(line, [fault])
  // Compares the totals only if no row is wrong: the sums don't include wrong rows.
  if (faults.count === 0) for (const { line, fault } of sums.faults()) faults.add(line, [fault])
  if (sheet.csv?.encoding.name === 'Windows-1252') file.remark?.('The file was read as Windows-1252.')
  faults.throwIfAny()
  if (staged.count() === 0) throw new UsageError('The file has a heading but no rows: nothing to pay.')
  for (const agreement of sums.agreements) file.remark?.(agreement)
}

/** Reads the file up to its heading. */
async function openFile(file: BatchFile): Promise<StagedFile> {
  const { bytes, from, layouts, decimal, signal } = file
  const isHeader = isHeading(file.map ?? new Map())
  const isRemembered = (cells: readonly string[]) => layouts?.remembered(cells) !== undefined
  const header = file.map || !layouts ? isHeader : [isRemembered, isHeader, isLikelyHeading]
  const sheet = await readSheet(bytes, { header, sheet: file.sheet, isStrict: true, signal })
  if (!sheet.header) throw await headless(sheet)
  const hasFrom = from !== undefined
  const map = file.map ?? (await columnsOf(sheet.header.cells, hasFrom, file))
  if (!isHeading(map)(sheet.header.cells)) throw noHeading([sheet.header])
  const heading = readHeading(sheet.header.cells, { map, hasFrom })
  requireSeen(sheet, heading)
  const amounts = new AmountColumn(sheet, heading.places.get('amount') ?? -1, decimal)
  const staged = { sheet, header: sheet.header, heading, amounts }
  file.onHeading?.(staged)
  remarkOnSheet(sheet, file)
  return staged
}

/**
 * Returns columns that a person has agreed to before, or asks a person to agree now. Returns none if the headings are
 * payctl's own, or nobody agrees.
 */
async function columnsOf(
  cells: readonly string[],
  hasFrom: boolean,
  { layouts, remark }: BatchFile,
): Promise<ColumnMap> {
  const headings = cells.map((cell) => printable(cell).trim())
  const remembered = layouts?.remembered(headings)
  if (remembered) {
    if (remembered.size > 0) remark?.(say`Columns as confirmed before: ${describeColumns(remembered)}.`)
    return remembered
  }
  const { columns, areNeeded, areEnough } = likelyColumns(headings, hasFrom)
  const isAgreed = areEnough && columns.size > 0 && (await layouts?.agree(headings, columns, areNeeded))
  return isAgreed ? columns : new Map()
}

/** Number of rows at the start of the file in which to look for probable headings. */
const mostLookedAt = 30

async function headless(sheet: Sheet): Promise<UsageError> {
  const first: SheetRow[] = []
  for await (const row of sheet.rows) if (first.push(row) === mostLookedAt) break
  if (first.length > 0) return noHeading(first)
  return new UsageError('The file is empty.', 'The first line must name the columns: to,amount,from')
}

/** Refuses hidden columns and headings: the user cannot have reviewed them. */
function requireSeen({ xlsx, header }: Sheet, { places }: Heading): void {
  const isOther = [...places.values()].some((at) => {
    const { shown, isCovered } = header?.notes?.get(at) ?? {}
    return isCovered || shown !== undefined
  })
  if (header?.isHidden || isOther) {
    throw new UsageError(
      say`The sheet hides the headings in line ${header?.line ?? 0}, or shows them differently. Nothing was sent.`,
      'Show the row, and give its cells the format General',
    )
  }
  const hidden = xlsx?.hiddenColumns.filter((at) => [...places.values()].includes(at)) ?? []
  if (hidden.length === 0) return
  const names = hidden.map((at) => header?.cells[at]?.trim()).join(', ')
  const what =
    hidden.length === 1
      ? say`The column ${names} is hidden in the sheet. Nothing was sent.`
      : say`The columns ${names} are hidden in the sheet. Nothing was sent.`
  throw new UsageError(what, 'Show every column that payctl uses for payments, or delete it')
}

function remarkOnSheet({ xlsx, before, header }: Sheet, { remark }: BatchFile): void {
  if (xlsx && xlsx.others.length > 0)
    remark?.(say`Only the sheet ${xlsx.sheet} is read, not ${xlsx.others.join(', ')}.`)
  const skipped = before.filter((row) => !isSeparatorLine(row) && !isBlank(row))
  if (skipped.length > 0) remark?.(say`Line ${header?.line ?? 0} has the headings; nothing above that line is read.`)
}

interface Rules {
  readonly sheet: Sheet
  readonly heading: Heading
  readonly accounts: Accounts
  readonly payees: Payees | undefined
  readonly amounts: AmountColumn
  /** Account to debit if a row names none. */
  readonly from: string | undefined
  /** Description of rows that have none. */
  readonly description: string | undefined
  /** Date in Costa Rica. */
  readonly today: string
  readonly explain: NonNullable<BatchFile['explain']>
}

/** A row without faults, or all its faults. */
type ReadRow = { readonly row: Omit<CheckedRow, 'idempotency_key'> } | { readonly faults: readonly Said[] }

function readRow(row: SheetRow, rules: Rules): ReadRow {
  const { cells, line } = row
  const { places } = rules.heading
  const cell = (name: ColumnName): string => (cells[places.get(name) ?? -1] ?? '').trim()
  const isRemark = cell('to') === '' && cell('description') === ''
  const misplaced =
    misplacedFault(row, rules) ?? (isRemark ? nobodyToPay : undefined) ?? unseenFault(row, rules.heading, rules.sheet)
  if (misplaced !== undefined) return { faults: [misplaced] }
  const faults: Said[] = []
  const tried = <T>(work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      faults.push(faultOf(error, rules.explain))
      return undefined
    }
  }
  const payee = tried(() => savedPayee(cell('to'), rules.payees))
  const recipient =
    payee === undefined ? undefined : tried(() => recipientOf(cells[places.get('to') ?? -1] ?? '', payee))
  const amount = tried(() => rules.amounts.read(row))
  const description = tried(() => descriptionOf(cell('description') || rules.description || ''))
  const from = tried(() => sourceOf(savedAccount(cell('from') || rules.from || '', rules), rules.accounts))
  const stated = [cell('currency'), amount?.currency ?? '']
  tried(() => checkCurrency({ stated, recipient, account: rules.accounts?.get(from ?? '') }))
  const document = cell('document')
  const expectedDocument = document === '' ? null : tried(() => parseDocument(document, 'document').number)
  const notToday = dayFault(cell('date'), rules.today)
  if (notToday !== undefined) faults.push(notToday)
  if (faults.length > 0 || !recipient || !amount || from === undefined) return { faults }
  const name = cell('name')
  const expected = [
    ...(payee?.holder ? [{ name: payee.holder, payee: payee.name }] : []),
    ...(name === '' ? [] : [{ name }]),
  ]
  const currency = currencyOf(from, rules.accounts)
  const order = unkeyed({ from, recipient, amount: amount.minor, currency, description, expected, expectedDocument })
  const { extra } = rules.heading
  const columns = extra.length === 0 ? null : Object.fromEntries(extra.map(({ name, at }) => [name, cells[at] ?? '']))
  return { row: { ...order, line, reference: cell('reference') || null, columns } }
}

const nobodyToPay = say`it names no payee: if it is a total, write TOTAL beside it; if it is a note, delete it`

/** True for a total. A row that pays a saved payee is not a total, even if the payee's name is `total`. */
const isTotalRow = (row: SheetRow, { heading, payees }: Rules): boolean =>
  isTotal(row, heading) && !payees?.find(row.cells[heading.places.get('to') ?? -1] ?? '')

/** Clause that says why the row can't be read reliably; undefined if it can. */
function misplacedFault({ cells, kinds, isHidden }: SheetRow, { sheet, heading }: Rules): Said | undefined {
  const { width, extra, places } = heading
  if (isHidden) return say`it is hidden in the sheet: show it, or delete it`
  const broken = [...places].find(([, at]) => kinds?.[at] === 'error')
  if (broken) return say`${broken[0]} is an error in the sheet: ${cells[broken[1]] ?? ''}`
  // A column that payctl does not read can hold text with an unquoted separator, which shifts the fields after it.
  const most = extra.length > 0 && sheet.csv ? Math.max(width, sheet.header?.cells.length ?? 0) : undefined
  const isTooLong = cells.slice(width).some((cell) => cell.trim() !== '') || (most !== undefined && cells.length > most)
  if (!isTooLong) return undefined
  if (sheet.xlsx) return say`it has a cell beyond the last heading`
  return say`it has ${cells.length} fields, but the heading has ${width}: quote a field that has a delimiter in it`
}

const savedAccount = (text: string, { accounts, payees }: Pick<Rules, 'accounts' | 'payees'>): string =>
  payees?.accountText(text, [...(accounts?.values() ?? [])]) ?? text

/** The saved payee of this name; null if the value can't be a payee's name. */
function savedPayee(text: string, payees: Payees | undefined): Payee | null {
  if (!payees || nameFault(text) !== undefined) return null
  const payee = payees.require(text)
  if (payee.holder !== null) return payee
  throw new UsageError(say`the payee ${payee.name} has not been verified`, { kind: 'verify_payee', payee: payee.name })
}

function recipientOf(text: string, payee: Payee | null): Recipient {
  if (!payee) return parseRecipient(text, 'to')
  return payee.iban === undefined ? { recipient_phone: payee.phone } : { recipient_iban: payee.iban }
}

/** The error's message without its full stop, with the remedy, if any. */
function faultOf(error: unknown, explain: Rules['explain']): Said {
  if (!(error instanceof UsageError)) throw error
  const { said, saidHint: hint, next } = error
  if (next) return explain(said, next).as('reason')
  return hint === undefined ? reasonOf(error) : say`${reasonOf(error)}. ${asText(hint)}`
}

/** Description of a row; undefined: the channel's default description. */
function descriptionOf(text: string): string | undefined {
  if (hasControls(text.replaceAll('\n', ''))) throw new UsageError('description has control characters')
  return text === '' ? undefined : checkDescription(text, 'description')
}
