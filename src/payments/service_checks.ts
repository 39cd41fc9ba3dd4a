import type { Client } from '../client/client.ts'
import type { Account } from '../contract/index.ts'
import { ApiError, ContractError } from '../errors/service_errors.ts'
import type { Group, PlacedRow, StagedRows } from '../journal/staged_rows.ts'
import { Parallel } from './batch_outcomes.ts'
import { type Accounts, Faults } from './batch_result.ts'

// What the service is asked about a file before it is paid.

/** The user's accounts by id; null when the token may not read them. */
export async function readAccounts(client: Client): Promise<Accounts> {
  const accounts = new Map<string, Account>()
  try {
    for await (const account of client.items('accounts.list', { query: { per_page: 100 } })) {
      if (typeof account?.id !== 'string' || typeof account.balance?.currency !== 'string') {
        throw new ContractError('The service lists an account without an id or without a currency.')
      }
      accounts.set(account.id.toLowerCase(), account)
    }
    return accounts
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null
    throw error
  }
}

interface Checking {
  readonly client: Client
  readonly concurrency: number
  /** Faulty rows that are named; the others are counted. */
  readonly maxFaults?: number | undefined
}

/** Asks who every payee is, each once, and throws UsageError that names those that nobody is. */
export async function checkPayees(rows: StagedRows, { client, concurrency, maxFaults }: Checking): Promise<void> {
  const faults = new Faults(maxFaults)
  const payees = rows.recipients()
  const find = async (payee: Payee) => ({ payee, found: await isFound(payee, client) })
  const finding = new Parallel(() => payees.next().value, concurrency, find)
  try {
    for (let looked = await finding.next(); looked; looked = await finding.next()) {
      const { line, recipient } = looked.payee
      if (!looked.found) faults.add(line, [`to ${recipient} is not known to the service`])
    }
  } finally {
    await finding.settled()
  }
  faults.throwIfAny()
}

interface Payee {
  readonly recipient: string
  readonly iban: 0 | 1
  readonly line: number
}

async function isFound({ recipient, iban }: Payee, client: Client): Promise<boolean> {
  try {
    if (iban) await client.call('iban.information', { params: { iban: recipient } })
    else await client.call('phone.information', { params: { phone: recipient } })
    return true
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 422)) return false
    throw error
  }
}

/** What the service takes for one payment of a group, judged by one of its rows. */
export interface Estimate {
  /** Minor units; null when the service would not say. */
  readonly fee: number | null
  /** Rows that the service was asked about and refused, with its words. */
  readonly refused: readonly { readonly line: number; readonly reason: string }[]
}

/** Groups that are asked about: every one costs a request or a few. */
const askedGroups = 20

/** Asks about the dearest row of each account and channel, as asking about all would take a request for each. */
export async function estimateFees(
  rows: StagedRows,
  client: Client,
  keyOf: (row: PlacedRow) => string,
): Promise<ReadonlyMap<Group, Estimate>> {
  const estimates = new Map<Group, Estimate>()
  for (const group of rows.groups().slice(0, askedGroups)) {
    estimates.set(group, await estimate(rows.samples(group), client, keyOf))
  }
  return estimates
}

async function estimate(
  rows: readonly PlacedRow[],
  client: Client,
  keyOf: (row: PlacedRow) => string,
): Promise<Estimate> {
  const refused: { line: number; reason: string }[] = []
  for (const row of rows) {
    try {
      const request = { headers: { 'X-Idempotency-Key': keyOf(row) }, body: row.body }
      const { fee } = await client.call('payments.validate', request)
      return { fee: fee.value, refused }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 401 || error.status === 429) throw error
      if (error.status === 403) return { fee: null, refused }
      if (error.status === 400 || error.status === 422) refused.push({ line: row.line, reason: error.message })
    }
  }
  return { fee: null, refused }
}
