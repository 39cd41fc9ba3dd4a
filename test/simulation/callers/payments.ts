import type { AuditOptions } from '../../../src/audit/audit.ts'
import type { Client } from '../../../src/client/client.ts'
import { type Order, surrogateId } from '../../../src/journal/intent.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import type { BatchReport, RunOptions } from '../../../src/payments/batch_plan.ts'
import type { ResultRow } from '../../../src/payments/batch_result.ts'
import { withCheckedRows } from '../../../src/payments/checked_rows.ts'
import { statusChanges } from '../../../src/payments/follow.ts'
import { orderOf } from '../../../src/payments/order.ts'
import { dryRunBatch, payBatch } from '../../../src/payments/pay_batch.ts'
import type { PaymentOutcome } from '../../../src/payments/payment_outcome.ts'
import type { PaymentOptions } from '../../../src/payments/payment_session.ts'
import { draftOf, stageRows } from '../../../src/payments/request.ts'
import { resumePayment, resumePayments } from '../../../src/payments/resume.ts'
import { resumeBatch } from '../../../src/payments/resume_batch.ts'
import { retryBatch } from '../../../src/payments/retry_batch.ts'
import { dryRunPayment, sendPayment, sendRawPayment } from '../../../src/payments/send.ts'
import { silent } from '../../../src/run/reporter.ts'
import { accountOf, descriptionOf, type Place } from '../script/places.ts'
import type { Operation } from '../script/script.ts'
import type { Asked, Told, ToldRow } from './told.ts'

// Payments of callers, made with the engine of the commands, and their results.

export interface Paying {
  readonly client: Client
  readonly journal: Journal
  readonly audit: AuditOptions
  readonly place: Place
  readonly folder: string
  /** Aborted by Ctrl-C. Ends the client, but not the clients of `connect`, which have their own signals. */
  readonly signal: AbortSignal
  readonly connect: RunOptions['connect']
  /** Asks the person. */
  readonly ask: () => Promise<boolean>
  /** Called at once with each result for the caller. */
  readonly tell: (told: Told) => void
}

type Do<Name> = Extract<Operation, { readonly do: Name }>
export type Payment = Do<'send' | 'batch' | 'retry batch' | 'resume' | 'resume one' | 'resume batch'>

/** Milliseconds to wait for the end of a payment. */
const patience = 60_000

export async function pay(operation: Payment, paying: Paying): Promise<void> {
  switch (operation.do) {
    case 'send':
      return await send(operation, paying)
    case 'batch':
      return await sendBatch(operation, paying)
    case 'retry batch':
      return await written(operation, paying, (options) => retryBatch({ ...options, wait: waitOf(operation) }))
    case 'resume batch':
      return await written(operation, paying, resumeBatch)
    case 'resume one':
      return await resumeOne(operation, paying)
    case 'resume':
      await resumePayments({
        ...optionsOf(paying),
        asksPerson: operation.allowOldKeys,
        async write(intents) {
          for await (const { id: intent, status } of intents) paying.tell({ what: 'resumed', intent, status })
        },
      })
  }
}

const optionsOf = ({ client, journal, audit, place, folder, signal, ask }: Paying): PaymentOptions => ({
  ...{ client, journal, audit, profile: place.profile, limitsIn: folder, signal },
  reporter: { ...silent, ask, askToType: ask },
  holder: async () => surrogateId('login', place.user),
})

const runningOf = (paying: Paying) => ({ ...optionsOf(paying), concurrency: 4, connect: paying.connect })

const waitOf = ({ wait }: { readonly wait?: boolean }): number | undefined => (wait ? patience : undefined)

async function send(operation: Do<'send'>, paying: Paying): Promise<void> {
  const { to, amount, key, holder: expectedName, confirm } = operation
  const from = accountOf(paying.place)
  const description = descriptionOf(operation)
  const asked = orderOf(draftOf({ from, to, amount, description, expectedName }), key)
  if (operation.rehearse) {
    await dryRunPayment(asked, { ...optionsOf(paying), reporter: silent, journal: paying.journal })
    return
  }
  const outcome = operation.raw
    ? await sendRaw(asked, paying)
    : await sendPayment(asked, { ...optionsOf(paying), confirm: confirm === true })
  tellOutcome(outcome, { description, key, amount }, paying)
  if (outcome.outcome !== 'accepted' || !operation.wait) return
  const { client, signal } = paying
  const { id } = outcome.payment
  for await (const { status } of statusChanges(id, { client, signal, timeout: patience })) {
    paying.tell({ what: 'ended', payment: id, status: status ?? '' })
  }
}

/** Sends a payment like `payctl api`. */
async function sendRaw(order: Order, paying: Paying): Promise<PaymentOutcome> {
  const headers = { 'X-Idempotency-Key': order.idempotency_key }
  const request = { method: 'POST', path: '/api/payments', headers, body: order.body }
  return (await sendRawPayment(order, request, optionsOf(paying))).outcome
}

function tellOutcome(outcome: PaymentOutcome, asked: Asked, { tell }: Paying): void {
  const { intentId: intent } = outcome
  if (outcome.outcome === 'accepted') {
    tell({ what: 'outcome', intent, ...asked, outcome: 'accepted', payment: outcome.payment.id })
  } else tell({ what: 'outcome', intent, ...asked, outcome: outcome.outcome, error: outcome.error })
}

async function sendBatch(operation: Do<'batch'>, paying: Paying): Promise<void> {
  const { client, place } = paying
  const from = accountOf(place)
  const rows = operation.rows.map((row) => ({
    ...{ from, to: row.to, amount: row.amount, description: descriptionOf(row) },
    ...(row.holder !== undefined && { expectedName: row.holder }),
  }))
  const told: ToldRow[] = []
  const write = async (results: AsyncIterable<ResultRow>) => {
    for await (const result of results) {
      const row = operation.rows[(result.line ?? 0) - 1]
      if (!row) throw new Error(`There is no line ${result.line}`)
      told.push(tellRow(result, { description: descriptionOf(row), amount: row.amount }, paying))
    }
  }
  const { skipSent, checkPayees } = operation
  const settings = { skipSent, checkPayees, concurrency: operation.concurrency ?? 4 }
  await withCheckedRows(
    {
      client,
      batchId: operation.unnamed ? undefined : operation.batch,
      stage: async (staged, accounts) => stageRows(rows, staged, accounts),
    },
    async (checked) => {
      if (operation.rehearse) {
        await dryRunBatch(checked, { ...optionsOf(paying), ...settings, journal: paying.journal })
        return
      }
      const report = await payBatch(checked, {
        ...{
          ...runningOf(paying),
          ...settings,
          wait: waitOf(operation),
          confirm: operation.confirm === true,
        },
        openResults: async () => ({ write, async close() {} }),
      })
      paying.tell({ what: 'batch', rows: rows.length, told: told.length, report })
    },
  )
}

function tellRow(
  { status, payment_id: payment, intent }: ResultRow,
  asked: Omit<Asked, 'key'>,
  { tell }: Paying,
): ToldRow {
  const told = { status, payment, intent }
  tell({ what: 'row', ...asked, ...told })
  return told
}

interface Running extends ReturnType<typeof runningOf> {
  readonly batch: string
  readonly confirm: boolean
  readonly openResults: () => Promise<Results>
}

interface Results {
  write(rows: AsyncIterable<ResultRow>): Promise<void>
  close(): Promise<void>
}

/** Runs a batch whose rows are already in the journal, and reports each row's result. */
async function written(
  { batch, confirm = false }: Do<'retry batch' | 'resume batch'>,
  paying: Paying,
  run: (options: Running) => Promise<BatchReport | undefined>,
): Promise<void> {
  let told = 0
  const write = async (results: AsyncIterable<ResultRow>) => {
    for await (const result of results) {
      told += 1
      const { description } = paying.journal.find(result.intent)?.body ?? {}
      tellRow(result, { description: description ?? '', amount: result.amount.value ?? 0 }, paying)
    }
  }
  const openResults = async () => ({ write, async close() {} })
  const report = await run({ ...runningOf(paying), batch, confirm, openResults })
  if (report) paying.tell({ what: 'batch', rows: report.tally.total, told, report })
}

/** Resumes one payment of the journal, in any state. */
async function resumeOne({ newest, confirm = false }: Do<'resume one'>, paying: Paying): Promise<void> {
  const { journal } = paying
  const all = [...journal.list()]
  const intent = all[newest % Math.max(1, all.length)]
  if (!intent) return
  const { idempotency_key: key, body } = intent
  const outcome = await resumePayment(intent.id, { ...optionsOf(paying), confirm })
  tellOutcome(outcome, { description: String(body.description), key, amount: body.amount }, paying)
}
