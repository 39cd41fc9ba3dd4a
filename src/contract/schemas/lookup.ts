import { type Static, Type } from 'typebox'
import { Currency } from './money.ts'
import { DocumentType, Iban, Phone } from './scalars.ts'

export const PhoneInformation = Type.Object({
  phone_number: Type.String(),
  name: Type.String(),
  document_number: Type.String(),
  document_type: Type.Null(),
  currency: Currency,
  country_code: Type.String(),
  entity_name: Type.String(),
  status: Type.String(),
})
export type PhoneInformation = Static<typeof PhoneInformation>

/** Of the account behind an IBAN. */
export const IbanStatus = Type.Enum(['active', 'closed', 'blocked'])
export type IbanStatus = Static<typeof IbanStatus>

export const IbanInformation = Type.Object({
  iban: Iban,
  name: Type.String(),
  document_number: Type.String(),
  document_type: DocumentType,
  currency: Currency,
  country_code: Type.String(),
  entity_name: Type.String(),
  status: IbanStatus,
})
export type IbanInformation = Static<typeof IbanInformation>

export const PhoneParams = Type.Object({ phone: Phone })
export const IbanParams = Type.Object({ iban: Iban })
