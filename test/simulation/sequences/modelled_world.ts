import { demo, demoSeed } from '../../../emulator/worlds/seed.ts'
import { allScopes } from '../../../src/contract/index.ts'
import type { WireRequest } from '../../conformance/target.ts'
import { type InsideWorld, openWorld } from '../../conformance/targets/inject.ts'
import { Difference } from '../model/matching.ts'
import { ReferenceModel } from '../model/model.ts'
import { wronglyBooked } from './ledger.ts'
import type { Receiver } from './receiver.ts'
import type { Asked, Step } from './steps.ts'
import { at, Made, wireOf } from './wire_requests.ts'

const startsAt = '2026-03-02T15:00:00.000Z'
const redirectUri = 'http://127.0.0.1:4999/callback'
const settleMs = 1000
const tokenTtl = 120
const rateLimit = 8

/** Paths of receivers that accept every delivery. */
const taking = ['/ok', '/ok/2', '/ok/3']

/** Trigger that makes commits with a new payment fail, as on a full disk. */
const spoil = `
  CREATE TABLE debts (owed INTEGER REFERENCES users (seq) DEFERRABLE INITIALLY DEFERRED);
  CREATE TRIGGER spoil AFTER INSERT ON payments BEGIN INSERT INTO debts VALUES (-1); END`
const mend = 'DROP TRIGGER spoil; DROP TABLE debts'

type Told = { readonly data?: unknown } & Record<string, unknown>

/** An emulator in this process next to a model that receives every request and answer. */
export class ModelledWorld {
  readonly #world: InsideWorld
  readonly #model: ReferenceModel
  readonly #receiver: Receiver
  readonly #made = new Made()
  readonly #codes: { readonly code: string; readonly scopes: readonly string[] }[] = []
  readonly #refreshTokens: string[] = []
  /** Number of internal errors that the test itself has provoked. */
  #provoked = 0
  readonly #tokens: Record<string, string | undefined>

  private constructor(world: InsideWorld, receiver: Receiver) {
    this.#world = world
    this.#receiver = receiver
    receiver.now = () => this.#now
    const { token, clientSecret, clientId } = demo
    const clients = { [clientId]: { secret: clientSecret, redirectUris: [redirectUri] } }
    this.#model = new ReferenceModel({ seed: demoSeed, token, clients, settleMs, rateLimit, tokenTtl })
    this.#tokens = { first: token, unknown: 'unknown-token' }
  }

  static async open(receiver: Receiver): Promise<ModelledWorld> {
    const world = await openWorld({ clock: startsAt, settle: 'manual', rateLimit, tokenTtl })
    const modelled = new ModelledWorld(world, receiver)
    await modelled.#prepare()
    return modelled
  }

  close(): Promise<void> {
    return this.#world.close()
  }

  /** Waits for the end of all work, and checks the final state. */
  async finish(): Promise<void> {
    await this.#wait(4_000_000)
    // Compares final states and suspended subscriptions with the model.
    for (const who of ['first', 'second']) {
      await this.#ask({ ask: 'subscriptions', page: '' }, who)
      await this.#ask({ ask: 'accounts', page: '' }, who)
      await this.#ask({ ask: 'history', page: '?per_page=1000', filters: '' }, who)
    }
    this.#checkDelivered([...taking, '/fails', '/fails/2'])
    const ledger = await this.#world.control?.ledger()
    const wrong = wronglyBooked((sql) => this.#world.world.database.connection.prepare(sql).all() as never)
    if (!ledger?.balanced) throw new Difference(`The ledger is wrong: ${ledger?.problems.join(', ')}`)
    if (wrong) throw new Difference(`The ledger is wrong: ${wrong}`)
    if (this.#world.inside.faults.length > this.#provoked) throw this.#world.inside.faults[this.#provoked]
  }

  async take(step: Step): Promise<void> {
    const model = this.#model
    switch (step.do) {
      case 'ask':
        return this.#ask(step.request, step.who)
      case 'ask together':
        return this.#askTogether(step)
      case 'wait':
        return this.#wait(step.ms)
      case 'sign in':
        return this.#signIn(demoSeed.users?.[step.user]?.id ?? '', step.scopes)
      case 'redeem':
        return this.#redeem(step.which, step.wrong)
      case 'refresh':
        return this.#grant({
          grant_type: 'refresh_token',
          refresh_token: at(this.#refreshTokens, step.which),
          scope: step.scope,
        })
      case 'rail':
        await this.#world.control?.setRail(step.channel, step.online)
        return model.setRail(step.channel, step.online)
      case 'rates':
        await this.#world.control?.setRates({ offline: !step.online })
        return model.setRatesOnline(step.online)
      case 'credit':
        return this.#credit(at(this.#made.accounts, step.which) ?? '', step.amount)
      case 'refuse':
        await this.#steer('POST', '/_emulator/faults', step.rule)
        return model.rules.refuse(step.rule)
      case 'spoil':
        await this.#steer('POST', '/_emulator/faults', { ...step.rule, times: null })
        return model.rules.spoil(step.rule, model.moment(this.#now))
      case 'clear rules':
        await this.#steer('DELETE', '/_emulator/faults')
        return model.rules.clear(model.moment(this.#now))
      case 'status': {
        const account = at(this.#made.accounts, step.which) ?? ''
        await this.#steer('POST', `/_emulator/accounts/${account}`, { status: step.status })
        return model.setStatus(account, step.status, this.#now)
      }
    }
  }

  get #now(): number {
    return this.#world.world.clock.now()
  }

  async #prepare(): Promise<void> {
    const control = this.#world.control
    const mint = async (name: string, scopes: typeof allScopes, { user = 0, expiresIn = 0 } = {}) => {
      const id = demoSeed.users?.[user]?.id
      const secret = (await control?.mint(scopes, { user: id, ...(expiresIn > 0 && { expiresIn }) })) ?? ''
      const expiresAt = expiresIn > 0 ? this.#now + expiresIn * 1000 : null
      this.#model.minted(secret, { scopes, user, expiresAt })
      this.#tokens[name] = secret
    }
    await mint('second', allScopes, { user: 1 })
    await mint('reader', ['read-user', 'read-accounts'])
    await mint('expired', allScopes, { expiresIn: 60 })
    for (const who of ['first', 'second']) await this.#ask({ ask: 'accounts', page: '' }, who)
  }

  async #wait(ms: number): Promise<void> {
    for (const heard of this.#receiver.take()) this.#model.delivery(heard)
    await this.#world.control?.advanceClock(ms)
    // The move of the clock has waited for all these deliveries to end.
    for (const heard of this.#receiver.take()) {
      this.#model.delivery({ ...heard, taken: !heard.url.includes('/fails') })
    }
    this.#checkDelivered(taking)
  }

  /** Checks that receivers have received all deliveries, except those that are due later. */
  #checkDelivered(paths: readonly string[]): void {
    const missing = paths.flatMap((path) => this.#model.missingDeliveries(this.#receiver.url + path, this.#now))
    if (missing.length > 0) throw new Difference(`Not delivered: ${missing.join(', ')}`)
  }

  /** Sends a request, passes it to the model, and returns the parsed answer. */
  async #exchange(wire: WireRequest, who?: string): Promise<Told> {
    const { compare, told } = await this.#send(wire, who)
    compare()
    return told
  }

  async #send(wire: WireRequest, who?: string): Promise<{ compare: (isSpoilt?: boolean) => void; told: Told }> {
    const token = who === undefined || who === 'none' ? undefined : (this.#tokens[who] ?? '')
    const headers = {
      Host: 'localhost',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...wire.headers,
    }
    const at = this.#now
    const { status, headers: answered, text } = await this.#world.exchange({ ...wire, headers })
    const body = text.startsWith('{') ? JSON.parse(text) : text
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const request = {
      method: wire.method,
      url: wire.url,
      headers: lower,
      body: wire.payload as string | undefined,
      at,
      from: '127.0.0.1',
    }
    const answer = { status, headers: answered, body }
    const compare = (isSpoilt = false) => this.#model.exchange(request, answer, { isSpoilt })
    return { compare, told: { ...body, location: answered.location } }
  }

  /**
   * Sends all requests in one turn of the event loop. The commit of the turn may fail: then all requests fail without
   * effect.
   */
  async #askTogether({ who, requests, isSpoilt }: Extract<Step, { do: 'ask together' }>): Promise<void> {
    const { connection } = this.#world.world.database
    const before = this.#world.inside.faults.length
    if (isSpoilt) connection.exec(spoil)
    const made = requests.map((asked) => wireOf(asked, this.#made, this.#receiver.url))
    const exchanges = await Promise.all(made.map((wire) => this.#send(wire, who)))
    if (isSpoilt) connection.exec(mend)
    this.#provoked += isSpoilt ? this.#world.inside.faults.length - before : 0
    for (const [index, { compare, told }] of exchanges.entries()) {
      compare(isSpoilt)
      this.#made.note(requests[index] as Asked, told.data)
    }
  }

  async #ask(asked: Asked, who: string): Promise<void> {
    if ('order' in asked && typeof asked.order.amount === 'object') {
      await this.#ask({ ask: 'balance', which: asked.order.account }, who)
    }
    const { data } = await this.#exchange(wireOf(asked, this.#made, this.#receiver.url), who)
    this.#made.note(asked, data)
  }

  async #credit(account: string, amount: number): Promise<void> {
    const status = await this.#steer('POST', '/_emulator/credits', { to: account, amount })
    if (status === 201) this.#model.credit(account, { channel: 'pin', amount }, this.#now)
  }

  /** Calls the emulator's own endpoints; returns the status. */
  async #steer(method: string, url: string, body?: object): Promise<number> {
    const headers = { Host: 'localhost', 'Content-Type': 'application/json' }
    const { status } = await this.#world.exchange({ method, url, headers, payload: JSON.stringify(body ?? {}) })
    return status
  }

  async #signIn(user: string, scopes: readonly string[]): Promise<void> {
    const asked = allScopes.slice(0, 4)
    const query = new URLSearchParams({
      client_id: demo.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: asked.join(' '),
    })
    const granted = scopes.filter((scope) => asked.some((name) => name === scope))
    const form = new URLSearchParams([
      ['decision', 'allow'],
      ['user', user],
      ...granted.map((scope) => ['grant', scope]),
    ])
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const { location } = await this.#exchange({
      method: 'POST',
      url: `/oauth/authorize?${query}`,
      headers,
      payload: `${form}`,
    })
    const code = new URL(String(location)).searchParams.get('code')
    if (code) this.#codes.push({ code, scopes: granted })
  }

  #redeem(which: number, wrong: string): Promise<void> {
    const { code } = at(this.#codes, which) ?? {}
    const body = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, client_secret: demo.clientSecret }
    return this.#grant({
      ...body,
      ...(wrong && { [wrong === 'secret' ? 'client_secret' : wrong]: `${redirectUri}/other` }),
    })
  }

  async #grant(body: Record<string, string | undefined>): Promise<void> {
    const payload = JSON.stringify({ client_id: demo.clientId, client_secret: demo.clientSecret, ...body })
    const headers = { 'Content-Type': 'application/json' }
    const answer = await this.#exchange({ method: 'POST', url: '/oauth/token', headers, payload })
    if (typeof answer.access_token !== 'string') return
    this.#tokens['signed in'] = answer.access_token
    this.#refreshTokens.push(String(answer.refresh_token))
  }
}
