import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import { DocumentNumber, DocumentType, nullable, Phone, Timestamp, Uuid } from '../schemas/scalars.ts'

/** `phone` is the eight digits of a number enrolled in SINPE Móvil. */
export const WorldUser = Type.Object({
  id: Uuid,
  name: Type.String(),
  email: Type.String(),
  phone: nullable(Type.String()),
  document_number: Type.String(),
  document_type: DocumentType,
  created_at: Timestamp,
})
export type WorldUser = Static<typeof WorldUser>

/** What is left out is made up, but for the phone: without one the user has none. */
export const CreateUserBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  email: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: '^[^\\s@]+@[^\\s@]+$',
      'x-messages': { pattern: 'The email field must be a valid email address.' },
    }),
  ),
  phone: Type.Optional(nullable(Phone)),
  document_number: Type.Optional(DocumentNumber),
  document_type: Type.Optional(DocumentType),
})
export type CreateUserBody = Static<typeof CreateUserBody>

export const userEndpoints = {
  'control.users.list': endpoint({
    method: 'GET',
    path: '/_emulator/users',
    summary: 'The world’s users',
    access: 'control',
    success: { status: 200, message: 'Users listed', data: Type.Array(WorldUser) },
    errors: controlErrors,
  }),
  'control.users.create': endpoint({
    method: 'POST',
    path: '/_emulator/users',
    summary: 'Add a user, who has no accounts yet',
    access: 'control',
    body: CreateUserBody,
    success: { status: 201, message: 'User created', data: WorldUser },
    errors: controlBodyErrors,
  }),
} as const
