import { type Static, Type } from 'typebox'
import { Currency, DocumentType, described, Iban, Phone, ShownDocument } from './scalars.ts'

const holder = {
  name: Type.String({ description: 'First and last names of the holder, or the name of a company' }),
  document_number: described(ShownDocument, 'Identity document of the holder in raw form: digits without separators'),
}

const bank = {
  currency: described(Currency, 'Currency of the receiving account: CRC or USD'),
  country_code: Type.String({ description: 'ISO 3166 code of the bank’s country: `CR`' }),
  entity_name: Type.String({ description: 'Name of the bank' }),
}

export const PhoneInformation = Type.Object(
  {
    phone_number: Type.String({
      description: 'Number that was looked up: eight digits, with or without 506, as in the request',
    }),
    ...holder,
    document_type: Type.Null({ description: 'Always null: the registry of phones does not report the type' }),
    ...bank,
    status: Type.String({ description: 'Status of the number in SINPE Móvil; only `registered` can be paid' }),
  },
  { description: 'Holder of a phone number' },
)
export type PhoneInformation = Static<typeof PhoneInformation>

export const IbanStatus = Type.Enum(['active', 'closed', 'blocked'], {
  description: 'Status of the account of an IBAN: only `active` can be paid',
})
export type IbanStatus = Static<typeof IbanStatus>

export const IbanInformation = Type.Object(
  { iban: Iban, ...holder, document_type: DocumentType, ...bank, status: IbanStatus },
  { description: 'Holder of an IBAN' },
)
export type IbanInformation = Static<typeof IbanInformation>

export const PhoneParams = Type.Object({ phone: Phone })
export const IbanParams = Type.Object({ iban: Iban })

export const ExchangeRate = Type.Object(
  {
    bid: Type.Number({ description: 'CRC that the service pays for one USD' }),
    ask: Type.Number({ description: 'CRC that the service charges for one USD' }),
    last_updated_utc: Type.String({ description: 'Time of the rate: ISO 8601 with an offset' }),
    source: Type.String({ description: 'URL of the rate provider' }),
  },
  { description: 'CRC per USD' },
)
export type ExchangeRate = Static<typeof ExchangeRate>

export const UpstreamParams = Type.Object({
  provider: Type.String({
    pattern: '^[a-z0-9_]{1,64}$',
    description: 'Name of the upstream rate provider, as the service spells it; `upstream` at an emulator',
  }),
})
