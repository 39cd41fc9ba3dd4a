import { allScopes, type ControlInputOf, type ControlOutputOf } from '../../src/contract/index.ts'
import { invalid, Refusal } from '../domain/refusal.ts'
import { timestamp } from '../domain/time.ts'
import { newSecret } from '../oauth/secret.ts'
import type { NewOAuthClient, OAuthClient } from '../store/oauth_clients.ts'
import type { ControlContext } from './context.ts'

export const listClients = (_: unknown, { world }: ControlContext): ControlOutputOf<'control.clients.list'> =>
  world.store.clients.all().map(shown)

export function createClient(
  { body }: ControlInputOf<'control.clients.create'>,
  { world }: ControlContext,
): ControlOutputOf<'control.clients.create'> {
  const { database, store } = world
  const { name, redirect_uris, scopes = allScopes, client_id: id = world.ids() } = body
  if (store.clients.get(id)) throw new Refusal(409)
  const broken = redirect_uris.find((uri) => !URL.canParse(uri))
  if (broken !== undefined) throw invalid('redirect_uris', 'A redirect URI must be a URL.')
  const secret = `payctl_client_${newSecret()}`
  const client = { id, name, redirect_uris, scopes, secret, created_at: world.clock.now() }
  database.write(() => store.clients.add(client))
  return { ...shown(client), client_secret: secret }
}

const shown = (client: OAuthClient | NewOAuthClient): ControlOutputOf<'control.clients.list'>[number] => ({
  client_id: client.id,
  name: client.name,
  redirect_uris: [...client.redirect_uris],
  scopes: [...client.scopes],
  created_at: timestamp(client.created_at),
})
