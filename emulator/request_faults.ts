import {
  type Endpoint,
  type ErrorStatus,
  endpoints,
  idempotencyHeader,
  isDeliveryFault,
  type OAuthEndpoint,
  oauthEndpoints,
  type RedirectErrorCode,
  type TokenErrorCode,
} from '../src/contract/index.ts'
import { unauthenticated } from './access.ts'
import { Refusal } from './domain/refusal.ts'
import type { Fault, RequestSubject } from './faults.ts'
import type { Reply, Request } from './http_message.ts'
import { OAuthRefusal, RedirectRefusal } from './oauth/refusals.ts'
import type { World } from './world.ts'

/** What any server in front of a login can answer. */
const outages = { 429: null, 500: null, 503: null }

/** Each endpoint that rules can be for, by its id; `path` is its template. */
export const faultSubjects: ReadonlyMap<string, RequestSubject> = new Map([
  ...Object.entries<Endpoint>(endpoints).map(([endpoint, { method, path, errors }]): [string, RequestSubject] => [
    endpoint,
    { endpoint, method, path, errors },
  ]),
  ...Object.entries<OAuthEndpoint>(oauthEndpoints).map(([endpoint, row]): [string, RequestSubject] => {
    const { method, path, pages, redirects } = row
    const errors = { ...outages, ...Object.fromEntries(pages.map((status) => [status, null])) }
    return [endpoint, { endpoint, method, path, errors, oauthErrors: [...Object.keys(row.errors), ...redirects] }]
  }),
])

/** Keeps with the request what a rule, or chance, has happen to it. Throws if that is a refusal without a delay. */
export function meetFault(world: World, id: string, request: Request): void {
  const subject = faultSubjects.get(id)
  const fault =
    subject && (world.faults.next({ ...subject, path: request.path }) ?? chanceFault(world, subject, request))
  if (!fault) return
  request.fault = fault
  if (fault.status !== undefined && fault.delay === 0) throw refusalOf(fault, fault.status)
}

/** What happens by chance; a login is spared, because a suite logs in before what it tests. */
function chanceFault({ chaos }: World, subject: RequestSubject, { path, headers, user }: Request): Fault | undefined {
  if (chaos === null || subject.oauthErrors !== undefined) return undefined
  const { [idempotencyHeader.toLowerCase()]: key = path } = headers
  return chaos.next({ subject, identity: `${user} ${subject.endpoint} ${key}` })
}

interface Handling {
  /** The world of the request; throws a Refusal if it has ended. */
  readonly worldNow: () => World
  /** Does the work and sends the answer. */
  readonly answer: () => unknown
}

/** Lets a rule happen to a request whose body has been read. */
export async function answerWithFault(rule: Fault, reply: Reply, { worldNow, answer }: Handling): Promise<unknown> {
  const { delay, status, fault } = rule
  const { faults } = worldNow()
  if (delay > 0 && !(await faults.wait(delay))) {
    worldNow()
    // It was reset: what came before must not reach what it is now.
    return reply.raw.destroy()
  }
  if (status !== undefined) throw refusalOf(rule, status)
  if (fault === 'reset') return reply.raw.socket?.resetAndDestroy()
  if (fault !== undefined && !isDeliveryFault(fault)) reply.fault = { kind: fault, wait: (ms) => faults.wait(ms) }
  return answer()
}

const onPurpose = 'The emulator was told to refuse it.'

/** Throws the OAuth error that a rule has a request end in, for the token endpoint's body. */
export function refuseToken({ fault, headers }: Request): void {
  if (fault?.error === undefined) return
  const basic = fault.error === 'invalid_client' && headers.authorization !== undefined
  const challenge = basic ? { 'WWW-Authenticate': 'Basic realm="OAuth client"' } : {}
  throw new OAuthRefusal(fault.error as TokenErrorCode, onPurpose, challenge)
}

/** The same for a redirect to the client. */
export function refuseRedirect({ fault }: Request): void {
  if (fault?.error !== undefined) throw new RedirectRefusal(fault.error as RedirectErrorCode, onPurpose)
}

function refusalOf({ retry_after }: Fault, status: number): Refusal {
  if (status === 401) return unauthenticated(onPurpose)
  const wait = retry_after ?? (status === 429 ? 1 : undefined)
  return new Refusal(status as ErrorStatus, wait === undefined ? {} : { headers: { 'Retry-After': String(wait) } })
}
