import {
  controlEndpoints,
  deliveryFaults,
  type FaultBody,
  type FaultRule,
  isDeliveryFault,
} from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { timeOf } from '../domain/time.ts'
import { isForDeliveries, isOfRequest, oauthFolder, type RequestSubject } from '../faults.ts'
import type { ControlHandlers } from '../http/context.ts'
import { firstMessage } from '../http/envelope.ts'
import { faultSubjects } from '../http/request_faults.ts'
import { asTyped, validatorFor } from '../http/validation.ts'
import type { World } from '../worlds/world.ts'

export const faultHandlers = {
  'control.faults.list': ({ query }, { world }) => world.faults.list({ all: query.which === 'all' }),

  'control.faults.add': ({ body }, { world }) => addFault(body, world),

  'control.faults.remove'({ params }, { world }) {
    const removed = world.faults.remove(Number(params.id))
    if (!removed) throw new Refusal(404)
    return removed
  },

  'control.faults.clear': (_, { world }) => world.faults.clear(),

  'control.chaos': (_, { world }) => world.chaos?.state ?? { seed: null, profile: null, counts: [], faults: [] },
} satisfies Partial<ControlHandlers>

function addFault(body: FaultBody, world: World): FaultRule {
  checkCombination(body)
  if (isForDeliveries(body)) checkDeliveryRule(body, world)
  else checkRequestRule(body)
  return world.faults.add(body)
}

/** Adds a fault, with full validation of the body: a caller in this process may pass anything. */
export function addUncheckedFault(body: FaultBody, world: World): void {
  const input = validatorFor(controlEndpoints['control.faults.add'], asTyped)
  try {
    input.input({ params: {}, query: {}, headers: {}, body })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(error.status, { message: firstMessage(error) ?? '', errors: error.errors })
  }
  addFault(body, world)
}

function checkCombination({ status, error, fault, delay_ms, spread_ms, until }: FaultBody): void {
  if ([status, error, fault, delay_ms, spread_ms].every((each) => each === undefined)) {
    throw refused('status', 'A rule needs a status, an error, a fault, a delay_ms or a spread_ms')
  }
  if (error !== undefined && (status !== undefined || fault !== undefined)) {
    throw refused('error', 'A rule with an error can’t have a status or a fault')
  }
  if (fault === 'hold_answer' && delay_ms === undefined) {
    throw refused('delay_ms', 'hold_answer needs a delay_ms: the time for which the answer is held back')
  }
  if (status !== undefined && fault !== undefined)
    throw refused('fault', 'A rule can have a status or a fault, but not both')
  if (until !== undefined && Number.isNaN(timeOf(until))) throw refused('until', 'The time does not exist')
}

function checkDeliveryRule(body: FaultBody, { deliverySettings }: World): void {
  const { endpoint, method, path, status, error, fault, delay_ms, spread_ms, retry_after } = body
  if (endpoint !== undefined || method !== undefined || path !== undefined) {
    throw refused('event', 'A rule is for requests (endpoint, method, path) or for deliveries (event, subscription)')
  }
  if (
    status !== undefined ||
    error !== undefined ||
    retry_after !== undefined ||
    (fault !== undefined && !isDeliveryFault(fault))
  ) {
    throw refused('fault', `A delivery can have ${deliveryFaults.join(', ')}, or a delay (delay_ms, spread_ms)`)
  }
  if (fault === 'bad_signature' && deliverySettings.signature_header === null) {
    throw refused('fault', 'Deliveries are not signed: set signature_header in the delivery settings first')
  }
  if (fault !== undefined && (delay_ms !== undefined || spread_ms !== undefined)) {
    throw refused('delay_ms', `A delivery can have ${fault} or a delay, but not both`)
  }
}

function checkRequestRule(body: FaultBody): void {
  const { endpoint, method, path: pattern, status, error, retry_after } = body
  if (endpoint !== undefined && (method !== undefined || pattern !== undefined)) {
    throw refused('endpoint', 'A rule can have an endpoint, or a method and a path, but not both')
  }
  if (pattern !== undefined && hasUnknownWildcard(pattern)) {
    throw refused('path', 'In a path, * matches one whole segment, and a final ** matches all segments that follow')
  }
  if (retry_after !== undefined && status !== 429 && status !== 503) {
    throw refused('retry_after', 'retry_after needs status 429 or 503')
  }
  const field = error === undefined ? 'status' : 'error'
  const subject = endpoint === undefined ? undefined : faultSubjects.get(endpoint)
  if (subject && !isOfRequest(body, subject)) {
    const answers = error === undefined ? Object.keys(subject.errors) : (subject.oauthErrors ?? [])
    const rest = answers.length === 0 ? 'its errors are HTTP statuses' : `its errors are ${answers.join(', ')}`
    throw refused(field, `${endpoint} does not answer ${error ?? status}; ${rest}`)
  }
  // A path pattern can match the paths of several endpoints. Only its prefix is certain: the prefix shows whether these
  // endpoints belong to OAuth.
  const isPossible = (each: RequestSubject) =>
    isOfRequest(pattern === undefined ? body : { ...body, path: each.path }, each)
  const isOfLogin = pattern?.startsWith(oauthFolder) === true
  const candidates = [...faultSubjects.values()].filter((each) => (each.oauthErrors !== undefined) === isOfLogin)
  if (endpoint === undefined && !candidates.some(isPossible)) {
    throw refused(field, `No endpoint ${method === undefined ? '' : `of ${method} `}answers ${error ?? status}`)
  }
}

/** True if a segment contains a `*` that is not a wildcard: no path would ever match. */
const hasUnknownWildcard = (pattern: string): boolean =>
  pattern
    .replace(/\/\*\*$/, '')
    .split('/')
    .some((segment) => segment !== '*' && segment.includes('*'))

/** Also sets the error's message, because a program in this process sees only that message. */
const refused = (field: string, message: string): Refusal =>
  new Refusal(422, { message, errors: { [field]: [message] } })
