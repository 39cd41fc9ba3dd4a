import type { AuditLine } from '../../../src/audit/audit.ts'
import { hasEnded } from '../../../src/contract/payment_names.ts'
import { IntentError } from '../../../src/errors/cli_error.ts'
import { ContractError, NetworkError, OutcomeUnknownError } from '../../../src/errors/service_errors.ts'
import { LimitError } from '../../../src/limits/refusals.ts'
import { broken } from '../broken.ts'
import type { End } from '../callers/callers.ts'
import type { Told } from '../callers/told.ts'
import { descriptionOf, type Place, userIds } from '../script/places.ts'
import type { Fault } from '../script/script.ts'
import type { IntentRow } from './journals.ts'

// Compares the journals and results of callers with the service's payments.

/** A payment in the service's table. */
export interface PaymentRow {
  /** Id of the world in which the payment was made; the world may have ended. */
  readonly world: string
  readonly id: string
  readonly seq: number
  readonly owner: string
  readonly idempotency_key: string
  readonly transfer_type: string
  readonly description: string
  readonly amount: number
  readonly payee_phone: string | null
  readonly status: string
}

export type Payments = readonly PaymentRow[]

/** Payments of all worlds, and the current world. */
export interface Present {
  readonly payments: Payments
  readonly world: string
}

/** True if a payment fulfils an intent, and does not only have the same key. */
export const isOf = ({ body }: IntentRow, { description }: PaymentRow): boolean =>
  JSON.parse(body).description === description

export function checkSettled({ id, payment_id, body }: IntentRow, made: PaymentRow | undefined): void {
  if (!made || made.id !== payment_id) {
    broken('settled is one', `${id} is settled as ${payment_id}, and the service has ${made?.id}`)
  }
  const { amount, recipient_phone, description } = JSON.parse(body)
  if (made.amount !== amount) broken('settled is one', `${id} asked for ${amount}, and ${made.amount} was paid`)
  if (made.payee_phone !== recipient_phone || made.description !== description) {
    broken('settled is one', `${id} asked for ${description} to ${recipient_phone}, and ${made.description} was paid`)
  }
}

/** Checks that a failed payment is repeated at most once. */
export function checkRepetitions(intents: readonly IntentRow[]): void {
  const repeated = new Map<string, string>()
  for (const { id, retry_of: failed } of intents) {
    if (failed === null) continue
    const other = repeated.get(failed)
    if (other !== undefined) broken('a failed payment is repeated once', `${failed} is, by ${other} and by ${id}`)
    repeated.set(failed, id)
  }
}

export function checkAccepted(
  one: { readonly description: string; readonly payment: string; readonly amount: number },
  payments: Payments,
): void {
  const made = payments.find(({ id }) => id === one.payment)
  if (!made) broken('told true', `${one.description} was told payment ${one.payment}, which is not there`)
  if (made.amount !== one.amount) broken('told true', `${one.description} of ${one.amount} was paid as ${made.amount}`)
  if (made.description !== one.description) {
    broken('told true', `${one.description} was told payment ${made.id}, which is ${made.description}`)
  }
}

export function checkEnded(
  { payment, status }: { readonly payment: string; readonly status: string },
  payments: Payments,
): void {
  if (!hasEnded(status)) return
  const made = payments.find(({ id }) => id === payment)
  if (made?.status !== status) broken('told true', `${payment} was told ${status}, and is ${made?.status}`)
}

/** Checks that a report has as many rows as its batch. */
export function checkBatch({ rows, told, report }: Extract<Told, { what: 'batch' }>): void {
  const { tally, failure, interrupted } = report
  if (tally.total !== rows) broken('each row once', `${rows} rows were asked for, and the report is of ${tally.total}`)
  if (tally.done < told) broken('each row once', `${told} rows were told, and ${tally.done} counted`)
  if (failure === undefined && !interrupted && told !== rows) {
    broken('each row once', `${rows} rows were asked for, and ${told} told`)
  }
}

export function checkPages({ user, ids }: Extract<Told, { what: 'pages' }>, payments: Payments): void {
  const own = payments.filter(({ owner }) => owner === userIds[user]).map(({ id }) => id)
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  if (twice) broken('pages', `payment ${twice} came twice on a walk over a list that did not change`)
  const missing = own.find((id) => !ids.includes(id))
  if (missing) broken('pages', `payment ${missing} did not come on a walk over a list that did not change`)
}

/** Checks that the pages of an unchanged list are not reported as incomplete. */
export function checkWalk({ action, error }: End): void {
  const isFaulty = error instanceof ContractError && error.message.includes('could not be read completely')
  if (isFaulty) broken('pages', `${action.do} met with a list that did not change, and was told: ${error.message}`)
}

/** Checks that a single passing fault does not prevent an operation that can be repeated. */
export function checkPatience({ action, told, error, faults }: End, { logsIn }: Place): void {
  const [only, ...others] = faults
  if (logsIn || only === undefined || others.length > 0 || !passing.has(only)) return
  if (!['send', 'batch', 'read history'].includes(action.do)) return
  const isLost = (cause: unknown) => cause instanceof NetworkError || cause instanceof OutcomeUnknownError
  if (isLost(error)) broken('one fault is got over', `${action.do} gave up after ${only}: ${error}`)
  const lost = told.find((one) => one.what === 'outcome' && one.outcome === 'unknown' && isLost(one.error))
  if (lost) broken('one fault is got over', `a payment was left in doubt after ${only}`)
}

/** Network faults that a repetition overcomes. */
const passing: ReadonlySet<Fault['fault']> = new Set([
  ...([
    'connection refused',
    'request lost',
    'request reset',
    'request halved',
    'answered 429',
    'answered 503',
  ] as const),
  ...(['answer lost', 'answer reset', 'answer halved', 'answer replaced by 502'] as const),
])

/** Checks that the audit file contains the requests of accepted payments, and the payments that limits stopped. */
export function checkAudit({ told, error, action, faults }: End, lines: readonly AuditLine[]): void {
  if (faults.includes('killed')) return
  for (const one of told) {
    if (one.what !== 'outcome' || one.outcome !== 'accepted') continue
    const known = lines.some(({ event, key }) => event === 'asked' && key === one.key)
    if (!known) broken('audit', `${one.description} was paid, and the audit file does not say that it was sent`)
  }
  if (!(error instanceof LimitError) || action.do !== 'send' || action.rehearse) return
  const isThere = lines.some(({ event, key }) => event === 'refused' && key === action.key)
  if (!isThere) broken('audit', `${action.key} was kept by limits, and the audit file does not say so`)
}

/** Checks that a key reported as taken belongs to another payment. */
export function checkTaken({ action, error }: End, withKey: (key: string) => readonly IntentRow[]): void {
  if (action.do !== 'send' || !(error instanceof IntentError) || !error.message.includes('another payment')) return
  if (withKey(action.key).some(({ body }) => JSON.parse(body).description !== descriptionOf(action))) return
  broken('told true', `${action.key} is said to be another payment's, and is not`)
}
