import type { ControlInputOf, ControlOutputOf } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { detailed } from '../handlers/accounts.ts'
import type { ControlContext } from '../http/context.ts'
import type { Account } from '../store/accounts.ts'
import type { World } from '../worlds/world.ts'

export const getAccount = (
  { params }: ControlInputOf<'control.accounts.get'>,
  { world }: ControlContext,
): ControlOutputOf<'control.accounts.get'> => detailed(find(world, params.id))

export function setAccount(
  { params, body }: ControlInputOf<'control.accounts.set'>,
  { world }: ControlContext,
): ControlOutputOf<'control.accounts.set'> {
  const { database, store, clock } = world
  const account = find(world, params.id)
  const { status = account.status, balance = account.balance } = body
  const at = clock.now()
  database.write(() => {
    if (status !== account.status) store.accounts.setStatus(account.seq, status, at)
    store.ledger.fund({ owner: account.id, currency: account.currency, amount: balance - account.balance, at })
  })
  return detailed(find(world, params.id))
}

function find({ store }: World, id: string): Account {
  const account = store.accounts.get(id.toLowerCase())
  if (!account) throw new Refusal(404)
  return account
}
