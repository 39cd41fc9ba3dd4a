import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import {
  initiated,
  isPayment,
  type Payment,
  pageOf,
  paymentOf,
  type Received,
  type Service,
  startService,
} from '../../commands/payments/service.ts'
import { Random } from '../../simulation/random.ts'
import type { Login } from '../machine.ts'

// A service that pays, with every fault that payctl must survive. The seed and the request decide the faults; the time
// of the request does not.

export interface Character {
  readonly seed: number
  /**
   * Time, in milliseconds, for which the service remembers an idempotency key after its payment; a restart may forget
   * the key earlier, depending on `memory`.
   */
  readonly keyLife: number
  /**
   * `aged`: the service forgets keys that are older than their life. `until restart`: a restart forgets all keys and
   * the requests on their way. The history is then complete and correct, because a client has no other way to learn of
   * a payment.
   */
  readonly memory: 'aged' | 'until restart'
  /**
   * True if the service checks the balance before it looks up the key: it may then refuse the repetition of a paid
   * request.
   */
  readonly checksBalanceFirst: boolean
  readonly pageSize: number
}

/** Probabilities of a fault in the answer to a payment, and to a read. */
export interface Weather {
  readonly payments: number
  readonly reads: number
}

export const calm: Weather = { payments: 0, reads: 0 }

/**
 * Limits in milliseconds: of the delay of a request, and of the time until the history shows a payment. Their sum is
 * less than ten minutes.
 */
const longestDelay = 8 * 60_000
const longestLag = 60_000

interface Made {
  /** The payment in the service's answers. */
  readonly shown: Payment
  readonly user: string
  readonly amount: number
  /** Epoch milliseconds. */
  at: number
  visibleAt: number
  /** The request that made the payment. */
  readonly by: Request
}

/** A request to pay. */
interface Request {
  /** Time of receipt, in ticks. */
  readonly tick: number
  readonly user: string
  /** Minor units; each order has a unique amount. */
  readonly amount: number
  readonly received: Received
  /** Undefined for the second copy of a request. */
  readonly response: ServerResponse | undefined
  readonly plan: Plan
  /** Time at which the request arrives, in epoch milliseconds. */
  due: number
  timer?: NodeJS.Timeout | undefined
  /** Tick at which the service refused the request in its own words. */
  refused?: number
}

const refusals = {
  balance: [422, 'Insufficient balance'],
  invalid: [400, 'The request is not valid'],
  login: [401, 'Unauthenticated.'],
  scope: [403, 'Invalid scope(s) provided.'],
  rate: [429, 'Too many requests'],
  busy: [409, 'A request with this key is being processed'],
} as const

const endings = ['lost', 'late', 'half', 'gateway', 'gateway', 'server error', 'two answers', 'odd'] as const

/** Faults of a request on its way and in the service, and of its answer. */
interface Plan {
  readonly delay: number
  readonly isLost: boolean
  readonly isDoubled: boolean
  readonly refusal: keyof typeof refusals | undefined
  readonly ending: (typeof endings)[number] | 'answered'
}

type Answer = readonly [status: number, body: string]

const refusalOf = (message: string): string => JSON.stringify({ success: false, message, data: null, errors: {} })

const eachOf = (statuses: readonly number[], bodies: readonly string[]): readonly Answer[] =>
  statuses.flatMap((status) => bodies.map((body): Answer => [status, body]))

const gatewayAnswers = eachOf(
  [400, 401, 403, 404, 409, 422, 429, 502, 504],
  [
    '{"message": "Forbidden"}',
    '<html></html>',
    '',
    '{"success": false, "message": "No"}',
    '{"success": false, "data": null}',
  ],
)

/** Wrong answers, by the plan's ending. */
const wrongAnswers: Readonly<Record<string, readonly Answer[]>> = {
  gateway: gatewayAnswers,
  'server error': [[500, refusalOf('Payment processing failed')]],
  odd: eachOf([200, 201, 302], ['', '{"success": true}', '{"success": true, "message": "Done", "data": {}}']),
}

type Page = Omit<ReturnType<typeof pageOf>, 'total'> & { readonly total: number | undefined }

const withKeys = (page: Page, keyOf: (key: string) => string | null): Page => ({
  ...page,
  data: (page.data as readonly Payment[]).map((one) => ({ ...one, idempotency_key: keyOf(one.idempotency_key) })),
})

/** Pages with wrong content. A client can detect each page that hides a payment. */
const lies: Readonly<Record<string, (page: Page, firstPage: readonly unknown[]) => Page>> = {
  'a payment is missing': (page) => ({ ...page, data: page.data.slice(1) }),
  'no total': (page) => ({ ...page, data: page.data.slice(1), total: undefined }),
  'ends early': (page) => ({ ...page, last_page: page.current_page, next_page_url: null }),
  'another page': (page) => ({ ...page, current_page: page.current_page + 1 }),
  'the first page again': (page, firstPage) => ({ ...page, data: firstPage }),
  'an empty page': (page) => ({ ...page, data: [] }),
  'no keys': (page) => withKeys(page, () => null),
  'keys in capitals': (page) => withKeys(page, (key) => key.toUpperCase()),
}

export class UnreliableService {
  readonly url: string
  readonly payments: Made[] = []
  readonly requests: Request[] = []
  /** Numbers of faults and of consequences of faults, by kind. */
  readonly faults = new Map<string, number>()
  weather: Weather = calm
  /** Called for a payment request, before its login is looked up. */
  onPayment: () => void = () => {}
  /** Number of requests for the user of a token. */
  identified = 0
  readonly #service: Service
  readonly #character: Character
  readonly #note: (text: string) => void
  readonly #logins = new Map<string, Login>()
  readonly #keys = new Map<string, Made>()
  readonly #onTheirWay = new Set<Request>()
  readonly #counts = new Map<string, number>()
  /** Second answers to requests, by connection: each is sent when the connection's next request arrives. */
  readonly #late = new WeakMap<Socket, string>()
  readonly #waiting: { readonly at: number; readonly resolve: () => void }[] = []
  #received = 0
  #tick = 0

  private constructor(service: Service, character: Character, note: (text: string) => void) {
    this.#service = service
    this.#character = character
    this.#note = note
    this.url = service.url
    service.headers.Connection = 'keep-alive'
    service.before = (received, response) => this.#answer(received, response)
    service.identify = (received, response) => {
      this.identified += 1
      return this.#answer(received, response)
    }
  }

  static async start(character: Character, note: (text: string) => void): Promise<UnreliableService> {
    return new UnreliableService(await startService(), character, note)
  }

  /** Counts events, to find out which came first. */
  tick = (): number => ++this.#tick

  logIn(login: Login): void {
    this.#logins.set(login.token, login)
  }

  /** Resolves at the nth request from now on. */
  after(requests: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ at: this.#received + requests, resolve }))
  }

  forgetLogins(): void {
    this.#count('logins forgotten')
    this.#logins.clear()
  }

  /** Makes everything `ms` milliseconds older; due requests then arrive. */
  skip(ms: number): void {
    for (const payment of this.payments) {
      payment.at -= ms
      payment.visibleAt -= ms
    }
    for (const request of [...this.#onTheirWay].toSorted((a, b) => a.due - b.due)) {
      request.due -= ms
      this.#send(request)
    }
  }

  restart(): void {
    this.#count('restarts')
    this.#service.closeConnections()
    const forgetsAll = this.#character.memory === 'until restart'
    for (const [key, payment] of this.#keys) if (forgetsAll || this.#isOld(payment, Date.now())) this.#keys.delete(key)
    if (!forgetsAll) return
    for (const { timer } of this.#onTheirWay) clearTimeout(timer)
    this.#onTheirWay.clear()
  }

  /** Payments of an amount, which is unique to one order. */
  paid = (amount: number): readonly Made[] => this.payments.filter((payment) => payment.amount === amount)

  #count(kind: string): void {
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1)
    this.#note(kind)
  }

  /**
   * Random numbers for the next request of this kind: they depend only on the seed, the kind and the request's number.
   */
  #random(kind: string): Random {
    const number = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, number)
    return new Random(this.#character.seed, kind, number)
  }

  #answer(received: Received, response: ServerResponse): ReturnType<Service['before']> {
    const { socket } = response
    const late = socket && this.#late.get(socket)
    this.#received += 1
    for (const { at, resolve } of this.#waiting) if (at === this.#received) resolve()
    if (isPayment(received)) this.onPayment()
    const { user, isNarrow } = this.#logins.get(received.authorization?.replace('Bearer ', '') ?? '') ?? {}
    if (late) {
      this.#count('second answers on a kept connection')
      socket.write(late)
      return isPayment(received) && user ? this.#receive(received, user, undefined) : 'handled'
    }
    if (user === undefined) return [401, 'Unauthenticated.']
    if (isPayment(received)) return this.#receive(received, user, response)
    const fault = this.#spoilRead(received.path, response)
    if (fault) return fault
    if (received.path === '/api/user' && isNarrow) return [403, 'Invalid scope(s) provided.']
    if (received.path === '/api/user') return [200, { id: `id-of-${user}`, name: user, email: `${user}@example.com` }]
    if (received.path === '/api/payments/history') return [200, this.#history(user, Number(received.query.page ?? 1))]
    const [, id] = /^\/api\/payments\/([0-9a-f-]{36})$/.exec(received.path) ?? []
    if (id === undefined) return undefined
    const made = this.payments.find((one) => one.user === user && one.shown.id === id)
    return made ? [200, { ...made.shown, status: 'completed' }] : [404, 'Payment not found']
  }

  #spoilRead(path: string, response: ServerResponse): ReturnType<Service['before']> {
    const random = this.#random(path.replace(/[0-9a-f-]{36}/, '<id>'))
    if (!random.chance(this.weather.reads)) return undefined
    const kind = random.pick(['lost', 'slow', '500', '503', 'gateway'])
    this.#count(`reads: ${kind}`)
    if (kind === '500' || kind === '503') return [Number(kind), 'Later']
    if (kind === 'lost') response.destroy()
    else if (kind === 'gateway') send(response, random.pick(gatewayAnswers))
    return 'handled'
  }

  #history(user: string, number: number): unknown {
    const { pageSize, memory } = this.#character
    const visible = this.payments.filter((one) => one.user === user && one.visibleAt <= Date.now())
    const shown = visible.map((one) => one.shown).reverse()
    const pageAt = (at: number) => shown.slice((at - 1) * pageSize, at * pageSize)
    const last = Math.max(1, Math.ceil(shown.length / pageSize))
    const page: Page = { ...pageOf(pageAt(number), number, last), total: shown.length }
    const random = this.#random('pages')
    if (memory === 'until restart' || shown.length === 0 || !random.chance(this.weather.reads)) return page
    const lie = random.pick(Object.keys(lies))
    this.#count(`pages: ${lie}`)
    return lies[lie]?.(page, pageAt(1))
  }

  #plan(random: Random, { key = '' }: Received): Plan {
    const isRepeated = this.weather !== calm && [...this.#onTheirWay].some(({ received }) => received.key === key)
    const isBad = random.chance(this.weather.payments)
    const delay = isBad && random.chance(0.4) ? this.#delay(random) : 0
    const refusal = random.chance(0.5) ? 'balance' : random.pick(Object.keys(refusals) as (keyof typeof refusals)[])
    const isRefused = random.chance(isRepeated ? 0.7 : isBad ? 0.3 : 0)
    return {
      delay: isRepeated ? 0 : delay,
      isLost: isBad && random.chance(0.1),
      isDoubled: isBad && random.chance(0.1),
      refusal: isRefused ? refusal : undefined,
      ending: isBad && random.chance(isRefused ? 0.2 : 0.7) ? random.pick(endings) : 'answered',
    }
  }

  #delay = (random: Random): number =>
    random.chance(0.5) ? random.integer(100, 1500) : random.integer(30_000, longestDelay)

  #receive(received: Received, user: string, response: ServerResponse | undefined): 'handled' {
    const amount = Number(received.body.amount)
    const random = this.#random(`payment of ${amount}`)
    const plan = this.#plan(random, received)
    const due = Date.now() + plan.delay
    const request: Request = { tick: this.tick(), user, amount, received, response, plan, due }
    this.requests.push(request)
    this.#note(`${user} asks for ${amount} (${received.key}): ${JSON.stringify(plan)}`)
    if (plan.delay > 0) this.#count('payments: delayed')
    if (plan.isDoubled) {
      this.#count('payments: doubled')
      this.#send({ ...request, response: undefined, due: Date.now() + this.#delay(random) })
    }
    if (plan.isLost) {
      this.#count('payments: request lost')
      response?.destroy()
    } else this.#send(request)
    return 'handled'
  }

  #send(request: Request): void {
    clearTimeout(request.timer)
    const wait = request.due - Date.now()
    this.#onTheirWay.add(request)
    if (wait <= 0) this.#arrive(request)
    else request.timer = setTimeout(() => this.#arrive(request), wait).unref()
  }

  #arrive(request: Request): void {
    this.#onTheirWay.delete(request)
    const { received, user, plan, due } = request
    const key = `${user} ${received.key}`
    const known = this.#remembered(key, due)
    const { refusal } = plan
    const isForPayment = refusal === 'balance' || refusal === 'invalid'
    if (refusal && (!known || !isForPayment || this.#character.checksBalanceFirst)) {
      this.#count(`payments: refused (${refusal}${known ? ', though paid' : ''})`)
      if (plan.ending === 'answered') request.refused = this.tick()
      const [status, message] = refusals[refusal]
      this.#end(request, [status, refusalOf(message)])
      return
    }
    const { shown } = known ?? this.#pay(request, key)
    const data = initiated(shown)
    this.#end(request, [201, JSON.stringify({ success: true, message: 'Payment initiated successfully', data })])
  }

  #pay(request: Request, key: string): Made {
    const { received, user, amount, due } = request
    const random = this.#random('lag')
    const lags = this.weather !== calm && this.#character.memory === 'aged' && random.chance(0.4)
    const lag = lags ? random.integer(100, random.chance(0.5) ? 1_500 : longestLag) : 0
    if (lag > 0) this.#count('history: lags')
    const made = { shown: paymentOf(received), user, amount, at: due, visibleAt: due + lag, by: request }
    this.#note(`${user} has paid ${amount}, ${made.shown.id}`)
    this.payments.push(made)
    this.#keys.set(key, made)
    return made
  }

  #isOld = ({ at }: Made, now: number): boolean => now - at >= this.#character.keyLife

  #remembered(key: string, now: number): Made | undefined {
    const made = this.#keys.get(key)
    if (!made || !this.#isOld(made, now)) return made
    this.#count('keys forgotten')
    this.#keys.delete(key)
    return undefined
  }

  #end({ response, plan: { ending }, amount }: Request, right: Answer): void {
    const { socket } = response ?? {}
    if (!response || !socket || socket.destroyed) return // the client is gone
    const random = this.#random(`answer of ${amount}`)
    const wrong = wrongAnswers[ending]
    if (ending !== 'answered') this.#count(`answers: ${ending}`)
    if (wrong) send(response, random.pick(wrong))
    else if (ending === 'lost') response.destroy()
    else if (ending === 'late') setTimeout(() => send(response, right), random.integer(1_000, 3_000)).unref()
    else if (ending === 'half') socket.end(raw(right).slice(0, -random.integer(1, right[1].length)))
    else if (ending === 'two answers') {
      const both = [raw(right), raw(refusedAgain)]
      socket.end((random.chance(0.5) ? both : both.reverse()).join(''))
    } else {
      if (random.chance(0.5)) this.#late.set(socket, raw(refusedAgain))
      send(response, right)
    }
  }
}

const refusedAgain: Answer = [422, refusalOf('Insufficient balance')]

const send = (response: ServerResponse, [status, body]: Answer) =>
  response
    .writeHead(status, { 'Content-Type': 'application/json', ...(status === 429 && { 'retry-after': '0' }) })
    .end(body)

const raw = ([status, body]: Answer): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
