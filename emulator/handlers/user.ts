import type { OutputOf } from '../../src/contract/index.ts'
import { type Context, callerOf } from '../context.ts'
import { timestamp, timestampOrNull } from '../domain/time.ts'

export function getUser(_: unknown, context: Context): OutputOf<'user.get'> {
  const user = context.world.store.users.get(callerOf(context))
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    email_verified_at: timestampOrNull(user.email_verified_at),
    created_at: timestamp(user.created_at),
    updated_at: timestamp(user.updated_at),
  }
}
