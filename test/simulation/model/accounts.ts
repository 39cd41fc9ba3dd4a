import { type Expected, type Fields, invalid, refused, success } from './exchange.ts'
import { matching, text } from './matching.ts'
import { pageOf } from './pages.ts'
import type { Caller } from './payments.ts'
import { type Account, known, type User } from './records.ts'
import { formatted, moneyOf, timestamp, uuid } from './values.ts'

/** GET /api/user. */
export const user = ({ id, name, email, verifiedAt, createdAt, updatedAt }: User): Expected[] => [
  success('User retrieved successfully', {
    id,
    name,
    email,
    email_verified_at: verifiedAt,
    created_at: createdAt,
    updated_at: updatedAt,
  }),
]

/** GET /api/accounts. */
export function list(call: Caller): Expected[] {
  const own = call.bank.accounts.filter(({ user }) => user === call.token.user)
  const entries = own.map((account) => ({
    id: account.id,
    sure: account.sure,
    placed: true,
    view: detailed(account, call),
    seen: () => {
      account.sure = true
    },
  }))
  return [pageOf('Accounts retrieved successfully', entries, call)]
}

/** POST /api/accounts. */
export function create({ currency }: Fields, { bank, token, now }: Caller): Expected[] {
  if (currency !== 'CRC' && currency !== 'USD') return [invalid(422, { currency: null })]
  const account = bank.makeAccount(token.user, currency, known(timestamp(now)))
  const { id, iban, createdAt, updatedAt } = account
  const data = { id, iban, currency, created_at: createdAt, updated_at: updatedAt }
  return [success('Account created successfully', data, { status: 201, learn: () => bank.accounts.push(account) })]
}

/** A request whose answer was lost may have opened an account. */
export function loseCreate({ currency }: Fields, { bank, token, now }: Caller): void {
  if (currency !== 'CRC' && currency !== 'USD') return
  const account = bank.makeAccount(token.user, currency, known(timestamp(now)))
  bank.accounts.push({ ...account, sure: false })
}

/** GET /api/accounts/{id}. */
export const get = (id: string, call: Caller): Expected[] =>
  own(id, call, (account) => success('Account retrieved successfully', detailed(account, call)))

/** GET /api/accounts/{id}/balance. */
export const balance = (id: string, call: Caller): Expected[] =>
  own(id, call, (account) => {
    const { iban, currency } = account
    const amounts = call.bank.available(account, call.now)
    const given = (call.answer.body as { data?: { balance?: number } } | null)?.data?.balance ?? 0
    const minor = matching(amounts.shown, (value) => amounts.has(value))
    return success('Balance retrieved successfully', {
      iban,
      currency,
      balance: minor,
      formatted: formatted(given, currency),
    })
  })

function own(id: string, { bank, token }: Caller, found: (account: Account) => Expected): Expected[] {
  if (!uuid.test(id)) return [invalid(422, { id: 'Account ID must be a valid UUID' })]
  const account = bank.accounts.find((account) => account.id.value === id.toLowerCase() && account.user === token.user)
  return [account ? found(account) : refused(404, 'Account not found')]
}

const detailed = (account: Account, { bank, now }: Caller) => ({
  id: account.id,
  document_number: account.user.document,
  document_type: account.user.documentType,
  iban: account.iban,
  balance: moneyOf(account.currency, bank.available(account, now)),
  owner_name: account.user.name,
  status: account.status,
  created_at: account.createdAt,
  updated_at: account.updatedAt,
})

/** GET /api/phone/information/{phone}. */
export function phone(number: string, { bank }: Caller): Expected[] {
  if (!/^(506)?[2678]\d{7}$/.test(number)) {
    return [invalid(422, { phone: 'Phone number must be a valid Costa Rican phone number' })]
  }
  const holder = bank.holder(number.slice(-8))
  if (!holder) return [refused(404, 'Phone number not found in SINPE registry')]
  return [
    success('Phone information retrieved successfully', {
      phone_number: number,
      name: holder.name,
      document_number: holder.document,
      document_type: null,
      currency: holder.currency,
      country_code: 'CR',
      entity_name: someName,
      status: 'registered',
    }),
  ]
}

/** GET /api/iban/information/{iban}. */
export function iban(number: string, { bank }: Caller): Expected[] {
  if (!/^CR\d{20}$/.test(number)) {
    return [invalid(422, { iban: 'IBAN must be a valid Costa Rican IBAN (CR followed by 20 digits)' })]
  }
  const holder = bank.holder(number)
  if (!holder) return [refused(404, 'IBAN not found')]
  const statuses = { active: 'active', inactive: 'blocked', closed: 'closed' }
  const elsewhere = { account_closed: 'closed', account_blocked: 'blocked' } as Readonly<Record<string, string>>
  return [
    success('IBAN information retrieved successfully', {
      iban: number,
      name: holder.name,
      document_number: holder.document,
      document_type: holder.documentType,
      currency: holder.currency,
      country_code: 'CR',
      entity_name: someName,
      status: holder.account ? statuses[holder.account.status] : (elsewhere[holder.stateCode ?? ''] ?? 'active'),
    }),
  ]
}

const someName = matching('a name', text(/./))
