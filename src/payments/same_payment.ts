import { normalizeIban } from '../contract/iban.ts'
import { formatMoney } from '../contract/money.ts'
import { nationalPhone, normalizePhone } from '../contract/phone.ts'
import type { Intent } from '../journal/intent.ts'

/**
 * In what a payment that the service names differs from the one that was asked for, if in anything: a key that was used
 * before answers with the payment it made then, whatever is asked for now. What an answer does not tell is no
 * difference, and nothing of it is taken on trust.
 */
export function differenceFrom({ idempotency_key, body }: Intent, payment: object): string | undefined {
  const told = flat(payment)
  const facts: readonly Fact[] = [
    { name: 'idempotency key', asked: idempotency_key, told: told.idempotency_key },
    { name: 'amount', asked: body.amount, told: told.amount, show: (minor) => formatMoney(Number(minor), '').trim() },
    { name: 'account', asked: body.source_account_id, told: told.source_account_id, same: lowerCase },
    { name: 'IBAN', asked: body.recipient_iban, told: told.iban, same: normalizeIban },
    {
      name: 'phone',
      asked: body.recipient_phone,
      told: told.phone,
      same: (text) => nationalPhone(normalizePhone(text)),
    },
  ]
  const other = facts.find(isOther)
  if (!other) return undefined
  const { name, asked, told: found, show = String } = other
  return `its ${name} is ${show(found)}, not ${show(asked)}`
}

interface Fact {
  readonly name: string
  readonly asked: string | number | null | undefined
  readonly told: unknown
  /** What is left of a text when its notation does not matter. */
  readonly same?: (text: string) => string
  readonly show?: (value: unknown) => string
}

function isOther({ asked, told, same = String }: Fact): boolean {
  if (asked === undefined || asked === null || typeof told !== typeof asked || told === '') return false
  return same(String(told)) !== same(String(asked))
}

const lowerCase = (text: string): string => text.toLowerCase()

/** The members of an initiated payment, or of one of the history, by one name each. */
function flat(payment: object) {
  const { idempotency_key, source_account_id, amount, payee, recipient_iban, recipient_phone } = payment as Members
  return {
    idempotency_key,
    source_account_id,
    amount: memberOf(amount, 'value'),
    iban: recipient_iban ?? memberOf(payee, 'iban'),
    phone: recipient_phone ?? memberOf(payee, 'phone_number'),
  }
}

type Members = Readonly<Record<string, unknown>>

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Members)[name] : undefined
