import type { EmulatorWorld } from 'payctl/emulator'
import { openDatabase } from '../program/database.ts'
import { openShop } from '../program/shop.ts'

/** Start of all tests: a snapshot of this name, and the tokens of a shop whose owner has signed in there. */
export const snapshot = 'shop-opened'

/** A Friday morning in Costa Rica. */
export const morning = '2040-01-27T09:00:00-06:00'

export interface Prepared {
  readonly clientId: string
  readonly clientSecret: string
  readonly accessToken: string
  readonly refreshToken: string
}

type PreparedWorld = Pick<EmulatorWorld, 'control' | 'baseUrl' | 'authUrl' | 'user'>

/** Prepares a world once, to be forked by all tests. */
export async function prepare({ control, baseUrl, authUrl, user }: PreparedWorld): Promise<Prepared> {
  await control.clock.at({ time: morning })
  await control.fees.set({ pin: 150, sinpe_movil: 0 })
  await control.fx.set({ bid: 500, ask: 510 })
  const made = await control.clients.create({ name: 'Tienda El Roble', redirect_uris: ['http://127.0.0.1/signed-in'] })
  const { client_id: clientId, client_secret } = made
  const clientSecret = String(client_secret)
  const database = openDatabase()
  const shop = await openShop({ baseUrl, authUrl, clientId, clientSecret, database })
  await consent(shop.signIn(), { user })
  await shop.close()
  await control.snapshots.create({ name: snapshot })
  const { access_token, refresh_token } = database.prepare('SELECT * FROM session').get() as Record<string, string>
  return { clientId, clientSecret, accessToken: access_token ?? '', refreshToken: refresh_token ?? '' }
}

interface Granting {
  readonly user: { readonly id: string }
  readonly scopes?: readonly string[]
}

const allScopes = ['read-user', 'read-accounts', 'send-payments', 'manage-webhooks']

/** Acts as a user of the bank's page: grants the shop these scopes, and follows the redirect back to the shop. */
export async function consent(link: string, { user, scopes = allScopes }: Granting): Promise<void> {
  const fields = [['user', user.id], ['decision', 'allow'], ...scopes.map((scope) => ['grant', scope])]
  const answer = await fetch(link, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
  const back = await fetch(answer.headers.get('location') ?? '')
  if (!back.ok) throw new Error(await back.text())
}
