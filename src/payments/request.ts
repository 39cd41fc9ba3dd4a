import { UsageError } from '../errors/cli_error.ts'
import { unknownNames } from '../errors/nearest.ts'
import { batchIdFault, batchIdForm, generatedPrefix, type PaymentRequest } from './order.ts'

// Validates a program's request. No compiler may have checked it: it can come from JavaScript, a form or a database.
// Unknown members are refused, because a misspelt idempotency key could pay an order twice.

/** A row of a program's batch. */
export interface BatchRow extends Omit<PaymentRequest, 'idempotencyKey' | 'recipientEmail'> {
  /** The caller's reference for the row, repeated in its result. */
  readonly reference?: string | undefined
}

/** Kind of check for a member here; `amount` is checked with the order. */
type Kind = 'text' | 'text or nothing' | 'amount'
type Members<Asked> = Readonly<Record<keyof Required<Asked>, Kind>>

const common: Members<Omit<BatchRow, 'reference'>> = {
  from: 'text',
  to: 'text',
  amount: 'amount',
  currency: 'text or nothing',
  description: 'text or nothing',
  expectedName: 'text or nothing',
}
const ofPayment: Members<PaymentRequest> = {
  ...common,
  recipientEmail: 'text or nothing',
  idempotencyKey: 'text or nothing',
}
const ofRow: Members<BatchRow> = { ...common, reference: 'text or nothing' }

/** Throws UsageError. */
export const checkedPayment = (given: unknown): PaymentRequest => checked(given, ofPayment, 'payment')
export const checkedRow = (given: unknown): BatchRow => checked(given, ofRow, 'row')

/** Reads each member once, so that the checked value is the one that is sent. */
function checked<Asked>(given: unknown, members: Members<Asked>, what: string): Asked {
  if (typeof given !== 'object' || given === null) throw new UsageError(`A ${what} must be an object.`)
  const unknown = unknownNames(Object.keys(given), Object.keys(members))
  if (unknown !== undefined) throw new UsageError(`A ${what} has no ${unknown}`)
  const read = Object.entries<Kind>(members).map(([name, kind]) => {
    const value: unknown = given[name as keyof typeof given]
    const isLeftOut = value === undefined && kind === 'text or nothing'
    if (kind !== 'amount' && !isLeftOut && typeof value !== 'string') {
      throw new UsageError(`${name} must be a text${kind === 'text' ? '' : ', or left out'}.`)
    }
    return [name, value] as const
  })
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Asked
}

/** Throws UsageError. */
export function checkBatch({
  batchId,
  concurrency,
}: {
  readonly batchId: unknown
  readonly concurrency: unknown
}): void {
  const fault = batchId === undefined ? undefined : typeof batchId === 'string' ? batchIdFault(batchId) : 'form'
  if (fault === 'form') throw new UsageError(`batchId must be ${batchIdForm}.`)
  if (fault === 'generated')
    throw new UsageError(`batchId must not begin with ${generatedPrefix}: such names are generated.`)
  if (Number.isInteger(concurrency) && Number(concurrency) >= 1) return
  throw new UsageError('concurrency must be a whole number, 1 or more.')
}
