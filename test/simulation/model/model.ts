import type { Channel, Scope } from '../../../src/contract/index.ts'
import { Access, type Token } from './access.ts'
import * as accounts from './accounts.ts'
import { Bank } from './bank.ts'
import { type Attempt, Events } from './events.ts'
import {
  type Answer,
  type Expected,
  type Fields,
  fieldsOf,
  headersDiffer,
  Refused,
  type Request,
  refused,
} from './exchange.ts'
import { type Moment, Rules } from './faults.ts'
import { Difference, differenceOf, type Lessons, matching, shown, text } from './matching.ts'
import * as payments from './payments.ts'
import { Rates } from './rates.ts'
import { type Account, known, type Start } from './records.ts'
import { Subscriptions } from './subscriptions.ts'
import { timestamp } from './values.ts'

type Caller = payments.Caller

interface Route {
  readonly method: string
  readonly path: string
  /** Null: every caller. */
  readonly scopes: readonly Scope[] | null
  readonly answers: (call: payments.Body, parameter: string) => Expected[]
}

/** Pause before the service tries again after its disk was full, in milliseconds. */
const troubleMs = 2000

/**
 * The whole service in plain arrays and maps, written from the interface alone. The model receives each request with
 * its answer, in the order of handling, and throws a Difference for an answer that the interface does not allow. Values
 * that the interface leaves to the service (ids, references, tokens, rates, delays of a rail) come from the answers.
 */
export class ReferenceModel {
  readonly bank: Bank
  readonly #access: Access
  readonly #rates = new Rates()
  readonly #subscriptions = new Subscriptions()
  readonly #events: Events
  readonly rules = new Rules()
  readonly #routes: readonly Route[]
  /** Time until which the service may answer 500, because of a full disk; a failed request has no effect. */
  #troubledUntil = 0
  /** The latest time so far. A clock may go back, but the events that were possible before stay possible. */
  #latest = 0

  constructor(start: Start) {
    this.bank = new Bank(start)
    this.#access = new Access(start, this.bank.users)
    this.#events = new Events(this.bank, this.#subscriptions, this.rules)
    this.#routes = this.#table()
  }

  /**
   * Updates the model with a request and its answer; `isSpoilt`: the request may have failed with its shared commit.
   */
  exchange(request: Request, answer: Answer, { isSpoilt = false } = {}): void {
    const now = this.#pass(request.at)
    const { expected, headers } = this.#expected({ request, answer, now }, isSpoilt)
    let first: string | null = null
    for (const { status, body, headers: own, learn } of expected) {
      const lessons: Lessons = []
      const difference =
        status === answer.status
          ? (headersDiffer({ ...headers, ...own }, answer.headers, lessons) ?? differenceOf(body, answer.body, lessons))
          : `the status is ${answer.status} instead of ${status}`
      if (difference === null) {
        for (const lesson of lessons) lesson()
        learn?.()
        return
      }
      first ??= difference
    }
    const known = expected.map(({ status, body }) => `  allowed:  ${status} ${shown(body)}`)
    const told = [
      `${request.method} ${request.url} ${request.body ?? ''}`,
      ...known,
      `  answered: ${answer.status} ${shown(answer.body)}`,
    ]
    const invariant = answer.status === 500 ? 'no fault' : 'as the interface says'
    throw new Difference(
      `${request.method} ${request.url}: ${first ?? 'nothing is allowed'}\n${told.join('\n')}`,
      invariant,
    )
  }

  /** Updates the model with a request that the service may have handled, but whose answer was lost. */
  lost(request: Request): void {
    const now = this.#pass(request.at)
    this.#access.countMaybe(request.at)
    const answer: Answer = { status: 0, headers: {}, body: null }
    const path = request.url.split('?', 1)[0]
    const token = this.#access.tokenOf(request)
    try {
      if (path === '/oauth/token') this.#access.lose(request)
      if (path?.startsWith('/api/webhooks/')) this.#subscriptions.resumedAll(now)
      if ('status' in token) return
      if (request.method === 'DELETE') this.#subscriptions.loseDelete(path?.split('/').at(-1) ?? '', token.user)
      if (request.method !== 'POST') return
      const call = { request, answer, token, bank: this.bank, now, body: fieldsOf(request) }
      if (path === '/api/payments') payments.loseCreate(payments.keyOf(request), call)
      if (path === '/api/accounts') accounts.loseCreate(call.body, call)
      if (path === '/api/webhooks/subscriptions') this.#subscriptions.loseCreate(call.body, call)
      else if (path?.startsWith('/api/webhooks/')) this.#subscriptions.loseChange(path.split('/')[4] ?? '', call)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
    }
  }

  /** Updates the model with an incomplete request, which had no effect, but which the service may have counted. */
  cut(at: number): void {
    this.#access.countMaybe(this.#pass(at))
  }

  /** Updates the model with an attempt at a delivery. */
  delivery(attempt: Attempt): void {
    this.#pass(attempt.at)
    this.#events.attempted(attempt)
    if (attempt.at <= this.#troubledUntil) this.#events.forgetAttempts()
  }

  /** Notes that the service sends all waiting deliveries, including those of suspended subscriptions. */
  resumed(at: number): void {
    this.#subscriptions.resumedWithin(this.#pass(at))
  }

  /**
   * Events whose delivery to a URL is missing by now, was given up early, or should have been repeated. Call this only
   * if nothing is under way.
   */
  missingDeliveries(url: string, at: number): string[] {
    this.#pass(at)
    return this.#events.missing(url)
  }

  /**
   * Notes that the service has restarted with the effects of all its answers. Its clock goes back if the service could
   * not save a move of the clock.
   */
  restarted(at: number): void {
    this.#latest = at
    this.bank.upSince = this.#pass(at)
    this.#access.forgetCounts()
    this.#events.restarted()
  }

  /** Notes that the service can't write until this time: it may answer 500, and its steps wait. */
  troubled(until: number): void {
    this.#troubledUntil = until + troubleMs
    this.bank.upSince = Math.max(this.bank.upSince, this.#troubledUntil)
    this.#events.forgetAttempts()
  }

  /** Notes the IBAN of an account, which a caller may know without a request. */
  given(account: string, iban: string): void {
    const found = this.bank.accounts.find(({ id }) => id.value === account)
    if (found) found.iban.value = iban
  }

  /** The current moment, for rules. */
  moment(at: number): Moment {
    return { at: this.#pass(at), payments: this.bank.payments.length }
  }

  setRail(channel: Channel, online: boolean): void {
    this.bank.rails[channel] = online
  }

  setRatesOnline(online: boolean): void {
    this.#rates.online = online
  }

  setStatus(account: string, status: Account['status'], now: number): void {
    const found = this.bank.accounts.find(({ id }) => id.value === account)
    if (!found || found.status === status) return
    found.status = status
    found.updatedAt = known(timestamp(now))
  }

  /** Adds a dashboard token; `expiresAt` in epoch milliseconds. */
  minted(
    secret: string,
    { user = 0, ...token }: Pick<Token, 'scopes' | 'expiresAt'> & { readonly user?: number },
  ): void {
    const owner = this.bank.users[user]
    if (owner) this.#access.tokens.set(secret, { ...token, user: owner, grant: null })
  }

  /** Revokes the access tokens of all grants, but not their refresh tokens. */
  revokedIssued(): void {
    const { tokens } = this.#access
    for (const [secret, { grant }] of tokens) if (grant) tokens.delete(secret)
  }

  /** Changes the holder of an account or phone at another bank. */
  renamed(address: string, name: string): void {
    const holder = this.bank.registry.get(address)
    if (holder) this.bank.registry.set(address, { ...holder, name })
  }

  /** Credits money from another bank. */
  credit(account: string, transfer: { readonly channel: Channel; readonly amount: number }, at: number): void {
    const found = this.bank.accounts.find(({ id }) => id.value === account)
    if (found) this.bank.credit(found, transfer, this.#pass(at))
  }

  #pass(at: number): number {
    this.#latest = Math.max(this.#latest, at)
    this.bank.advance(this.#latest)
    return at
  }

  /** All answers that the service may give, in the order of its checks. */
  #expected(
    call: Omit<Caller, 'token' | 'bank'>,
    isSpoilt: boolean,
  ): { expected: readonly Expected[]; headers: Fields } {
    const { request } = call
    let headers: Fields = {}
    const expected = (): readonly Expected[] => {
      const path = request.url.split('?', 1)[0] as string
      if (path.startsWith('/oauth/')) {
        headers = this.#access.count(`${request.from ?? ''} ${request.method} ${path}`, request.at)
        if (path === '/oauth/token') return this.#access.exchange(request)
        return request.method === 'POST' ? this.#access.consent(request) : [consentPage]
      }
      const { route, parameter, methods } = this.#find(request.method, path)
      if (!route) {
        headers = this.#access.count(`${this.#access.callerOf(request, null)} elsewhere`, request.at)
        if (methods.length === 0) return [refused(404, 'Not Found.')]
        return [refused(405, 'Method Not Allowed.', { headers: { allow: inAnyOrder(methods) } })]
      }
      const found = route.scopes === null ? null : this.#access.tokenOf(request, call.answer.status)
      const token = found !== null && 'status' in found ? null : found
      headers = this.#access.count(`${this.#access.callerOf(request, token)} ${route.method} ${route.path}`, request.at)
      if (found !== null && 'status' in found) return [found]
      if (token) this.#access.requireScope(token, route.scopes ?? [])
      const fault = this.rules.refusal(request.method, path)
      if (fault) return [fault]
      const body = request.method === 'POST' ? fieldsOf(request) : {}
      return route.answers({ ...call, token: token as Token, bank: this.bank, body }, parameter)
    }
    const mayFail = isSpoilt || request.at <= this.#troubledUntil
    const failed = mayFail ? [{ status: 500, body: matching('anything', () => true) }] : []
    try {
      return { expected: [...expected(), ...failed], headers }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return { expected: [error.expected, ...failed], headers }
    }
  }

  #find(method: string, path: string) {
    const methods: string[] = []
    for (const route of this.#routes) {
      const match = new RegExp(`^${route.path.replace(/\{\w+\}/, '([^/]+)')}$`).exec(path)
      if (!match) continue
      if (route.method === method) return { route, parameter: decodeURIComponent(match[1] ?? ''), methods }
      if (!methods.includes(route.method)) methods.push(route.method)
    }
    return { route: undefined, parameter: '', methods }
  }

  /** Routes of the model. Source: interface, "Endpoints"; docs/decisions/emulator.md, row 18. */
  #table(): readonly Route[] {
    const sending: readonly Scope[] = ['send-payments']
    const reading: readonly Scope[] = ['read-accounts']
    const lookups: readonly Scope[] = ['read-accounts', 'send-payments']
    const webhooks: readonly Scope[] = ['manage-webhooks']
    const [subscriptions, rates] = [this.#subscriptions, this.#rates]
    const row = (line: string, scopes: Route['scopes'], answers: Route['answers']): Route => {
      const [method = '', path = ''] = line.split(' ')
      return { method, path, scopes, answers }
    }
    return [
      row('GET /api/user', ['read-user'], ({ token }) => accounts.user(token.user)),
      row('GET /api/accounts', reading, accounts.list),
      row('POST /api/accounts', ['manage-accounts'], (call) => accounts.create(call.body, call)),
      row('GET /api/accounts/{id}', reading, (call, id) => accounts.get(id, call)),
      row('GET /api/accounts/{id}/balance', reading, (call, id) => accounts.balance(id, call)),
      row('POST /api/payments', sending, (call) => payments.create(payments.keyOf(call.request), call)),
      row('POST /api/payments/validate', sending, (call) => payments.validate(payments.keyOf(call.request), call)),
      row('GET /api/payments/history', sending, payments.history),
      row('GET /api/payments/service-status', null, ({ bank }) => payments.serviceStatus(bank.rails)),
      row('GET /api/payments/{id}', sending, (call, id) => payments.get(id, call)),
      row('GET /api/phone/information/{phone}', lookups, (call, number) => accounts.phone(number, call)),
      row('GET /api/iban/information/{iban}', lookups, (call, number) => accounts.iban(number, call)),
      row('GET /api/fx/rates', sending, (call) => rates.service(call)),
      row('GET /api/fx/upstream-rates', sending, (call) => rates.upstream('upstream', call)),
      row('GET /api/webhooks/subscriptions', webhooks, (call) => subscriptions.list(call)),
      row('POST /api/webhooks/subscriptions', webhooks, (call) => subscriptions.create(call.body, call)),
      row('GET /api/webhooks/subscriptions/{id}', webhooks, (call, id) => subscriptions.get(id, call)),
      row('DELETE /api/webhooks/subscriptions/{id}', webhooks, (call, id) => subscriptions.delete(id, call)),
      row('POST /api/webhooks/subscriptions/{id}/suspend', webhooks, (call, id) =>
        subscriptions.suspend(id, call.body, call),
      ),
      row('POST /api/webhooks/subscriptions/{id}/resume', webhooks, (call, id) => subscriptions.resume(id, call)),
    ]
  }
}

const consentPage: Expected = { status: 200, body: matching('a page', text(/<html/i)) }

/** Matches the methods of a path in any order. A path that answers GET also answers HEAD. */
function inAnyOrder(methods: readonly string[]) {
  const names = methods.includes('GET') ? [...methods, 'HEAD'] : methods
  return matching(`${names} in any order`, (value) => `${String(value).split(', ').sort()}` === `${names.toSorted()}`)
}
