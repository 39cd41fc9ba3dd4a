import { formatAddress } from '../contract/iban.ts'
import { formatMoney } from '../contract/money.ts'
import { CliError } from '../errors/cli_error.ts'
import { type JudgedPayment, nextDay, type Refusal } from './limits.ts'

// Messages for payments that limits forbid.

/** Known facts about a refused payment; for several payments the sum. */
export type RefusedFacts = {
  readonly [Name in keyof JudgedPayment | 'key']?: (JudgedPayment & { readonly key: string })[Name] | null
}

/** A refusal in the audit file's form. Null: not known. */
export interface Refused extends Required<RefusedFacts> {
  readonly profile: string
  readonly service: string
  readonly user: string
  /** Reason of the refusal. */
  readonly what: string
}

/** The limits of a profile forbid the payment or change. Nothing was sent. */
export class LimitError extends CliError {
  override readonly name = 'LimitError'
  readonly profile: string
  readonly refusal: Refusal
  /** Reason for several payments that the same limit forbids; does not name the amount of each payment. */
  readonly sharedReason: string

  /** `at`: time of the decision, in milliseconds since 1970. */
  constructor(profile: string, refusal: Refusal, at: number) {
    const limits = `The limits of profile ${profile}`
    super('forbidden', `${limits} ${inWords(refusal, at)}. Nothing was sent.`, { kind: 'show_limits', profile })
    this.profile = profile
    this.refusal = refusal
    this.sharedReason = `${limits} ${inWords(refusal, at, false)}`
  }
}

function inWords(refusal: Refusal, at: number, withAmount = true): string {
  switch (refusal.kind) {
    case 'read_only':
      return 'allow reading only'
    case 'payee':
      return `do not allow the payee ${formatAddress(refusal.payee)}`
    case 'hours':
      return `allow payments from ${refusal.hours.replace('-', ' to ')} in Costa Rica (UTC-6) only`
    case 'currency':
      return `allow payments in ${refusal.limited.join(' and ')} only, not in ${refusal.currency}`
    default:
      return sumInWords(refusal, at, withAmount)
  }
}

const most = {
  per_payment: 'for one payment',
  per_day: 'a day',
  per_payee_day: 'a day to one payee',
} as const

function sumInWords(refusal: Extract<Refusal, { readonly limit: number }>, at: number, withAmount: boolean): string {
  const { kind, currency, amount, limit, used } = refusal
  const money = (minor: number) => formatMoney(minor, currency)
  const allowed = `allow ${money(limit)} ${most[kind]}${withAmount ? `, and this is ${money(amount)}` : ''}`
  if (kind === 'per_payment') return allowed
  const left = Math.max(0, limit - used)
  return `${allowed}: ${money(used)} is used, ${money(left)} left until ${until(at)}`
}

/** End of the day of the decision: `2026-11-23 00:00 (UTC-6), in 5 h 12 min`. */
function until(at: number): string {
  const end = nextDay(at)
  const minutes = Math.ceil((end - Date.now()) / 60_000)
  const date = new Date(end - 6 * 3_600_000).toISOString().slice(0, 10)
  return `${date} 00:00 (UTC-6), in ${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A person must type the sum, but this run asks nobody. */
export const needsAPerson = (profile: string, { amount, currency }: Omit<JudgedPayment, 'payee'>): CliError =>
  new CliError(
    'forbidden',
    `Profile ${profile} is live, and ${formatMoney(amount, currency ?? '').trim()} is an amount that a person must type. Nothing was sent.`,
    { kind: 'send_at_terminal' },
  )

/** The journal remembers limits that their file has lost. */
export const goneLimits = (profile: string, file: string): CliError =>
  new CliError('forbidden', `Profile ${profile} had limits, but ${file} no longer contains them. Nothing was sent.`, {
    kind: 'restore_limits',
    profile,
  })

export const otherJournal = (profile: string): CliError =>
  new CliError(
    'forbidden',
    `The limits of profile ${profile} are counted in another journal of payments than this run's, so the amount used today is not known. Nothing was sent.`,
    { kind: 'recount_limits', profile },
  )

export const usedKey = (key: string): CliError =>
  new CliError('forbidden', `The idempotency key ${key} has been used for another payment. Nothing was sent.`, {
    kind: 'change_key',
  })
