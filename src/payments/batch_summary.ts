import type { Client } from '../client/client.ts'
import { formatIban } from '../contract/iban.ts'
import { formatMoney } from '../contract/money.ts'
import { ApiError, isServiceAnswer } from '../errors/service_errors.ts'
import type { Intent } from '../journal/intent.ts'
import type { Group, SentBefore, StagedRows } from '../journal/staged_rows.ts'
import { grouped, linesSaid } from '../run/counts.ts'
import { localTime, zoneName } from '../run/time.ts'
import { foreign, type Said, say, type Text, type Translate } from '../words/text.ts'
import type { Accounts } from './accounts.ts'
import { joinedByAnd, payeesSaid, paymentsSaid, rowsSaid } from './counted.ts'
import type { Prospect } from './doubts.ts'
import type { Place } from './sender.ts'
import type { UnusualRows } from './unusual_rows.ts'

// Summary for a person before a batch is paid.

/** Sum to pay from one account. Amounts are in minor units; null if unknown. */
interface Debit {
  readonly account_id: string
  readonly iban: string | null
  readonly owner_name: string | null
  readonly currency: string | null
  readonly rows: number
  readonly amount: number
  readonly estimated_fees: number | null
  readonly balance: number | null
}

/** Summary of a file before it is paid. */
export interface BatchSummary {
  readonly batch: string
  readonly rows: number
  readonly sent_before: number
  readonly to_send: number
  /**
   * Number of rows in `to_send` that earlier runs may have sent. These rows are sent again with their own keys, after
   * the history has been read, unless the service may have forgotten the keys.
   */
  readonly in_doubt: number
  readonly payees: number
  readonly debits: readonly Debit[]
  readonly warnings: readonly Said[]
  /** Rows that are unusual, judged by the earlier payments in the journal. */
  readonly unusual: readonly UnusualRows[]
  /** Count and times of the rows that were sent before. */
  readonly known: SentBefore
}

/** The summary as data, with its texts in English. */
export type SummaryData = Omit<BatchSummary, 'warnings' | 'unusual'> & {
  readonly warnings: readonly string[]
  readonly unusual: readonly (Omit<UnusualRows, 'text'> & { readonly text: string })[]
}

export const summaryData = (summary: BatchSummary): SummaryData => ({
  ...summary,
  warnings: summary.warnings.map(String),
  unusual: summary.unusual.map((rows) => ({ ...rows, text: String(rows.text) })),
})

/**
 * Fees in minor units by account and channel (null: the service did not say), and rows that the service's validation
 * refused.
 */
export interface FeeEstimates {
  readonly fees: ReadonlyMap<string, number | null>
  readonly refused: readonly { readonly line: number; readonly reason: string }[]
}

/** Maximum number of groups to estimate: each takes one to three requests. */
const askedGroups = 20

/**
 * For each account and channel, at most `askedGroups` pairs, asks for the fee of the row with the largest amount. If
 * the service refuses this row, asks for the fee of the next row, at most three in all: asking for every row would take
 * a request for each row.
 */
export async function estimateFees(staged: StagedRows, client: Client): Promise<FeeEstimates> {
  const fees = new Map<string, number | null>()
  const refused: { line: number; reason: string }[] = []
  const feeOf = async (group: Group): Promise<number | null> => {
    for (const { body, line, idempotency_key } of staged.samples(group)) {
      try {
        const request = { headers: { 'X-Idempotency-Key': idempotency_key }, body }
        return (await client.call('payments.validate', request)).fee.value ?? null
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 401 || error.status === 429) throw error
        if (error.status === 403) return null
        if (isServiceAnswer(error, 400, 422)) refused.push({ line, reason: error.message })
      }
    }
    return null
  }
  for (const group of staged.groups().slice(0, askedGroups)) fees.set(rateOf(group), await feeOf(group))
  return { fees, refused }
}

/** Expected fee of an intent's payment; null if unknown. */
export const expectedFee = ({ body }: Pick<Intent, 'body'>, { fees }: FeeEstimates): number | null =>
  fees.get(rateOf({ source: body.source_account_id, iban: body.recipient_iban ? 1 : 0 })) ?? null

const rateOf = ({ source, iban }: Pick<Group, 'source' | 'iban'>): string => `${source} ${iban}`

interface SummaryInput {
  readonly batch: string
  readonly staged: StagedRows
  readonly accounts: Accounts
  readonly estimates: FeeEstimates
  readonly in_doubt: number
  readonly unusual: readonly UnusualRows[]
}

export function summarise({ batch, staged, accounts, estimates, in_doubt, unusual }: SummaryInput): BatchSummary {
  const known = staged.known()
  const rows = staged.count()
  const debits = debitsOf(staged, accounts, estimates)
  const warnings = [
    ...repeatWarning(staged),
    ...computedWarning(staged),
    ...debits.flatMap(shortfall),
    ...[...Map.groupBy(estimates.refused, ({ reason }) => reason)].map(([reason, same]) => {
      const which = linesSaid(same.map(({ line }) => line))
      return same.length === 1
        ? say`the service refuses ${which} as it is: ${foreign(reason)}`
        : say`the service refuses ${which} as they are: ${foreign(reason)}`
    }),
    ...(accounts ? [] : ['the token is not allowed to read accounts: accounts and their currencies were not checked']),
  ]
  const to_send = rows - known.rows
  return {
    batch,
    rows,
    sent_before: known.rows,
    to_send,
    in_doubt,
    payees: staged.payees(),
    debits,
    warnings,
    unusual,
    known,
  }
}

function debitsOf(staged: StagedRows, accounts: Accounts, { fees }: FeeEstimates): Debit[] {
  const bySource = Map.groupBy(staged.groups(), ({ source }) => source)
  return [...bySource].map(([account_id, groups]) => {
    const account = accounts?.get(account_id)
    return {
      account_id,
      iban: account?.iban ?? null,
      owner_name: account?.owner_name ?? null,
      currency: account?.balance.currency ?? null,
      rows: groups.reduce((sum, { rows }) => sum + rows, 0),
      amount: groups.reduce((sum, { amount }) => sum + amount, 0),
      estimated_fees: groups.reduce<number | null>((sum, group) => {
        const fee = fees.get(rateOf(group)) ?? null
        return sum === null || fee === null ? null : sum + fee * group.rows
      }, 0),
      balance: account?.balance.value ?? null,
    }
  })
}

function repeatWarning(staged: StagedRows): Said[] {
  const { rows, lines } = staged.repeats()
  if (rows === 0) return []
  const which = `${lines.join(', ')}${rows > lines.length ? ', ...' : ''}`
  return [
    rows === 1
      ? say`1 row repeats an earlier row (line ${which}): same payee, amount, description and account. Each will be paid`
      : say`${rows} rows repeat an earlier row (lines ${which}): same payee, amount, description and account. Each will be paid`,
  ]
}

/** Warns about columns whose cells contain results of formulas: a change in another cell can change the payment. */
export function computedWarning({ computed }: StagedRows): Said[] {
  if (computed.size === 0) return []
  const columns = [...computed]
    .map(([name, { rows, first }]) => say`${name} in ${rowsSaid(rows)} from line ${first} on`)
    .reduce((all, column) => say`${all}, ${column}`)
  return [say`formulas give ${columns}: their results are from the last time that the file was saved`]
}

function shortfall({ account_id, iban, amount, estimated_fees, balance, currency }: Debit): Said[] {
  const missing = amount + (estimated_fees ?? 0) - (balance ?? Number.POSITIVE_INFINITY)
  if (missing <= 0) return []
  return [
    say`${iban ? formatIban(iban) : account_id} has ${formatMoney(missing, currency ?? '')} too little for its rows`,
  ]
}

const moneyOf = (minor: number, currency: string | null): string => formatMoney(minor, currency ?? '').trim()

interface SummaryHeading {
  /** Source of the rows, for people: the name of a file. */
  readonly title: string
  readonly place: Place
  /** Names of the batches in which rows were sent before. */
  readonly batches: readonly string[]
  /** Number of rows in doubt by their prospect. */
  readonly prospects: ReadonlyMap<Prospect, number>
}

/** Facts about rows in doubt: functions of the number of rows. */
const prospectsSaid: readonly (readonly [Prospect, (count: string) => Text])[] = [
  ['absent', (count) => say`${count}: not in the history, sent again with their own keys`],
  ['unsure', (count) => say`${count}: perhaps in the history, sent again with their own keys`],
  ['unread', (count) => say`${count}: not sent again, because the history could not be read`],
  ['old', (count) => say`${count}: not sent again, because the service may have forgotten their keys`],
]

/** A label and the facts beside it. */
type LabelledFacts = readonly [label: Said, facts: readonly Said[]]

/** Lines for a screen of 80 columns, unless names are longer. */
export function describeSummary(
  summary: BatchSummary,
  heading: SummaryHeading,
  translate: Translate,
): readonly string[] {
  const parts = partsOf(summary, heading).map(([label, facts]) => ({
    label: translate(label),
    facts: facts.map(translate),
  }))
  const [, ...labels] = parts.map(({ label }) => label.length + '  '.length)
  const width = Math.max(labelWidth, ...labels)
  return parts.flatMap(({ label, facts }) => laidOut(label, facts, width))
}

function partsOf(
  summary: BatchSummary,
  { title, place, batches, prospects }: SummaryHeading,
): readonly LabelledFacts[] {
  const { batch, rows, sent_before, to_send, payees, debits, warnings, unusual } = summary
  const all = paymentsSaid(rows)
  const pays = sent_before > 0 ? say`${grouped(to_send)} of ${all}` : all
  const sums = [...sumsOf(debits)].map(([currency, { amount, fees }]) =>
    fees === null
      ? say`${moneyOf(amount, currency)} + fees not known`
      : say`${moneyOf(amount, currency)} + fees about ${formatMoney(fees, '').trim()}`,
  )
  const before = batches.length > 0 && batches.length <= 3 ? [say`batch ${batches.join(', ')}`] : []
  return [
    [say`${title}`, [pays, ...sums, payeesSaid(payees)]],
    ...debits.map((debit) => ['From', describeDebit(debit)] as const),
    ...(sent_before > 0 ? [['Left out', [sentBefore(summary), ...before]] as const] : []),
    ...prospectsSaid.flatMap(([prospect, said]) => {
      const count = prospects.get(prospect) ?? 0
      return count > 0 ? [['In doubt', [said(grouped(count))]] as const] : []
    }),
    ['Batch', [say`${batch}`]],
    ['At', [place.service, place.standing]],
    ...unusual.map(({ text }) => ['Unusual', [text]] as const),
    ...warnings.map((warning) => ['Warning', [warning]] as const),
  ]
}

function sumsOf(debits: readonly Debit[]): Map<string, { amount: number; fees: number | null }> {
  const sums = new Map<string, { amount: number; fees: number | null }>()
  for (const { currency, amount, estimated_fees } of debits) {
    const sum = sums.get(currency ?? '') ?? { amount: 0, fees: 0 }
    const fees = sum.fees === null || estimated_fees === null ? null : sum.fees + estimated_fees
    sums.set(currency ?? '', { amount: sum.amount + amount, fees })
  }
  return sums
}

function describeDebit({ account_id, iban, currency, amount, estimated_fees, balance }: Debit): Said[] {
  const account = say`${iban ? `${iban.slice(0, 4)} ... ${iban.slice(-4)}` : account_id}`
  if (balance === null) return [account]
  const after = moneyOf(balance - amount - (estimated_fees ?? 0), currency)
  return [account, estimated_fees === null ? say`balance after it ${after}` : say`balance after about ${after}`]
}

/** Width of the labels, and of a whole line, in cells. */
const labelWidth = 13
const lineWidth = 80

/** A label and its facts, on as many lines as they need. `width`: width of the labels, in cells. */
function laidOut(label: string, facts: readonly string[], width: number): string[] {
  const lines: string[] = []
  let line = `  ${label}`.padEnd(width + 1)
  let isNew = true
  for (const fact of facts) {
    const longer = isNew ? `${line} ${fact}` : `${line}   ${fact}`
    if (isNew || longer.length <= lineWidth) line = longer
    else {
      lines.push(line)
      line = `${' '.repeat(width + 2)}${fact}`
    }
    isNew = false
  }
  return [...lines, line]
}

/** Number and time of the rows sent before: `37 sent before (2026-11-20 10:03, UTC-6)`, or `10:03 to 10:05`. */
export function sentBefore({ sent_before, known: { first, last } }: Pick<BatchSummary, 'sent_before' | 'known'>): Text {
  const [from = '', to = ''] = [first, last].map((time) => localTime(time).slice(0, 'yyyy-mm-dd hh:mm'.length))
  const until = to.startsWith(from.slice(0, 'yyyy-mm-dd'.length)) ? to.slice('yyyy-mm-dd '.length) : to
  return from === to
    ? say`${grouped(sent_before)} sent before (${from}, ${zoneName()})`
    : say`${grouped(sent_before)} sent before (${from} to ${until}, ${zoneName()})`
}

/** The summary in one line, as a question. */
export function questionOf({ to_send, debits, warnings, unusual }: BatchSummary): Text {
  const sums = joinedByAnd(debits.map(({ amount, currency }) => moneyOf(amount, currency)))
  const repeated = unusual.find(({ kind }) => kind === 'paid_lately')?.rows ?? 0
  const payments = paymentsSaid(to_send)
  const asked =
    warnings.length === 0
      ? say`Send ${payments}, ${sums}?`
      : warnings.length === 1
        ? say`Send ${payments}, ${sums} in spite of 1 warning?`
        : say`Send ${payments}, ${sums} in spite of ${warnings.length} warnings?`
  if (repeated === 0) return asked
  return repeated === 1
    ? say`1 of ${rowsSaid(to_send)} repeats a payment of the last 8 days. ${asked}`
    : say`${grouped(repeated)} of ${rowsSaid(to_send)} repeat a payment of the last 8 days. ${asked}`
}
