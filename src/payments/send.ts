import type { Answer, Client, RawAnswer, RawRequest } from '../client/client.ts'
import { decode } from '../client/decode.ts'
import type { InitiatedPayment, PaymentValidation } from '../client/received.ts'
import { namedCurrency } from '../contract/money.ts'
import { wireTable } from '../contract/wire_table.ts'
import { CliError, concerning, IntentError, reasonOf, UsageError } from '../errors/cli_error.ts'
import { type Intent, isSamePayment, mayHavePaid, type Order, ownershipOf } from '../journal/intent.ts'
import { compareHolder, type HolderComparison, NotCompared } from '../payees/holder.ts'
import { say } from '../words/text.ts'
import { type Asking, askToSend, remarkOnTyping, settleOrAsk } from './confirmation.ts'
import { claimFound, Overtaken } from './doubts.ts'
import { addressOf } from './holders.ts'
import type { PaymentOutcome } from './payment_outcome.ts'
import { type PaymentOptions, type PaymentSession, type SessionOptions, withSession } from './payment_session.ts'
import {
  describeBody,
  describeOrder,
  type Leaving,
  leavingOf,
  previewOrder,
  questionOf,
  usedToday,
} from './question.ts'
import { readingOnce } from './reading_once.ts'
import { placeOf, unclearDoubt, unclearWithKey } from './sender.ts'

interface SendOptions extends PaymentOptions, Asking, Pick<SessionOptions, 'request'> {
  /** True: shows payee, amount and fee, and asks the reporter, before sending. */
  readonly confirm?: boolean | undefined
  /** True: asks even if the holder's name can't be compared. Without `confirm`, such a payment is refused. */
  readonly askUncompared?: boolean | undefined
  /**
   * Returns the currency of the paying account, or throws to refuse the payment. Not called for a payment that was sent
   * before: that payment must be found whatever the account's present state.
   */
  readonly readCurrency?: (() => Promise<string | null>) | undefined
  /** Client for the reads before the question; default: the client of the payment. */
  readonly reads?: Client | undefined
  /** Called with the payment about to be sent, after its intent is on disk. */
  readonly onLeaving?: (what: Leaving) => void
}

/**
 * Sends one payment. The payment's intent is on disk before its request is sent, so that it can be resumed whatever
 * happens. Throws errors that occur before the intent is recorded; every later result is returned as the outcome.
 */
export const sendPayment = (order: Order, options: SendOptions): Promise<PaymentOutcome> =>
  withSession(options, async (session) => {
    const intent = await agreedIntent(order, session, options)
    return concerning(intent, () => session.outcomeOf(intent))
  })

/**
 * Sends the payment of a raw request: the intent has the order's key and body, and the request has its own path and
 * headers. `answer`: the raw answer to the request; undefined if no request was sent, or none was answered.
 */
export async function sendRawPayment(
  order: Order,
  request: RawRequest,
  options: PaymentOptions,
): Promise<{ readonly outcome: PaymentOutcome; readonly answer: RawAnswer | undefined }> {
  let answer: RawAnswer | undefined
  const outcome = await sendPayment(order, {
    ...options,
    async request({ body }) {
      answer = await options.client.raw({ ...request, body })
      if (answer.error) throw answer.error
      return initiated(answer)
    },
  })
  return { outcome, answer }
}

/** The payment in a success answer. */
function initiated({ text, status, headers }: RawAnswer): Answer<InitiatedPayment> {
  const { data } = decode(
    JSON.parse(text).data,
    wireTable['payments.create'].success.data as Parameters<typeof decode>[1],
  )
  return { data: data as InitiatedPayment, status, message: '', headers }
}

/** Asks for agreement unless the payment was sent before, writes the intent to disk and returns it. */
async function agreedIntent(asked: Order, session: PaymentSession, options: SendOptions): Promise<Intent> {
  const known = await intentWithKey(asked.idempotency_key, session)
  if (known) requireSamePayment(known, asked)
  else remarkOnEarlierWorld(asked.idempotency_key, session)
  let order = asked
  let leaving: Leaving | undefined
  if (known && mayHavePaid(known.status)) {
    const place = placeOf(session.sender)
    session.reporter.remark(say`This payment was sent before with this key: finding its outcome ${place}.`)
    await settleOrAsk([known], options, session)
  } else {
    if (options.readCurrency) order = { ...asked, currency: await options.readCurrency() }
    const reads = options.reads ?? readingOnce(session.client)
    const { facts } = await checkedHolder(order, { client: reads, reporter: session.reporter }, options)
    leaving = await agree(order, session, { confirm: options.confirm, reads, facts })
  }
  await session.guard?.learn([order.body.source_account_id], session.client)
  const { journal, sender } = session
  const intent = journal.inTransaction(() => {
    // Another process has found a refusal since: nobody has agreed to send this payment as a new one.
    if (!leaving && journal.withKey(sender, order.idempotency_key)?.status === 'rejected') throw new Overtaken()
    return session.writeDown({ ...order, ...(leaving && { currency: leaving.currency }) })
  })
  requireSamePayment(intent, order)
  if (leaving) options.onLeaving?.(leaving)
  return intent
}

/**
 * Notes that a payment with this key was sent to an ended world of the emulator: this run makes a different payment.
 */
function remarkOnEarlierWorld(key: string, { journal, sender, reporter }: PaymentSession): void {
  const isOfEarlier = (intent: Intent) => ownershipOf(intent, sender) === 'other world' && mayHavePaid(intent.status)
  if (!journal.sameKey(sender.base_url, key).some(isOfEarlier)) return
  reporter.remark(
    say`The key ${key} was sent to an earlier world of this emulator, and its payment is gone with that world: this is a new payment.`,
  )
}

/**
 * Finds the sender's own intent with this key, sent or not. For another user or service, the same key identifies
 * another payment. Throws CliError while another intent with the key may be the sender's and may have paid.
 */
export async function intentWithKey(key: string, session: PaymentSession): Promise<Intent | undefined> {
  const { journal, sender } = session
  const own = journal.withKey(sender, key)
  if (own && mayHavePaid(own.status)) return own
  const unclear = await claimFound(unclearWithKey(key, session), session)
  const found = journal.withKey(sender, key)
  const isFound = found && mayHavePaid(found.status)
  if (!isFound && unclear.length > 0) throw unclearDoubt(unclear, say`A payment with the key ${key}`, session)
  return found
}

function requireSamePayment(intent: Intent, { body }: Order): void {
  if (isSamePayment(intent.body, body)) return
  const conflict = new UsageError(
    say`The idempotency key ${intent.idempotency_key} belongs to another payment: ${describeBody(intent.body, intent.currency)} (${intent.id}). Nothing was sent.`,
    { kind: 'change_key' },
  )
  throw new IntentError(intent.id, conflict)
}

/**
 * Compares the holder with the order. Throws CliError for a different holder; without `confirm`, also for a holder that
 * matches only in part; without `confirm` and `askUncompared`, also for a holder that can't be compared.
 */
export async function checkedHolder(
  order: Order,
  { client, reporter }: Pick<PaymentSession, 'client' | 'reporter'>,
  { confirm, askUncompared }: Pick<SendOptions, 'confirm' | 'askUncompared'>,
): Promise<HolderComparison> {
  try {
    const comparison = await compareHolder(addressOf(order.body), order, client)
    if (comparison.doubt && !confirm) throw comparison.doubt
    return comparison
  } catch (error) {
    if (!(error instanceof NotCompared) || !confirm || !askUncompared) throw error
    reporter.remark(say`Warning: ${reasonOf(error)}.`)
    return { facts: [], doubt: undefined }
  }
}

/**
 * Shows a payment and asks to send it. Without `confirm`, prints a one-line summary. `facts`: facts about the holder.
 */
export async function agree(
  order: Order,
  session: PaymentSession,
  {
    confirm,
    reads = session.client,
    facts,
  }: Pick<SendOptions, 'confirm' | 'reads'> & { readonly facts: HolderComparison['facts'] },
): Promise<Leaving> {
  const { reporter, sender, guard } = session
  const { body } = order
  await guard?.learn([body.source_account_id], reads)
  requireAllowed(order, session)
  const sum = { amount: body.amount, currency: guard?.currencyOf(body.source_account_id) ?? null }
  if (!confirm) {
    guard?.requireNoTyping([sum], {
      payee: body.recipient_iban ?? body.recipient_phone ?? null,
      key: order.idempotency_key,
    })
    const currency = order.currency ?? session.currencyOf(body)
    for (const line of reporter.linesOf(facts)) reporter.remark(line)
    reporter.remark(say`Sending ${describeBody(body, currency)} ${placeOf(sender)}`)
    return leavingOf(body, currency)
  }
  const preview = await previewOrder(order, reads)
  const used = guard ? usedToday(guard, session.journal.counted, body) : []
  for (const line of [...reporter.linesOf(describeOrder(order, preview, sender, facts)), ...used]) reporter.fact(line)
  if (!preview.validation) throw alreadyPaid(order)
  await askToSend(questionOf(order, preview), [sum], session)
  const currency = namedCurrency(preview.account?.balance?.currency) ?? order.currency ?? session.currencyOf(body)
  return leavingOf(body, currency, preview)
}

/**
 * Throws if limits forbid this payment. The limits are checked again when the payment is sent, because other processes
 * may pay in the meantime.
 */
function requireAllowed(order: Order, { guard, journal }: PaymentSession): void {
  for (const { error } of guard?.refused([order], journal.counted) ?? []) throw error
}

/**
 * Dry run: shows the payment, and returns the service's validation. Throws if limits forbid the payment. Sends nothing.
 */
export const dryRunPayment = (
  order: Order,
  options: PaymentOptions & Pick<SendOptions, 'askUncompared' | 'reads'>,
): Promise<PaymentValidation> =>
  withSession(options, async (session) => {
    const { reporter, sender, guard, journal } = session
    const { askUncompared, reads = readingOnce(session.client) } = options
    const checks = { confirm: true, askUncompared }
    const { facts, doubt } = await checkedHolder(order, { client: reads, reporter }, checks)
    const preview = await previewOrder(order, reads)
    const { amount, source_account_id: source } = order.body
    await guard?.learn([source], reads)
    const used = guard ? usedToday(guard, journal.counted, order.body) : []
    for (const line of [...reporter.linesOf(describeOrder(order, preview, sender, facts)), ...used])
      reporter.remark(line)
    if (doubt) reporter.remark('Only a person can agree to this holder.', doubt.next)
    requireAllowed(order, session)
    if (!preview.validation) throw alreadyPaid(order)
    remarkOnTyping([{ amount, currency: guard?.currencyOf(source) ?? null }], guard, reporter)
    return preview.validation
  })

const alreadyPaid = ({ idempotency_key: key }: Order): CliError =>
  new CliError('conflict', say`The service already has a payment with the idempotency key ${key}. Nothing was sent.`, {
    kind: 'find_by_key',
  })
