import { type Static, Type } from 'typebox'
import { Currency, Money } from './money.ts'
import { DocumentType, Iban, Timestamp, Uuid, uuidOf } from './scalars.ts'

export const AccountStatus = Type.Enum(['active', 'inactive', 'closed'])
export type AccountStatus = Static<typeof AccountStatus>

export const Account = Type.Object({
  id: Uuid,
  document_number: Type.String(),
  document_type: DocumentType,
  iban: Iban,
  balance: Money,
  owner_name: Type.String(),
  status: AccountStatus,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Account = Static<typeof Account>

export const CreatedAccount = Type.Object({
  id: Uuid,
  iban: Iban,
  currency: Currency,
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type CreatedAccount = Static<typeof CreatedAccount>

/** `balance` is in minor units. */
export const AccountBalance = Type.Object({
  iban: Iban,
  currency: Currency,
  balance: Type.Integer(),
  formatted: Type.String(),
})
export type AccountBalance = Static<typeof AccountBalance>

export const CreateAccountBody = Type.Object({ currency: Currency })

export const AccountParams = Type.Object({ id: uuidOf('Account ID') })
