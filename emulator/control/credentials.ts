import { allScopes, type ControlInputOf, type ControlOutputOf } from '../../src/contract/index.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { timestamp, timestampOrNull } from '../domain/time.ts'
import type { ControlContext } from '../http/context.ts'
import { newSecret } from '../store/secret.ts'
import type { TokenRecord } from '../store/tokens.ts'
import { demo } from '../worlds/seed.ts'
import type { World } from '../worlds/world.ts'

export const listTokens = (_: unknown, { world }: ControlContext): ControlOutputOf<'control.tokens.list'> =>
  world.store.tokenRecords.all().map(shownToken)

export function mintToken(
  { body }: ControlInputOf<'control.tokens.mint'>,
  { world }: ControlContext,
): ControlOutputOf<'control.tokens.mint'> {
  const { database, store, clock } = world
  const user = userOf(world, body.user)
  const secret = `payctl_token_${newSecret(world.random.secrets)}`
  const created_at = clock.now()
  const expires_at = body.expires_in ? created_at + body.expires_in * 1000 : null
  const record = database.write(() => {
    store.tokens.put({ secret, user, scopes: body.scopes ?? allScopes, expires_at, created_at })
    return store.tokenRecords.last()
  })
  if (!record) throw new Error('The token just made is not there')
  return { ...shownToken(record), token: secret }
}

export function revokeToken(
  { params }: ControlInputOf<'control.tokens.revoke'>,
  { world }: ControlContext,
): ControlOutputOf<'control.tokens.revoke'> {
  const { database, store, clock } = world
  const id = Number(params.id)
  database.write(() => store.tokenRecords.revoke(id, clock.now()))
  const record = store.tokenRecords.get(id)
  if (!record) throw new Refusal(404)
  return shownToken(record)
}

function userOf({ store }: World, id: string | null | undefined): number {
  if (!id) return demo.user.seq
  const user = store.users.byId(id.toLowerCase())
  if (!user) throw invalid('user', 'User not found')
  return user.seq
}

const shownToken = (record: TokenRecord): ControlOutputOf<'control.tokens.revoke'> => ({
  id: record.id,
  user: record.user,
  scopes: record.scopes.split(' '),
  expires_at: timestampOrNull(record.expires_at),
  revoked_at: timestampOrNull(record.revoked_at),
  created_at: timestamp(record.created_at),
})
