import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { ibanPattern } from '../iban.ts'
import { currencies } from '../payment_names.ts'
import { phonePattern } from '../phone.ts'

/**
 * Annotations for the emulator's validator. `x-messages`: the message of a failed keyword (`{ pattern: '...' }`).
 * `x-field`: the field's name in error messages, if it differs from the member's name. `x-document`: keywords that
 * replace the schema's in OpenAPI documents. `x-json`: see `inJson`.
 */
const pattern = (regexp: string, message: string, { field, format, ...messages }: FieldWords = {}) =>
  Type.String({
    ...(format && { format }),
    pattern: regexp,
    'x-messages': { ...messages, pattern: message },
    ...(field && { 'x-field': field }),
  })

interface FieldWords {
  /** Name of the field in error messages. */
  readonly field?: string
  /** Message for a missing value. */
  readonly required?: string
  readonly format?: string
}

/** Copies a schema, and adds a description with the meaning and unit of one member. */
export const described = <S extends TSchema>(schema: S, description: string): S =>
  Type.With(schema, { description }) as unknown as S

/** A query parameter whose value is JSON text in the URL. */
export const inJson = <S extends TSchema>(schema: S): S => Type.With(schema, { 'x-json': true }) as unknown as S

/** An object that allows no other members: a mistyped member is refused, not ignored. */
export const closed = <P extends TProperties>(properties: P, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description !== undefined && { description }) })

export const uuidPattern = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

export const Uuid = Type.String({ format: 'uuid', pattern: uuidPattern })

/** A UUID sent by a caller. `label` is the UUID's name in the error message. */
export const uuidOf = (label: string, words?: FieldWords) =>
  pattern(uuidPattern, `${label} must be a valid UUID`, { format: 'uuid', ...words })

export const Iban = described(
  pattern(ibanPattern, 'IBAN must be a valid Costa Rican IBAN (CR followed by 20 digits)'),
  'Costa Rican IBAN: CR and 20 digits, without spaces',
)

export const Phone = described(
  pattern(phonePattern, 'Phone number must be a valid Costa Rican phone number'),
  'Costa Rican phone number: eight digits, with or without the country prefix 506',
)

const emailName = '[^\\s\\x00-\\x1f\\x7f@.<>()\\[\\],;:\\\\"]+'
const emailLabel = '[\\p{L}\\p{N}]([\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?'

/** Allows letters of any script, but no quoted names, comments or address literals. */
export const Email = Type.String({
  format: 'email',
  maxLength: 255,
  pattern: `^${emailName}(\\.${emailName})*@(${emailLabel}\\.)+\\p{L}{2,63}$`,
  // The pattern needs the u flag, which generated clients omit.
  'x-document': { pattern: undefined },
  'x-messages': { pattern: 'The recipient email field must be a valid email address.' },
})

export const DocumentNumber = described(
  pattern(
    '^((0[1-9]|[1-9])\\d{8}|1\\d{11}|2\\d{9}|3\\d{9}|4\\d{9}|5\\d{11}|[A-Za-z0-9]{6,19})$',
    'Document number must be a valid Costa Rican document number',
  ),
  'Costa Rican identity document or foreign passport in raw form, without dashes or spaces',
)

/** A document number in the service's answers. */
export const ShownDocument = Type.String({ description: 'Identity document in raw form: digits without separators' })

/** A time in ISO 8601 with its zone. */
export const zonedTimePattern = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$'

export const Time = Type.String({
  pattern: zonedTimePattern,
  'x-messages': { pattern: 'The time field must be an ISO 8601 time with its zone, like 2026-01-05T18:00:00Z.' },
})

/** ISO 8601 UTC with microseconds: `2026-01-05T18:00:00.000000Z`. */
export const Timestamp = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$',
})

export const CreatedAt = described(Timestamp, 'Time of creation: UTC, to the microsecond')
export const UpdatedAt = described(Timestamp, 'Time of the last change: UTC, to the microsecond')

export const DocumentType = Type.Integer({
  minimum: 0,
  maximum: 9,
  description:
    'SINPE’s type of identity document: 0 national, 1 DIMEX, 2 government, 3 legal entity, 4 autonomous institution, 5 DIDI, 9 non-resident',
})

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

export const Currency = Type.Enum(currencies, { description: 'Costa Rican colones or US dollars: ISO 4217' })
export type Currency = Static<typeof Currency>

/** An integer that may exceed 32 bits: the largest signed 32-bit integer is only 21,474,836.47 in major units. */
export const minorUnits = { format: 'int64', description: 'Minor units of the currency: 1000 is 10.00' } as const

export const Money = Type.Object(
  {
    value: Type.Integer(minorUnits),
    currency: Currency,
    formatted: Type.String({ description: 'Amount for display, with thousands separators: `1,000.00 CRC`' }),
  },
  { description: 'An amount of money' },
)
export type Money = Static<typeof Money>
