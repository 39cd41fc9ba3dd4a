import { isLoopback } from '../../client/base_url.ts'
import type { Answer, Client } from '../../client/client.ts'
import type { ServiceStatus, User } from '../../client/received.ts'
import type { Target } from '../../config/target.ts'
import { worldHeader } from '../../contract/headers.ts'
import type { Scope } from '../../contract/scopes.ts'
import { toRun } from '../../errors/next_step.ts'
import { ApiError } from '../../errors/service_errors.ts'
import type { Environment } from '../../run/invocation.ts'
import { type Finding, failedWith, ok, warn } from './finding.ts'

/** Maximum difference between this machine's clock and the service's clock without a warning, in milliseconds. */
const tolerance = 30_000

/** Checks the service with one request without a token. */
export async function service(client: Client, target: Target, env: Environment): Promise<readonly Finding[]> {
  const start = Date.now()
  try {
    const answer = await client.answer('payments.serviceStatus')
    const end = Date.now()
    return [
      ok('service', `${target.baseUrl} answered in ${end - start} ms`),
      encryption(target, env),
      ...clock(answer, start, end),
      rails(answer.data),
    ]
  } catch (error) {
    return [failedWith('service', error), encryption(target, env)]
  }
}

function encryption({ baseUrl }: Target, env: Environment): Finding {
  if (isLoopback(baseUrl)) return ok('encryption', 'not needed: the service is on this machine')
  if (baseUrl.startsWith('http:')) {
    const hint = 'Use a base URL that begins with https://'
    return warn(
      'encryption',
      'none: anyone on the network path can read and change what is sent; payctl sends no token',
      hint,
    )
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const detail = 'NODE_TLS_REJECT_UNAUTHORIZED=0: anyone on the network path can pretend to be the service'
    return warn(
      'encryption',
      detail,
      'Unset the variable; if you use your own certificate authority, name its file in NODE_EXTRA_CA_CERTS',
    )
  }
  return ok('encryption', 'TLS')
}

/** Compares the clocks. The Date header has whole seconds, and the service wrote it between `start` and `end`. */
function clock({ headers }: Answer<unknown>, start: number, end: number): readonly Finding[] {
  const theirs = Date.parse(headers.date ?? '')
  if (Number.isNaN(theirs)) return []
  const skew = start > theirs + 999 ? start - theirs - 999 : end < theirs ? end - theirs : 0
  const seconds = Math.round(Math.abs(skew) / 1000)
  const apart = `this machine's clock is ${seconds} s ${skew < 0 ? 'behind' : 'ahead of'} the service's`
  if (Math.abs(skew) <= tolerance) return [ok('clock', seconds === 0 ? 'agrees with the clock of the service' : apart)]
  if (headers[worldHeader.toLowerCase()] !== undefined)
    return [ok('clock', `${apart}; the service is an emulator whose clock was moved`)]
  return [warn('clock', apart, 'Set the clock, preferably with NTP: logins and certificates depend on the time')]
}

function rails({ pin_service: pin, sinpe_service: sinpe }: ServiceStatus): Finding {
  if (!pin.status || !sinpe.status) {
    return warn(
      'rails',
      'the service’s answer does not contain the status of the rails',
      'Check that the base URL is the URL of the API',
    )
  }
  const detail = `PIN ${pin.status}, SINPE Móvil ${sinpe.status}`
  if (pin.available && sinpe.available) return ok('rails', detail)
  return warn(
    'rails',
    detail,
    toRun(['payments', 'service-status'], 'Payments over a rail that is down are refused or late'),
  )
}

/** For each scope, a read that needs the scope. manage-accounts only opens accounts, so no read can try this scope. */
const probes: Readonly<Record<Exclude<Scope, 'manage-accounts'>, (client: Client) => Promise<unknown>>> = {
  'read-user': (client) => client.call('user.get'),
  'read-accounts': (client) => client.call('accounts.list', { query: { per_page: 1 } }),
  'send-payments': (client) => client.call('payments.history', { query: { per_page: 1 } }),
  'manage-webhooks': (client) => client.call('webhooks.list', { query: { per_page: 1 } }),
}

interface ScopeProbe {
  readonly scope: string
  readonly answer?: unknown
  readonly error?: unknown
}

/**
 * Checks whether the service accepts the token, and with which scopes: a 401 means no, a 403 a missing scope. `noted`
 * are the scopes granted at login, if known.
 */
export async function token(client: Client, noted: readonly string[] | undefined): Promise<readonly Finding[]> {
  const probed = await Promise.all(Object.entries(probes).map(([scope, probe]) => ask(scope, probe(client))))
  const refused = probed.find(({ error }) => statusOf(error) === 401)
  if (refused) return [failedWith('token', refused.error)]
  const known = probed.filter(({ error }) => error === undefined || statusOf(error) === 403)
  if (known.length === 0) return [failedWith('token', probed[0]?.error)]
  return [ok('token', `accepted by the service${owner(probed)}`), scopes(probed, noted)]
}

function owner(probed: readonly ScopeProbe[]): string {
  const user = probed.find(({ scope }) => scope === 'read-user')?.answer as User | undefined
  return user?.name ? `, as ${user.name}` : ''
}

async function ask(scope: string, answer: Promise<unknown>): Promise<ScopeProbe> {
  try {
    return { scope, answer: await answer }
  } catch (error) {
    return { scope, error }
  }
}

function scopes(probed: readonly ScopeProbe[], noted: readonly string[] | undefined): Finding {
  const named = (of: (error: unknown) => boolean) => probed.filter(({ error }) => of(error)).map(({ scope }) => scope)
  const opening = noted?.includes('manage-accounts')
  const granted = [...named((error) => error === undefined), ...(opening ? ['manage-accounts'] : [])]
  const missing = [...named((error) => statusOf(error) === 403), ...(opening === false ? ['manage-accounts'] : [])]
  const unclear = named((error) => error !== undefined && statusOf(error) !== 403)
  const detail = [
    ...(granted.length > 0 ? [`has ${granted.join(', ')}`] : []),
    ...(missing.length > 0 ? [`lacks ${missing.join(', ')}`] : []),
    ...(unclear.length > 0 ? [`no answer on ${unclear.join(', ')}`] : []),
    ...(noted ? [] : ['only opening an account shows whether the token has the scope manage-accounts']),
  ].join('; ')
  if (missing.length > 0) return warn('scopes', detail, { kind: 'log_in', words: logInForThem })
  return unclear.length > 0 ? warn('scopes', detail, toRun(['doctor'])) : ok('scopes', detail)
}

const logInForThem = 'If you need these scopes, set PAYCTL_TOKEN to a token that has them, or log in and allow them'

/** Status of the service's own answer: a gateway's 401 or 403 says nothing about the token. */
const statusOf = (error: unknown): number | undefined =>
  error instanceof ApiError && error.fromService ? error.status : undefined
