import { type TSchema, Type } from 'typebox'
import { messagePattern } from '../endpoint.ts'

/** Details of an error: field name to messages, an object of another shape, or a plain string. */
export const ErrorDetails = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()])

/** Body of every error answer. */
export const ErrorEnvelope = Type.Object({
  success: Type.Literal(false),
  message: Type.String(),
  data: Type.Null(),
  errors: ErrorDetails,
})

/** A message of an endpoint's row. */
export function RowMessage(message: string): TSchema {
  const pattern = messagePattern(message)
  return pattern === null ? Type.Literal(message) : Type.String({ pattern })
}

/** Body of a success answer that carries `data`. */
export const SuccessEnvelope = (message: string, data: TSchema) =>
  Type.Object({ success: Type.Literal(true), message: RowMessage(message), data })
