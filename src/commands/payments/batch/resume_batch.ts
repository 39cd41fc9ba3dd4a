import { unsettledStatuses } from '../../../journal/intent.ts'
import { openJournal } from '../../../journal/open.ts'
import { CliError, UsageError } from '../../../output/cli_error.ts'
import type { Context } from '../../context.ts'
import { currenciesOf, readAccounts } from './accounts.ts'
import { conclude } from './conclude.ts'
import { Crew } from './crew.ts'
import { outcomes } from './outcomes.ts'
import { type ResultRow, resultRow } from './result_row.ts'
import { keepHeapSmall } from './small_heap.ts'
import { Tally } from './tally.ts'
import { tell } from './tell.ts'

interface Resumed {
  readonly batch: string
  readonly concurrency: number
}

/** Sends the rows of a batch whose outcome is open, in the order they were written down. They were agreed to then. */
export async function resumeBatch(
  id: string | undefined,
  { batch, concurrency }: Resumed,
  context: Context,
): Promise<void> {
  if (id !== undefined) throw new UsageError('An intent and --batch name two things to resume.', 'Give one of them')
  keepHeapSmall()
  const { baseUrl } = await context.target()
  const journal = openJournal(context.stateDir)
  try {
    if (!journal.hasBatch(baseUrl, batch)) throw unknownBatch(batch, baseUrl)
    const open = { batch, baseUrl, statuses: unsettledStatuses, oldestFirst: true }
    const tally = new Tally(journal.count(open))
    const doubts = journal.count({ ...open, statuses: ['sent', 'unknown'] })
    if (tally.total === 0) return context.output.note(`Batch ${batch} has no row that is open.`)
    const crew = await Crew.assemble(batch, journal, context)
    const currencies = currenciesOf(await readAccounts(crew.client))
    const intents = () => journal.list(open)
    const rows = async function* (): AsyncGenerator<ResultRow, void> {
      const sending = { intents, total: tally.total, concurrency, wait: undefined }
      for await (const intent of outcomes(crew, sending)) yield resultRow(intent, currencies)
    }
    const telling = { tally, file: undefined, context, waiting: () => crew.waiting }
    const untold = await tell(rows(), telling).finally(() => crew.close())
    conclude({
      tally,
      crew,
      doubts,
      untold,
      batch,
      awaited: false,
      correction: 'Correct them in the file and run it again',
    })
  } finally {
    journal.close()
  }
}

const unknownBatch = (batch: string, baseUrl: string): CliError =>
  new CliError(
    'not_found',
    `There is no batch ${batch} for ${baseUrl} on this machine.`,
    'Find its name: payctl payments intents',
  )
