import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { currentToken } from '../../auth/access_token.ts'
import type { Client } from '../../client/client.ts'
import type { Account } from '../../client/received.ts'
import { makeFolder } from '../../files/directories.ts'
import { replaceContent } from '../../files/private_file.ts'
import type { Context } from '../command.ts'
import { plainClient } from '../connection.ts'
import type { Candidate } from './candidate.ts'

/** Lists of ids that only the service knows. */
type RemoteList = 'accounts' | 'subscriptions'

const readers: Readonly<Record<RemoteList, (client: Client) => Promise<readonly Candidate[]>>> = {
  async accounts(client) {
    const { data } = await client.call('accounts.list', { query: { per_page: 100 } })
    return [...currencies(data), ...data.map(byIban), ...data.map(byId)]
  },
  async subscriptions(client) {
    const { data } = await client.call('webhooks.list', { query: { per_page: 100 } })
    return data.map(({ id, url }) => ({ value: id ?? '', about: url ?? '' }))
  },
}

/** Currencies in which the user has exactly one active account. */
function currencies(all: readonly Account[]): readonly Candidate[] {
  const groups = Map.groupBy(
    all.filter(({ status }) => status === 'active'),
    ({ balance }) => balance.currency ?? '',
  )
  return [...groups].flatMap(([value, [only, ...others]]) =>
    only && others.length === 0 ? { value, about: [only.iban, only.owner_name].join(' ') } : [],
  )
}

const byIban = ({ iban, owner_name, status, balance: { currency } }: Account): Candidate => ({
  value: iban ?? '',
  about: [currency, owner_name, ...unlessActive(status)].join(' '),
})

const byId = ({ id, iban, owner_name, status, balance: { currency } }: Account): Candidate => ({
  value: id ?? '',
  about: [iban, currency, owner_name, ...unlessActive(status)].join(' '),
})

const unlessActive = (status: Account['status']): readonly string[] => (status === 'active' ? [] : [`(${status})`])

/** Time limit for the service's answer, in milliseconds; the shell waits meanwhile. */
const timeout = 800

/** Returns the list from the cache if it is less than a minute old, otherwise from the service. */
export async function remembered(list: RemoteList, context: Context): Promise<readonly Candidate[]> {
  const target = await context.target()
  const { profile, baseUrl } = target
  const { token } = await currentToken(target, context.configDir)
  if (token === undefined) return []
  const key = { directory: context.stateDir, list, owner: digest([profile, baseUrl, token]) }
  const copy = await kept(key)
  if (copy) return copy
  // The shell may stop a completion at any time, so a completion must not renew a login.
  const client = await plainClient(context, { token, timeout })
  try {
    // payctl would read an inserted id that begins with a dash as a flag.
    const candidates = (await readers[list](client)).filter(({ value }) => value !== '' && !value.startsWith('-'))
    await keep(key, candidates)
    return candidates
  } finally {
    await client.close()
  }
}

/** Digest that identifies the owner of the list and does not reveal the token. */
const digest = (parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/** Time for which a list is cached, in milliseconds; repeated Tabs ask the service once. */
const lifetime = 60_000

interface CacheKey {
  readonly directory: string
  readonly list: string
  /** Owner of the list; the lists of other owners are not used. */
  readonly owner: string
}

interface Copy {
  readonly owner: string
  /** Milliseconds since 1970. */
  readonly taken: number
  readonly candidates: readonly Candidate[]
}

const fileOf = ({ directory, list }: CacheKey): string => join(directory, `completion-${list}.json`)

/** False for a candidate in the format of another version of payctl: the cache file then counts as missing. */
const isCandidate = (value: Partial<Candidate> | null): boolean =>
  typeof value?.value === 'string' && ['string', 'undefined'].includes(typeof value.about)

async function kept(key: CacheKey): Promise<readonly Candidate[] | undefined> {
  try {
    const { owner, taken, candidates } = JSON.parse(await readFile(fileOf(key), 'utf8')) as Copy
    const age = Date.now() - taken
    const isFresh = owner === key.owner && age >= 0 && age < lifetime
    return isFresh && Array.isArray(candidates) && candidates.every(isCandidate) ? candidates : undefined
  } catch {
    return undefined
  }
}

/** Caches a list in a private file. If that fails, the next Tab asks the service again. */
export async function keep(key: CacheKey, candidates: readonly Candidate[]): Promise<void> {
  const copy: Copy = { owner: key.owner, taken: Date.now(), candidates }
  try {
    makeFolder(key.directory)
    replaceContent(fileOf(key), JSON.stringify(copy))
  } catch {}
}
