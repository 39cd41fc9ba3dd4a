import { InvalidArgumentError } from 'commander'
import { integer } from '../../cli/arguments.ts'
import type { Context } from '../../cli/command.ts'
import { command } from '../../cli/command.ts'
import { rows } from '../../cli/prints.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import type { NextStep } from '../../errors/next_step.ts'
import { isInDoubt } from '../../journal/intent.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Period } from '../../payments/payment_filter.ts'
import type { PaymentFinder } from '../../payments/payment_finder.ts'
import type { Reporter } from '../../run/reporter.ts'
import { asText, foreign, say, type Text } from '../../words/text.ts'
import { moment } from '../period.ts'
import { emulatorSeen, paymentLayout, paymentLayoutOf } from './columns.ts'

/** Maximum number of payments to read from the history without --all: ten requests. */
const usualBound = 10_000

/** Replaces a saved payee's name with the payee's IBAN or phone; returns other text unchanged. */
async function soughtOf(text: string, context: Context): Promise<string> {
  const { savedPayees } = await import('../../cli/saved_payees.ts')
  const saved = (await savedPayees(context)).find(text)
  if (saved === undefined) return text
  const address = saved.iban ?? saved.phone
  context.output.note(say`${saved.name} is the saved payee ${address}.`)
  return address
}

export const find = command({
  summary: 'Find payments by a reference, key, name, amount or date',
  about:
    'Find payments by any fact about them: a SINPE or channel reference, an idempotency key, an intent, the beginning ' +
    'or end of an id, an IBAN or phone, an identity document, an amount, a date, a batch, words of the name or ' +
    'description. Searches the journal of this machine and then, unless the journal has the answer, the history. Exit ' +
    '3 if no payment matches.',
  args: { '<text...>': { about: 'facts about the payment' } },
  flags: {
    '--read <n>': {
      about: 'maximum number of payments to read from the history',
      parse: integer({ min: 1 }),
      default: usualBound,
      defaultText: '10000',
    },
    '--all': { about: 'read the whole history', conflicts: 'read' },
  },
  prints: rows('payments.history'),
  columns: paymentLayout,
  examples: [
    'payctl payments find 2026112100001000000000001',
    'payctl payments find invoice-2026-117',
    'payctl payments find 88f6b',
    'payctl payments find 1500.25',
    'payctl payments find 2026-11-21',
    'payctl payments find carlos jimenez --json',
  ],
  run: ({ text, read, all }, context) => printFound(text.join(' '), all ? undefined : read, context),
})

/** `mostRead`: maximum number of payments to read from the history; undefined: all. */
async function printFound(text: string, mostRead: number | undefined, context: Context): Promise<void> {
  const [{ PaymentFinder }, { reporterOf }, { grouped }, { paymentsSaid }] = await Promise.all([
    import('../../payments/payment_finder.ts'),
    import('../../cli/reporter.ts'),
    import('../../run/counts.ts'),
    import('../../payments/counted.ts'),
  ])
  if (text.trim() === '') throw new CliError('usage', 'Nothing to look for.', 'Say what you know about the payment')
  const { output } = context
  const reporter = reporterOf(context)
  const { progress } = reporter
  const client = await context.client()
  const layout = paymentLayoutOf(emulatorSeen(client))
  const journal = await journalOf(context)
  const finder = new PaymentFinder({
    text: await soughtOf(text, context),
    day: dayIn(text),
    client,
    journal,
    mostRead,
    onPage: ({ read, total, found }) =>
      progress({
        done: read,
        ...(total && { total }),
        detail: found === 1 ? say`1 payment found` : say`${grouped(found)} payments found`,
      }),
  })
  try {
    await output.stream(finder, layout)
  } finally {
    progress(null)
    journal?.close()
  }
  const searched = searchedText(finder, { grouped, paymentsSaid })
  const found: readonly Text[] = [...finder.marks].map(([mark, count]) => say`${grouped(count)} by ${foreign(mark)}`)
  if (found.length > 0) output.note(say`Found ${found.reduce((one, other) => say`${one}, ${other}`)}. ${searched}`)
  noteUnpaid(finder, reporter)
  if (found.length === 0)
    throw new CliError('not_found', say`No payment matches '${text}'. ${searched}`, remedyOf(text, finder))
}

/**
 * The day that a date names, in this machine's time zone. Throws UsageError for a date that can be read in two ways.
 */
function dayIn(text: string): Period | undefined {
  if (!/^(\d{4}-\d\d-\d\d|\d{1,2}[/.-]\d{1,2}[/.-]\d{4})$/.test(text.trim())) return undefined
  try {
    const { start, end } = moment(text)
    return { since: start, until: end }
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    throw new UsageError(say`'${text}' can't be read as a date.`, foreign(error.message))
  }
}

/** If the journal can't be read, the search continues without it. */
async function journalOf({ stateDir, output }: Context): Promise<Journal | undefined> {
  const { existingJournal } = await import('../../journal/journal.ts')
  try {
    return existingJournal(stateDir)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    output.note(say`Searched without the journal of this machine: ${asText(error.said)}`)
    return undefined
  }
}

interface Counting {
  readonly grouped: (count: number) => string
  readonly paymentsSaid: (count: number) => Text
}

/** Says what was searched: `Searched: the journal of this machine (12 intents), 230 payments of the history.` */
function searchedText({ intents, reading, isOfDay }: PaymentFinder, { grouped, paymentsSaid }: Counting): Text {
  const journal =
    intents === 1
      ? say`the journal of this machine (1 intent)`
      : say`the journal of this machine (${grouped(intents)} intents)`
  if (!reading) return say`Searched: ${journal}; not the history.`
  const { read, total, endedBy } = reading
  const payments =
    total === null || read >= total
      ? say`${paymentsSaid(read)} of the history`
      : say`${grouped(read)} of ${paymentsSaid(total)} of the history`
  if (endedBy !== 'period') return say`Searched: ${journal}, ${payments}.`
  return isOfDay
    ? say`Searched: ${journal}, ${payments}, back to that day.`
    : say`Searched: ${journal}, ${payments}, back to two weeks before the day in the reference.`
}

const remedyOf = (text: string, { reading, isOfDay }: PaymentFinder): NextStep | undefined =>
  reading?.endedBy === 'bound' || (reading?.endedBy === 'period' && !isOfDay)
    ? { kind: 'run', command: ['payments', 'find', text, '--all'], words: 'Search the whole history' }
    : undefined

function noteUnpaid({ unpaid }: PaymentFinder, { remark }: Reporter): void {
  for (const intent of unpaid) {
    const { id, status, error } = intent
    if (isInDoubt(intent)) remark(say`${id} of this machine matches and is in doubt`, { kind: 'resume', intentId: id })
    else
      remark(
        error
          ? say`${id} of this machine matches, is ${foreign(status)} (${foreign(error)}), and has no payment.`
          : say`${id} of this machine matches, is ${foreign(status)}, and has no payment.`,
      )
  }
}
