import { allScopes, type ControlOutputOf, nationalPhone } from '../../src/contract/index.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { documentTypeOf, madeUpDocument } from '../domain/sinpe.ts'
import { timestamp, timestampOrNull } from '../domain/time.ts'
import type { ControlHandlers } from '../http/context.ts'
import { weaknessOf } from '../secret_strength.ts'
import type { NewOAuthClient, OAuthClient } from '../store/oauth.ts'
import { newClientSecret, newToken } from '../store/secret.ts'
import type { Store } from '../store/store.ts'
import type { TokenRecord } from '../store/tokens.ts'
import type { User } from '../store/users.ts'
import { demo, tokenCreatedAt } from '../worlds/seed.ts'
import type { World } from '../worlds/world.ts'

export const userHandlers = {
  'control.users.list': (_, { world }) => world.store.users.all().map(shownUser),

  'control.users.create'({ body }, { world }) {
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
  },

  'control.tokens.list': (_, { world }) => world.store.tokenRecords.all().map(shownToken),

  'control.tokens.mint'({ body }, { world }) {
    const { database, store, clock } = world
    const user = userOf(world, body.user)
    const secret = newToken(world.random.secrets)
    const now = clock.now()
    const expires_at = body.expires_in ? now + body.expires_in * 1000 : null
    const record = database.write(() => {
      const created_at = tokenCreatedAt(now)
      store.tokens.put({ secret, user, scopes: body.scopes ?? allScopes, expires_at, created_at })
      return store.tokenRecords.last()
    })
    if (!record) throw new Error('The new token is not in the store')
    return { ...shownToken(record), token: secret }
  },

  'control.tokens.revoke'({ params }, { world }) {
    const { database, store, clock } = world
    const id = Number(params.id)
    database.write(() => store.tokenRecords.revoke(id, clock.now()))
    const record = store.tokenRecords.get(id)
    if (!record) throw new Refusal(404)
    return shownToken(record)
  },

  'control.clients.list': (_, { world }) => world.store.clients.all().map(shownClient),

  'control.clients.create'({ body }, { world }) {
    const { database, store, options } = world
    const { redirect_uris, scopes = allScopes, client_id: id = world.ids(), name = id } = body
    if (store.clients.get(id)) throw new Refusal(409)
    if (redirect_uris.some((uri) => !URL.canParse(uri))) throw invalid('redirect_uris', 'A redirect URI must be a URL.')
    if (body.public && body.client_secret !== undefined) {
      throw invalid('client_secret', 'A public client has no secret.')
    }
    const fault = options.exposed && body.client_secret !== undefined ? weaknessOf(body.client_secret) : null
    if (fault !== null)
      throw invalid('client_secret', `Other machines can reach this emulator, and the secret ${fault}.`)
    const secret = body.public ? null : (body.client_secret ?? newClientSecret(world.random.secrets))
    const client = { id, name, redirect_uris, scopes, secret, created_at: world.clock.now() }
    database.write(() => store.clients.put(client))
    return { ...shownClient({ ...client, isPublic: secret === null }), client_secret: secret }
  },

  'control.clients.remove'({ params }, { world }) {
    const { database, store } = world
    const client = store.clients.get(params.client_id)
    if (!client) throw new Refusal(404)
    if (client.id === demo.clientId) throw new Refusal(409)
    database.write(() => store.clients.remove(client.seq))
    return shownClient(client)
  },
} satisfies Partial<ControlHandlers>

/** Returns the phone. Throws 422 if a user or an entry of the registry already has this phone. */
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

const shownClient = (
  client: Omit<NewOAuthClient, 'secret'> & Pick<OAuthClient, 'isPublic'>,
): ControlOutputOf<'control.clients.list'>[number] => ({
  client_id: client.id,
  name: client.name,
  public: client.isPublic,
  redirect_uris: [...client.redirect_uris],
  scopes: [...client.scopes],
  created_at: timestamp(client.created_at),
})
