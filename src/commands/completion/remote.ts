import { createHash } from 'node:crypto'
import { tokenAsItStands } from '../../auth/access_token.ts'
import type { Client } from '../../client/client.ts'
import { plainClient } from '../connection.ts'
import type { Context } from '../context.ts'
import { keep, kept } from './cache.ts'
import type { Candidate } from './candidate.ts'

/** Ids that only the service knows. */
export type RemoteList = 'accounts' | 'subscriptions'

const readers: Readonly<Record<RemoteList, (client: Client) => Promise<readonly Candidate[]>>> = {
  async accounts(client) {
    const { data } = await client.call('accounts.list', { query: { per_page: 100 } })
    return data.map(({ id, iban, owner_name, status, balance: { currency } }) => ({
      value: id ?? '',
      about: [iban, currency, owner_name, ...(status === 'active' ? [] : [`(${status})`])].join(' '),
    }))
  },
  async subscriptions(client) {
    const { data } = await client.call('webhooks.list', { query: { per_page: 100 } })
    return data.map(({ id, url }) => ({ value: id ?? '', about: url ?? '' }))
  },
}

/** Milliseconds; the shell waits meanwhile. */
const timeout = 800

/** From a copy less than a minute old, or else from the service. */
export async function remembered(list: RemoteList, context: Context): Promise<readonly Candidate[]> {
  const target = await context.target()
  const { profile, baseUrl } = target
  const { token } = await tokenAsItStands(target, context.configDir)
  if (token === undefined) return []
  const place = { directory: context.stateDir, list, owner: digest([profile, baseUrl, token]) }
  const copy = await kept(place)
  if (copy) return copy
  // A Tab may be cut short: it must not be what renews a login.
  const client = await plainClient(context, { token, timeout })
  try {
    // An id that looks like a flag would be obeyed as one.
    const candidates = (await readers[list](client)).filter(({ value }) => value !== '' && !value.startsWith('-'))
    await keep(place, candidates)
    return candidates
  } finally {
    await client.close()
  }
}

/** Tells whose list it is, without keeping the token. */
const digest = (parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex')
