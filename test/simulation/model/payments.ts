import type { Channel } from '../../../src/contract/index.ts'
import type { Token } from './access.ts'
import type { Bank } from './bank.ts'
import {
  type Answer,
  type Expected,
  type Fields,
  invalid,
  type Problems,
  Refused,
  type Request,
  refused,
  success,
} from './exchange.ts'
import { type Matcher, oneOf } from './matching.ts'
import { pageOf } from './pages.ts'
import { type Holder, known, type Party, type Payment } from './records.ts'
import { errorText, money, uuid } from './values.ts'

export interface Caller {
  readonly request: Request
  readonly answer: Answer
  readonly token: Token
  readonly bank: Bank
  readonly now: number
}

export interface Body extends Caller {
  readonly body: Fields
}

const document = /^((0[1-9]|[1-9])\d{8}|1\d{11}|2\d{9}|3\d{9}|4\d{9}|5\d{11}|[A-Za-z0-9]{6,19})$/

const created = 'Payment initiated successfully'
const defaultDescriptions = { pin: 'PIN transfer payment', sinpe_movil: 'SINPE Móvil transfer payment' }

/** The key of a request. Throws 400. */
export function keyOf({ headers }: Request): string {
  const key = headers['x-idempotency-key'] ?? ''
  if (key === '') throw new Refused(invalid(400, { 'X-Idempotency-Key': 'X-Idempotency-Key header is required' }))
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new Refused(
    invalid(400, { 'X-Idempotency-Key': 'X-Idempotency-Key must be 1 to 255 visible ASCII characters' }),
  )
}

/** POST /api/payments. A request with a used key receives the first answer, whatever the body. */
export function create(key: string, call: Body): Expected[] {
  const earlier = byKey(key, call)
  if (!earlier) return fresh(key, call)
  const again: Expected = {
    ...success(created, initiated(earlier), { status: 201 }),
    headers: { 'idempotent-replayed': 'true' },
    learn: () => call.bank.reach(earlier, 0),
  }
  if (earlier.sure) return [again]
  // The earlier request, whose answer was lost, may have failed.
  return [
    again,
    ...fresh(key, call).map(({ learn, ...expected }) => ({
      ...expected,
      learn: () => {
        call.bank.forget(earlier)
        learn?.()
      },
    })),
  ]
}

/** Notes a lost answer: its request may have made a payment at this time, unless an earlier request made it. */
export function loseCreate(key: string, call: Body): void {
  const earlier = byKey(key, call)
  if (earlier?.sure === false) earlier.madeAt.push(call.now)
  if (earlier) return
  const { order, available } = orderOf(call)
  if (order.amount + order.fee <= available.most)
    call.bank.add(call.bank.make({ ...order, key, sure: false }, call.now))
}

/** The user's payment with a key, unless the key has expired. */
const byKey = (key: string, { bank, token, now }: Caller): Payment | undefined =>
  bank.payments.findLast(
    ({ type, key: own, user, madeAt }) =>
      type === 'debit' && own === key && user === token.user && (madeAt.at(-1) ?? now) >= now - bank.keyTtl,
  )

function fresh(key: string, call: Body): Expected[] {
  const { bank, now } = call
  const { order, available } = orderOf(call)
  const needed = order.amount + order.fee
  const answers: Expected[] = []
  if (needed <= available.most) {
    const payment = bank.make({ ...order, key, sure: true }, now)
    const accepted = success(created, initiated(payment), { status: 201 })
    answers.push({ ...accepted, headers: { 'idempotent-replayed': null }, learn: () => bank.add(payment) })
  }
  if (needed > available.least) answers.push(invalid(422, { amount: 'Insufficient balance' }))
  return answers
}

/** POST /api/payments/validate. */
export function validate(key: string, call: Body): Expected[] {
  const done = refused(409, 'Payment already processed')
  const earlier = byKey(key, call)
  const problems = problemsOf(call.body)
  if (problems) return [invalid(422, problems)]
  if (earlier?.sure) return [done]
  const { order, available } = orderOf(call)
  const { channel, account, amount, fee } = order
  const answers: Expected[] = earlier ? [{ ...done, learn: () => call.bank.reach(earlier, 0) }] : []
  if (amount + fee > available.least) answers.push(invalid(422, { amount: 'Insufficient balance' }))
  if (amount + fee > available.most) return answers
  if (!order.railOnline) return [...answers, invalid(422, { channel: null })]
  return [...answers, success('Payment data is valid', { channel, fee: money(fee, account.currency) })]
}

/** GET /api/payments/{id}. */
export function get(id: string, call: Caller): Expected[] {
  const { bank, token, now } = call
  if (!uuid.test(id)) return [invalid(422, { payment_id: 'Payment ID must be a valid UUID' })]
  const payment = bank.payments.find((payment) => payment.id.value === id.toLowerCase() && payment.user === token.user)
  if (payment) return [success('Payment status retrieved successfully', detailed(payment, bank, now))]
  // The caller may know the id from a receipt that the model has not seen.
  const unseen = bank.payments.filter((payment) => payment.user === token.user && payment.id.value === undefined)
  const answers = unseen.map((payment) =>
    success('Payment status retrieved successfully', detailed(payment, bank, now)),
  )
  return [refused(404, 'Payment not found'), ...answers]
}

/** GET /api/payments/history. */
export function history(call: Caller): Expected[] {
  const { request, bank, token, now } = call
  const query = new URL(request.url, 'http://service').searchParams
  const asked = (name: string) => query.get(name) || null
  const [channel, type, payee] = [asked('channel'), asked('transfer_type'), asked('recipient_document_number')]
  const problems: Record<string, null> = {}
  if (channel !== null && !['pin', 'sinpe_movil'].includes(channel)) problems.channel = null
  if (type !== null && !['debit', 'credit'].includes(type)) problems.transfer_type = null
  if (payee !== null && !document.test(payee)) problems.recipient_document_number = null
  const own = bank.payments.filter(
    (payment) =>
      payment.user === token.user &&
      (channel ?? payment.channel) === payment.channel &&
      (type ?? payment.type) === payment.type &&
      (payee ?? payment.payee.document.value) === payment.payee.document.value,
  )
  const entries = own.reverse().map((payment) => ({
    id: payment.id,
    sure: payment.sure,
    placed: payment.placed,
    view: detailed(payment, bank, now),
    seen: () => bank.reach(payment, 0),
  }))
  return [pageOf('Payment history retrieved successfully', entries, { ...call, problems })]
}

/** GET /api/payments/service-status. */
export function serviceStatus({ pin, sinpe_movil }: Readonly<Record<Channel, boolean>>): Expected[] {
  const rail = (online: boolean) => ({ available: online, status: online ? 'online' : 'offline' })
  const overall_status = pin && sinpe_movil ? 'online' : pin || sinpe_movil ? 'partial' : 'offline'
  const data = { pin_service: rail(pin), sinpe_service: rail(sinpe_movil), overall_status }
  return [success('Service status retrieved successfully', data)]
}

/** Problems of an order's form; null: none. */
function problemsOf(body: Fields): Problems | null {
  const { source_account_id: source, amount, recipient_iban: iban, recipient_phone: phone } = body
  const { description, recipient_email: email } = body
  const problems: Record<string, string | null> = {}
  if (source === undefined) problems.source_account_id = 'Source account is required'
  else if (typeof source !== 'string') problems.source_account_id = null
  else if (!uuid.test(source)) problems.source_account_id = 'Source account ID must be a valid UUID'
  if (!Number.isInteger(amount)) problems.amount = amount === undefined ? 'The amount field is required.' : null
  else if ((amount as number) < 1) problems.amount = 'The amount must be greater than 0'
  else if ((amount as number) > 500_000_000) problems.amount = 'Amount exceeds maximum limit'
  const isText = (value: unknown, pattern: RegExp) => typeof value === 'string' && pattern.test(value)
  if (iban != null && !isText(iban, /^CR\d{20}$/)) problems.recipient_iban = null
  if (phone != null && !isText(phone, /^(506)?[2678]\d{7}$/)) problems.recipient_phone = null
  if (description != null && !isText(description, /^[\s\S]{15,255}$/u)) problems.description = null
  if (email != null && !isText(email, /^[^\s@]{1,64}@([a-z0-9-]+\.)+[a-z]{2,}$/i)) problems.recipient_email = null
  return Object.keys(problems).length === 0 ? null : problems
}

/**
 * The order of a request, and the available money of its account. Throws 422 in the order of
 * docs/decisions/emulator.md, rows 4 to 10.
 */
function orderOf({ body, bank, token, now }: Body) {
  const problems = problemsOf(body)
  if (problems) throw new Refused(invalid(422, problems))
  const { source_account_id: source, amount, recipient_iban: iban, recipient_phone: phone } = body as unknown as Sound
  if (iban && phone) throw refusal({ recipient: 'Only one recipient field should be provided' })
  const field = iban ? 'recipient_iban' : 'recipient_phone'
  const address = iban ?? phone?.slice(-8)
  if (!address) throw refusal({ recipient_iban: null, recipient_phone: null })
  const channel: Channel = iban ? 'pin' : 'sinpe_movil'
  const account = bank.accounts.find(({ id, user }) => id.value === source.toLowerCase() && user === token.user)
  if (account?.status !== 'active')
    throw refusal({ source_account_id: account ? null : 'Source account does not exist' })
  if (channel === 'sinpe_movil' && account.currency !== 'CRC') throw refusal({ recipient_phone: null })
  const holder = bank.holder(address)
  if (holder?.currency !== account.currency || holder.account === account) throw refusal({ [field]: null })
  const { user } = account
  const order = {
    account,
    channel,
    amount,
    fee: bank.fees[channel === 'pin' && account.currency === 'USD' ? 'pin_usd' : channel],
    payer: {
      name: user.name,
      document: user.document,
      documentType: user.documentType,
      iban: account.iban,
      phone: null,
    },
    payee: partyOf(holder, { iban, phone: iban ? undefined : address }),
    payeeAccount: holder.account,
    description: typeof body.description === 'string' ? body.description : defaultDescriptions[channel],
    outcome: holder.outcome,
    stateCode: holder.stateCode,
    railOnline: bank.rails[channel],
  }
  return { order, available: bank.available(account, now) }
}

interface Sound {
  readonly source_account_id: string
  readonly amount: number
  readonly recipient_iban?: string | null
  readonly recipient_phone?: string | null
}

const refusal = (problems: Problems): Refused => new Refused(invalid(422, problems))

function partyOf(
  { name, document, documentType }: Holder,
  { iban, phone }: { iban?: string | null | undefined; phone?: string | undefined },
): Party {
  return { name, document, documentType, iban: iban ? known(iban) : null, phone: phone ?? null }
}

/** The answer to a payment's creation, whatever the payment's status is now. */
const initiated = (payment: Payment) => ({
  id: payment.id,
  channel: payment.channel,
  status: payment.stages[0]?.status,
  channel_reference: payment.reference,
  idempotency_key: payment.key,
  source_account_id: payment.account.id,
  recipient_iban: payment.channel === 'pin' ? payment.payee.iban : null,
  recipient_phone: payment.channel === 'pin' ? null : payment.payee.phone,
  amount: money(payment.amount, payment.account.currency),
  description: payment.description,
})

/** The answer to a read, for each stage that the payment may have reached. */
export const detailed = (payment: Payment, bank: Bank, now: number): Matcher =>
  oneOf(
    bank.stagesAt(payment, now).map((stage) => ({
      expected: atStage(payment, stage),
      learn: () => bank.reach(payment, stage),
    })),
  )

function atStage(payment: Payment, stage: number) {
  const { status } = payment.stages[stage] as Payment['stages'][number]
  const { type, fee, outcome, channel, account, payer, payee } = payment
  const isCompleted = status === 'completed'
  const wasSubmitted =
    type === 'credit' || payment.stages.slice(0, stage + 1).some(({ status }) => status === 'processing')
  const feeIsKnown = isCompleted && type === 'debit' && outcome !== 'fee_unknown'
  const address = channel === 'pin' ? { iban: payee.iban ?? undefined } : { phone_number: payee.phone ?? undefined }
  return {
    id: payment.id,
    idempotency_key: payment.key,
    channel_reference: payment.reference,
    sinpe_reference: isCompleted ? payment.railReference : undefined,
    transfer_type: type,
    status,
    amount: money(payment.amount, account.currency),
    fee: feeIsKnown ? money(fee, account.currency) : null,
    payer: { ...identity(payer), iban: payer.iban },
    payee: { ...identity(payee), ...address },
    description: payment.description,
    error_message: isCompleted || status === 'pending' || status === 'processing' ? null : errorText,
    created_at: payment.createdAt,
    submitted_at: wasSubmitted ? payment.submittedAt : null,
    completed_at: isCompleted ? payment.completedAt : null,
    channel,
  }
}

const identity = ({ name, document, documentType }: Party) => ({
  name,
  document_number: document,
  document_type: documentType,
})
