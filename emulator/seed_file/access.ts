import { allScopes } from '../../src/contract/index.ts'
import { isoTime, isoTimeOrNull } from '../domain/time.ts'
import { weaknessOf } from '../secret_strength.ts'
import type { NewOAuthClient } from '../store/oauth.ts'
import { digest, digestOf, type SecretOrDigest } from '../store/secret.ts'
import { maskOf, type NewSubscription, type Suspension } from '../store/subscriptions.ts'
import type { NewToken, StoredToken } from '../store/tokens.ts'
import { headersFault, subscriptionDefaults, targetFault } from '../webhooks/target.ts'
import { demo, seededAt, tokenCreatedAt } from '../worlds/seed.ts'
import { Names } from './names.ts'
import type { Path } from './problems.ts'
import type { ListCodec, Resolving } from './resolving.ts'

/**
 * Reads a secret of a seed, or its digest, whose field ends in `_sha256`; undefined if there is neither. A secret that
 * `opens` the emulator must be strong if other machines can reach the emulator.
 */
function secretOf(
  { text, sha256 }: { readonly text: string | undefined; readonly sha256: string | undefined },
  { name, path, opens }: { readonly name: string; readonly path: Path; readonly opens: boolean },
  resolving: Resolving,
): SecretOrDigest | undefined {
  const exposed = opens && resolving.context.exposed
  const field = [...path, text === undefined ? `${name}_sha256` : name]
  if (text !== undefined && sha256 !== undefined) {
    resolving.complain(field, `either ${name} or ${name}_sha256, not both`)
  }
  if (exposed && text !== undefined) {
    const fault = weaknessOf(text)
    if (fault !== null) resolving.complain(field, `${fault}, and other machines can reach this emulator`)
  } else if (exposed && sha256 !== undefined) {
    resolving.complain(
      field,
      'other machines can reach this emulator, and a digest does not show how strong its secret is',
    )
  }
  return text ?? (sha256 === undefined ? undefined : Buffer.from(sha256, 'hex'))
}

export const clientCodec: ListCodec<'clients', NewOAuthClient> = {
  read: (entries, resolving) =>
    entries.map(({ value, path }) => {
      const { client_id: id, name = id, public: isPublic, redirect_uris, scopes = allScopes } = value
      resolving.once('client', id, [...path, 'client_id'])
      if (id === demo.clientId || resolving.context.clientIds.includes(id)) {
        resolving.complain([...path, 'client_id'], `${id} already exists: every world of this emulator has it`)
      }
      redirect_uris.forEach((uri, at) => {
        if (!URL.canParse(uri)) resolving.complain([...path, 'redirect_uris', at], 'must be a URL')
      })
      const given = { text: value.client_secret, sha256: value.client_secret_sha256 }
      const secret = secretOf(given, { name: 'client_secret', path, opens: true }, resolving)
      if (isPublic && secret !== undefined) resolving.complain(path, 'a public client has no secret')
      if (!isPublic && secret === undefined) resolving.complain(path, 'client_secret is missing, or public: true')
      const created_at = resolving.time(value.created_at, [...path, 'created_at'], resolving.usual)
      return { id, name, secret: secret ?? null, redirect_uris, scopes, created_at }
    }),
  write({ store, options }) {
    const own = [demo.clientId, ...options.oauthClients.map(({ id }) => id)]
    const others = store.clients.all().filter(({ id }) => !own.includes(id))
    return others.map(({ id, name, isPublic, secret_hash, redirect_uris, scopes, created_at }) => ({
      client_id: id,
      name,
      ...(isPublic ? { public: true } : { client_secret_sha256: secret_hash.toString('hex') }),
      redirect_uris: [...redirect_uris],
      scopes: [...scopes],
      created_at: isoTime(created_at),
    }))
  },
}

export const tokenCodec: ListCodec<'tokens', NewToken> = {
  read(entries, resolving) {
    const own = digest(resolving.context.token).toString('hex')
    return entries.flatMap(({ value, path }) => {
      const given = { text: value.token, sha256: value.token_sha256 }
      const secret = secretOf(given, { name: 'token', path, opens: true }, resolving)
      const user = resolving.users.find(value.user, [...path, 'user'])
      if (secret === undefined) resolving.complain(path, 'token is missing')
      if (secret === undefined || !user) return []
      const field = [...path, value.token === undefined ? 'token_sha256' : 'token']
      const sha256 = digestOf(secret).toString('hex')
      if (sha256 === own) resolving.complain(field, 'this is the emulator’s own token, which belongs to the first user')
      if (resolving.isRepeated('token', sha256)) resolving.complain(field, 'the same token occurs twice')
      const created = resolving.time(value.created_at, [...path, 'created_at'], resolving.usual)
      return [
        {
          secret,
          user: user.seq,
          scopes: value.scopes ?? allScopes,
          expires_at: resolving.time(value.expires_at, [...path, 'expires_at'], null),
          created_at: tokenCreatedAt(created),
        },
      ]
    })
  },
  write: ({ store }, { users }) =>
    store.tokenRecords
      .secrets()
      .filter((token) => isDashboardToken(token) && token.created_at !== seededAt)
      .map(({ hash, user, scopes, expires_at, created_at }) => ({
        token_sha256: hash.toString('hex'),
        user: users.get(user) ?? '',
        scopes,
        expires_at: isoTimeOrNull(expires_at),
        created_at: isoTime(created_at),
      })),
}

/** True for a token that a seed can have: the token does not belong to an OAuth client, and is not revoked. */
export const isDashboardToken = ({ authorization, revoked_at }: StoredToken): boolean =>
  authorization === null && revoked_at === null

export interface SeedSubscription extends Omit<NewSubscription, 'signs'> {
  readonly suspension: Suspension | null
  readonly last_sent_at: number | null
}

export const subscriptionCodec: ListCodec<'subscriptions', SeedSubscription> = {
  read(entries, resolving) {
    const names = new Names<SeedSubscription>('subscription', resolving.problems)
    return entries.flatMap((entry) => {
      const { value, path } = entry
      const user = resolving.users.find(value.user, [...path, 'user'])
      const fault = targetFault(value.url)
      if (fault !== null) resolving.complain([...path, 'url'], fault)
      const faultOfHeaders = headersFault(value.headers ?? null)
      if (faultOfHeaders !== null) resolving.complain([...path, 'headers'], faultOfHeaders)
      if (!user) return []
      const events = [...new Set(value.events)]
      if (resolving.isRepeated('subscription', `${user.seq} ${maskOf(events)} ${value.url}`)) {
        resolving.complain(path, 'a subscription of this user with the same url and events already exists')
      }
      const { headers = null, suspended_reason: reason = subscriptionDefaults.reason } = value
      const created_at = resolving.time(value.created_at, [...path, 'created_at'], resolving.usual)
      const suspended = resolving.time(value.suspended_at, [...path, 'suspended_at'], null)
      const given = { text: value.secret, sha256: value.secret_sha256 }
      const subscription = {
        user: user.seq,
        url: value.url,
        events,
        max_attempts: value.max_attempts ?? subscriptionDefaults.max_attempts,
        timeout: value.timeout ?? subscriptionDefaults.timeout,
        headers: Array.isArray(headers) ? null : headers,
        secret: secretOf(given, { name: 'secret', path, opens: false }, resolving) ?? null,
        last_sent_at: resolving.time(value.last_sent_at, [...path, 'last_sent_at'], null),
        suspension: suspended === null ? null : { reason, at: suspended },
        created_at,
        updated_at: resolving.time(value.updated_at, [...path, 'updated_at'], suspended ?? created_at),
      }
      return [names.add(entry, (id) => ({ ...subscription, id }))]
    })
  },
  write: ({ store }, { users }) =>
    store.subscriptions.all().map((subscription) => {
      const { id, user, url, events, max_attempts, timeout, headers, secret_hash } = subscription
      const { last_sent_at, suspended_at, suspended_reason, created_at, updated_at } = subscription
      return {
        id,
        user: users.get(user) ?? '',
        url,
        events: [...events],
        max_attempts,
        timeout,
        ...(headers && { headers: { ...headers } }),
        ...(secret_hash && { secret_sha256: secret_hash.toString('hex') }),
        ...(last_sent_at !== null && { last_sent_at: isoTime(last_sent_at) }),
        ...(suspended_at !== null && { suspended_at: isoTime(suspended_at) }),
        ...(suspended_reason !== null && { suspended_reason }),
        created_at: isoTime(created_at),
        updated_at: isoTime(updated_at),
      }
    }),
}
