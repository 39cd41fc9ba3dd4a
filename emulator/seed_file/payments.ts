import { type Channel, type Fees, isUnderWay, type Outcome } from '../../src/contract/index.ts'
import { creditFromOutside, incomingFrom } from '../domain/credit.ts'
import { feeFor } from '../domain/fees.ts'
import { defaultDescriptions } from '../domain/initiate.ts'
import {
  endingOf,
  firstStepAt,
  longestSettle,
  type Reason,
  refusedBeforeSubmission,
  settleTime,
} from '../domain/lifecycle.ts'
import type { Movement, Payment } from '../domain/payment.ts'
import { channelReference, emulatorEntity, entityOfReference, referenceFault, sinpeReference } from '../domain/sinpe.ts'
import { isoTime } from '../domain/time.ts'
import type { Steps } from '../slices.ts'
import type { World } from '../worlds/world.ts'
import { derivedId, type Entry, type Item, Names } from './names.ts'
import { holderOf, identityOf, type Payee, type PaymentEntry, payeeOf, senderOf } from './parties.ts'
import type { Path } from './problems.ts'
import type { IdsBySeq, Resolving, SeedAccount } from './resolving.ts'

type PaymentSeed = Item<'payments'>

/** A payment as it is when the world starts, and its earlier movements of money. */
export interface PastPayment {
  readonly payment: Payment
  readonly movements: readonly { readonly movement: Movement; readonly at: number }[]
  /** True if the payment's key was forgotten, so that another payment may have the same key. */
  readonly keyForgotten?: boolean
}

/** A payment of the seed. `make` creates the payment after every payment has a number. */
interface Draft {
  readonly id: string
  readonly number: number | undefined
  readonly createdAt: number
  readonly path: Path
  readonly make: (seq: number) => PastPayment
}

/**
 * Reads and writes payments. In a seed, a payment between two accounts of the world includes the receiver's record,
 * which has the same reference.
 */
export const paymentCodec = {
  /** Reads payments, and returns them in the order of their numbers, together with the receivers' records. */
  *read(entries: readonly Entry<PaymentSeed>[], resolving: Resolving, fees: Fees): Steps<PastPayment[]> {
    const names = new Names<Draft>('payment', resolving.problems)
    const drafts: Draft[] = []
    for (const entry of entries) {
      yield
      const { value, path } = entry
      const account = resolving.accounts.find(value.account, [...path, 'account'])
      if (!account) continue
      const receipts: Draft[] = []
      const own = names.add(entry, (id) => {
        const identified = { id, value, path, account }
        return value.transfer_type === 'credit'
          ? credit(identified, resolving)
          : debit(identified, resolving, { fees, receipts })
      })
      for (const receipt of receipts) names.add({ value: { id: receipt.id }, path: receipt.path }, () => receipt)
      drafts.push(own, ...receipts)
    }
    return yield* numbered(drafts, resolving)
  },
  /** Writes all payments, in the order of their numbers. */
  write({ store }: Pick<World, 'store'>, { accounts }: IdsBySeq): PaymentSeed[] {
    const payments = store.payments.all()
    const forgotten = store.payments.withForgottenKey()
    const debits = new Set(payments.filter(({ transfer_type }) => transfer_type === 'debit').map(referenceOf))
    const isReceipt = (payment: Payment) => payment.transfer_type === 'credit' && debits.has(referenceOf(payment))
    const receipts = new Map(payments.filter(isReceipt).map((payment) => [referenceOf(payment), payment]))
    return payments
      .filter((payment) => !isReceipt(payment))
      .map((payment) => {
        const account = accounts.get(payment.account) ?? ''
        if (payment.transfer_type === 'credit') return creditSeed(payment, account)
        const receipt = receipts.get(referenceOf(payment))
        const payee = payment.payee_account === null ? undefined : accounts.get(payment.payee_account)
        return {
          ...debitSeed(payment, account, payee),
          ...(forgotten.has(payment.seq) && { key_forgotten: true }),
          ...(receipt && { receipt: { id: receipt.id, number: receipt.seq } }),
        }
      })
  },
}

const referenceOf = ({ channel_reference }: Payment): string => channel_reference

/** Payments without a number follow the numbered payments, in order of creation. */
function* numbered(drafts: readonly Draft[], resolving: Resolving): Steps<PastPayment[]> {
  const last = Math.max(0, ...drafts.map(({ number }) => number ?? 0))
  const unnumbered = drafts.filter(({ number }) => number === undefined).sort((a, b) => a.createdAt - b.createdAt)
  const numbers = new Map(unnumbered.map((draft, at) => [draft, last + at + 1]))
  // A payment is made before its receipt, which copies it.
  const made: PastPayment[] = []
  for (const draft of drafts) {
    yield
    const { number, path } = draft
    if (number !== undefined) resolving.once('payment number', String(number), [...path, 'number'])
    const past = draft.make(number ?? numbers.get(draft) ?? 0)
    const { user, idempotency_key: key, transfer_type } = past.payment
    if (transfer_type === 'debit' && !past.keyForgotten && resolving.isRepeated('key', `${user} ${key}`)) {
      resolving.complain([...path, 'idempotency_key'], `${key} occurs twice for this user`)
    }
    made.push(past)
  }
  return made.sort((a, b) => a.payment.seq - b.payment.seq)
}

/** An entry for a payment, with the payment's id. */
interface IdentifiedEntry extends PaymentEntry {
  readonly id: string
}

/** Fields that only debits may have. */
const ofDebits = [
  'to',
  'fee',
  'state_code',
  'error',
  'outcome',
  'submitted_at',
  'due_at',
  'settle_ms',
  'key_forgotten',
  'receipt',
] as const

function credit({ id, value, path, account }: IdentifiedEntry, resolving: Resolving): Draft {
  for (const field of ofDebits) {
    if (value[field] !== undefined) resolving.complain([...path, field], 'a credit does not have this field')
  }
  if ((value.status ?? 'completed') !== 'completed') {
    resolving.complain([...path, 'status'], 'a credit is completed from the start')
  }
  const createdAt = resolving.time(
    value.created_at ?? value.completed_at,
    [...path, 'created_at'],
    Math.min(resolving.usual, resolving.start),
  )
  resolving.inOrder([createdAt, resolving.start], path)
  const transfer = senderOf({ value, path, account }, resolving)
  checkReference({ value, path }, transfer.channel, resolving)
  const make = (seq: number): PastPayment => {
    const { payment } = creditFromOutside({
      id,
      seq,
      now: createdAt,
      user: account.user,
      account: account.seq,
      ...transfer,
      amount: value.amount,
      currency: account.currency,
      description: value.description ?? null,
      sinpe_reference: value.sinpe_reference ?? null,
    })
    const keyed = { ...payment, idempotency_key: value.idempotency_key ?? payment.idempotency_key }
    return { payment: keyed, movements: [{ movement: 'credit', at: createdAt }] }
  }
  return { id, number: value.number, createdAt, path, make }
}

/** Refuses an impossible reference, and a reference that occurs twice. */
export function checkReference(
  { value, path }: { readonly value: { readonly sinpe_reference?: string }; readonly path: Path },
  channel: Channel,
  resolving: Resolving,
): void {
  const { sinpe_reference: reference } = value
  if (reference === undefined) return
  const field = [...path, 'sinpe_reference']
  const fault = referenceFault(reference, channel)
  if (fault !== null) resolving.complain(field, fault)
  else resolving.once('sinpe_reference', reference, field)
}

/**
 * Reads a debit. For a completed payment between two accounts of the world, also adds the receiver's record to
 * `receipts`.
 */
function debit(
  entry: IdentifiedEntry,
  resolving: Resolving,
  { fees, receipts }: { readonly fees: Fees; readonly receipts: Draft[] },
): Draft {
  const { id, value, path, account } = entry
  const { status = 'completed', alias, amount, number } = value
  if (value.sinpe_reference !== undefined) {
    resolving.complain(
      [...path, 'sinpe_reference'],
      'only a credit can set this field; the emulator generates the reference of a debit',
    )
  }
  const payee = payeeOf(entry, resolving)
  const { outcome, ...reason } = endOf(entry, payee, resolving)
  const { channel } = payee
  const settle_ms = value.settle_ms ?? settleTime(outcome, longestSettle(resolving.context.settle[channel]))
  const times = timesOf(entry, { outcome, settle_ms }, resolving)
  const own = payee.account?.user === account.user
  const neverSubmitted = status === 'service_unavailable' && times.submitted_at === null
  const ending = isUnderWay(status) ? { error_message: null } : endingOf(status as Outcome, reason)
  let made: PastPayment | undefined
  const make = (seq: number): PastPayment => {
    const payment: Payment = {
      seq,
      id,
      user: account.user,
      account: account.seq,
      channel,
      amount,
      status,
      outcome,
      ...reason,
      ...times,
      idempotency_key: value.idempotency_key ?? `seed-${alias ?? id}`,
      transfer_type: 'debit',
      initial_status: neverSubmitted ? status : 'pending',
      fee: value.fee ?? feeFor(fees, { channel, amount, currency: account.currency, own }),
      currency: account.currency,
      channel_reference: channelReference(seq, channel, times.created_at),
      sinpe_reference: times.completed_at === null ? null : sinpeReference(seq, channel, times.completed_at),
      payer: { ...holderOf(account), iban: account.iban, phone: null },
      payee: payee.party,
      payee_account: payee.account?.seq ?? null,
      description: value.description ?? defaultDescriptions[channel],
      error_message: ending.error_message,
    }
    const movements = neverSubmitted ? [] : movementsOf(payment)
    made = { payment, movements, keyForgotten: value.key_forgotten ?? false }
    return made
  }
  const receiver = payee.account
  if (status !== 'completed' || !receiver) {
    if (value.receipt)
      resolving.complain([...path, 'receipt'], 'only a completed payment to an account of the file has this field')
  } else {
    const createdAt = times.completed_at ?? times.created_at
    receipts.push(receiptDraft(entry, receiver, { createdAt, paid: () => made?.payment }))
  }
  return { id, number, createdAt: times.created_at, path, make }
}

/**
 * The receiver's record of a payment between two accounts. `paid` returns the payment to copy; undefined before the
 * payment is made.
 */
function receiptDraft(
  { id: paymentId, value, path }: IdentifiedEntry,
  receiver: SeedAccount,
  { createdAt, paid }: { readonly createdAt: number; readonly paid: () => Payment | undefined },
): Draft {
  const { id = derivedId(`receipt/${paymentId}`), number } = value.receipt ?? {}
  const make = (seq: number): PastPayment => {
    const payment = paid()
    if (!payment) throw new Error(`The receipt of payment ${paymentId} is made before the payment`)
    const { user, seq: account, iban } = receiver
    return { payment: incomingFrom(payment, { id: id.toLowerCase(), seq, user, account, iban }).payment, movements: [] }
  }
  return { id, number, createdAt, path: [...path, 'receipt'], make }
}

/** Outcomes of payments that complete. */
const good: readonly Outcome[] = ['completed', 'slow', 'fee_unknown']

/** Outcome of a payment that has ended or will end, and the reason for a failure. */
function endOf({ value, path }: PaymentEntry, payee: Payee, resolving: Resolving): Reason & Pick<Payment, 'outcome'> {
  const { status = 'completed', state_code = null, error: failure_text = null } = value
  const isGiven = state_code !== null || failure_text !== null
  const usual = isUnderWay(status) ? (isGiven ? 'failed' : payee.outcome) : (status as Outcome)
  const outcome = value.outcome ?? usual
  if (!isUnderWay(status) && outcome !== status && !(status === 'completed' && good.includes(outcome))) {
    resolving.complain([...path, 'outcome'], `the payment is ${status} already`)
  }
  if (state_code !== null && outcome !== 'failed') {
    resolving.complain([...path, 'state_code'], 'only a payment that fails has this field')
  }
  if (failure_text !== null && outcome !== 'failed') {
    resolving.complain([...path, 'error'], 'only a payment that fails has this field')
  }
  if (outcome !== 'failed') return { outcome, state_code: null, failure_text: null }
  if (!isUnderWay(status) || isGiven) return { outcome, state_code: state_code ?? 'rejected', failure_text }
  return { outcome, state_code: payee.state_code, failure_text: payee.failure_text }
}

type Times = Pick<Payment, 'created_at' | 'submitted_at' | 'completed_at' | 'due_at' | 'settle_ms'>

function timesOf(
  { value, path }: PaymentEntry,
  { outcome, settle_ms }: Pick<Payment, 'outcome' | 'settle_ms'>,
  resolving: Resolving,
): Times {
  const { status = 'completed' } = value
  const unfinished = isUnderWay(status)
  const read = <Otherwise>(field: 'created_at' | 'submitted_at' | 'completed_at' | 'due_at', otherwise: Otherwise) =>
    resolving.time(value[field], [...path, field], otherwise)
  const refuse = (field: 'submitted_at' | 'completed_at' | 'due_at', why: string) => {
    if (value[field] !== undefined) resolving.complain([...path, field], why)
    return null
  }
  const start = unfinished ? resolving.start : Math.min(resolving.usual, resolving.start)
  const created_at = value.created_at
    ? read('created_at', start)
    : Math.min(read('submitted_at', start), read('completed_at', start), start)
  const submitted_at =
    status === 'pending'
      ? refuse('submitted_at', 'a pending payment has not been submitted yet')
      : read('submitted_at', refusedBeforeSubmission.includes(outcome) ? null : created_at)
  const completed_at =
    status === 'completed'
      ? read('completed_at', submitted_at ?? created_at)
      : refuse('completed_at', `the payment is ${status}`)
  resolving.inOrder([created_at, submitted_at, completed_at, resolving.start], path)
  const times = { created_at, submitted_at, completed_at, settle_ms }
  if (!unfinished) return { ...times, due_at: refuse('due_at', `the payment is ${status} and takes no more steps`) }
  if (status === 'pending') return { ...times, due_at: read('due_at', firstStepAt(created_at, settle_ms)) }
  if (outcome === 'processing') return { ...times, due_at: refuse('due_at', 'the payment stays in processing') }
  return { ...times, due_at: read('due_at', created_at + settle_ms) }
}

function movementsOf({ status, created_at, submitted_at, completed_at }: Payment): PastPayment['movements'] {
  const hold = { movement: 'hold', at: created_at } as const
  if (isUnderWay(status)) return [hold]
  if (completed_at !== null) return [hold, { movement: 'capture', at: completed_at }]
  return [hold, { movement: 'release', at: submitted_at ?? created_at }]
}

const common = ({ id, seq, channel, amount, description, idempotency_key, created_at }: Payment): PaymentSeed => ({
  id,
  number: seq,
  channel,
  amount,
  idempotency_key,
  created_at: isoTime(created_at),
  ...(description !== null && { description }),
})

const creditSeed = (payment: Payment, account: string): PaymentSeed => ({
  ...common(payment),
  account,
  transfer_type: 'credit',
  ...givenReference(payment),
  ...((payment.payer.iban ?? payment.payer.phone) && { from: payment.payer.iban ?? payment.payer.phone ?? '' }),
  ...identityOf(payment.payer),
})

function debitSeed(payment: Payment, account: string, payee: string | undefined): PaymentSeed {
  const { status, outcome, state_code, failure_text, fee, submitted_at, completed_at, due_at, settle_ms } = payment
  const unfinished = isUnderWay(status)
  const to = payee ?? payment.payee.iban ?? payment.payee.phone ?? ''
  return {
    ...common(payment),
    account,
    to,
    fee,
    status,
    ...(payee === undefined && identityOf(payment.payee)),
    ...((unfinished || (status === 'completed' && outcome !== status)) && { outcome }),
    ...((unfinished ? outcome : status) === 'failed' && {
      ...(state_code && { state_code }),
      ...(failure_text && { error: failure_text }),
    }),
    ...(submitted_at !== null && { submitted_at: isoTime(submitted_at) }),
    ...(completed_at !== null && { completed_at: isoTime(completed_at) }),
    ...(due_at !== null && { due_at: isoTime(due_at) }),
    ...(unfinished && { settle_ms }),
  }
}

/** A generated reference is left out: it follows from the number of the payment. */
export const givenReference = ({ sinpe_reference: reference }: Pick<Payment, 'sinpe_reference'>) =>
  reference !== null && entityOfReference(reference) !== emulatorEntity ? { sinpe_reference: reference } : {}
