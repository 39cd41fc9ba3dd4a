import type { Client } from '../client/client.ts'
import type { Account, PaymentValidation } from '../client/received.ts'
import { formatIban } from '../contract/iban.ts'
import type { SendPaymentBody } from '../contract/index.ts'
import { formatMoney } from '../contract/money.ts'
import { CliError, concerning, IntentError, reasonOf, UsageError } from '../errors/cli_error.ts'
import { ApiError } from '../errors/service_errors.ts'
import { type Intent, isInDoubt, isSamePayment, mayHavePaid } from '../journal/intent.ts'
import { NotCompared, requireHolder } from '../payees/holder.ts'
import type { PayeeAddress } from '../payees/payee.ts'
import type { Reporter } from '../run/reporter.ts'
import { claimFound } from './find_payment.ts'
import type { Order } from './order.ts'
import { type PaymentOptions, type PaymentOutcome, type PaymentSession, withSession } from './payment_session.ts'
import { isUnclear, learnSender, placeOf, type SenderOptions, unclearDoubt } from './sender.ts'

export interface SendOptions extends PaymentOptions {
  /** Show payee, amount and fee, and ask the reporter, before it is sent. */
  readonly confirm?: boolean
  /** Ask even where the holder's name can't be compared; without `confirm` such a payment is refused. */
  readonly askUncompared?: boolean | undefined
}

/**
 * Sends one payment. Its intent is on disk before its request leaves, so that it can be resumed whatever happens. Throws
 * what kept it from being written down; from then on whatever happens is the outcome.
 */
export const sendPayment = (order: Order, options: SendOptions): Promise<PaymentOutcome> =>
  withSession(options, async (session) => {
    const intent = await agreedIntent(order, session, options)
    return concerning(intent, () => session.outcomeOf(intent))
  })

/** What is to be sent, agreed to and on disk. */
async function agreedIntent(order: Order, session: PaymentSession, options: SendOptions): Promise<Intent> {
  const known = await sentBefore(order, session)
  if (known) requireSamePayment(known, order)
  if (known && mayHavePaid(known.status)) {
    const place = placeOf(session.sender)
    session.reporter.remark(`This payment was sent before with this key: finding out what became of it ${place}.`)
  } else {
    await compareHolder(order, session, options)
    await agree(order, session, options.confirm)
  }
  const intent = session.writeDown(order)
  requireSamePayment(intent, order)
  return intent
}

/** The sender's own intent with this key. The same key of another user or service is another payment. */
async function sentBefore({ key }: Order, session: PaymentSession): Promise<Intent | undefined> {
  const { journal, sender } = session
  const own = journal.withKey(sender, key)
  if (own) return own
  const unclear = journal
    .sameKey(sender.base_url, key)
    .filter((intent) => isUnclear(intent, sender) && mayHavePaid(intent.status))
  await claimFound(unclear, session)
  const found = journal.withKey(sender, key)
  const doubtful = unclear.filter(isInDoubt)
  if (!found && doubtful.length > 0) throw unclearDoubt(doubtful, `A payment with the key ${key}`, session)
  return found
}

function requireSamePayment(intent: Intent, { body }: Order): void {
  if (isSamePayment(intent.body, body)) return
  const { amount, recipient_iban, recipient_phone } = intent.body
  const conflict = new UsageError(
    `The idempotency key ${intent.idempotency_key} belongs to another payment: ${amount} minor units to ${recipient_iban ?? recipient_phone} (${intent.id}). Nothing was sent.`,
    { kind: 'change_key' },
  )
  throw new IntentError(intent.id, conflict)
}

/** Throws CliError unless the holder has the expected name, or a person will be asked although it can't be compared. */
async function compareHolder(
  { body, expected = [] }: Order,
  { client, reporter }: Pick<PaymentSession, 'client' | 'reporter'>,
  { confirm, askUncompared }: Pick<SendOptions, 'confirm' | 'askUncompared'>,
): Promise<void> {
  try {
    await requireHolder(addressOf(body), expected, client)
  } catch (error) {
    if (!(error instanceof NotCompared) || !confirm || !askUncompared) throw error
    reporter.remark(`Warning: ${reasonOf(error)}.`)
  }
}

const addressOf = ({ recipient_iban: iban, recipient_phone: phone }: SendPaymentBody): PayeeAddress =>
  iban ? { iban } : { phone: phone ?? '' }

/** Shows a payment and asks whether to send it. Without `confirm` it says in one line what is sent where. */
export async function agree(order: Order, session: PaymentSession, confirm: boolean | undefined): Promise<void> {
  const { client, reporter } = session
  const place = placeOf(session.sender)
  if (!confirm) return reporter.remark(`Sending ${describeBody(order.body)} ${place}`)
  const preview = await previewOrder(order, client)
  for (const line of describeOrder(order, preview, place)) reporter.remark(line)
  if (!preview.validation) throw alreadyPaid(order)
  await requireYes(questionOf(order, preview, place), reporter)
}

/** Throws CliError for anything but a yes. */
export async function requireYes(question: string, reporter: Reporter): Promise<void> {
  if (!(await reporter.ask(question))) throw new CliError('usage', 'Not confirmed: nothing was sent.')
}

interface Rehearsal extends Pick<SendOptions, 'askUncompared'> {
  readonly reporter: Reporter
}

/** Shows what would be sent, and returns what the service says of it. Sends nothing. */
export async function rehearsePayment(
  order: Order,
  { reporter, askUncompared, ...options }: SenderOptions & Rehearsal,
): Promise<PaymentValidation> {
  const sender = await learnSender(options)
  await compareHolder(order, { client: options.client, reporter }, { confirm: true, askUncompared })
  const preview = await previewOrder(order, options.client)
  for (const line of describeOrder(order, preview, placeOf(sender))) reporter.remark(line)
  if (!preview.validation) throw alreadyPaid(order)
  return preview.validation
}

const alreadyPaid = ({ key }: Order): CliError =>
  new CliError('conflict', `The service has a payment with the idempotency key ${key} already. Nothing was sent.`, {
    kind: 'find_by_key',
  })

/** What a person should know before money moves. Null is what the token may not read, or the service does not know. */
interface Preview {
  readonly account: Account | null
  readonly payee: string | null
  /** Null when the service has a payment with this key already. */
  readonly validation: PaymentValidation | null
}

async function previewOrder({ body, key }: Order, client: Client): Promise<Preview> {
  const account = await readable(client.call('accounts.get', { params: { id: body.source_account_id } }), [403])
  const payee = await readable(lookUp(body, client), [403, 404, 422])
  const request = { headers: { 'X-Idempotency-Key': key }, body }
  const validation = await readable(client.call('payments.validate', request), [409])
  return { account, payee: payee && holderOf(payee), validation }
}

/** The answer, or null when it is one of the given refusals. */
async function readable<T>(answer: Promise<T>, tolerated: readonly number[]): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiError && tolerated.includes(error.status)) return null
    throw error
  }
}

interface Holder {
  readonly name: string | null | undefined
  readonly status: string | null | undefined
}

/** The name, and the status of an account that takes no money. */
function holderOf({ name, status }: Holder): string | null {
  const isOpen = ['active', 'registered'].includes(textOf(status) ?? 'active')
  return isOpen ? (textOf(name) ?? null) : `${textOf(name) ?? 'name not available'} (account ${textOf(status)})`
}

const lookUp = (body: SendPaymentBody, client: Client): Promise<Holder> =>
  body.recipient_iban
    ? client.call('iban.information', { params: { iban: body.recipient_iban } })
    : client.call('phone.information', { params: { phone: body.recipient_phone ?? '' } })

/** One line for each fact. */
function describeOrder({ body }: Order, { account, payee, validation }: Preview, place: string): readonly string[] {
  const iban = textOf(account?.iban)
  const source = iban ? `${formatIban(iban)}, ${textOf(account?.owner_name) ?? ''}` : body.source_account_id
  return [
    `Payee        ${textOf(payee) ?? 'name not available'}`,
    `To           ${recipientOf(body)}`,
    `Amount       ${amountOf(body, { account, validation })}`,
    `Fee          ${feeOf(validation)}`,
    `From         ${source}`,
    `Service      ${place.replace(/^at /, '')}`,
    `Description  ${body.description ?? 'default of the channel'}`,
    ...(body.recipient_email ? [`Email        ${body.recipient_email}`] : []),
  ]
}

/** All that matters in one line: it may be the only one that is shown. */
const questionOf = ({ body }: Order, { account, payee, validation }: Preview, place: string): string =>
  `Send ${amountOf(body, { account, validation })} (fee ${feeOf(validation)}) to ${textOf(payee) ?? 'an unknown payee'}, ${recipientOf(body)}, ${place}?`

/** What is known of a payment without asking the service: `1,500.25 to CR05 ...`. */
export const describeBody = (body: SendPaymentBody): string =>
  `${formatMoney(body.amount, '').trim()} to ${recipientOf(body)}`

const recipientOf = (body: SendPaymentBody): string =>
  body.recipient_iban ? formatIban(body.recipient_iban) : (body.recipient_phone ?? '').replace(/(?<=^.{4})/, ' ')

const amountOf = (body: SendPaymentBody, { account, validation }: Omit<Preview, 'payee'>): string =>
  formatMoney(body.amount, textOf(account?.balance?.currency) ?? textOf(validation?.fee?.currency) ?? '').trim()

const feeOf = (validation: PaymentValidation | null): string => textOf(validation?.fee?.formatted) ?? 'not known'

/** Characters of a text of the service's that are shown: more would push amount and payee off the screen. */
const longest = 80

const textOf = (value: string | null | undefined): string | undefined =>
  value && value.length > longest ? `${value.slice(0, longest)}...` : (value ?? undefined)
