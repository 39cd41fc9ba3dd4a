import type { Client } from '../client/client.ts'
import { type CliError, reasonOf } from '../errors/cli_error.ts'
import { isServiceAnswer } from '../errors/service_errors.ts'
import type { ExpectedName, Intent } from '../journal/intent.ts'
import type { Expectation, StagedPayee } from '../journal/staged_rows.ts'
import { holderName, lookUpHolder, NotCompared, otherHolder } from '../payees/holder.ts'
import { isSameHolder, type PayeeAddress, type Payees } from '../payees/payee.ts'
import { inParallel } from './batch_runner.ts'
import { Faults } from './checked_rows.ts'
import type { PaymentOptions } from './payment_session.ts'

// Looks up the payees of rows, and compares their holders with the names that the rows require.

export interface LookupOptions {
  readonly client: Client
  /** Concurrent requests. */
  readonly concurrency: number
  /** Maximum number of wrong rows to name; the others are counted. */
  readonly maxFaults?: number | undefined
}

/** Throws UsageError that names payees unknown to the service. */
export async function checkPayees(payees: Iterator<StagedPayee>, { client, concurrency, maxFaults }: LookupOptions) {
  const faults = new Faults(maxFaults)
  const find = async (payee: StagedPayee) => ({ payee, found: await isKnown(payee, client) })
  for await (const { payee, found } of inParallel(payees, concurrency, find)) {
    if (!found) faults.add(payee.line, [`to ${payee.recipient} is not known to the service`])
  }
  faults.throwIfAny()
}

async function isKnown({ recipient, iban }: StagedPayee, client: Client): Promise<boolean> {
  try {
    await lookUpHolder(iban ? { iban: recipient } : { phone: recipient }, client)
    return true
  } catch (error) {
    if (isServiceAnswer(error, 404, 422)) return false
    throw error
  }
}

/**
 * Looks up each payee with a required name once. Throws UsageError that names the rows whose payee has another holder
 * or none.
 */
export async function checkHolders(
  expectations: Iterable<Expectation>,
  { client, concurrency, maxFaults }: LookupOptions,
): Promise<void> {
  const found: { readonly line: number; readonly reason: string }[] = []
  const compare = async (same: readonly Expectation[]) => ({ same, verdicts: await comparedNames(same, client) })
  for await (const { same, verdicts } of inParallel(byRecipient(expectations), concurrency, compare)) {
    for (const [at, verdict] of verdicts.entries()) {
      if (verdict) for (const line of same[at]?.lines ?? []) found.push({ line, reason: reasonOf(verdict) })
    }
  }
  const faults = new Faults(maxFaults)
  for (const { line, reason } of found.toSorted((one, other) => one.line - other.line)) faults.add(line, [reason])
  faults.throwIfAny()
}

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

/** Faults of the expectations, in order. Throws errors that prevent any comparison. */
async function comparedNames(same: readonly Expectation[], client: Client): Promise<readonly (CliError | undefined)[]> {
  const [{ recipient = '', iban = 0, expected = [] } = {}] = same
  const address = iban ? { iban: recipient } : { phone: recipient }
  try {
    const name = await holderName(address, expected, client)
    return same.map((one) => {
      const other = one.expected.find((expectation) => !isSameHolder(expectation.name, name))
      return other && otherHolder(address, other, name)
    })
  } catch (error) {
    if (!(error instanceof NotCompared) || (error.exit !== 'not_found' && error.exit !== 'rejected')) throw error
    return same.map(() => error)
  }
}

/** The payee of a payment. */
export const addressOf = ({
  recipient_iban: iban,
  recipient_phone: phone,
}: Pick<Intent['body'], 'recipient_iban' | 'recipient_phone'>): PayeeAddress =>
  iban ? { iban } : { phone: phone ?? '' }

/**
 * Names that an intent requires. For a saved payee it is the current name: a person may have accepted a new one after
 * the intent was recorded.
 */
export function expectedNow({ body, expected_names }: Intent, payees: Payees | undefined): readonly ExpectedName[] {
  const { iban, phone } = addressOf(body)
  return (expected_names ?? []).map((expected) => {
    const saved = expected.payee === undefined ? undefined : payees?.find(expected.payee)
    const isSame = saved && saved.iban === iban && saved.phone === phone
    return isSame && saved.holder !== null ? { ...expected, name: saved.holder } : expected
  })
}

/** Checks holders for recorded rows that are about to be sent. */
export async function checkHoldersOf(
  intents: Iterable<Intent>,
  { payees, ...lookup }: LookupOptions & Pick<PaymentOptions, 'payees'>,
): Promise<void> {
  const expecting = [...intents].filter(({ expected_names }) => expected_names !== null)
  if (expecting.length === 0) return
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
  await checkHolders(expectations, lookup)
}
