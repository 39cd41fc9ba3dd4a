import { formatAddress } from '../contract/iban.ts'
import { formatMoney } from '../contract/money.ts'
import { CliError } from '../errors/cli_error.ts'
import { say, type Text } from '../words/text.ts'
import { type JudgedPayment, nextDay, type Refusal } from './limits.ts'

// Messages for payments that limits forbid.

/** Known facts about a refused payment. For several refused payments, `amount` is their sum. */
export type RefusedFacts = {
  readonly [Name in keyof JudgedPayment | 'key']?: (JudgedPayment & { readonly key: string })[Name] | null
}

/** A refusal as the audit file records it; null means unknown. */
export interface Refused extends Required<RefusedFacts> {
  readonly profile: string
  readonly service: string
  readonly user: string
  /** Reason for the refusal. */
  readonly what: string
}

/** The limits of a profile forbid the payment or change. Nothing was sent. */
export class LimitError extends CliError {
  override readonly name = 'LimitError'
  readonly profile: string
  readonly refusal: Refusal
  /** Reason for refusing several payments that the same limit forbids; does not name the amount of each payment. */
  readonly sharedReason: Text

  /** `at`: time of the decision, in milliseconds since 1970. */
  constructor(profile: string, refusal: Refusal, at: number) {
    const said = say`${inWords(profile, refusal, at)}. Nothing was sent.`
    const isUnknown = refusal.kind === 'currency' && refusal.currency === null
    super('forbidden', said, isUnknown ? withKnownCurrency : { kind: 'show_limits', profile })
    this.profile = profile
    this.refusal = refusal
    this.sharedReason = inWords(profile, refusal, at, false)
  }
}

const withKnownCurrency = say`Check the account. If it is yours, use a token with the scope read-accounts, or set limits in the other currency too`

function inWords(profile: string, refusal: Refusal, at: number, withAmount = true): Text {
  switch (refusal.kind) {
    case 'read_only':
      return say`The limits of profile ${profile} allow reading only`
    case 'payee':
      return say`The limits of profile ${profile} do not allow the payee ${formatAddress(refusal.payee)}`
    case 'hours': {
      const [from = '', to = ''] = refusal.hours.split('-')
      return say`The limits of profile ${profile} allow payments only from ${from} to ${to}, Costa Rica time (UTC-6)`
    }
    case 'currency': {
      const [one = '', other] = refusal.limited
      const both = other === undefined ? one : say`${one} and ${other}`
      return refusal.currency === null
        ? say`The limits of profile ${profile} allow payments in ${both} only, and the account's currency could not be read`
        : say`The limits of profile ${profile} allow payments in ${both} only, not in ${refusal.currency}`
    }
    default:
      return sumInWords(profile, refusal, at, withAmount)
  }
}

const span = {
  per_payment: say`for one payment`,
  per_day: say`a day`,
  per_payee_day: say`a day to one payee`,
} as const

function sumInWords(
  profile: string,
  refusal: Extract<Refusal, { readonly limit: number }>,
  at: number,
  withAmount: boolean,
): Text {
  const { kind, currency, amount, limit, used } = refusal
  const money = (minor: number) => formatMoney(minor, currency)
  const most = say`The limits of profile ${profile} allow ${money(limit)} ${span[kind]}`
  const allowed = withAmount ? say`${most}, and this payment is ${money(amount)}` : most
  if (kind === 'per_payment') return allowed
  const left = Math.max(0, limit - used)
  return say`${allowed}: ${money(used)} is used, ${money(left)} left until ${until(at)}`
}

/** End of the day of the decision: `2026-11-23 00:00 (UTC-6), in 5 h 12 min`. */
function until(at: number): Text {
  const end = nextDay(at)
  const minutes = Math.ceil((end - Date.now()) / 60_000)
  const date = new Date(end - 6 * 3_600_000).toISOString().slice(0, 10)
  return say`${date} 00:00 (UTC-6), in ${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Error for a sum that a person must type, if this run can't ask anyone. */
export const needsAPerson = (profile: string, { amount, currency }: Omit<JudgedPayment, 'payee'>): CliError =>
  new CliError(
    'forbidden',
    say`Profile ${profile} is live, and ${formatMoney(amount, currency ?? '').trim()} is an amount that a person must type. Nothing was sent.`,
    { kind: 'send_at_terminal' },
  )

/** Error for limits that the journal remembers, but that are missing from the limits file. */
export const goneLimits = (profile: string, file: string): CliError =>
  new CliError(
    'forbidden',
    say`Profile ${profile} had limits, but ${file} no longer contains them. Nothing was sent.`,
    {
      kind: 'restore_limits',
      profile,
    },
  )

export const otherJournal = (profile: string): CliError =>
  new CliError(
    'forbidden',
    say`The limits of profile ${profile} are not counted in this run's payment journal but in another, so the amount used today is not known. Nothing was sent.`,
    { kind: 'recount_limits', profile },
  )

export const usedKey = (key: string): CliError =>
  new CliError('forbidden', say`The idempotency key ${key} has been used for another payment. Nothing was sent.`, {
    kind: 'change_key',
  })
