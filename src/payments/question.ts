import type { Client } from '../client/client.ts'
import type { Account, PaymentValidation } from '../client/received.ts'
import { formatAddress, formatIban } from '../contract/iban.ts'
import type { SendPaymentBody } from '../contract/index.ts'
import { formatMoney, moneyText, namedCurrency } from '../contract/money.ts'
import { permitted, unlessRefused } from '../errors/service_errors.ts'
import type { Order } from '../journal/intent.ts'
import type { Guard } from '../limits/guard.ts'
import type { Counted } from '../limits/used.ts'
import { lookUpHolder, OtherHolderAnswered } from '../payees/holder.ts'
import type { Fact } from '../run/reporter.ts'
import { foreign, type Said, say, type Text } from '../words/text.ts'
import { addressOf } from './holders.ts'
import { describePlace } from './sender.ts'

// Preview of one payment for a person before it is sent.

/**
 * Facts to review before money moves. A fact is null if the token is not allowed to read it, or the service does not
 * know it.
 */
interface Preview {
  readonly account: Account | null
  readonly payee: Said | null
  /** Reason why the payee is unknown, if the service answered about another payee. */
  readonly whyUnknown: Said | null
  /** Null if the service already has a payment with this key. */
  readonly validation: PaymentValidation | null
}

/** Requests all facts at the same time; if several requests fail, throws the account's error first. */
export async function previewOrder({ body, idempotency_key: key }: Order, client: Client): Promise<Preview> {
  const account = permitted(client.call('accounts.get', { params: { id: body.source_account_id } }))
  const payee = payeeOf(body, client)
  const request = { headers: { 'X-Idempotency-Key': key }, body }
  const validation = unlessRefused(client.call('payments.validate', request), [409])
  await Promise.allSettled([account, payee, validation])
  return { account: await account, ...(await payee), validation: await validation }
}

async function payeeOf(body: SendPaymentBody, client: Client): Promise<Pick<Preview, 'payee' | 'whyUnknown'>> {
  try {
    const holder = await unlessRefused(lookUpHolder(addressOf(body), client), [403, 404, 422])
    return { payee: holder && holderOf(holder), whyUnknown: null }
  } catch (error) {
    if (!(error instanceof OtherHolderAnswered)) throw error
    return { payee: null, whyUnknown: say`name not known: the service answered with ${error.number}` }
  }
}

interface Holder {
  readonly name: string | null | undefined
  readonly status: string | null | undefined
}

/** The holder's name, with the status of the account if it can't receive money. */
function holderOf({ name, status }: Holder): Said | null {
  const isOpen = ['active', 'registered'].includes(textOf(status) ?? 'active')
  return isOpen
    ? (textOf(name) ?? null)
    : say`${textOf(name) ?? say`name not available`} (account ${foreign(textOf(status) ?? '')})`
}

/** The preview as facts. `holder`: differences between the holder and the order's requirements. */
export function describeOrder(
  { body }: Order,
  { account, payee, whyUnknown, validation }: Preview,
  sender: Parameters<typeof describePlace>[0],
  holder: readonly Fact[] = [],
): readonly Fact[] {
  const { service, standing } = describePlace(sender)
  const channel = textOf(validation?.channel) ?? (body.recipient_phone ? 'sinpe_movil' : 'pin')
  const iban = textOf(account?.iban)
  return [
    ['To', payee ?? whyUnknown ?? 'name not available', `${recipientOf(body)}, ${rails.get(channel) ?? channel}`],
    ...holder,
    ['Amount', amountOf(body, { account, validation }), say`fee ${feeOf(validation)}`],
    [
      'From',
      textOf(account?.owner_name) ?? body.source_account_id,
      iban ? formatIban(iban) : 'the IBAN could not be read',
    ],
    ['Left', leftOf(body, { account, validation }), ''],
    ['At', service, standing],
    ...(body.description ? [['Text', body.description, ''] as const] : []),
    ...(body.recipient_email ? [['Email', body.recipient_email, ''] as const] : []),
  ]
}

/** The question is short, because the preview is above it. */
export const questionOf = ({ body }: Order, { account, payee, validation }: Preview): Said =>
  say`Send ${amountOf(body, { account, validation })} to ${payee ?? recipientOf(body)}?`

/** Description of the payment that is about to be sent. */
export interface Leaving {
  /** Amount as text, without the currency if the currency is unknown. */
  readonly amount: string
  /** Name of the holder; the IBAN or phone if unknown. */
  readonly payee: Said
  readonly currency: string | null
}

export const leavingOf = (
  body: SendPaymentBody,
  currency: string | null,
  { payee }: Partial<Preview> = {},
): Leaving => ({
  amount: formatMoney(body.amount, currency ?? '').trim(),
  payee: payee ?? recipientOf(body),
  currency,
})

/** Summary of a payment without asking the service: `1,500.25 CRC to CR05 ...`. */
export function describeBody(body: SendPaymentBody, currency: string | null): Text {
  const { amount, payee } = leavingOf(body, currency)
  return say`${amount} to ${payee}`
}

const recipientOf = (body: SendPaymentBody): string => formatAddress(body.recipient_iban ?? body.recipient_phone ?? '')

/** Names of channels for people; an unknown channel has the service's name. */
const rails: ReadonlyMap<string, string> = new Map([
  ['pin', 'PIN'],
  ['sinpe_movil', 'SINPE Móvil'],
])

type Readable = Pick<Preview, 'account' | 'validation'>

const currencyOf = ({ account, validation }: Readable): string | undefined =>
  namedCurrency(account?.balance?.currency) ?? namedCurrency(validation?.fee?.currency) ?? undefined

function amountOf(body: SendPaymentBody, known: Readable): Said {
  const currency = currencyOf(known)
  return currency === undefined
    ? say`${formatMoney(body.amount, '').trim()} in the currency of the account, which could not be read`
    : formatMoney(body.amount, currency)
}

const feeOf = (validation: PaymentValidation | null): Said => moneyText(validation?.fee) || say`not known`

/** Balance after the payment. */
function leftOf(body: SendPaymentBody, { account, validation }: Readable): Said {
  const [balance, fee] = [account?.balance?.value, validation?.fee?.value]
  if (!Number.isSafeInteger(balance)) return 'the balance could not be read'
  const left = Number(balance) - body.amount - (Number.isSafeInteger(fee) ? Number(fee) : 0)
  const currency = currencyOf({ account, validation }) ?? ''
  const money = formatMoney(left, currency).trim()
  return Number.isSafeInteger(fee) ? money : say`${money}, less the fee`
}

/** Used part of today's limits, one line for each profile whose limits apply. */
export const usedToday = (guard: Guard, counted: Counted, body: SendPaymentBody): readonly Text[] =>
  guard
    .today(body, counted)
    .map(
      ({ profile, used, limit, currency }) =>
        say`  Today     ${formatMoney(used, '').trim()} of ${formatMoney(limit, currency)} used (limits of ${profile})`,
    )

/**
 * Maximum number of characters of the service's text to show: more would push the amount and the payee off the screen.
 */
const longest = 80

const textOf = (value: string | null | undefined): string | undefined =>
  value && value.length > longest ? `${value.slice(0, longest)}...` : (value ?? undefined)
