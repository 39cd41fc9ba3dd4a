import {
  type Assertion,
  type Candidate,
  type DeliveredBody,
  type Endpoint,
  endpoints,
  formatMoney,
  isPhone,
  isUnderWay,
  nationalPhone,
  normalizeIban,
  normalizePhone,
  oauthEndpoints,
  type ReceivedBody,
  shownCandidates,
} from '../../src/contract/index.ts'
import { webhookId } from '../webhooks/send.ts'
import type { World } from '../worlds/world.ts'
import { requestId } from './request_log.ts'

type Members = Readonly<Record<string, unknown>>
type Difference = Candidate['differences'][number]

/** A request, delivery or payment of the world, with the members that an expectation can name. */
interface Came {
  readonly id: string
  /** Description, for people. */
  readonly what: string
  readonly members: Members
  /**
   * True if the request has the expected endpoint, the delivery the expected event, or the payment the expected payee.
   * Messages count only requests, deliveries or payments of this kind.
   */
  readonly isOfKind: boolean
}

interface Expectation {
  /** Expected members; a member that is undefined may have any value. */
  readonly expected: Members
  /** Exact number of matches; undefined: at least one. */
  readonly times: number | undefined
  /** Singular and plural of the expected thing: `requests to payments.create`. */
  readonly noun: readonly [one: string, many: string]
  /** Number of expected things that the world no longer has: they may have matched. */
  readonly dropped?: number
}

/** Compares requests, deliveries or payments with an expectation. */
export function judged({ expected: given, times, noun, dropped = 0 }: Expectation, all: readonly Came[]): Assertion {
  const expected = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const compared = all.map(({ id, what, members, isOfKind }) => ({
    isOfKind,
    candidate: {
      id,
      what,
      actual: asked(expected, members) as Record<string, unknown>,
      differences: differencesFrom(expected, members),
    },
  }))
  const ofKind = compared.filter(({ isOfKind }) => isOfKind).length
  const matches = compared.filter(({ candidate }) => candidate.differences.length === 0).length
  const pass = times === undefined ? matches > 0 : matches === times && dropped === 0
  const nearest = compared
    .toSorted((one, other) => distance(one) - distance(other))
    .slice(0, shownCandidates)
    .map(({ candidate }) => candidate)
  return {
    pass,
    message: inWords({ times, noun, matches, ofKind, dropped }),
    expected,
    times: times ?? null,
    matches,
    nearest,
  }
}

/**
 * Distance of a request, delivery or payment from the expectation. Anything of another kind is farther away than
 * anything of the expected kind.
 */
const distance = ({ isOfKind, candidate }: { readonly isOfKind: boolean; readonly candidate: Candidate }): number =>
  candidate.differences.length + (isOfKind ? 0 : 1e6)

interface Counted extends Pick<Expectation, 'times' | 'noun'> {
  readonly matches: number
  readonly ofKind: number
  readonly dropped: number
}

function inWords({ times, noun: [one, many], matches, ofKind, dropped }: Counted): string {
  const wanted =
    times === undefined ? `at least one ${one}` : times === 0 ? `no ${one}` : `${times} ${times === 1 ? one : many}`
  const lost = dropped > 0 && `the log no longer has ${dropped} ${dropped === 1 ? one : many}`
  const found = matches > 0 && `${matches} ${matches === 1 ? 'matches' : 'match'}`
  const others = ofKind === 1 ? 'one came, but does not match' : `${ofKind} came, but none matches`
  const came = found || (ofKind > 0 ? others : !lost && 'none came')
  return `Expected ${wanted}: ${[came, lost].filter(Boolean).join('; ')}.`
}

/**
 * Differences between a value and the expected value. Objects may have additional members; arrays must have the same
 * length.
 */
function differencesFrom(expected: unknown, actual: unknown, path = ''): Difference[] {
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((value, at) => differencesFrom(value, actual[at], `${path}[${at}]`))
  }
  if (isObject(expected) && isObject(actual)) {
    return Object.entries(expected).flatMap(([name, value]) =>
      differencesFrom(value, own(actual, name), path === '' ? name : `${path}.${name}`),
    )
  }
  return expected === actual ? [] : [{ path, expected, actual }]
}

/** Reduces a value to the members that an expectation names, so that a difference shows nothing else. */
function asked(expected: unknown, actual: unknown): unknown {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return actual.map((value, at) => (at < expected.length ? asked(expected[at], value) : value))
  }
  if (!isObject(expected) || !isObject(actual)) return actual
  return Object.fromEntries(
    Object.keys(expected).flatMap((name) => {
      const value = own(actual, name)
      return value === undefined ? [] : [[name, asked(expected[name], value)]]
    }),
  )
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const own = (members: Members, name: string): unknown => (Object.hasOwn(members, name) ? members[name] : undefined)

const templates: Readonly<Record<string, Pick<Endpoint, 'path'>>> = { ...endpoints, ...oauthEndpoints }

/** Requests that are still in the log. */
export const requestsCame = ({ requests }: World, expected: Pick<ReceivedBody, 'endpoint'>): Came[] =>
  requests.list().map(({ number, method, path, endpoint, status, key, query, body }) => {
    const params = endpoint === null ? {} : parametersIn(path, templates[endpoint]?.path ?? '')
    return {
      id: requestId(number),
      what: `${method} ${path}, ${status ?? 'no answer'}`,
      members: { endpoint, key, params, query, body, status },
      isOfKind: endpoint === expected.endpoint,
    }
  })

/** Parameters in a path, by name; `template` is the endpoint's path, such as `/api/payments/{id}`. */
function parametersIn(path: string, template: string): Record<string, string> {
  const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
  return { ...new RegExp(`^${pattern}$`).exec(path)?.groups }
}

export function deliveriesCame(world: World, expected: Pick<DeliveredBody, 'event'>): Came[] {
  const series = world.settings.get('series')
  return world.store.deliveries.madeHere().map(({ seq, ...delivery }) => {
    const { event, url, status, attempts } = delivery
    const what = `${event} to ${url}, ${status} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
    return { id: webhookId(series, seq), what, members: delivery, isOfKind: event === expected.event }
  })
}

/** The statuses, in words, of payments that moved their money or still can. */
export const moving = 'pending, processing or completed'

export const addressOf = (payee: string): string => {
  const phone = normalizePhone(payee)
  return isPhone(phone) ? nationalPhone(phone) : normalizeIban(payee)
}

export function paymentsCame({ store }: World, expected: { readonly payee: string; readonly status: string }): Came[] {
  const accounts = new Map(store.accounts.all().map(({ seq, id }) => [seq, id]))
  return store.payments
    .madeHere()
    .filter(({ transfer_type }) => transfer_type === 'debit')
    .map((payment) => {
      const { id, amount, currency, status, payee } = payment
      const address = [payee.iban, payee.phone].find((one) => one === expected.payee) ?? payee.phone ?? payee.iban
      const isMoving = isUnderWay(status) || status === 'completed'
      const shown = expected.status === moving && isMoving ? moving : status
      return {
        id,
        what: `${formatMoney(amount, currency)} to ${address}, ${status}`,
        members: { payee: address, amount, currency, account: accounts.get(payment.account), status: shown },
        isOfKind: address === expected.payee,
      }
    })
}
