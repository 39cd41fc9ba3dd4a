import { type TSchema, Type } from 'typebox'
import { messagePattern } from '../endpoint.ts'
import { described } from './scalars.ts'

export const ErrorDetails = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
  description: 'What is wrong: messages by the name of the field, an object of another shape, or a text',
})

export const ErrorEnvelope = Type.Object(
  {
    success: Type.Literal(false, { description: 'False for every error' }),
    message: Type.String({ description: 'What went wrong, for people; do not compare with it' }),
    data: Type.Null({ description: 'Null for every error' }),
    errors: ErrorDetails,
  },
  { description: 'Body of every error' },
)

/** Schema of a row's message. */
export function RowMessage(message: string): TSchema {
  const pattern = messagePattern(message)
  const description = 'What was done or went wrong, for people'
  return pattern === null ? Type.Literal(message, { description }) : Type.String({ pattern, description })
}

/** Body of a success answer with `data`. */
export const SuccessEnvelope = (message: string, data: TSchema) =>
  Type.Object({
    success: Type.Literal(true, { description: 'True for every answer but errors' }),
    message: RowMessage(message),
    data: 'description' in data ? data : described(data, 'What was asked for'),
  })
