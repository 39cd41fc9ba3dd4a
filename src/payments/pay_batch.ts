import type { Context } from '../commands/context.ts'
import { repeatFlags } from '../commands/payments/repeat_flags.ts'
import { conclude } from '../commands/payments/report_result.ts'
import { checkResultPath, ResultFile } from '../commands/payments/result_file.ts'
import { requireYes } from '../commands/prompts/confirm.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { Intent } from '../journal/intent.ts'
import type { Journal } from '../journal/journal.ts'
import { existingJournal, openJournal } from '../journal/open.ts'
import { type PlacedRow, Sheet } from '../journal/staged_rows.ts'
import { currenciesOf, readAccounts } from './batch/accounts.ts'
import type { BatchFlags } from './batch/flags.ts'
import { type ResultRow, resultRow } from './batch/result_row.ts'
import type { Accounts } from './batch/row.ts'
import { keepHeapSmall } from './batch/small_heap.ts'
import { tell } from './batch/tell.ts'
import { Batch, type Doubts } from './batch.ts'
import { checkFile } from './batch_file.ts'
import { outcomes } from './batch_outcomes.ts'
import { Tally } from './batch_result.ts'
import { Crew } from './batch_runner.ts'
import { describeSummary, questionOf, type Summary, sentBefore, summarise, summaryColumns } from './batch_summary.ts'
import { claimFound, isInDoubt, unclearDoubt } from './ownership.ts'
import { learnSender, placeOf } from './sender.ts'
import { estimateFees } from './service_checks.ts'

/** One run of `payments batch`. */
interface Run {
  readonly batch: Batch
  readonly accounts: Accounts
  readonly flags: BatchFlags
  readonly context: Context
}

export async function payBatch(file: string, flags: BatchFlags, context: Context): Promise<void> {
  if (!flags.dryRun) requireAnswer(file, flags, context)
  if (flags.result !== undefined) checkResultPath(flags.result, file)
  keepHeapSmall()
  const client = await context.client(flags.dryRun ? 'token' : 'payment')
  const accounts = await readAccounts(client)
  const sheet = new Sheet()
  try {
    await checkFile(sheet, { file, from: flags.from, accounts, context })
    if (flags.checkPayees) {
      const { checkPayees } = await import('./batch/payees.ts')
      await checkPayees(sheet, { client, context, concurrency: flags.concurrency })
    }
    const run = { batch: new Batch(sheet, await learnSender(context), flags.batchId), accounts, flags, context }
    await (flags.dryRun ? rehearse(run) : pay(run))
  } finally {
    sheet.close()
  }
}

function requireAnswer(file: string, { yes }: BatchFlags, { interactive }: Context): void {
  if (yes) return
  const hint = 'Add --yes to send without being asked, or --dry-run to see what would happen'
  if (file === '-') throw new UsageError('stdin holds the payments, so there is nobody to ask. Nothing was sent.', hint)
  if (!interactive)
    throw new UsageError('This sends money, and there is no terminal to ask on. Nothing was sent.', hint)
}

async function rehearse(run: Run): Promise<void> {
  const { context } = run
  const journal = existingJournal(context.stateDir)
  try {
    const doubts = journal ? await recall(run, journal) : { rows: 0, elsewhere: 0, missing: 0, unclear: [] }
    const summary = await summaryOf(run, doubts)
    const unclear = journal && unclarity(run, { summary, doubts, journal })
    if (unclear) context.output.note(`Warning  ${unclear.question}`)
    await context.output.record(summary, summaryColumns)
  } finally {
    journal?.close()
  }
}

async function pay(run: Run): Promise<void> {
  const { batch, flags, context } = run
  const journal = openJournal(context.stateDir)
  let file: ResultFile | undefined
  try {
    const doubts = await recall(run, journal)
    await agree(run, doubts, journal)
    file = flags.result === undefined ? undefined : await ResultFile.open(flags.result)
    batch.prepare(journal)
    await send(run, doubts.rows, { journal, file })
  } finally {
    await file?.close()
    journal.close()
  }
}

/** What the journal has of the rows. Where it does not know who sent one, the history does. */
async function recall({ batch, context }: Run, journal: Journal): Promise<Doubts> {
  const { unclear, ...doubts } = batch.recall(journal)
  if (unclear.length === 0) return { ...doubts, unclear }
  await claimFound(unclear, { journal, context, client: await context.client(), sender: batch.sender })
  const now = batch.recall(journal)
  return { ...now, unclear: now.unclear.filter(isInDoubt) }
}

/** Shows what is about to happen, and asks. */
async function agree(run: Run, doubts: Doubts, journal: Journal): Promise<void> {
  const { flags, context } = run
  const summary = await summaryOf(run, doubts)
  if (summary.to_send === 0) {
    const again = run.batch.scope === undefined ? '--batch-id <name>' : '--batch-id <another name>'
    return context.output.note(`Nothing to send: all ${sentBefore(summary)}. To pay them again: ${again}`)
  }
  requireClear(run, doubts)
  const unclear = unclarity(run, { summary, doubts, journal })
  if (unclear && flags.yes) throw new UsageError(`${unclear.question} Nothing was sent.`, unclear.ways)
  if (unclear) context.output.note(`Warning  ${unclear.question} ${unclear.ways}`)
  if (!flags.yes) await requireYes(questionOf(summary, placeOf(run.batch.sender)), context)
}

/** A row in doubt that another user may have sent is for that user to resume. */
function requireClear({ batch, context }: Run, { unclear }: Doubts): void {
  if (unclear.length === 0) return
  const which = `Nothing was sent: ${unclear.length} ${unclear.length === 1 ? 'row' : 'rows'} of this file`
  throw unclearDoubt(unclear, which, { context, sender: batch.sender })
}

async function summaryOf({ batch, accounts, context }: Run, doubts: Doubts): Promise<Summary> {
  const { name, sheet } = batch
  const estimates = await estimateFees(sheet, await context.client(), (row) => batch.keyOf(row))
  const summary = summarise({ batch: name, sheet, accounts, estimates, in_doubt: doubts.rows })
  for (const line of describeSummary(summary, placeOf(batch.sender))) context.output.note(line)
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
  readonly ways: string
}

/**
 * A row in doubt that was changed since would be paid as it was and as it is. And where some rows were sent from another
 * file, others not: a file that was corrected looks just like the next month's.
 */
function unclarity({ batch, flags, context }: Run, { summary, doubts, journal }: Memory): Unclarity | undefined {
  const { known, rows, to_send } = summary
  if (to_send === 0) return undefined
  if (doubts.missing > 0) {
    const which = `${doubts.missing} ${doubts.missing === 1 ? 'row' : 'rows'} sent with the rows of this file`
    return {
      question: `${which} ${doubts.missing === 1 ? 'is' : 'are'} in doubt and not in it any more: if corrected, both could be paid.`,
      ways: `Find out first: payctl payments resume${repeatFlags(context.globals)}`,
    }
  }
  const elsewhere = known.elsewhere + doubts.elsewhere
  if (batch.scope !== undefined || flags.skipSent || elsewhere === 0) return undefined
  if (batch.isKnownTo(journal)) return undefined
  const when = known.rows > 0 ? `: ${sentBefore(summary)}` : ''
  return { question: `${elsewhere} of ${rows} rows ask for what another file has sent${when}.`, ways }
}

const ways =
  'If this is that file, corrected: --skip-sent leaves them out. If they are due again: --batch-id <name> sends all'

interface Sending {
  readonly journal: Journal
  readonly file: ResultFile | undefined
}

async function send({ batch, accounts, flags, context }: Run, doubts: number, { journal, file }: Sending) {
  const { sheet } = batch
  const crew = await Crew.assemble({ batch: batch.name, journal, context, sender: batch.sender })
  const tally = new Tally(sheet.count())
  const currencies = currenciesOf(accounts)
  const rows = async function* (): AsyncGenerator<ResultRow, void> {
    const wait = flags.wait ? flags.waitTimeout : undefined
    const sending = {
      intents: () => intentsOf(batch, journal),
      total: tally.total,
      concurrency: flags.concurrency,
      wait,
    }
    for await (const intent of outcomes(crew, sending)) yield resultRow(intent, currencies)
  }
  const telling = { tally, file, context, waiting: () => crew.waiting }
  const untold = await tell(rows(), telling).finally(() => crew.close())
  conclude({
    tally,
    crew,
    doubts,
    untold,
    batch: batch.name,
    awaited: flags.wait === true,
    correction: `Correct them and run the file again${batch.scope === undefined ? ' with --skip-sent' : ''}: what was sent is left out`,
  })
}

function* intentsOf(batch: Batch, journal: Journal): Generator<Intent, void> {
  for (const row of batch.sheet.rows()) yield placed(batch.intentOf(row, journal), row)
}

/** With its place in the file at hand: a row that was sent before may have come from another. */
function placed(intent: Intent | undefined, { line, reference }: PlacedRow): Intent {
  if (!intent) throw new UsageError(`The payment journal has lost line ${line}.`, 'Run the same command again')
  return { ...intent, line, reference }
}
