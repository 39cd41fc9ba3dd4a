import type { Client } from '../../client/client.ts'
import type { User } from '../../client/received.ts'
import type { Scope } from '../../contract/scopes.ts'
import { toRun } from '../../errors/next_step.ts'
import { ApiError } from '../../errors/service_errors.ts'
import { type Finding, failedWith, ok, warn } from './finding.ts'

/** Reads that need one scope each. manage-accounts is for opening accounts only, so it cannot be tried. */
const probes: Readonly<Record<Exclude<Scope, 'manage-accounts'>, (client: Client) => Promise<unknown>>> = {
  'read-user': (client) => client.call('user.get'),
  'read-accounts': (client) => client.call('accounts.list', { query: { per_page: 1 } }),
  'send-payments': (client) => client.call('payments.history', { query: { per_page: 1 } }),
  'manage-webhooks': (client) => client.call('webhooks.list', { query: { per_page: 1 } }),
}

interface Probed {
  readonly scope: string
  readonly answer?: unknown
  readonly error?: unknown
}

/**
 * Checks if the service accepts the token, and with which scopes: a 401 means no, a 403 a missing scope. `noted` are the
 * scopes granted at login, if known.
 */
export async function token(client: Client, noted: readonly string[] | undefined): Promise<readonly Finding[]> {
  const probed = await Promise.all(Object.entries(probes).map(([scope, probe]) => ask(scope, probe(client))))
  const refused = probed.find(({ error }) => statusOf(error) === 401)
  if (refused) return [failedWith('token', refused.error)]
  const known = probed.filter(({ error }) => error === undefined || statusOf(error) === 403)
  if (known.length === 0) return [failedWith('token', probed[0]?.error)]
  return [ok('token', `accepted by the service${owner(probed)}`), scopes(probed, noted)]
}

function owner(probed: readonly Probed[]): string {
  const user = probed.find(({ scope }) => scope === 'read-user')?.answer as User | undefined
  return user?.name ? `, as ${user.name}` : ''
}

async function ask(scope: string, answer: Promise<unknown>): Promise<Probed> {
  try {
    return { scope, answer: await answer }
  } catch (error) {
    return { scope, error }
  }
}

function scopes(probed: readonly Probed[], noted: readonly string[] | undefined): Finding {
  const named = (of: (error: unknown) => boolean) => probed.filter(({ error }) => of(error)).map(({ scope }) => scope)
  const opening = noted?.includes('manage-accounts')
  const granted = [...named((error) => error === undefined), ...(opening ? ['manage-accounts'] : [])]
  const missing = [...named((error) => statusOf(error) === 403), ...(opening === false ? ['manage-accounts'] : [])]
  const unclear = named((error) => error !== undefined && statusOf(error) !== 403)
  const detail = [
    ...(granted.length > 0 ? [`has ${granted.join(', ')}`] : []),
    ...(missing.length > 0 ? [`lacks ${missing.join(', ')}`] : []),
    ...(unclear.length > 0 ? [`no answer on ${unclear.join(', ')}`] : []),
    ...(noted ? [] : ['whether it has manage-accounts shows only when an account is opened']),
  ].join('; ')
  if (missing.length > 0) return warn('scopes', detail, { kind: 'log_in', words: logInForThem })
  return unclear.length > 0 ? warn('scopes', detail, toRun(['doctor'])) : ok('scopes', detail)
}

const logInForThem = 'If you need what they allow, set PAYCTL_TOKEN to a token that has them, or log in for them'

/** Status from the service itself: a gateway's 401 or 403 says nothing about the token. */
const statusOf = (error: unknown): number | undefined =>
  error instanceof ApiError && error.fromService ? error.status : undefined
