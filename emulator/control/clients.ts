import { allScopes, type ControlInputOf, type ControlOutputOf } from '../../src/contract/index.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { timestamp } from '../domain/time.ts'
import type { ControlContext } from '../http/context.ts'
import { weaknessOf } from '../secret_strength.ts'
import type { NewOAuthClient, OAuthClient } from '../store/oauth_clients.ts'
import { newSecret } from '../store/secret.ts'
import { demo } from '../worlds/seed.ts'

export const listClients = (_: unknown, { world }: ControlContext): ControlOutputOf<'control.clients.list'> =>
  world.store.clients.all().map(shownClient)

export function createClient(
  { body }: ControlInputOf<'control.clients.create'>,
  { world }: ControlContext,
): ControlOutputOf<'control.clients.create'> {
  const { database, store, options } = world
  const { redirect_uris, scopes = allScopes, client_id: id = world.ids(), name = id } = body
  if (store.clients.get(id)) throw new Refusal(409)
  if (redirect_uris.some((uri) => !URL.canParse(uri))) throw invalid('redirect_uris', 'A redirect URI must be a URL.')
  if (body.public && body.client_secret !== undefined) {
    throw invalid('client_secret', 'A public client has no secret.')
  }
  const fault = options.exposed && body.client_secret !== undefined ? weaknessOf(body.client_secret) : null
  if (fault !== null) throw invalid('client_secret', `Other machines reach this emulator, and the secret ${fault}.`)
  const secret = body.public ? null : (body.client_secret ?? `payctl_client_${newSecret(world.random.secrets)}`)
  const client = { id, name, redirect_uris, scopes, secret, created_at: world.clock.now() }
  database.write(() => store.clients.put(client))
  return { ...shownClient({ ...client, isPublic: secret === null }), client_secret: secret }
}

export function removeClient(
  { params }: ControlInputOf<'control.clients.remove'>,
  { world }: ControlContext,
): ControlOutputOf<'control.clients.remove'> {
  const { database, store } = world
  const client = store.clients.get(params.client_id)
  if (!client) throw new Refusal(404)
  if (client.id === demo.clientId) throw new Refusal(409)
  database.write(() => store.clients.remove(client.seq))
  return shownClient(client)
}

type Shown = Omit<NewOAuthClient, 'secret'> & Pick<OAuthClient, 'isPublic'>

const shownClient = (client: Shown): ControlOutputOf<'control.clients.list'>[number] => ({
  client_id: client.id,
  name: client.name,
  public: client.isPublic,
  redirect_uris: [...client.redirect_uris],
  scopes: [...client.scopes],
  created_at: timestamp(client.created_at),
})
