import {
  chaosHeader,
  type Endpoint,
  type ErrorStatus,
  endpoints,
  idempotencyHeader,
  isDeliveryFault,
  type KillMoment,
  type OAuthEndpoint,
  oauthEndpoints,
  type RedirectErrorCode,
  type TokenErrorCode,
} from '../../src/contract/index.ts'
import type { Chaos } from '../chaos/chaos.ts'
import type { Kills } from '../chaos/kills.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Fault, RequestSubject } from '../faults.ts'
import { OAuthRefusal, RedirectRefusal } from '../oauth/refusals.ts'
import type { World } from '../worlds/world.ts'
import { unauthenticated } from './access.ts'
import type { Reply, Request } from './message.ts'

/**
 * Statuses that rules can give to the login although its endpoints do not declare them: a proxy could answer with them.
 */
const outages = { 429: null, 500: null, 503: null }

/** Endpoints that rules can match, by id; `path` is the template. */
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

/** True if a request turns chaos off for itself: the test itself sends such a request, not the tested program. */
export const isCalm = ({ headers }: Request): boolean => headers[chaosHeader.toLowerCase()] === 'off'

/** The chaos that applies to a request; null: none. */
export const chaosFor = ({ chaos }: World, request: Request): Chaos | null => (isCalm(request) ? null : chaos)

/**
 * Sets the fault of a request, from a rule or from chaos. If the fault is an error status without a delay, it is thrown
 * at once as a refusal.
 */
export function meetFault({ faults }: World, id: string, request: Request, chaos: Chaos | null): void {
  const subject = faultSubjects.get(id)
  const fault = subject && (faults.next({ ...subject, path: request.path }) ?? chanceFault(chaos, subject, request))
  if (!fault) return
  request.fault = fault
  if (fault.status !== undefined && fault.delay === 0) throw refusalOf(fault, fault.status)
}

function chanceFault(
  chaos: Chaos | null,
  subject: RequestSubject,
  { path, headers, user }: Request,
): Fault | undefined {
  const { [idempotencyHeader.toLowerCase()]: key = path } = headers
  return chaos?.next({ subject, identity: `${user} ${subject.endpoint} ${key}` })
}

/**
 * Applies a fault to a request whose body has been read. `worldNow` returns the request's world, or throws a Refusal if
 * that world has ended; `answer` handles the request and sends the answer.
 */
export async function answerWithFault(
  rule: Fault,
  reply: Reply,
  { worldNow, answer }: { readonly worldNow: () => World; readonly answer: () => unknown },
): Promise<unknown> {
  const { delay, status, fault } = rule
  const { faults } = worldNow()
  if (delay > 0 && fault !== 'hold_answer' && !(await faults.wait(delay))) {
    worldNow()
    // The world was reset: a request to the old state must not reach the new state.
    return reply.raw.destroy()
  }
  if (status !== undefined) throw refusalOf(rule, status)
  if (fault === 'reset') return reply.raw.socket?.resetAndDestroy()
  if (fault !== undefined && !isDeliveryFault(fault))
    reply.fault = { kind: fault, delay, wait: (ms) => faults.wait(ms) }
  return answer()
}

/**
 * Answers a request at which the emulator kills the program that sent the request. `answer` handles the request and
 * sends the answer.
 */
export async function answerKilled(
  request: Request,
  reply: Reply,
  { kills, answer }: { readonly kills: Kills; readonly answer: () => unknown },
): Promise<unknown> {
  const moment = request.kill as KillMoment
  const kill = () => kills.at(request, moment)
  if (moment === 'before_work') {
    await kill()
    return reply.raw.destroy()
  }
  // Holds the answer back until the program is killed; then the connection closes.
  if (moment === 'before_answer') reply.fault = { kind: 'hold_answer', delay: 0, wait: () => kill().then(() => false) }
  else reply.raw.once('finish', () => void kill())
  return answer()
}

const onPurpose = 'The emulator is set to refuse this request.'

/** Throws the OAuth error of the request's fault, for the body of the token endpoint's answer. */
export function refuseToken({ fault, headers }: Request): void {
  if (fault?.error === undefined) return
  const basic = fault.error === 'invalid_client' && headers.authorization !== undefined
  const challenge = basic ? { 'WWW-Authenticate': 'Basic realm="OAuth client"' } : {}
  throw new OAuthRefusal(fault.error as TokenErrorCode, onPurpose, challenge)
}

/** Throws the OAuth error of the request's fault, which a redirect reports to the client. */
export function refuseRedirect({ fault }: Request): void {
  if (fault?.error !== undefined) throw new RedirectRefusal(fault.error as RedirectErrorCode, onPurpose)
}

function refusalOf({ retry_after }: Fault, status: number): Refusal {
  if (status === 401) return unauthenticated(onPurpose)
  const wait = retry_after ?? (status === 429 ? 1 : undefined)
  return new Refusal(status as ErrorStatus, wait === undefined ? {} : { headers: { 'Retry-After': String(wait) } })
}
