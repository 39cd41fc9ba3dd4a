import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  Currency,
  DocumentType,
  described,
  Iban,
  Money,
  minorUnits,
  nullable,
  ShownDocument,
  Timestamp,
  UpdatedAt,
  Uuid,
  uuidOf,
} from './scalars.ts'

export const User = Type.Object(
  {
    id: described(Uuid, 'Permanent id of the user'),
    name: Type.String({ description: 'First and last names of the user' }),
    email: Type.String({ description: 'Email address of the user' }),
    email_verified_at: described(
      nullable(Timestamp),
      'Time when the user confirmed the email address, UTC; null if never',
    ),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { description: 'User of a token' },
)
export type User = Static<typeof User>

export const AccountStatus = Type.Enum(['active', 'inactive', 'closed'], {
  description: 'Only an `active` account can pay and be paid',
})
export type AccountStatus = Static<typeof AccountStatus>

const AccountId = described(Uuid, 'Permanent id of the account; the `source_account_id` of payments from it')

export const Account = Type.Object(
  {
    id: AccountId,
    document_number: described(ShownDocument, 'The owner’s identity document in raw form: digits without separators'),
    document_type: DocumentType,
    iban: Iban,
    balance: described(Money, 'Available money: amounts held for payments in progress are already deducted'),
    owner_name: Type.String({ description: 'First and last names of the owner, or the name of a company' }),
    status: AccountStatus,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { description: 'An account with its balance' },
)
export type Account = Static<typeof Account>

export const CreatedAccount = Type.Object(
  { id: AccountId, iban: Iban, currency: Currency, created_at: CreatedAt, updated_at: UpdatedAt },
  { description: 'A new account, with a balance of 0' },
)
export type CreatedAccount = Static<typeof CreatedAccount>

export const AccountBalance = Type.Object(
  {
    iban: Iban,
    currency: Currency,
    balance: Type.Integer({ ...minorUnits, description: 'Available money in minor units: 1000 is 10.00' }),
    formatted: Type.String({ description: 'Balance for display, with thousands separators: `1,000.00 CRC`' }),
  },
  { description: 'Balance of an account' },
)
export type AccountBalance = Static<typeof AccountBalance>

export const CreateAccountBody = Type.Object({ currency: Currency }, { description: 'Account to open' })

export const AccountParams = Type.Object({ id: described(uuidOf('Account ID'), 'Id of one of the user’s accounts') })
