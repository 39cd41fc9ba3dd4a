import type { Money, Payment } from '../client/received.ts'
import { formatIban } from '../contract/iban.ts'
import { moneyText } from '../contract/money.ts'
import { hasEnded, isUnderWay } from '../contract/payment_names.ts'
import { printable } from '../run/sanitise.ts'
import { moneyOutcome } from '../values/money_outcome.ts'
import { type Label, type Language, type Words, wordsIn } from './words.ts'

/** Facts from which a receipt is built. */
interface ReceiptFacts {
  readonly payment: Payment
  /** True if an emulator answered. */
  readonly isEmulator: boolean
  /** Host of the service. */
  readonly service: string
  readonly language: Language
  readonly now: Date
}

export interface Receipt {
  readonly language: Language
  readonly title: string
  /** Result of the payment, as a sentence. */
  readonly verdict: string
  readonly tone: 'good' | 'busy' | 'bad'
  /** Reasons why the receipt does not prove a payment; empty if it does. */
  readonly warnings: readonly string[]
  readonly amount: string
  readonly sections: readonly Section[]
  readonly source: string
}

interface Section {
  readonly heading: string
  readonly rows: readonly (readonly [label: string, value: string])[]
}

/** True for a completed payment of real money with a known amount. */
export const isProof = ({ payment, isEmulator }: Pick<ReceiptFacts, 'payment' | 'isEmulator'>): boolean =>
  !isEmulator && payment.status === 'completed' && amountOf(payment.amount) !== undefined

/**
 * Builds the texts of a one-page receipt. The service's text is cleaned, and cut if it is longer than any real value.
 */
export function receiptOf(facts: ReceiptFacts): Receipt {
  const { payment, isEmulator, language, service, now } = facts
  const words = wordsIn[language]
  const [verdict, tone] = verdictOn(facts, words)
  const warnings = [isEmulator ? words.emulator : !isProof(facts) && words.noProof]
  const paidTitle = isCredit(payment) ? words.titles.received : words.titles.paid
  return {
    language,
    title: isProof(facts) ? paidTitle : words.titles.open,
    verdict,
    tone,
    warnings: warnings.filter((warning) => warning !== false),
    amount: amountIn(payment.amount, words),
    sections: sectionsOf(payment, words),
    source: words.source(cleaned(service), timeIn(now.toISOString(), words)),
  }
}

const isCredit = ({ transfer_type }: Payment): boolean => transfer_type === 'credit'

function verdictOn({ payment, isEmulator }: ReceiptFacts, words: Words): readonly [string, Receipt['tone']] {
  const { status, error_message } = payment
  if (status === 'completed') return [isCredit(payment) ? words.verdicts.received : words.verdicts.completed, 'good']
  if (isUnderWay(status)) return [words.verdicts.pending, 'busy']
  if (!hasEnded(status)) return [words.unknown(cleaned(status)), 'bad']
  const money = moneyOutcome(payment, isEmulator)
  return [`${words.notPaid(cleaned(error_message))}${money ? ` ${words.money[money]}` : ''}`, 'bad']
}

function sectionsOf(payment: Payment, words: Words): readonly Section[] {
  const { payer, payee, channel, description, created_at, submitted_at, completed_at } = payment
  const isOwnPayee = isCredit(payment)
  const phone = 'phone_number' in payee ? payee.phone_number : undefined
  const section = (heading: string, rows: readonly (readonly [Label, string])[]): Section => ({
    heading,
    rows: rows.filter(([, value]) => value !== '').map(([label, value]) => [words.labels[label], value]),
  })
  return [
    section(words.headings.parties, [
      ['payer', cleaned(payer.name)],
      ['payerAccount', isOwnPayee ? ibanIn(payer.iban) : ownIban(payer.iban)],
      ['payee', cleaned(payee.name)],
      ['payeeAccount', isOwnPayee ? ownIban(payee.iban) : ibanIn(payee.iban)],
      ['payeePhone', phoneIn(phone)],
    ]),
    section(words.headings.payment, [
      ['amount', amountIn(payment.amount, words)],
      ['fee', isOwnPayee ? '' : feeIn(payment, words)],
      ['channel', channelIn(channel, words)],
      ['description', cleaned(description, 'description')],
      ['created', timeIn(created_at, words)],
      ['submitted', timeIn(submitted_at, words)],
      ['completed', timeIn(completed_at, words)],
    ]),
    section(words.headings.references, [
      ['sinpeReference', cleaned(payment.sinpe_reference, 'number')],
      ['channelReference', cleaned(payment.channel_reference, 'number')],
      ['id', cleaned(payment.id, 'number')],
    ]),
  ]
}

/**
 * Maximum number of characters of names and reasons, of descriptions, and of numbers, so that the receipt fits one
 * sheet.
 */
const longest = { words: 120, description: 260, number: 60 } as const

function cleaned(text: string | null | undefined, kind: keyof typeof longest = 'words'): string {
  const clean = printable(text ?? '').trim()
  return clean.length > longest[kind] ? `${clean.slice(0, longest[kind])}…` : clean
}

/** Text of an amount; undefined unless the amount is a whole number of minor units with a currency. */
const amountOf = (money: Money): string | undefined => moneyText(money) || undefined

/** `1,500.25 CRC (colones)`: names the currency, because symbols are ambiguous. */
function amountIn(money: Money, { currencies }: Words): string {
  const amount = amountOf(money)
  if (amount === undefined) return '?'
  const name = Object.hasOwn(currencies, money.currency ?? '') ? currencies[money.currency ?? ''] : undefined
  return name === undefined ? amount : `${amount} (${name})`
}

/** Falls back to the service's spelling for a channel that the interface doesn't have. */
function channelIn(channel: Payment['channel'], { channels }: Words): string {
  const name = Object.hasOwn(channels, channel ?? '') ? channels[channel ?? ''] : undefined
  return name ?? cleaned(channel)
}

function feeIn({ fee, status }: Payment, words: Words): string {
  if (fee) return amountOf(fee) ?? '?'
  return status === 'completed' ? words.fee.unknown : ''
}

const ibanIn = (iban: string | null | undefined): string => formatIban(cleaned(iban, 'number'))

/** Masks the user's own account: others see enough to distinguish it from the user's other accounts. */
function ownIban(iban: string | null | undefined): string {
  const whole = cleaned(iban, 'number')
  return whole.length < 12 ? whole : `${whole.slice(0, 4)} **** ${whole.slice(-4)}`
}

const phoneIn = (phone: string | null | undefined): string =>
  cleaned(phone, 'number').replace(/^(\d{4})(\d{4})$/, '$1-$2')

/** `22 de noviembre de 2026, 05:21:53 (UTC-6)`, in the zone of this machine. */
function timeIn(iso: string | null | undefined, { locale }: Words): string {
  const time = new Date(iso ?? '')
  if (Number.isNaN(time.getTime())) return cleaned(iso)
  const form = { dateStyle: 'long', timeStyle: 'medium', hourCycle: 'h23' } as const
  const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' }).formatToParts(time)
  const offset = zone.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', 'UTC') ?? ''
  return `${new Intl.DateTimeFormat(locale, form).format(time)} (${offset})`
}
