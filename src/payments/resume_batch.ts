import type { Context } from '../commands/context.ts'
import { conclude } from '../commands/payments/report_result.ts'
import { requireYes } from '../commands/prompts/confirm.ts'
import { formatMoney } from '../contract/money.ts'
import { CliError, UsageError } from '../errors/cli_error.ts'
import { type Intent, mayHavePaid, type Ownership, ownershipOf, unsettledStatuses } from '../journal/intent.ts'
import { openJournal } from '../journal/open.ts'
import { requireAnswerer } from './agree.ts'
import { currenciesOf, readAccounts } from './batch/accounts.ts'
import { type Currencies, type ResultRow, resultRow } from './batch/result_row.ts'
import { keepHeapSmall } from './batch/small_heap.ts'
import { tell } from './batch/tell.ts'
import { outcomes } from './batch_outcomes.ts'
import { Tally } from './batch_result.ts'
import { Crew } from './batch_runner.ts'
import { claimFound, claimNamed, isInDoubt, unclearDoubt } from './ownership.ts'
import type { Desk } from './payment_session.ts'
import type { ResumeFlags } from './resume.ts'
import { learnSender, placeOf } from './sender.ts'

interface Resumed extends ResumeFlags {
  readonly batch: string
  readonly concurrency: number
}

/**
 * Sends the rows of a batch whose outcome is open, in the order they were written down. Those that never left are sent
 * only after a yes: they may have been left out on purpose.
 */
export async function resumeBatch(id: string | undefined, resumed: Resumed, context: Context): Promise<void> {
  if (id !== undefined) throw new UsageError('An intent and --batch name two things to resume.', 'Give one of them')
  keepHeapSmall()
  const { batch, concurrency } = resumed
  const client = await context.client('payment')
  const journal = openJournal(context.stateDir)
  try {
    const sender = await learnSender(context)
    const desk = { journal, client, context, sender }
    const { unclear, unsent } = await survey(resumed, desk)
    const open = { batch, of: sender, statuses: unsettledStatuses, oldestFirst: true }
    const tally = new Tally(journal.count(open) + unclear.length)
    const doubts = journal.count({ ...open, statuses: ['sent', 'unknown'] })
    if (tally.total === 0) return context.output.note(`Batch ${batch} has no row that is open.`)
    const currencies = currenciesOf(await readAccounts(client))
    await agree(resumed, { unsent, total: tally.total, currencies }, desk)
    for (const intent of unclear) journal.claim(intent.id, sender)
    const crew = await Crew.assemble({ batch, journal, context, sender })
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

/** Minor units and rows, by the account that pays. */
type Unsent = Map<string, { rows: number; amount: number }>

interface Found {
  /** Rows that never left, of which it is not known who had them written down. */
  readonly unclear: readonly Intent[]
  readonly unsent: Unsent
}

/** What is open in the batch, and whose it is. Throws where a row in doubt may be another user's. */
async function survey({ batch, sentBy }: Resumed, desk: Desk): Promise<Found> {
  const { journal, sender, context } = desk
  const rows = () => journal.list({ batch, baseUrl: sender.base_url, statuses: unsettledStatuses, oldestFirst: true })
  const of = (ownership: Ownership) => [...rows()].filter((intent) => ownershipOf(intent, sender) === ownership)
  const doubtful = of('unclear').filter(isInDoubt)
  await claimFound(doubtful, desk)
  const left = of('unclear').filter(isInDoubt)
  if (sentBy !== undefined) claimNamed(left, sentBy, desk)
  else if (left.length > 0) throw unclearDoubt(left, `${left.length} of its rows`, desk)
  const unsent: Unsent = new Map()
  const unclear: Intent[] = []
  let others = 0
  for (const intent of rows()) {
    const ownership = ownershipOf(intent, sender)
    if (ownership !== 'own' && ownership !== 'unclear') others += 1
    else if (!mayHavePaid(intent.status)) add(unsent, intent)
    if (ownership === 'unclear') unclear.push(intent)
  }
  if (others > 0) {
    const are = others === 1 ? 'row of this batch is' : 'rows of this batch are'
    context.output.note(`${others} open ${are} another user's, or of a world that is not there any more: left out.`)
  }
  if (unclear.length === 0 && doubtful.length === 0 && !journal.hasBatch(sender, batch))
    throw unknownBatch(batch, sender)
  return { unclear, unsent }
}

function add(unsent: Unsent, { body: { source_account_id: source, amount } }: Intent): void {
  const known = unsent.get(source) ?? { rows: 0, amount: 0 }
  unsent.set(source, { rows: known.rows + 1, amount: known.amount + amount })
}

interface Plan {
  readonly unsent: Unsent
  readonly total: number
  readonly currencies: Currencies
}

async function agree({ batch, yes }: Resumed, { unsent, total, currencies }: Plan, desk: Desk): Promise<void> {
  const { context, sender } = desk
  const rows = [...unsent.values()].reduce((sum, { rows }) => sum + rows, 0)
  const place = placeOf(sender)
  const doubtful = total - rows
  const inDoubt = `${doubtful} ${doubtful === 1 ? 'row' : 'rows'} in doubt`
  if (rows === 0) return context.output.note(`Finding out about ${inDoubt} of batch ${batch}, sent ${place}`)
  const sums = [...unsent].map(([source, { amount }]) => formatMoney(amount, currencies.get(source) ?? '').trim())
  const what = `${rows} ${rows === 1 ? 'row' : 'rows'} of batch ${batch} that ${rows === 1 ? 'was' : 'were'} never sent, ${sums.join(' and ')}, ${place}`
  const also = doubtful > 0 ? `; ${inDoubt} ${doubtful === 1 ? 'is' : 'are'} paid once` : ''
  if (yes) return context.output.note(`Sending ${what}${also}`)
  requireAnswerer(yes, context, `Add --yes to send ${what}`)
  await requireYes(`Send ${what}${also}?`, context)
}

const unknownBatch = (batch: string, { base_url }: Desk['sender']): CliError =>
  new CliError(
    'not_found',
    `There is no batch ${batch} for ${base_url}, its world and this user on this machine.`,
    'Find its name: payctl payments intents',
  )
