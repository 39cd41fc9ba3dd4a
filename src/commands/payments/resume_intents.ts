import type { Context } from '../../cli/command.ts'
import { CliError, concerning, reasonOf } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import type { Intent } from '../../journal/intent.ts'
import type { Column } from '../../output/output.ts'
import { paymentsSaid } from '../../payments/counted.ts'
import type { Leaving } from '../../payments/question.ts'
import { type ResumeReport, resumePayment, resumePayments } from '../../payments/resume.ts'
import { flush } from '../../run/sink.ts'
import { say, type Text } from '../../words/text.ts'
import { intentLayout } from './list_intents.ts'
import { intentIn, isOfEmulator, printPayment, requirePaying } from './print_payment.ts'
import { SendingLine } from './sending_line.ts'
import { answererOf, namedSender, withJournal } from './session.ts'

export interface ResumeFlags {
  /** Email or id of the user who sent the intents without a recorded user. */
  readonly sentBy: string | undefined
  readonly yes: true | undefined
  /** Milliseconds. */
  readonly keyLife: number | undefined
}

export async function resumeOne(id: string, flags: ResumeFlags, context: Context): Promise<void> {
  const { sentBy, yes } = flags
  const line = new SendingLine(context)
  await withJournal(context, flags, async (options) => {
    const asking = { confirm: !yes, requireAnswerer: answererOf(yes, context) }
    const onLeaving = (what: Leaving) => line.leaving(what)
    const resumed = await resumePayment(id, { ...options, ...asking, onLeaving, sentBy: namedSender(sentBy) })
    await concerning({ id }, async () => {
      if (resumed.outcome !== 'accepted') throw resumed.error
      line.shows(resumed.payment)
      const intent = intentIn(options.journal, id)
      await printPayment({ payment: resumed.payment, intent }, line, context)
      requirePaying(resumed.payment, isOfEmulator(intent))
    })
  }).finally(() => line.end())
}

export async function resumeAll({ sentBy, ...flags }: ResumeFlags, context: Context): Promise<void> {
  const { output, io } = context
  await withJournal(context, { ...flags, decidedBy: 'earlier' }, async (options) => {
    const report = await resumePayments({
      ...options,
      sentBy: namedSender(sentBy),
      async write(intents) {
        // JSON has records like the record of `payments send`; formats for people and spreadsheets have the rows of
        // `payments outbox`.
        if (['json', 'ndjson', 'yaml'].includes(output.format))
          await output.stream(withPayments(intents), recordLayout, { isOnce: true })
        else await output.stream(intents, intentLayout, { isOnce: true })
        await flush(io.stdout)
      },
    })
    if (report) return requireSettled(report)
    output.note('No payment is in doubt.')
    await output.list([], intentLayout)
  })
}

const recordLayout: readonly Column<object>[] = []

/** Yields a record for each intent: id, status and key of its payment, as the journal has them, and the intent. */
async function* withPayments(intents: AsyncIterable<Intent>): AsyncGenerator<object, void> {
  for await (const intent of intents) {
    const { payment_id: id, payment_status: status, idempotency_key } = intent
    yield { id, status, idempotency_key, intent }
  }
}

/** Throws CliError for the worst outcome, if there is one to report. */
function requireSettled({ total, settled, rejected, unpaid, writeError, unclear }: ResumeReport): void {
  const doubtful = total - settled - rejected
  const withWriteError = (result: Text) =>
    writeError === undefined ? result : say`${result} The rows could not be written: ${reasonOf(writeError)}.`
  if (doubtful > 0) {
    const message = say`The outcome of ${doubtful} of ${paymentsSaid(total)} is still unknown: money may have moved.`
    throw new CliError('outcome_unknown', withWriteError(message), toRun(['payments', 'resume']))
  }
  if (unpaid > 0) {
    const message = say`Made, but ended without paying: ${unpaid} of ${paymentsSaid(total)}.`
    throw new CliError('payment_unsuccessful', withWriteError(message), { kind: 'list_intents' })
  }
  if (rejected > 0) {
    const message = say`The service refused ${rejected} of ${paymentsSaid(total)}: no money moved for the refused payments.`
    throw new CliError('rejected', withWriteError(message), { kind: 'list_intents' })
  }
  if (writeError !== undefined) {
    const message = say`The outcome of ${paymentsSaid(total)} is known.`
    throw new CliError('outcome_unknown', withWriteError(message), { kind: 'list_intents' })
  }
  if (unclear) throw unclear
}
