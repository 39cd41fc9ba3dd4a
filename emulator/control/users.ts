import { type ControlInputOf, type ControlOutputOf, nationalPhone } from '../../src/contract/index.ts'
import { invalid } from '../domain/refusal.ts'
import { documentTypeOf, madeUpDocument } from '../domain/sinpe.ts'
import { timestamp } from '../domain/time.ts'
import type { ControlContext } from '../http/context.ts'
import type { Store } from '../store/store.ts'
import type { User } from '../store/users.ts'

export const listUsers = (_: unknown, { world }: ControlContext): ControlOutputOf<'control.users.list'> =>
  world.store.users.all().map(shownUser)

export function createUser(
  { body }: ControlInputOf<'control.users.create'>,
  { world }: ControlContext,
): ControlOutputOf<'control.users.create'> {
  const { database, store } = world
  const now = world.clock.now()
  const seq = store.users.nextSeq()
  const document_number = body.document_number ?? madeUpDocument(seq)
  const user: User = {
    seq,
    id: world.ids(),
    name: body.name,
    email: body.email ?? `user${seq}@example.com`,
    email_verified_at: now,
    phone: body.phone ? freePhone(store, nationalPhone(body.phone)) : null,
    document_number,
    document_type: body.document_type ?? documentTypeOf(document_number),
    created_at: now,
    updated_at: now,
  }
  database.write(() => store.users.add(user))
  return shownUser(user)
}

/** Returns the phone. Throws 422 if a user or an entry of the registry already has it. */
function freePhone({ users, registry }: Store, phone: string): string {
  if (users.byPhone(phone)) throw invalid('phone', 'The phone belongs to another user')
  if (registry.get(phone)) throw invalid('phone', 'The phone belongs to an entry of the registry')
  return phone
}

export const shownUser = (user: User): ControlOutputOf<'control.users.create'> => ({
  id: user.id,
  name: user.name,
  email: user.email,
  phone: user.phone,
  document_number: user.document_number,
  document_type: user.document_type,
  created_at: timestamp(user.created_at),
})
