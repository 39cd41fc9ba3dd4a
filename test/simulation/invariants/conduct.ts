import { broken } from '../broken.ts'
import type { Action, Callers } from '../callers/callers.ts'
import { gatewayWait } from '../machine/gateway.ts'
import { machine, type Process } from '../machine/machine.ts'
import { unseen } from '../machine/statements.ts'
import type { Leaving } from '../machine/traffic.ts'
import { isInDollars, type Place, places } from '../script/places.ts'
import type { NetworkFault } from '../script/script.ts'
import type { Exchange, ServiceAnswer } from '../service/service.ts'
import { Agreements, isInDoubt } from './agreements.ts'
import type { Journals } from './journals.ts'

// Rules for the requests of callers and their times, checked when a request is sent and when it arrives.

const paysFor = new Set<Action['do']>(['send', 'batch', 'retry batch', 'resume batch', 'resume', 'resume one'])

/** Minimum share of an access token's life before a caller renews the token, unless the service refuses it. */
const leastUse = 0.8

interface Outgoing {
  readonly method: string
  readonly url: string
  readonly key: string | undefined
}

/**
 * A world that a process received an answer from, and the moment of the answer: answers of an ended world may arrive
 * late.
 */
interface Heard {
  readonly world: string
  /** Mark of the moment of the answer, from `machine.mark`. */
  readonly at: number
}

export class Conduct {
  readonly #callers: Callers
  readonly #journals: Journals
  /**
   * Time of each payment's first sending, in milliseconds of the caller's clock, keyed by profile, world and key. Null
   * if the payment was in doubt before: limits were checked when it was first marked as sent.
   */
  readonly leavings = new Map<string, number | null>()
  /** Worlds that each process got answers from, and worlds that its payments were intended for, by key. */
  readonly #worlds = new WeakMap<Process, readonly Heard[]>()
  readonly #meant = new WeakMap<Process, Map<string, string>>()
  /** Keys of each process's requests that reached the wrong world. */
  readonly #strays = new WeakMap<Process, Set<string>>()
  /** World, user and key of each request that reached the wrong world. */
  readonly #strayed = new Set<string>()
  /** Statuses of the service's refusals, by world, user and key. */
  readonly #refusals = new Map<string, Set<number>>()
  /**
   * Requests that each process must delay, with the end of the delay; null: the process must not send the request
   * again.
   */
  readonly #told = new WeakMap<Process, Map<string, number | null>>()
  readonly #unauthorized = new WeakSet<Process>()
  /** Last token request of each process, unless its answer said that the request had no effect. */
  readonly #exchanges = new WeakMap<Process, string>()
  /** Users of the issued access and refresh tokens. */
  readonly #users = new Map<string, Place['user']>()
  /** Process that sent each refresh token. */
  readonly #refreshes = new Map<string, Process | undefined>()
  /** Time and world in which each refresh token was issued, and life of its access token in milliseconds. */
  readonly #issued = new Map<string, { readonly at: number; readonly world: string; readonly life: number }>()
  readonly agreements: Agreements
  /** Time of each operation's start, in virtual milliseconds. */
  readonly #begun = new WeakMap<Action, number>()
  #subscribing = new WeakSet<Process>()
  /** Former holders' names, by phone. `until`: virtual time in milliseconds at which the phone got its next holder. */
  readonly #names = new Map<string, { readonly name: string; readonly until: number }[]>()
  readonly #holderOf: (phone: string) => string | undefined | null

  /** `holderOf`: current holder of a phone at another bank; null while that is unknown. */
  constructor(callers: Callers, journals: Journals, holderOf: (phone: string) => string | undefined | null) {
    this.#holderOf = holderOf
    this.#callers = callers
    this.#journals = journals
    this.agreements = new Agreements(journals)
  }

  /** Called when an operation begins. */
  begins(action: Action): void {
    this.#begun.set(action, machine.elapsed)
    this.agreements.begins(action)
  }

  /** Called before a phone gets another holder. */
  renames(phone: string): void {
    const name = unseen(() => this.#holderOf(phone)) ?? ''
    this.#names.set(phone, [...(this.#names.get(phone) ?? []), { name, until: machine.elapsed }])
  }

  /** Called before all phones get back their first holders. */
  worldLeaves(): void {
    this.#subscribing = new WeakSet()
    for (const phone of this.#names.keys()) this.renames(phone)
  }

  /** Called with the world of each answer that a process gets. */
  hears(process: Process, world: string): void {
    const heard = this.#worlds.get(process) ?? []
    if (heard.at(-1)?.world !== world) this.#worlds.set(process, [...heard, { world, at: machine.mark() }])
  }

  /** The only world that a process got answers from; undefined: none, or several. */
  onlyWorldOf(process: Process): string | undefined {
    const [first, another] = this.#worlds.get(process) ?? []
    return another ? undefined : first?.world
  }

  /** True if a refresh token is valid in a world: issued by this world, and not sent yet. */
  isGood(refreshToken: string, world: string): boolean {
    return this.#issued.get(refreshToken)?.world === world && !this.#refreshes.has(refreshToken)
  }

  /** True if a process made a payment with this key in the wrong world. */
  hasStrayed(process: Process, key: string): boolean {
    return this.#strays.get(process)?.has(key) === true
  }

  /** True if a request intended for another world may have made a payment in this world. */
  mayBeStray(world: string, user: string, key: string): boolean {
    return this.#strayed.has(`${world} ${user} ${key}`)
  }

  /** True if the service has refused a request with this key because of its content. */
  hasRefused(world: string, user: string, key: string): boolean {
    const statuses = this.#refusals.get(`${world} ${user} ${key}`)
    return statuses !== undefined && [...statuses].some((status) => ![401, 403, 429].includes(status))
  }

  /** Called when a gateway has answered a request itself. */
  turnedAway(process: Process, bytes: Buffer, fault: NetworkFault): void {
    if (fault === 'answered 429') this.#tell(process, parse(bytes), machine.elapsed + gatewayWait)
    if (fault === 'answered 422') {
      const { key = '' } = parse(bytes)
      const action = this.#callers.actionOf(process)
      if (action) this.#refuse(this.#meant.get(process)?.get(key) ?? '', action, key, 422)
    }
    if (fault === 'answered 401') this.#unauthorized.add(process)
    else this.#exchanges.delete(process)
  }

  /** Called before a request is sent. */
  leaves(action: Action, process: Process, { bytes, decidedAt }: Leaving): void {
    const request = parse(bytes)
    const { method, url, key } = request
    const isPayment = method === 'POST' && url === '/api/payments'
    if (isPayment && 'rehearse' in action && action.rehearse)
      broken('a rehearsal sends nothing', nameOf(process, request))
    // These operations may repeat a request on their own.
    const asksAnew = action.do === 'look around' || action.do === 'operate'
    const told = asksAnew ? undefined : this.#told.get(process)?.get(idOf(request))
    if (told === null && !process.disturbed)
      broken('a refusal is final', `${nameOf(process, request)} was refused, and is sent again`)
    if (typeof told === 'number' && machine.elapsed < told) {
      const early = (told - machine.elapsed).toFixed(0)
      broken('waits as it is told', `${nameOf(process, request)} is sent again ${early} ms too early`)
    }
    if (url === '/oauth/token') this.#checkExchange(process, bytes)
    if (url === '/api/webhooks/subscriptions' && method === 'POST' && !this.#unauthorized.has(process)) {
      // A tail creates another subscription if the service reports that the tail's own subscription is missing.
      const mayBeGone = action.do === 'tail' && process.disturbed
      if (this.#subscribing.has(process) && !mayBeGone) broken('sent once without a key', nameOf(process, request))
      this.#subscribing.add(process)
    }
    if (url.startsWith('/api/payments/history')) this.agreements.readsHistory(action)
    if (!isPayment || key === undefined || !paysFor.has(action.do)) return
    this.#checkUser(action, process, bytes)
    checkCurrency(action, bytes)
    const world = this.#worldOf(action, process, { ...request, decidedAt })
    const known = this.agreements.startOf(action, { world, key })
    if (known === 'settled') broken('a made payment is not sent', `${nameOf(process, request)} was made`)
    this.agreements.sends(action, nameOf(process, request), { world, key })
    // The holder of a payment in doubt is not compared.
    const isRepetition = isInDoubt(known) && !this.agreements.wasRefused(action, { world, key })
    if (!isRepetition) unseen(() => this.#checkHolder(action, world, key))
    const name = `${places[action.caller].profile} ${world} ${key}`
    if (this.leavings.has(name)) return
    this.leavings.set(name, isInDoubt(known) ? null : machine.as(process, () => machine.now))
  }

  /** Checks that a payment is sent with a login of the payer, even if another user has logged in meanwhile. */
  #checkUser(action: Action, process: Process, bytes: Buffer): void {
    const [, token = ''] = /\r\nauthorization: Bearer (\S+)/i.exec(bytes.toString('latin1')) ?? []
    const user = this.#users.get(token)
    const { user: own } = places[action.caller]
    if (user !== undefined && user !== own) broken('as its user alone', `${process.name} pays as ${user}, for ${own}`)
  }

  /**
   * World that a payment is sent to: the last world that answered the process. Checks that the payment was recorded for
   * this world.
   */
  #worldOf(action: Action, process: Process, request: Outgoing & Pick<Leaving, 'decidedAt'>): string {
    const { key = '', decidedAt } = request
    const world = this.#worlds.get(process)?.findLast(({ at }) => at <= decidedAt)?.world ?? ''
    const intents = unseen(() => this.#journals.withKey(places[action.caller], key))
    if (intents.length > 0 && !intents.some((intent) => intent.world === world)) {
      broken('for its world alone', `${nameOf(process, request)} was written down for a world that is gone`)
    }
    const meant = this.#meant.get(process) ?? new Map()
    this.#meant.set(process, meant.set(key, world))
    return world
  }

  /** Checks that a code or refresh token that may be used up is not sent again while the access token is valid. */
  #checkExchange(process: Process, bytes: Buffer): void {
    const body = bodyOf(bytes)
    const isAgain = this.#exchanges.get(process) === body
    this.#exchanges.set(process, body)
    if (!isAgain || this.#unauthorized.has(process) || process.clockOffset !== 0) return
    const { refresh_token: token } = JSON.parse(body) as { readonly refresh_token?: string }
    const issued = token === undefined ? undefined : this.#issued.get(token)
    if (issued && machine.elapsed >= issued.at + issued.life) return
    broken('one refresh per expiry', `${process.name} sends again what may have been exchanged`)
  }

  /** Called for each request that the service handles. */
  asked(exchange: Exchange): void {
    const { method, url, body, caller } = exchange
    if (url === '/oauth/token') this.#refreshed(body, caller)
    const action = this.#callers.actionOf(caller)
    if (method !== 'POST' || url !== '/api/payments' || !action || !paysFor.has(action.do)) return
    unseen(() => this.#checkWritten(places[action.caller], exchange))
    const key = exchange.headers['x-idempotency-key'] ?? ''
    const { world } = exchange
    if (!caller || this.#meant.get(caller)?.get(key) === world) return
    this.#strayed.add(`${world} ${places[action.caller].user} ${key}`)
  }

  /** Called for each answer that the service sends. */
  answered(exchange: Exchange, { status, headers, body }: ServiceAnswer): void {
    const { method, url, caller, world } = exchange
    if (status === 401 && caller) this.#unauthorized.add(caller)
    if ((status === 429 || status === 503) && caller) this.#exchanges.delete(caller)
    if (url === '/oauth/token' && status === 200) {
      const { access_token: access, refresh_token: token, expires_in: seconds } = JSON.parse(body)
      const user = this.#userOf(exchange)
      if (user) this.#users.set(access, user).set(token, user)
      // A caller whose clock differs records a different expiry of the token, so the token's life is not checked.
      const life = caller?.clockOffset === 0 ? seconds * 1000 : 0
      this.#issued.set(token, { at: machine.elapsed, world, life })
    }
    // If the service could not write, it exchanged no token.
    if (url === '/oauth/token' && status >= 500) this.#refreshes.delete(JSON.parse(exchange.body).refresh_token)
    const key = exchange.headers['x-idempotency-key']
    const action = this.#callers.actionOf(caller)
    if (method !== 'POST' || url !== '/api/payments' || key === undefined || !action) return
    if (status < 300 && caller && this.#meant.get(caller)?.get(key) !== world) {
      this.#strays.set(caller, (this.#strays.get(caller) ?? new Set()).add(key))
    }
    if (status < 400) return
    this.#refuse(world, action, key, status)
    if (!caller || caller.disturbed || !paysFor.has(action.do)) return
    const wait = Number(headers['retry-after'])
    if (status === 429 && wait > 0) this.#tell(caller, { method, url, key }, machine.elapsed + wait * 1000)
    else if (status < 500 && ![401, 403, 409, 429].includes(status)) this.#tell(caller, { method, url, key }, null)
  }

  /** User of the tokens that an exchange issues. */
  #userOf({ body, caller }: Exchange): Place['user'] | undefined {
    const { refresh_token: earlier } = JSON.parse(body) as { readonly refresh_token?: string }
    if (earlier !== undefined) return this.#users.get(earlier)
    const action = this.#callers.actionOf(caller)
    return action?.do === 'log in' ? (action.as ?? places[action.caller].user) : undefined
  }

  #refuse(world: string, action: Action, key: string, status: number): void {
    const of = `${world} ${places[action.caller].user} ${key}`
    this.#refusals.set(of, (this.#refusals.get(of) ?? new Set()).add(status))
  }

  /** Checks that a payment with an expected name does not go to another holder. */
  #checkHolder(action: Action, world: string, key: string): void {
    const intent = this.#journals.withKey(places[action.caller], key).find((one) => one.world === world)
    if (!intent?.expected_names) return
    const phone = JSON.parse(intent.body).recipient_phone
    const begun = this.#begun.get(action) ?? 0
    const before = (this.#names.get(phone) ?? []).filter(({ until }) => until >= begun)
    const holder = this.#holderOf(phone)
    if (holder === null) return
    const names = [holder, ...before.map(({ name }) => name)]
    for (const { name } of JSON.parse(intent.expected_names)) {
      if (!names.includes(name))
        broken('the right holder', `${intent.id} expects ${name}, and ${names.join(', ')} is paid`)
    }
  }

  #tell(process: Process, request: Outgoing, until: number | null): void {
    const told = this.#told.get(process) ?? new Map()
    this.#told.set(process, told.set(idOf(request), until))
  }

  /** Checks that the journal and the audit file contain an arriving request, unchanged. */
  #checkWritten(place: Place, { headers, body, caller }: Exchange): void {
    const key = headers['x-idempotency-key'] ?? ''
    const meant = caller && this.#meant.get(caller)?.get(key)
    const intent = this.#journals.withKey(place, key).find(({ world }) => world === meant)
    if (!intent) broken('written before sent', `a payment of ${place.profile} has come that is in no journal`)
    if (intent.status === 'prepared') broken('written before sent', `${intent.id} never left, and has come`)
    // The body is empty if the service refused the request before it read the body.
    if (body !== '' && JSON.stringify(JSON.parse(body)) !== JSON.stringify(JSON.parse(intent.body))) {
      broken('sent as written', `${intent.id} asks for ${intent.body}, and ${body} has come`)
    }
    const isAsked = this.#journals.audit(place).some((line) => line.event === 'asked' && line.intent === intent.id)
    if (!isAsked) broken('audit', `${intent.id} has come, and the audit file does not say that it was sent`)
  }

  #refreshed(body: string, caller: Process | undefined): void {
    const { refresh_token: token } = JSON.parse(body) as { refresh_token?: string }
    if (token === undefined) return
    const first = this.#refreshes.get(token)
    if (first && ![first, caller].some((one) => one?.disturbed)) {
      broken('one refresh per expiry', `${caller?.name} sends a refresh token that ${first.name} has exchanged`)
    }
    if (!first) this.#refreshes.set(token, caller)
    const issued = this.#issued.get(token)
    if (!issued || !caller || caller.clockOffset !== 0 || this.#unauthorized.has(caller)) return
    const age = machine.elapsed - issued.at
    if (age >= issued.life * leastUse) return
    broken('one refresh per expiry', `${caller.name} refreshes a login that is ${(age / 1000).toFixed(0)} s old`)
  }
}

/** Checks that limits, which are all in colones, let no payment in dollars through. */
function checkCurrency({ caller }: Action, bytes: Buffer): void {
  const { limits, profile } = places[caller]
  const { source_account_id: source } = JSON.parse(bodyOf(bytes))
  if (limits && isInDollars(source)) broken('limits', `${profile} pays in dollars, and has limits in colones`)
}

const bodyOf = (bytes: Buffer): string => bytes.toString('utf8').split('\r\n\r\n', 2)[1] ?? ''

const idOf = ({ method, url, key }: Outgoing): string => `${method} ${url} ${key}`

const nameOf = (process: Process, { method, url, key }: Outgoing): string => `${process.name}: ${method} ${url} ${key}`

function parse(bytes: Buffer): Outgoing {
  const [head = ''] = bytes.toString('latin1').split('\r\n\r\n', 1)
  const [method = '', url = ''] = head.split(' ', 2)
  return { method, url, key: /\r\nx-idempotency-key: *(.+)/i.exec(head)?.[1] }
}
