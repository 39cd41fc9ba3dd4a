import type { Client } from '../client/client.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { Journal } from '../journal/journal.ts'
import { StagedRows } from '../journal/staged_rows.ts'
import { Batch, type Doubts, noDoubts } from './batch.ts'
import type { Accounts, ResultRow } from './batch_result.ts'
import { type BatchReport, type RunOptions, runBatch } from './batch_run.ts'
import { describeSummary, questionOf, type Summary, sentBefore, summarise } from './batch_summary.ts'
import { unclearDoubt } from './ownership.ts'
import { type PaymentOptions, PaymentSession, withSession } from './payment_session.ts'
import { requireYes } from './send.ts'
import { learnSender, placeOf } from './sender.ts'
import { checkPayees, estimateFees, readAccounts } from './service_checks.ts'

/** How the rows of a batch are checked. */
export interface Staging {
  readonly client: Client
  /** Puts the rows among the staged ones. Throws UsageError that names those that are wrong. */
  readonly stage: (staged: StagedRows, accounts: Accounts) => Promise<void>
  /** Look every payee up before anything is sent. */
  readonly checkPayees?: boolean | undefined
  /** Requests under way at a time. */
  readonly concurrency: number
  /** Faulty rows that are named; the others are counted. */
  readonly maxFaults?: number | undefined
}

/** Rows that can be paid as far as can be told, and the accounts that they name. */
export interface CheckedRows {
  readonly staged: StagedRows
  readonly accounts: Accounts
}

/** Stages and checks rows, and does the work with them. */
export async function withCheckedRows<T>(options: Staging, work: (rows: CheckedRows) => Promise<T>): Promise<T> {
  const accounts = await readAccounts(options.client)
  const staged = new StagedRows()
  try {
    await options.stage(staged, accounts)
    if (options.checkPayees) await checkPayees(staged, options)
    return await work({ staged, accounts })
  } finally {
    staged.close()
  }
}

export interface BatchOptions extends Omit<RunOptions, 'write'>, BatchSettings {
  /** Milliseconds to wait for the ends of payments, or undefined for not at all. */
  readonly wait?: number | undefined
  /** Ask the reporter before anything is sent; else what is not clear is refused. */
  readonly confirm?: boolean
  /** Where results go, opened once it is agreed that rows are sent. */
  readonly openResults: () => Promise<Results>
}

interface BatchSettings {
  /** Rows are paid once under it. */
  readonly batchId?: string | undefined
  /** Leave out what another batch has sent, without asking. */
  readonly skipSent?: boolean | undefined
}

export interface Results {
  /** Takes what became of each row, as soon as it is known. */
  write(rows: AsyncIterable<ResultRow>): Promise<void>
  close(): Promise<void>
}

/** The rows of one file, checked, and how they are to be paid. */
interface Plan {
  readonly batch: Batch
  readonly accounts: Accounts
  readonly options: BatchSettings & Pick<BatchOptions, 'client' | 'reporter' | 'commandFor' | 'confirm'>
}

/**
 * Pays rows, each once however often it is run. Their intents are on disk before the first request leaves. Throws what
 * keeps it from being begun; from then on the report tells.
 */
export const payBatch = ({ staged, accounts }: CheckedRows, options: BatchOptions): Promise<BatchReport> =>
  withSession(options, async (session) => {
    const { journal } = session
    const batch = new Batch(staged, session.sender, options.batchId)
    const doubts = await batch.recallClearly(session)
    await agree({ batch, accounts, options }, doubts, session)
    const results = await options.openResults()
    try {
      batch.prepare(journal)
      const run = {
        batch: batch.name,
        intents: () => batch.intents(journal),
        total: staged.count(),
        doubts: doubts.rows,
        accounts,
        wait: options.wait,
      }
      return await runBatch(run, { ...options, write: (rows) => results.write(rows) }, session)
    } finally {
      await results.close()
    }
  })

type Rehearsal = BatchSettings & Omit<PaymentOptions, 'journal'> & { readonly journal: Journal | undefined }

/** Tells what would happen, and sends nothing. Without a journal nothing was sent before. */
export async function rehearseBatch({ staged, accounts }: CheckedRows, options: Rehearsal): Promise<Summary> {
  const { journal, reporter } = options
  const sender = await learnSender(options)
  const batch = new Batch(staged, sender, options.batchId)
  const plan = { batch, accounts, options }
  if (!journal) return summaryOf(plan, noDoubts)
  const doubts = await batch.recallClearly(new PaymentSession({ ...options, sender, journal }))
  const summary = await summaryOf(plan, doubts)
  const unclear = unclarity(plan, { summary, doubts, journal })
  if (unclear) reporter?.remark(`Warning  ${unclear.question}`)
  return summary
}

/** Shows what is about to happen, and asks. Throws for anything but a yes. */
async function agree(plan: Plan, doubts: Doubts, session: PaymentSession): Promise<void> {
  const { journal, reporter, sender } = session
  const { batch, options } = plan
  const summary = await summaryOf(plan, doubts)
  if (summary.to_send === 0) {
    const again = batch.scope === undefined ? '--batch-id <name>' : '--batch-id <another name>'
    return reporter.remark(`Nothing to send: all ${sentBefore(summary)}. To pay them again: ${again}`)
  }
  const { length } = doubts.unclear
  if (length > 0) {
    const which = `Nothing was sent: ${length} ${length === 1 ? 'row' : 'rows'} of this file`
    throw unclearDoubt(doubts.unclear, which, session)
  }
  const unclear = unclarity(plan, { summary, doubts, journal })
  if (unclear && !options.confirm) throw new UsageError(`${unclear.question} Nothing was sent.`, unclear.ways)
  if (unclear) reporter.remark(`Warning  ${unclear.question} ${unclear.ways}`)
  if (options.confirm) await requireYes(questionOf(summary, placeOf(sender)), reporter)
}

async function summaryOf({ batch, accounts, options }: Plan, doubts: Doubts): Promise<Summary> {
  const { name, staged } = batch
  const estimates = await estimateFees(staged, options.client, (row) => batch.keyOf(row))
  const summary = summarise({ batch: name, staged, accounts, estimates, in_doubt: doubts.rows })
  for (const line of describeSummary(summary, placeOf(batch.sender))) options.reporter?.remark(line)
  return summary
}

interface Memory {
  readonly summary: Summary
  readonly doubts: Doubts
  readonly journal: Journal
}

/** What only the caller can know, and what can be done about it. */
interface Unclarity {
  readonly question: string
  readonly ways: string | undefined
}

/**
 * A row in doubt that was changed since would be paid as it was and as it is. And where some rows were sent from another
 * file, others not: a file that was corrected looks just like the next month's.
 */
function unclarity({ batch, options }: Plan, { summary, doubts, journal }: Memory): Unclarity | undefined {
  const { known, rows, to_send } = summary
  if (to_send === 0) return undefined
  if (doubts.missing > 0) {
    const which = `${doubts.missing} ${doubts.missing === 1 ? 'row' : 'rows'} sent with the rows of this file`
    const resume = options.commandFor?.('payments resume')
    return {
      question: `${which} ${doubts.missing === 1 ? 'is' : 'are'} in doubt and not in it any more: if corrected, both could be paid.`,
      ways: resume && `Find out first: ${resume}`,
    }
  }
  const elsewhere = known.elsewhere + doubts.elsewhere
  if (batch.scope !== undefined || options.skipSent || elsewhere === 0) return undefined
  if (batch.isKnownTo(journal)) return undefined
  const when = known.rows > 0 ? `: ${sentBefore(summary)}` : ''
  return { question: `${elsewhere} of ${rows} rows ask for what another file has sent${when}.`, ways }
}

const ways =
  'If this is that file, corrected: --skip-sent leaves them out. If they are due again: --batch-id <name> sends all'
