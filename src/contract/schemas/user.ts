import { type Static, Type } from 'typebox'
import { nullable, Timestamp, Uuid } from './scalars.ts'

export const User = Type.Object({
  id: Uuid,
  name: Type.String(),
  email: Type.String(),
  email_verified_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type User = Static<typeof User>
