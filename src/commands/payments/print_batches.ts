import type { Context } from '../../cli/command.ts'
import { reporterOf } from '../../cli/reporter.ts'
import type { Client } from '../../client/client.ts'
import type { Money, Payment } from '../../client/received.ts'
import { decimal, formatMoney } from '../../contract/money.ts'
import { CliError, reasonOf } from '../../errors/cli_error.ts'
import { type Intent, moneyOfIntent } from '../../journal/intent.ts'
import { existingJournal, type Journal } from '../../journal/journal.ts'
import { amountWidth, columnsOf, field, id, money, status, time, words } from '../../output/columns.ts'
import type { Column, Layout } from '../../output/output.ts'
import { type ResultRow, resultRow } from '../../payments/batch_result.ts'
import { type Batch, batchesIn, batchNamed, lineOfBatch, outcomesOf } from '../../payments/batches.ts'
import { sumsByCurrency } from '../../payments/confirmation.ts'
import { joinedByAnd, joinedByComma } from '../../payments/counted.ts'
import { updateStatuses } from '../../payments/current_statuses.ts'
import { warnOfEarlier } from '../../payments/made_payments.ts'
import { learnSender, type Sender } from '../../payments/sender.ts'
import { grouped } from '../../run/counts.ts'
import { silent } from '../../run/reporter.ts'
import { flush } from '../../run/sink.ts'
import { zonedTime } from '../../run/time.ts'
import { knownMoney, type MoneyOutcome, moneyOutcome } from '../../values/money_outcome.ts'
import { asText, foreign, type Said, say, type Text } from '../../words/text.ts'
import type { ShowFlags } from './batch_reports.ts'
import { columnsWith } from './batch_results.ts'
import { IntentWorlds, placeNamed } from './intent_worlds.ts'
import type { PaidRow } from './receipt_files.ts'
import { checkResultPath, openResultFile } from './result_file.ts'
import { senderOptions } from './session.ts'

/** A batch, and the description of its service. */
interface PlacedBatch extends Batch {
  readonly place: Said
}

const sums = ({ totals }: Batch): Text =>
  joinedByAnd(totals.map(({ currency, amount }) => formatMoney(amount, currency ?? '').trim()))

const name = { ...field<Batch>('batch', ({ batch }) => batch), uncut: true as const }

const listColumns = columnsOf<Batch>(
  name,
  time('created_at'),
  'file',
  { ...field('rows', ({ rows }: Batch) => rows), align: 'right' },
  'completed',
  'in_progress',
  'unsuccessful',
  'rejected',
  'unknown',
  'not_sent',
  { ...field('total', (batch: Batch) => String(sums(batch))), meaning: 'Sum of the amounts of all rows, without fees' },
  'base_url',
  'world',
)

const shownColumns: readonly Column<Batch>[] = [
  name,
  { ...time<Batch>('when', ({ created_at }) => created_at), meaning: 'Time at which the first row was recorded' },
  { ...words<Batch>('file', ({ file }) => file), dispensable: true },
  { ...field<Batch>('rows', ({ rows }) => rows), align: 'right' },
  { ...field<Batch>('total', (batch) => String(sums(batch))), text: sums, align: 'right', uncut: true },
]

/** Layout of batches. The outcomes are printed below each batch, because their length varies. */
export const batchLayout: Layout<Batch> = { columns: listColumns, table: shownColumns, below: outcomesOf }

export async function listBatches(context: Context): Promise<void> {
  const { output, stateDir } = context
  const journal = existingJournal(stateDir)
  try {
    const batches = journal ? batchesIn(journal) : []
    const placed = await Promise.all(batches.map(async (one) => ({ ...one, place: await placeOf(one, context) })))
    const differ = new Set(placed.map(({ place }) => String(place))).size > 1
    const layout: Layout<PlacedBatch> = {
      ...batchLayout,
      below: (one) => (differ ? say`${outcomesOf(one)}; at ${one.place}` : outcomesOf(one)),
    }
    const data = placed.map(({ place: _, ...batch }) => batch)
    await output.list(placed, layout, { data, none: 'No batches on this machine.' })
  } finally {
    journal?.close()
  }
}

async function placeOf({ base_url, world }: Batch, context: Context): Promise<Said> {
  return placeNamed(await new IntentWorlds(context).placed({ base_url, world }))
}

/** Facts of a row's payment that only the service knows. */
interface Details {
  /** Name of the payee, from the service. */
  readonly name: string | null
  readonly fee: Money | null
  readonly sinpe_reference: string | null
  /** Outcome of the money; null if it has arrived. */
  readonly money: MoneyOutcome | null
}

interface ShownRow extends ResultRow, Details {}

const detailColumns: readonly Column<ShownRow>[] = [
  words('name', (row) => row.name),
  money('fee', (row) => row.fee),
  field('sinpe_reference', (row) => row.sinpe_reference),
  field('money', (row) => row.money),
]

/** `own`: names of the columns that the user's file adds. */
export const rowLayout = (own: readonly string[]): Layout<ShownRow> => ({
  columns: [...columnsWith([]), ...detailColumns, ...ownColumns(own)],
  table: [
    { ...field<ShownRow>('line', ({ line }) => line), align: 'right' },
    { ...words<ShownRow>('holder', (row) => row.name ?? row.to), meaning: 'Name of the holder, or the IBAN or phone' },
    {
      name: 'amount',
      data: ({ amount }) => decimal(amount.value),
      text: ({ amount }) => formatMoney(amount.value ?? 0, currencyOf(amount)).trim(),
      isMoney: true,
      align: 'right',
      width: amountWidth,
      uncut: true,
    },
    { ...money<ShownRow>('fee', (row) => row.fee), text: ({ fee }) => decimal(fee?.value) ?? '', width: 6 },
    status('status', (row) => row.status),
    { ...field('reference', (row) => row.reference), dispensable: true },
    { ...id('payment_id', (row) => row.payment_id), heading: 'id', shortened: true },
  ],
  below({ error, money, status }) {
    const known = error || status === 'rejected' ? knownMoney(money) : undefined
    const reason = error ? foreign(error) : undefined
    return reason && known ? say`${reason}: ${asText(known)}` : (reason ?? known)
  },
  isOpen: true,
})

const currencyOf = (amount: ResultRow['amount']): string => ('currency' in amount && amount.currency) || ''

const ownColumns = (own: readonly string[]): readonly Column<ShownRow>[] =>
  columnsWith(own).slice(columnsWith([]).length)

export async function showBatch(text: string, flags: ShowFlags, context: Context): Promise<void> {
  const { outputFile } = flags
  const { output, stateDir, globals, io } = context
  if (outputFile !== undefined) checkResultPath(outputFile)
  const journal = existingJournal(stateDir)
  try {
    const batch = await chosen(text, journal, context)
    if (!journal || !batch) throw unknown(text)
    const reading = await readPayments(batch, journal, { keeps: flags.receipts !== undefined }, context)
    const layout = rowLayout(journal.columnNames(batch.batch))
    output.note(await headingOf(batch, context))
    const rows = rowsOf(batch, journal, reading.details)
    if (outputFile === undefined) {
      await output.stream(rows, layout)
      await flush(io.stdout)
    } else {
      const { form } = journal.batchSource(batch, batch.batch)
      const file = await openResultFile(outputFile, { columns: layout.columns, chosen: globals.columns, form })
      await file.write(rows).finally(() => file.close())
      output.note(say`The rows of the batch are in ${outputFile}.`)
    }
    if (flags.receipts !== undefined) await saveReceipts(flags.receipts, { batch, journal, reading, flags }, context)
    const [today] = batchesIn(journal, { batch: batch.batch, of: batch })
    if (today) output.note(lineOfBatch(today, feesOf(reading.details)))
    const recording = { journal, reporter: reporterOf(context) }
    for (const intent of intentsOf(batch, journal)) warnOfEarlier(intent, recording)
  } finally {
    journal?.close()
  }
}

const unknown = (text: string): CliError =>
  text === 'last'
    ? new CliError('not_found', 'No batches on this machine.')
    : new CliError('not_found', say`No batch ${text} on this machine.`, { kind: 'list_batches' })

/** Finds the batch with this name: the newest at this run's service, or else the newest of all. */
async function chosen(text: string, journal: Journal | undefined, context: Context): Promise<Batch | undefined> {
  const batches = journal ? batchesIn(journal) : []
  const named = batchNamed(text, batches)
  const fitting = batches.filter(({ batch }) => batch === named)
  if (fitting.length < 2 || text === 'last') return fitting[0]
  const { baseUrl } = await context.target().catch(() => ({ baseUrl: undefined }))
  context.output.note(
    say`${fitting.length} batches of different users or worlds have this name; payctl shows the newest for this service, or else the newest of all.`,
  )
  return fitting.find(({ base_url }) => base_url === baseUrl) ?? fitting[0]
}

async function headingOf(batch: Batch, context: Context): Promise<Text> {
  const { batch: name, file, created_at } = batch
  return joinedByComma([
    say`Batch ${name}`,
    ...(file ? [file] : []),
    zonedTime(created_at),
    await placeOf(batch, context),
  ])
}

/** Payments of a batch, read from the service. */
interface Reading {
  /** Details of payments, keyed by id of the intent. */
  readonly details: ReadonlyMap<string, Details>
  /** Payments for receipts, keyed by id of the intent. */
  readonly payments: ReadonlyMap<string, Payment>
  /** Undefined if the service could not be asked. */
  readonly service?: { readonly client: Client; readonly isEmulator: boolean }
}

/**
 * Reads the payments of a batch, and records their statuses. If the service can't be asked, notes the reason and
 * returns no details.
 */
async function readPayments(
  batch: Batch,
  journal: Journal,
  { keeps }: { readonly keeps: boolean },
  context: Context,
): Promise<Reading> {
  const details = new Map<string, Details>()
  const payments = new Map<string, Payment>()
  const reporter = reporterOf(context)
  let sender: Sender | undefined
  try {
    const options = await senderOptions(context)
    sender = await learnSender(options)
    const { base_url, user, world } = sender
    if (base_url !== batch.base_url || user !== batch.user || world !== batch.world) {
      context.output.note('The batch belongs to another user, service or world: its rows are as last read.')
      return { details, payments }
    }
    reporter.progress(say`Reading the payments of batch ${batch.batch}`)
    // Also reads payments that were repeated: the service may no longer say that they failed.
    const made = { batch: batch.batch, of: sender, statuses: ['settled'] } as const
    const isEmulator = world !== null
    const onPayment = (intent: Intent, payment: Payment) => {
      details.set(intent.id, factsOf(payment, isEmulator))
      if (keeps) payments.set(intent.id, payment)
    }
    const ready = async () => !context.signal.aborted && sender?.hasMoved === false
    const { client } = options
    const [first] = journal.list({ ...made, oldestFirst: true })
    await updateStatuses(
      { count: journal.count(made), since: first?.created_at ?? '', intents: () => journal.list(made) },
      { client, journal, sender, reporter: silent, ready, onPayment },
    )
    return { details, payments, service: { client, isEmulator } }
  } catch (error) {
    context.signal.throwIfAborted()
    context.output.note(say`The service could not be asked, so the rows are as last read: ${reasonOf(error)}.`)
    return { details, payments }
  } finally {
    reporter.progress(null)
    sender?.stopListening()
  }
}

/** Fees that the service has returned for the completed payments, such as `1.00 CRC`; undefined if there are none. */
function feesOf(details: Reading['details']): Text | undefined {
  const fees = [...details.values()].flatMap(({ fee, money: outcome }) => {
    const { value, currency } = fee ?? {}
    return outcome === null && value && currency ? [{ amount: value, currency }] : []
  })
  const sums = sumsByCurrency(fees).map(({ amount, currency }) => formatMoney(amount, currency ?? '').trim())
  return sums.length > 0 ? joinedByAnd(sums) : undefined
}

interface ReceiptSource {
  readonly batch: Batch
  readonly journal: Journal
  readonly reading: Reading
  readonly flags: ShowFlags
}

/** Writes a receipt for each completed payment. Payments that are not in the history are read one by one. */
async function saveReceipts(
  folder: string,
  { batch, journal, reading: { service, payments }, flags }: ReceiptSource,
  { output, globals }: Context,
): Promise<void> {
  if (!service) throw new CliError('unavailable', 'The payments could not be read: no receipt was written.')
  const { client, isEmulator } = service
  const paid: PaidRow[] = []
  for (const { id: intent, line, payment_id: id, payment_status } of intentsOf(batch, journal)) {
    if (id === null || payment_status !== 'completed') continue
    paid.push({ line, payment: payments.get(intent) ?? (await client.call('payments.get', { params: { id } })) })
  }
  const { writeReceipts } = await import('./receipt_files.ts')
  const { force = false } = flags
  const { lang: language = 'es' } = globals
  await writeReceipts(paid, { folder, force, isEmulator, language, service: new URL(client.baseUrl).host })
  output.note(paid.length === 1 ? say`1 receipt in ${folder}.` : say`${grouped(paid.length)} receipts in ${folder}.`)
}

const intentsOf = (batch: Batch, journal: Journal) =>
  journal.findAll(journal.batchIds({ batch: batch.batch, of: batch }))

function factsOf(payment: Payment, isEmulator: boolean): Details {
  const { payee, fee = null, sinpe_reference = null } = payment
  return { name: payee.name ?? null, fee, sinpe_reference, money: moneyOutcome(payment, isEmulator) }
}

async function* rowsOf(
  batch: Batch,
  journal: Journal,
  details: ReadonlyMap<string, Details>,
): AsyncGenerator<ShownRow, void> {
  for (const intent of intentsOf(batch, journal)) {
    const expected = intent.expected_names?.at(-1)?.name ?? null
    const { name, fee = null, sinpe_reference = null, money = moneyOfIntent(intent) } = details.get(intent.id) ?? {}
    yield { ...resultRow(intent, null), name: name ?? expected, fee, sinpe_reference, money }
  }
}
