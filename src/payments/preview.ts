import type { Client } from '../client/client.ts'
import type { Order } from '../commands/payments/payment_flags.ts'
import { formatIban } from '../contract/iban.ts'
import type { Account, PaymentValidation, SendPaymentBody } from '../contract/index.ts'
import { formatMoney } from '../contract/money.ts'
import { ApiError } from '../errors/service_errors.ts'

/** What a person should know before money moves. Null is what the token may not read, or the service does not know. */
export interface Preview {
  readonly account: Account | null
  readonly payee: string | null
  /** Null when the service has a payment with this key already. */
  readonly validation: PaymentValidation | null
}

export async function previewOrder({ body, key }: Order, client: Client): Promise<Preview> {
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
  readonly name: string
  readonly status?: string
}

/** The name, and beside it a status that money would not arrive in. */
function holderOf({ name, status }: Holder): string | null {
  const isOpen = ['active', 'registered'].includes(textOf(status) ?? 'active')
  return isOpen ? (textOf(name) ?? null) : `${textOf(name) ?? 'name not available'} (account ${textOf(status)})`
}

const lookUp = (body: SendPaymentBody, client: Client): Promise<Holder> =>
  body.recipient_iban
    ? client.call('iban.information', { params: { iban: body.recipient_iban } })
    : client.call('phone.information', { params: { phone: body.recipient_phone ?? '' } })

/** One line for each fact. */
export function describeOrder(
  { body }: Order,
  { account, payee, validation }: Preview,
  place: string,
): readonly string[] {
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

/** All that matters in one line, as it is the only one that is shown with --quiet. */
export const questionOf = ({ body }: Order, { account, payee, validation }: Preview, place: string): string =>
  `Send ${amountOf(body, { account, validation })} (fee ${feeOf(validation)}) to ${textOf(payee) ?? 'an unknown payee'}, ${recipientOf(body)}, ${place}?`

/** What is known of a payment without asking the service: `1,500.25 to CR05 ...`. */
export const describeBody = (body: SendPaymentBody): string =>
  `${formatMoney(body.amount, '').trim()} to ${recipientOf(body)}`

const recipientOf = (body: SendPaymentBody): string =>
  body.recipient_iban ? formatIban(body.recipient_iban) : (body.recipient_phone ?? '').replace(/(?<=^.{4})/, ' ')

const amountOf = (body: SendPaymentBody, { account, validation }: Omit<Preview, 'payee'>): string =>
  formatMoney(body.amount, textOf(account?.balance?.currency) ?? textOf(validation?.fee?.currency) ?? '').trim()

const feeOf = (validation: PaymentValidation | null): string => textOf(validation?.fee?.formatted) ?? 'not known'

/** Longest text of the service's that is shown, in characters: more would push amount and payee out of sight. */
const longest = 80

/** A service may send something else than it promises. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  return value.length > longest ? `${value.slice(0, longest)}...` : value
}
