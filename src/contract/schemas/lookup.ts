import { type Static, Type } from 'typebox'
import { Currency, DocumentType, described, Iban, Phone, ShownDocument } from './scalars.ts'

const holder = {
  name: Type.String({ description: 'First and last names of the holder, or the name of a company' }),
  document_number: described(ShownDocument, 'The holder’s identity document in raw form: digits without separators'),
}

const bank = {
  currency: described(Currency, 'Currency of the account that is paid: CRC or USD'),
  country_code: Type.String({ description: 'ISO 3166 code of the bank’s country: `CR`' }),
  entity_name: Type.String({ description: 'Name of the bank' }),
}

export const PhoneInformation = Type.Object(
  {
    phone_number: Type.String({ description: 'The number that was asked for: eight digits' }),
    ...holder,
    document_type: Type.Null({ description: 'Always null: the registry of phones does not tell it' }),
    ...bank,
    status: Type.String({ description: 'Of the number in SINPE Móvil; `registered` can be paid' }),
  },
  { description: 'Who is paid under a phone number' },
)
export type PhoneInformation = Static<typeof PhoneInformation>

export const IbanStatus = Type.Enum(['active', 'closed', 'blocked'], {
  description: 'Of the account behind an IBAN: only an active one can be paid',
})
export type IbanStatus = Static<typeof IbanStatus>

export const IbanInformation = Type.Object(
  { iban: Iban, ...holder, document_type: DocumentType, ...bank, status: IbanStatus },
  { description: 'Who holds the account behind an IBAN' },
)
export type IbanInformation = Static<typeof IbanInformation>

export const PhoneParams = Type.Object({ phone: Phone })
export const IbanParams = Type.Object({ iban: Iban })

export const ExchangeRate = Type.Object(
  {
    bid: Type.Number({ description: 'CRC that the service pays for one USD' }),
    ask: Type.Number({ description: 'CRC that the service takes for one USD' }),
    last_updated_utc: Type.String({ description: 'When the rate was made: ISO 8601 with an offset' }),
    source: Type.String({ description: 'URL of the rate provider' }),
  },
  { description: 'CRC for one USD' },
)
export type ExchangeRate = Static<typeof ExchangeRate>

export const UpstreamParams = Type.Object({
  provider: Type.String({
    pattern: '^[a-z0-9_]{1,64}$',
    description: 'Name of the upstream rate provider, as the service spells it; an emulator’s is `upstream`',
  }),
})
