import type { Client } from '../client/client.ts'
import { formatIban } from '../contract/iban.ts'
import { formatMoney } from '../contract/money.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import type { Intent } from '../journal/intent.ts'
import type { Known, PlacedRow, StagedRows } from '../journal/staged_rows.ts'
import type { Reporter } from '../run/reporter.ts'
import { localTime } from '../run/time.ts'
import { type Accounts, type Estimate, estimateFees } from './batch_checks.ts'
import type { PaymentSession } from './payment_session.ts'
import { requireYes } from './send.ts'
import { placeOf, type Sender, unclearDoubt } from './sender.ts'

// What a person is told and asked before a batch is paid.

/** A batch that is about to be paid. */
export interface Plan {
  readonly batch: PlannedBatch
  readonly accounts: Accounts
  readonly doubts: Doubts
  /** Whether these very rows have been agreed to before. */
  readonly isKnown: boolean
  /** Leave out what another batch has sent, without asking. */
  readonly skipSent: boolean | undefined
}

interface PlannedBatch {
  readonly name: string
  /** The name that the caller gave it, if any. */
  readonly scope: string | undefined
  readonly staged: StagedRows
  readonly sender: Sender
  /** The idempotency key of a row. */
  keyOf(row: PlacedRow): string
}

/** Rows that an earlier run may have sent, and how many of them as part of another batch. */
export interface Doubts {
  readonly rows: number
  readonly elsewhere: number
  /** Rows in doubt of the same batches that are not in this file: its rows may be these, corrected. */
  readonly missing: number
  /** Intents of its rows that the sender or another user may have sent. */
  readonly unclear: readonly Intent[]
}

export const noDoubts: Doubts = { rows: 0, elsewhere: 0, missing: 0, unclear: [] }

/** Shows the summary and asks whether to send. Throws CliError for anything but a yes. */
export async function agreeToBatch(plan: Plan, session: PaymentSession, confirm: boolean | undefined): Promise<void> {
  const { reporter, sender } = session
  const { batch, doubts } = plan
  const summary = await showSummary(plan, session)
  if (summary.to_send === 0) {
    const next = { kind: 'pay_rows_again', hasBatchId: batch.scope !== undefined } as const
    return reporter.remark(`Nothing to send: all ${sentBefore(summary)}.`, next)
  }
  const { length } = doubts.unclear
  if (length > 0) {
    const which = `Nothing was sent: ${length} ${length === 1 ? 'row' : 'rows'} of this file`
    throw unclearDoubt(doubts.unclear, which, session)
  }
  const unclear = unclarity(plan, summary)
  if (unclear && !confirm) throw new UsageError(`${unclear.question} Nothing was sent.`, unclear.next)
  if (unclear) reporter.remark(`Warning  ${unclear.question}`, unclear.next)
  if (confirm) await requireYes(questionOf(summary, placeOf(sender)), reporter)
}

interface Showing {
  readonly client: Client
  readonly reporter?: Reporter
}

export async function showSummary(plan: Plan, { client, reporter }: Showing): Promise<Summary> {
  const { batch, doubts, accounts } = plan
  const { name, staged } = batch
  const estimates = await estimateFees(staged, client, (row) => batch.keyOf(row))
  const summary = summarise({ batch: name, staged, accounts, estimates, in_doubt: doubts.rows })
  for (const line of describeSummary(summary, placeOf(batch.sender))) reporter?.remark(line)
  return summary
}

/** A question that only the caller can answer, and what can be done about it. */
interface Unclarity {
  readonly question: string
  readonly next: NextStep
}

/**
 * Two cases. A row in doubt that was changed since would be paid as it was and as it is now. Some rows were sent from
 * another file, others not: this may be that file, corrected, or next month's.
 */
export function unclarity(
  { batch, doubts, isKnown, skipSent }: Plan,
  { known, rows, to_send, sent_before }: Summary,
): Unclarity | undefined {
  if (to_send === 0) return undefined
  if (doubts.missing > 0) {
    const which = `${doubts.missing} ${doubts.missing === 1 ? 'row' : 'rows'} sent with the rows of this file`
    return {
      question: `${which} ${doubts.missing === 1 ? 'is' : 'are'} in doubt and not in it any more: if corrected, both could be paid.`,
      next: { kind: 'resume_all' },
    }
  }
  const elsewhere = known.elsewhere + doubts.elsewhere
  if (batch.scope !== undefined || skipSent || elsewhere === 0) return undefined
  if (isKnown) return undefined
  const when = known.rows > 0 ? `: ${sentBefore({ sent_before, known })}` : ''
  return {
    question: `${elsewhere} of ${rows} rows ask for what another file has sent${when}.`,
    next: { kind: 'tell_corrected_from_due' },
  }
}

/** What is to be paid from one account. Amounts are in minor units, null where they are not known. */
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

/** What a person should know before a file is paid. */
export interface Summary {
  readonly batch: string
  readonly rows: number
  readonly sent_before: number
  readonly to_send: number
  /** Of those to send: rows that may have been sent. Their key makes them pay once. */
  readonly in_doubt: number
  readonly payees: number
  readonly debits: readonly Debit[]
  readonly warnings: readonly string[]
  /** When and where the rows that were sent before were sent. */
  readonly known: Known
}

interface Facts {
  readonly batch: string
  readonly staged: StagedRows
  readonly accounts: Accounts
  readonly estimates: ReadonlyMap<{ readonly source: string }, Estimate>
  readonly in_doubt: number
}

function summarise({ batch, staged, accounts, estimates, in_doubt }: Facts): Summary {
  const known = staged.known()
  const rows = staged.count()
  const debits = debitsOf(staged, accounts, estimates)
  const warnings = [
    ...repeatWarning(staged),
    ...debits.flatMap(shortfall),
    ...[...estimates.values()].flatMap(({ refused }) =>
      refused.map(({ line, reason }) => `the service refuses line ${line} as it is: ${reason}`),
    ),
    ...(accounts ? [] : ['the token may not read accounts: neither they nor their currencies were checked']),
  ]
  const to_send = rows - known.rows
  return { batch, rows, sent_before: known.rows, to_send, in_doubt, payees: staged.payees(), debits, warnings, known }
}

function debitsOf(staged: StagedRows, accounts: Accounts, estimates: Facts['estimates']): Debit[] {
  const fees = new Map([...estimates].map(([group, { fee }]) => [JSON.stringify(group), fee]))
  const bySource = Map.groupBy(staged.groups(), ({ source }) => source)
  return [...bySource].map(([account_id, groups]) => {
    const account = accounts?.get(account_id)
    const each = groups.map((group) => ({ ...group, fee: fees.get(JSON.stringify(group)) ?? null }))
    const estimated_fees = each.reduce<number | null>(
      (sum, { fee, rows }) => (sum === null || fee === null ? null : sum + fee * rows),
      0,
    )
    return {
      account_id,
      iban: account?.iban ?? null,
      owner_name: account?.owner_name ?? null,
      currency: account?.balance.currency ?? null,
      rows: each.reduce((sum, { rows }) => sum + rows, 0),
      amount: each.reduce((sum, { amount }) => sum + amount, 0),
      estimated_fees,
      balance: account?.balance.value ?? null,
    }
  })
}

function repeatWarning(staged: StagedRows): string[] {
  const { rows, lines } = staged.repeats()
  if (rows === 0) return []
  const more = rows > lines.length ? ', ...' : ''
  const which = `${rows === 1 ? '1 row repeats' : `${rows} rows repeat`} a row before`
  return [`${which} (line ${lines.join(', ')}${more}): same payee, amount, description and account. Each will be paid`]
}

function shortfall({ account_id, iban, amount, estimated_fees, balance, currency }: Debit): string[] {
  const missing = amount + (estimated_fees ?? 0) - (balance ?? Number.POSITIVE_INFINITY)
  if (missing <= 0) return []
  return [`${iban ? formatIban(iban) : account_id} has ${formatMoney(missing, currency ?? '')} too little for its rows`]
}

const count = (number: number): string => number.toLocaleString('en-US')

const counted = (number: number, what: string): string => `${count(number)} ${what}${number === 1 ? '' : 's'}`

const moneyOf = (minor: number, currency: string | null): string => formatMoney(minor, currency ?? '').trim()

/** One line for each fact. */
function describeSummary(summary: Summary, place: string): readonly string[] {
  const { batch, rows, sent_before, to_send, in_doubt, payees, debits, warnings } = summary
  return [
    `Batch    ${batch}`,
    `Service  ${place.replace(/^at /, '')}`,
    `Rows     ${count(rows)}${sent_before > 0 ? `: ${count(to_send)} to pay, ${sentBefore(summary)}` : ''}`,
    ...(in_doubt > 0 ? [`In doubt ${count(in_doubt)}: sent or not, they are paid once`] : []),
    `Payees   ${count(payees)}`,
    ...debits.map(
      ({ account_id, iban, owner_name, currency, rows, amount, estimated_fees, balance }) =>
        `From     ${iban ? `${formatIban(iban)}, ${owner_name}` : account_id}: ${counted(rows, 'payment')}, ` +
        `${moneyOf(amount, currency)}, estimated fees ${estimated_fees === null ? 'not known' : moneyOf(estimated_fees, currency)}` +
        `${balance === null ? '' : `, balance ${moneyOf(balance, currency)}`}`,
    ),
    ...warnings.map((warning) => `Warning  ${warning}`),
  ]
}

/** `37 sent before (2026-11-20 10:03:00)`. */
function sentBefore({ sent_before, known: { first, last } }: Pick<Summary, 'sent_before' | 'known'>): string {
  const [from, to] = [localTime(first), localTime(last)]
  return `${count(sent_before)} sent before (${from === to ? from : `${from} to ${to}`})`
}

/** All that matters in one line: it may be the only one that is shown. */
function questionOf({ to_send, debits, warnings, sent_before }: Summary, place: string): string {
  const sums = debits.map(({ amount, currency, estimated_fees }) => {
    const fees = estimated_fees === null ? 'fees not known' : `fees about ${moneyOf(estimated_fees, currency)}`
    return `${moneyOf(amount, currency)} (${fees})`
  })
  const but = [
    ...(warnings.length > 0 ? [counted(warnings.length, 'warning')] : []),
    ...(sent_before > 0
      ? [`${counted(sent_before, 'row')} sent before ${sent_before === 1 ? 'is' : 'are'} left out`]
      : []),
  ]
  return `Send ${counted(to_send, 'payment')}, ${sums.join(' and ')}, ${place}${but.length > 0 ? `; ${but.join(', ')}` : ''}?`
}
