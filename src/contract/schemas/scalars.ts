import { type TSchema, Type } from 'typebox'
import { ibanPattern } from '../iban.ts'
import { phonePattern } from '../phone.ts'

/**
 * Annotations read by the service's validator. A schema may carry `x-messages`, the message of a failed keyword
 * (`{ pattern: '...' }`), and `x-field`, the name an error is reported under where it is not the member's own.
 */
const pattern = (regexp: string, message: string, { field, ...messages }: FieldWords = {}) =>
  Type.String({ pattern: regexp, 'x-messages': { ...messages, pattern: message }, ...(field && { 'x-field': field }) })

interface FieldWords {
  /** The name an error is reported under. */
  readonly field?: string
  /** The message where it is missing. */
  readonly required?: string
}

const uuidPattern = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

export const Uuid = Type.String({ pattern: uuidPattern })

/** A UUID sent by a caller: `label` names it in the error message. */
export const uuidOf = (label: string, words?: FieldWords) =>
  pattern(uuidPattern, `${label} must be a valid UUID`, words)

export const Iban = pattern(ibanPattern, 'IBAN must be a valid Costa Rican IBAN (CR followed by 20 digits)')

/** Costa Rican phone number, with or without the country prefix. */
export const Phone = pattern(phonePattern, 'Phone number must be a valid Costa Rican phone number')

const emailName = '[^\\s\\x00-\\x1f\\x7f@.<>()\\[\\],;:\\\\"]+'
const emailLabel = '[\\p{L}\\p{N}]([\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?'

/** Letters of any script; no quoted names, no comments, no address literals. */
export const Email = Type.String({
  maxLength: 255,
  pattern: `^${emailName}(\\.${emailName})*@(${emailLabel}\\.)+\\p{L}{2,63}$`,
  'x-messages': { pattern: 'The recipient email field must be a valid email address.' },
})

/** Raw stored form of any Costa Rican identity document or foreign passport. */
export const DocumentNumber = pattern(
  '^((0[1-9]|[1-9])\\d{8}|1\\d{11}|2\\d{9}|3\\d{9}|4\\d{9}|5\\d{11}|[A-Za-z0-9]{6,19})$',
  'Document number must be a valid Costa Rican document number',
)

/** ISO 8601 UTC with microseconds: `2026-01-05T18:00:00.000000Z`. */
export const Timestamp = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$' })

/** SINPE codes: 0 national, 1 DIMEX, 2 government, 3 legal entity, 4 autonomous institution, 5 DIDI, 9 non-resident. */
export const DocumentType = Type.Integer({ minimum: 0, maximum: 9 })

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
