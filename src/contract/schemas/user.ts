import { type Static, Type } from 'typebox'
import { CreatedAt, described, nullable, Timestamp, UpdatedAt, Uuid } from './scalars.ts'

export const User = Type.Object(
  {
    id: described(Uuid, 'Names the user for good'),
    name: Type.String({ description: 'First and last names of the user' }),
    email: Type.String({ description: 'Where the user gets mail' }),
    email_verified_at: described(nullable(Timestamp), 'When the user proved to read that address, UTC; null if never'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { description: 'Who a token belongs to' },
)
export type User = Static<typeof User>
