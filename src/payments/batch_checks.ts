import type { Client } from '../client/client.ts'
import type { Account } from '../client/received.ts'
import type { SendPaymentBody } from '../contract/index.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import { ApiError, isServiceAnswer } from '../errors/service_errors.ts'
import type { Intent, Order } from '../journal/intent.ts'
import { type Group, type PlacedRow, StagedRows } from '../journal/staged_rows.ts'
import { lookUpHolder } from '../payees/holder.ts'
import { resolveAccount } from '../values/account.ts'
import { type Accounts, readAccounts } from './accounts.ts'
import { inParallel } from './batch_runner.ts'
import { Faults, WrongRowsError } from './checked_rows.ts'
import { type Checking, checkHolders } from './holders.ts'
import { draftOf, orderOf, requirePayable, unkeyed } from './order.ts'
import { type BatchRow, checkedPayment, checkedRow } from './request.ts'

// Checks of rows before the first one is paid.

/** Options of staging and checking a batch's rows. */
interface Staging {
  readonly client: Client
  /** Stages the rows. Throws UsageError that names wrong rows. */
  readonly stage: (staged: StagedRows, accounts: Accounts) => Promise<void>
  /** Called with the wrong rows before the error is thrown. */
  readonly onWrong?: ((error: WrongRowsError) => Promise<void>) | undefined
  /** Look up every payee before anything is sent. */
  readonly checkPayees?: boolean | undefined
  /** Concurrent requests. */
  readonly concurrency: number
  /** Maximum number of wrong rows to name; the others are counted. */
  readonly maxFaults?: number | undefined
}

/** Rows without faults, and the user's accounts. */
export interface CheckedRows {
  readonly staged: StagedRows
  readonly accounts: Accounts
  /** Call it after marking the rows that were sent before: they are not looked up. See `checkHolders`. */
  readonly checkHolders: () => Promise<void>
}

/** Stages and checks rows, and passes them to `work`. */
export async function withCheckedRows<T>(options: Staging, work: (rows: CheckedRows) => Promise<T>): Promise<T> {
  const accounts = await readAccounts(options.client)
  const staged = new StagedRows()
  try {
    await options.stage(staged, accounts)
    if (options.checkPayees) await checkPayees(staged, options)
    return await work({ staged, accounts, checkHolders: () => checkHolders(staged.expectations(), options) })
  } catch (error) {
    if (error instanceof WrongRowsError) await options.onWrong?.(error)
    throw error
  } finally {
    staged.close()
  }
}

/**
 * Looks up each payee once, except those whose name is compared later. Throws UsageError that names payees unknown to
 * the service.
 */
export async function checkPayees(rows: StagedRows, { client, concurrency, maxFaults }: Checking): Promise<void> {
  const faults = new Faults(maxFaults)
  const find = async (payee: Payee) => ({ payee, found: await isFound(payee, client) })
  for await (const { payee, found } of inParallel(rows.recipients(), concurrency, find)) {
    if (!found) faults.add(payee.line, [`to ${payee.recipient} is not known to the service`])
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
    await lookUpHolder(iban ? { iban: recipient } : { phone: recipient }, client)
    return true
  } catch (error) {
    if (isServiceAnswer(error, 404, 422)) return false
    throw error
  }
}

/** The service's fee for one payment of a group, estimated from one of its rows. */
export interface Estimate {
  /** Minor units; null if the service did not say. */
  readonly fee: number | null
  /** Rows that the service's validation refused, with its reasons. */
  readonly refused: readonly { readonly line: number; readonly reason: string }[]
}

/** Maximum number of groups to estimate: each takes one to three requests. */
const askedGroups = 20

/**
 * Estimates fees from the largest row of each account and channel: estimating every row would take a request for each.
 */
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

/** Function that returns the estimated fee of an intent. */
export function feesIn(estimates: ReadonlyMap<Group, Estimate>): (intent: Pick<Intent, 'body'>) => number | null {
  const fees = new Map([...estimates].map(([{ source, iban }, { fee }]) => [`${source} ${iban}`, fee]))
  return ({ body }) => fees.get(`${body.source_account_id} ${body.recipient_iban ? 1 : 0}`) ?? null
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
      return { fee: fee.value ?? null, refused }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 401 || error.status === 429) throw error
      if (error.status === 403) return { fee: null, refused }
      if (isServiceAnswer(error, 400, 422)) refused.push({ line: row.line, reason: error.message })
    }
  }
  return { fee: null, refused }
}

export const fault = (text: string, next?: NextStep): never => {
  throw new UsageError(text, next)
}

interface Source {
  readonly id: string
  readonly account: Account | undefined
}

export function sourceOf(text: string, accounts: Accounts): Source {
  const id = text.toLowerCase()
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
  if (id === '') return fault('from is empty.', { kind: 'fill_in_source' })
  if (!accounts) return isId ? { id, account: undefined } : fault(`from "${text}" ${accountsUnread}`)
  const account = accounts.get(id) ?? (isId ? undefined : resolveAccount(text, [...accounts.values()], 'from'))
  if (!account) return fault(`from ${id} is none of your accounts`, { kind: 'list_accounts' })
  if (account.status !== 'active') return fault(`from ${text} is an account that is ${account.status}`)
  return { id: account.id.toLowerCase(), account }
}

const accountsUnread =
  'is not the whole id of an account, and this token may not read accounts to find the one that is meant'

interface Claim {
  /** Currencies as stated in each place of the row; empty if a place states none. */
  readonly stated: readonly string[]
  readonly recipient: Pick<SendPaymentBody, 'recipient_iban' | 'recipient_phone'> | undefined
  readonly account: Account | undefined
}

export function checkCurrency({ stated, recipient, account }: Claim): void {
  const [claimed = '', other] = [...new Set(stated.map((text) => text.toUpperCase()))].filter((text) => text !== '')
  if (other !== undefined) fault(`currency is ${claimed}, but amount is in ${other}`)
  const currency = account?.balance.currency ?? claimed
  if (claimed !== '' && claimed !== currency) {
    fault(`currency is ${claimed}, but the account that pays is in ${currency}`)
  }
  if (recipient?.recipient_phone && currency !== '' && currency !== 'CRC') {
    fault(`to is a phone: SINPE Móvil carries CRC only, and the account that pays is in ${currency}`)
  }
  if (recipient?.recipient_iban && recipient.recipient_iban === account?.iban) {
    fault('to is the account that pays')
  }
}

/** Stages rows, numbered from 1. Throws UsageError that names every wrong row. */
export function stageRows(rows: Iterable<BatchRow>, staged: StagedRows, accounts: Accounts): void {
  const faults = new Faults()
  let line = 0
  for (const row of rows) {
    line += 1
    try {
      const { currency: stated = '', reference = null, ...request } = checkedRow(row)
      const { body, expected_names } = unkeyed(draftOf(request))
      requirePayable(body.amount, 'amount')
      const { id, account } = sourceOf(request.from, accounts)
      checkCurrency({ stated: [stated], recipient: body, account })
      staged.add({ line, body: { ...body, source_account_id: id }, reference, expected: expected_names ?? [] })
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      faults.add(line, [error.message])
    }
  }
  faults.throwIfAny()
}

/** Validates a program's payment request. Throws UsageError. */
export async function checkedOrder(given: unknown, client: Client): Promise<Order> {
  const { currency: stated, ...request } = checkedPayment(given)
  const order = orderOf(draftOf(request), request.idempotencyKey)
  if (stated === undefined) return order
  // Check nothing else of the account: an earlier payment must be found whatever the account's present state.
  const account = (await readAccounts(client))?.get(request.from.toLowerCase())
  checkCurrency({ stated: [stated], recipient: undefined, account })
  return order
}
