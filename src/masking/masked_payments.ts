import type { Account, Payment } from '../client/received.ts'
import { rejections, stateCodes } from '../contract/event_names.ts'
import { ibanPattern, normalizeIban } from '../contract/iban.ts'
import { isUnderWay, paymentStatuses } from '../contract/payment_names.ts'
import { isPhone, nationalPhone, normalizePhone } from '../contract/phone.ts'
import type { SeedFile } from '../contract/seed_file.ts'
import type { Masks } from './masks.ts'

export type SeedPayment = NonNullable<SeedFile['payments']>[number]

/** An account of the service, and the account's name in the seed. */
export interface NamedAccount {
  readonly account: Account
  readonly alias: string
}

/** Thrown for a payment that the seed can't contain; the message is the reason. */
class LeftOutPayment extends Error {}

/** Time until a payment in progress takes its next step in the new world, in milliseconds. */
const nextStep = 60_000

/** Creates the payments of a seed from a service's history. */
export class PaymentMask {
  readonly #masks: Masks
  readonly #accounts: ReadonlyMap<string, NamedAccount>
  /** The user's own phone; null if no payment shows it. */
  readonly #phone: string | null
  /** Epoch milliseconds at which the new world starts. */
  readonly #start: number

  constructor(own: { masks: Masks; accounts: readonly NamedAccount[]; phone: string | null; start: number }) {
    this.#masks = own.masks
    this.#accounts = new Map(own.accounts.map((named) => [named.account.iban ?? '', named]))
    this.#phone = own.phone
    this.#start = own.start
  }

  /**
   * The payments, each with its place in the history as its number, and the reasons why other payments are left out.
   * `history`: oldest first.
   */
  all(history: readonly Payment[]): { readonly payments: SeedPayment[]; readonly leftOut: readonly string[] } {
    const receipts = this.#receiptsIn(history)
    const numbers = new Map(history.map((payment, at) => [payment, at + 1]))
    const taken = new Set(receipts.values())
    const leftOut: string[] = []
    const payments = history.flatMap((payment) => {
      const number = numbers.get(payment) ?? 0
      if (taken.has(payment)) return []
      try {
        if (payment.transfer_type === 'credit') return [{ number, ...this.#credit(payment) }]
        const receipt = receipts.get(payment)
        const receiver = receipt && { receipt: { number: numbers.get(receipt) ?? 0 } }
        return [{ number, ...this.#debit(payment, receipt !== undefined), ...receiver }]
      } catch (error) {
        if (!(error instanceof LeftOutPayment)) throw error
        leftOut.push(error.message)
        return []
      }
    })
    return { payments, leftOut }
  }

  /**
   * Maps each completed payment between the user's own accounts to the credit that the receiving account shows for it.
   */
  #receiptsIn(history: readonly Payment[]): ReadonlyMap<Payment, Payment> {
    const credits = new Map(
      history.flatMap((one) => (one.transfer_type === 'credit' ? [[one.channel_reference, one] as const] : [])),
    )
    return new Map(
      history.flatMap((payment) => {
        const { transfer_type, status, payee, channel_reference } = payment
        const receipt = credits.get(channel_reference)
        const isOwn = this.#accounts.has(payee.iban ?? '') || isSame(payee.phone_number, this.#phone)
        return transfer_type === 'debit' && status === 'completed' && isOwn && receipt
          ? [[payment, receipt] as const]
          : []
      }),
    )
  }

  #credit(payment: Payment): SeedPayment {
    const { channel, payer, payee } = payment
    const isPhoneCredit = channel === 'sinpe_movil'
    const account = isPhoneCredit ? this.#receiverOfPhone() : this.#accounts.get(payee.iban ?? '')
    if (!account) throw new LeftOutPayment('received payments whose account is not known')
    requireCurrency(payment, account)
    const from = isPhoneCredit ? undefined : ibanOf(payer.iban)
    return {
      account: account.alias,
      transfer_type: 'credit',
      ...(isPhoneCredit && { channel: 'sinpe_movil' as const }),
      ...(from !== undefined && { from: this.#masks.iban(from) }),
      ...this.#common(payment),
      ...this.#party(payer),
    }
  }

  /** The user's account that receives SINPE Móvil payments. */
  #receiverOfPhone(): NamedAccount | undefined {
    const inColones = [...this.#accounts.values()].filter(({ account }) => account.balance.currency === 'CRC')
    return inColones.find(({ account }) => account.status === 'active')
  }

  #debit(payment: Payment, hasReceipt: boolean): SeedPayment {
    const { payer, payee, fee, status: given, submitted_at, completed_at, error_message } = payment
    const account = this.#accounts.get(payer.iban ?? '')
    if (!account) throw new LeftOutPayment('sent payments whose account is not known')
    requireCurrency(payment, account)
    const status = paymentStatuses.find((known) => known === given)
    if (status === undefined) throw new LeftOutPayment('payments with a status that the interface does not have')
    const { own, to } = this.#recipientOf(payment)
    if (own && (own === account || own.account.balance.currency !== account.account.balance.currency)) {
      throw new LeftOutPayment('payments from an account to itself, or between accounts in different currencies')
    }
    if (own && status === 'completed' && !hasReceipt) {
      throw new LeftOutPayment(
        'payments between the user’s own accounts, if only one side of the payment is in the history',
      )
    }
    const reason = stateCodes.find((code) => rejections[code] === error_message)
    const isFeeUnknown = status === 'completed' && typeof fee?.value !== 'number'
    return {
      account: account.alias,
      to,
      status,
      ...this.#common(payment),
      ...(!own && this.#party(payee)),
      ...(typeof fee?.value === 'number' && { fee: this.#masks.amount(fee.value) }),
      ...(isFeeUnknown && { outcome: 'fee_unknown' as const }),
      ...(status === 'failed' && reason && { state_code: reason }),
      ...(status === 'failed' &&
        !reason &&
        error_message?.trim() && { error: this.#masks.text(error_message.slice(0, 255)) }),
      ...(submitted_at && status !== 'pending' && { submitted_at }),
      ...(completed_at && status === 'completed' && { completed_at }),
      ...(isUnderWay(status) && { due_at: new Date(this.#start + nextStep).toISOString() }),
    }
  }

  /** The receiver of a debit: one of the user's own accounts, or an address at another bank. */
  #recipientOf({ payee }: Payment): { readonly own?: NamedAccount; readonly to: string } {
    const iban = ibanOf(payee.iban)
    if (iban !== undefined) {
      const own = this.#accounts.get(iban)
      return own ? { own, to: own.alias } : { to: this.#masks.iban(iban) }
    }
    const phone = phoneOf(payee.phone_number)
    if (phone === undefined) throw new LeftOutPayment('sent payments without the IBAN or phone of their payee')
    const own = isSame(phone, this.#phone) ? this.#receiverOfPhone() : undefined
    return { ...(own && { own }), to: this.#masks.phone(phone) }
  }

  #common({ amount, description, created_at }: Payment) {
    if (typeof amount.value !== 'number' || amount.value < 1 || !created_at) {
      throw new LeftOutPayment('payments without an amount or a time')
    }
    return {
      amount: this.#masks.amount(amount.value),
      created_at,
      ...(description?.trim() && { description: this.#masks.text(description.slice(0, 255)) }),
    }
  }

  #party({ name, document_number, document_type }: Payment['payer'] | Payment['payee']) {
    return {
      name: name?.trim() ? this.#masks.name(name.slice(0, 255)) : nameless,
      document_number: this.#masks.document(document_number ?? ''),
      ...(document_type !== undefined && { document_type }),
    }
  }
}

/** Name that the seed gives to a party whose name the service does not return. */
const nameless = 'Nombre desconocido'

function requireCurrency({ amount }: Payment, { account }: NamedAccount): void {
  if (amount.currency !== account.balance.currency) {
    throw new LeftOutPayment('payments in a currency other than that of their account')
  }
}

/** The IBAN in its usual form; undefined for other text. */
export function ibanOf(text: string | null | undefined): string | undefined {
  const iban = normalizeIban(text ?? '')
  return new RegExp(ibanPattern).test(iban) ? iban : undefined
}

/** The eight digits of a phone number; undefined for other text. */
export function phoneOf(text: string | null | undefined): string | undefined {
  const phone = normalizePhone(text ?? '')
  return isPhone(phone) ? nationalPhone(phone) : undefined
}

const isSame = (text: string | null | undefined, phone: string | null): boolean =>
  phone !== null && phoneOf(text) === phone
