import type { Client } from '../client/client.ts'
import { type CliError, reasonOf } from '../errors/cli_error.ts'
import type { Expectation, StagedRows } from '../journal/staged_rows.ts'
import { holderName, NotCompared, otherHolder } from '../payees/holder.ts'
import { isSameHolder } from '../payees/payee.ts'
import { inParallel } from './batch_runner.ts'
import { Faults } from './wrong_rows.ts'

// Whether the payees of rows are held by whom the rows expect.

/** How payees are looked up. */
export interface Checking {
  readonly client: Client
  readonly concurrency: number
  /** Faulty rows that are named; the others are counted. */
  readonly maxFaults?: number | undefined
}

/**
 * Asks who holds the account or phone of each payee whose rows expect a name, once for each. Throws UsageError with the
 * rows whose payee another holds, or nobody.
 */
export async function checkHolders(rows: StagedRows, { client, concurrency, maxFaults }: Checking): Promise<void> {
  const found: { readonly line: number; readonly reason: string }[] = []
  const compare = async (same: readonly Expectation[]) => ({ same, verdicts: await comparedNames(same, client) })
  for await (const { same, verdicts } of inParallel(byRecipient(rows.expectations()), concurrency, compare)) {
    for (const [at, verdict] of verdicts.entries()) {
      if (verdict) for (const line of same[at]?.lines ?? []) found.push({ line, reason: reasonOf(verdict) })
    }
  }
  const faults = new Faults(maxFaults)
  for (const { line, reason } of found.toSorted((one, other) => one.line - other.line)) faults.add(line, [reason])
  faults.throwIfAny()
}

/** Together what follows each other with the same recipient. */
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

/** For each, what is wrong with it. Throws what keeps every name from being compared. */
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
