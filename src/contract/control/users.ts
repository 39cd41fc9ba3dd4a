import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { controlBodyErrors, controlErrors } from '../errors.ts'
import {
  closed,
  DocumentNumber,
  DocumentType,
  described,
  nullable,
  Phone,
  Timestamp,
  Uuid,
} from '../schemas/scalars.ts'

/** `phone`: the eight digits of a number enrolled in SINPE Móvil. */
export const WorldUser = Type.Object({
  id: described(Uuid, 'Names the user for good'),
  name: Type.String({ description: 'First and last names of the user' }),
  email: Type.String({ description: 'Where the user gets mail' }),
  phone: described(nullable(Type.String()), 'Eight digits of the number enrolled in SINPE Móvil; null if none is'),
  document_number: Type.String({ description: 'The user’s identity document in raw form' }),
  document_type: DocumentType,
  created_at: described(Timestamp, 'When the user was added, UTC'),
})
export type WorldUser = Static<typeof WorldUser>

/** Absent members are generated, except the phone: by default the user has none. */
export const CreateUserBody = closed({
  name: Type.String({ minLength: 1, maxLength: 255, description: 'First and last names of the user' }),
  email: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: '^[^\\s@]+@[^\\s@]+$',
      'x-messages': { pattern: 'The email field must be a valid email address.' },
      description: 'Where the user gets mail; generated if left out',
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
    description: 'The seeded one first. Tokens can be minted for each.',
    access: 'control',
    success: { status: 200, message: 'Users listed', data: Type.Array(WorldUser) },
    errors: controlErrors,
  }),
  'control.users.create': endpoint({
    method: 'POST',
    path: '/_emulator/users',
    summary: 'Add a user, who has no accounts yet',
    description: 'Mint a token for the user, and open accounts with it.',
    access: 'control',
    body: CreateUserBody,
    success: { status: 201, message: 'User created', data: WorldUser },
    errors: controlBodyErrors,
  }),
} as const
