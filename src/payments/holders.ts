import type { Client } from '../client/client.ts'
import { formatAddress } from '../contract/iban.ts'
import { CliError, reasonOf } from '../errors/cli_error.ts'
import { ApiError, unlessRefused } from '../errors/service_errors.ts'
import { type ExpectedHolder, expectsHolder, type Intent } from '../journal/intent.ts'
import type { Expectation, StagedPayee } from '../journal/staged_rows.ts'
import { type HolderComparison, judgedHolder, knownHolder, lookUpHolder } from '../payees/holder.ts'
import type { PayeeAddress, Payees } from '../payees/payee.ts'
import { grouped, linesSaid } from '../run/counts.ts'
import { inParallel } from '../run/in_parallel.ts'
import type { Reporter } from '../run/reporter.ts'
import { type Said, say, Text, type Translate } from '../words/text.ts'
import { Faults } from './checked_rows.ts'
import { payeesSaid, rowsSaid } from './counted.ts'
import type { PaymentOptions } from './payment_session.ts'

// Looks up the payees of rows, and compares their holders with what the rows require.

export interface LookupOptions {
  readonly client: Client
  /** Concurrent requests. */
  readonly concurrency: number
  /** Maximum number of wrong rows to name; further rows are only counted. */
  readonly maxFaults?: number | undefined
  readonly reporter?: Reporter
}

/** Throws UsageError that names payees unknown to the service. */
export async function checkPayees(payees: Iterator<StagedPayee>, options: LookupOptions): Promise<void> {
  const faults = new Faults(options.maxFaults)
  for await (const { payee, holder } of holdersOf(payees, options)) if (!holder) addUnknown(payee, faults)
  faults.throwIfAny()
}

/** Maximum number of payees to look up unless the caller asks for all: each needs a request. */
const mostLookedUp = 1000

/** Maximum number of new payees to name. */
const mostNamed = 10

/**
 * Looks up payees that no earlier payment has paid. Throws UsageError that names payees unknown to the service. Returns
 * lines with the holders for the person who is asked, or a note that says why the payees were not looked up.
 */
export async function lookUpNew(payees: Iterable<StagedPayee>, options: LookupOptions): Promise<HolderNotes> {
  const wanted = [...payees]
  if (wanted.length > mostLookedUp)
    return [['New', say`${payeesSaid(wanted.length)}: too many to look up without --check-payees`]]
  const faults = new Faults(options.maxFaults)
  const found: RowNote[] = []
  let left = 0
  try {
    for await (const { payee, holder } of holdersOf(wanted.values(), options)) {
      if (!holder) addUnknown(payee, faults)
      else if (found.length === mostNamed) left += 1
      else
        found.push({
          line: payee.lines[0] ?? 0,
          reason: say`${formatAddress(payee.recipient)}, ${holder.name ?? say`name not known`}`,
        })
    }
  } catch (error) {
    // The user has not asked for these lookups: a service that refuses them does not stop the batch.
    if (!(error instanceof ApiError) || error.status === 401) throw error
    return [['New', say`payees were not looked up: ${reasonOf(error)}`]]
  }
  faults.throwIfAny()
  return [
    ...found
      .toSorted((one, other) => one.line - other.line)
      .map(({ line, reason }) => ['New', say`line ${line}: ${reason}`] as const),
    ...(left > 0 ? [['New', say`and ${payeesSaid(left)} more`] as const] : []),
  ]
}

function addUnknown({ recipient, lines }: StagedPayee, faults: Faults): void {
  for (const line of lines) faults.add(line, [say`the payee ${recipient} is not known to the service`])
}

/** Looks up payees and yields each with its holder; null if the service has no holder. */
async function* holdersOf(payees: Iterator<StagedPayee>, { client, concurrency, reporter }: LookupOptions) {
  const find = async (payee: StagedPayee) => {
    const { recipient, iban } = payee
    return {
      payee,
      holder: await unlessRefused(lookUpHolder(iban ? { iban: recipient } : { phone: recipient }, client), [404, 422]),
    }
  }
  let done = 0
  try {
    for await (const one of inParallel(payees, concurrency, find)) {
      done += 1
      reporter?.progress(say`Looking payees up: ${grouped(done)}`)
      yield one
    }
  } finally {
    reporter?.progress(null)
  }
}

/** Lines for a person who is asked to send the rows: a label and a text, or a whole line. */
export type HolderNotes = readonly (Said | readonly [label: Said, text: Said])[]

/** The lines in the language of the run, with the texts in one column. */
export const linesOfNotes = (notes: HolderNotes, translate: Translate): readonly string[] =>
  notes.map((note) => {
    if (typeof note === 'string' || note instanceof Text) return translate(note)
    const [label, text] = note
    return `  ${translate(label)} `.padEnd(labelWidth) + translate(text)
  })

/**
 * Looks up each payee with a required holder once. Throws UsageError that names the rows whose payee has another holder
 * or no holder. Unless a person is asked (`confirm`), the error also names the rows whose holder matches only in part.
 * Returns lines for the person about rows that match in part, and about rows whose document the service hides.
 */
export async function checkHolders(
  expectations: Iterable<Expectation>,
  { client, concurrency, maxFaults, confirm = false }: LookupOptions & { readonly confirm?: boolean | undefined },
): Promise<HolderNotes> {
  const faults = new Faults(maxFaults)
  const doubts: RowNote[] = []
  const hidden: number[] = []
  const compare = async (same: readonly Expectation[]) => ({ same, results: await comparedHolders(same, client) })
  for await (const { same, results } of inParallel(byRecipient(expectations), concurrency, compare)) {
    for (const [at, { fault, doubt, facts }] of results.entries()) {
      const error = fault ?? (confirm ? undefined : doubt)
      for (const line of same[at]?.lines ?? []) {
        if (error) faults.add(line, [reasonOf(error)])
        else if (doubt) doubts.push({ line, reason: reasonOf(doubt) })
        if (facts.some(([label]) => label === 'Document')) hidden.push(line)
      }
    }
  }
  faults.throwIfAny()
  return notesOn(doubts, hidden)
}

interface RowNote {
  readonly line: number
  readonly reason: Said
}

/** Maximum number of reasons to show. */
const mostShown = 20

function notesOn(doubts: readonly RowNote[], hidden: readonly number[]): HolderNotes {
  const inOrder = doubts.toSorted((one, other) => one.line - other.line)
  const lines = hidden.toSorted((one, other) => one - other)
  const byReason = [...Map.groupBy(inOrder, ({ reason }) => String(reason)).values()]
  const more = byReason.slice(mostShown).reduce((sum, same) => sum + same.length, 0)
  const unread = `${lines.slice(0, mostShown).join(', ')}${lines.length > mostShown ? ', ...' : ''}`
  return [
    ...byReason
      .slice(0, mostShown)
      .map((same) => [linesSaid(same.map(({ line }) => line)).as('sentence'), same[0]?.reason ?? ''] as const),
    ...(more > 0 ? [say`  and ${rowsSaid(more)} more like these`] : []),
    ...(lines.length > 0
      ? [
          [
            'Documents',
            say`not compared in ${rowsSaid(lines.length)} (line ${unread}): the service does not give them`,
          ] as const,
        ]
      : []),
  ]
}

/** Width of the labels in a batch's summary, in terminal cells. */
const labelWidth = 15

/** Groups consecutive expectations with the same recipient. */
function* byRecipient(expectations: Iterable<Expectation>): Generator<readonly Expectation[], void> {
  let same: Expectation[] = []
  for (const next of expectations) {
    if (same[0] && same[0].recipient !== next.recipient) {
      yield same
      same = []
    }
    same.push(next)
  }
  if (same.length > 0) yield same
}

interface HolderResult extends Partial<HolderComparison> {
  /** Error for a row that is refused. */
  readonly fault?: CliError
  readonly facts: HolderComparison['facts']
}

/**
 * Compares the holder with each expectation, and returns the results in order. Throws errors that prevent any
 * comparison.
 */
async function comparedHolders(same: readonly Expectation[], client: Client): Promise<readonly HolderResult[]> {
  const [first] = same
  if (!first) return []
  const address = first.iban ? { iban: first.recipient } : { phone: first.recipient }
  const refused = (error: unknown): HolderResult => {
    const concernsRow = error instanceof CliError && ['conflict', 'not_found', 'rejected'].includes(error.exit)
    if (!concernsRow) throw error
    return { fault: error, facts: [] }
  }
  try {
    const holder = await knownHolder(address, first.expected, client)
    return same.map(({ expected }) => {
      try {
        return judgedHolder(address, expected, holder)
      } catch (error) {
        return refused(error)
      }
    })
  } catch (error) {
    return same.map(() => refused(error))
  }
}

/** The payee of a payment. */
export const addressOf = ({
  recipient_iban: iban,
  recipient_phone: phone,
}: Pick<Intent['body'], 'recipient_iban' | 'recipient_phone'>): PayeeAddress =>
  iban ? { iban } : { phone: phone ?? '' }

/**
 * The holder that an intent requires. The holder of a saved payee must have the name that is saved now: a person may
 * have accepted a new holder after the intent was recorded.
 */
export function expectedNow(intent: Intent, payees: Payees | undefined): ExpectedHolder {
  const { iban, phone } = addressOf(intent.body)
  const names = (intent.expected_names ?? []).map((expected) => {
    const saved = expected.payee === undefined ? undefined : payees?.find(expected.payee)
    const isSame = saved && saved.iban === iban && saved.phone === phone
    return isSame && saved.holder !== null ? { ...expected, name: saved.holder } : expected
  })
  return { expected_names: names, expected_document: intent.expected_document }
}

/** Checks holders for recorded rows that are about to be sent. */
export async function checkHoldersOf(
  intents: Iterable<Intent>,
  { payees, ...options }: Parameters<typeof checkHolders>[1] & Pick<PaymentOptions, 'payees'>,
): Promise<HolderNotes> {
  const expecting = [...intents].filter(expectsHolder)
  if (expecting.length === 0) return []
  const saved = await payees?.()
  const byPayee = Map.groupBy(expecting, ({ body }) => body.recipient_iban ?? body.recipient_phone ?? '')
  const expectations = [...byPayee].flatMap(([recipient, same]) =>
    same.map((intent) => ({
      recipient,
      iban: intent.body.recipient_iban ? (1 as const) : (0 as const),
      expected: expectedNow(intent, saved),
      lines: [intent.line ?? 0],
    })),
  )
  return checkHolders(expectations, options)
}
