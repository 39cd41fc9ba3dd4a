import { demo, demoSeed } from '../../../emulator/worlds/seed.ts'
import type { World } from '../../../emulator/worlds/world.ts'
import { allScopes, worldHeader } from '../../../src/contract/index.ts'
import { broken } from '../broken.ts'
import { unseen } from '../machine/statements.ts'
import type { Attempt } from '../model/events.ts'
import type { Answer, Request } from '../model/exchange.ts'
import { ReferenceModel } from '../model/model.ts'
import { payingToken, tokens } from '../script/places.ts'
import type { Delivery } from '../service/deliveries.ts'
import { type Exchange, type Listener, type ServiceAnswer, settings } from '../service/service.ts'

/** Longest delay of a payment's step without a fault, in milliseconds; timers and earlier commits cause it. */
const lateMs = 2000

interface Waiting {
  /** A request or a delivery. A delivery follows all requests that were handled before it was sent. */
  readonly request: Exchange | Attempt
  /** Model of the request's world. */
  readonly model: ReferenceModel
  /** Undefined until there is an answer; null once no answer can arrive. */
  answer?: ServiceAnswer | null
}

/** Compares every answer of the service with the reference model. */
export class ModelComparison implements Omit<Listener, 'onWorldLeaves'> {
  #model = newModel()
  /** Requests in the order of handling; their answers may be sent in another order. */
  #waiting: Waiting[] = []
  #begun = false

  onRequest(request: Exchange, { store }: World): void {
    if (!this.#begun) for (const { id, iban } of unseen(() => store.accounts.all())) this.#model.given(id, iban)
    this.#begun = true
    this.#waiting.push({ request, model: this.#model })
  }

  onAnswer(request: Exchange, answer: ServiceAnswer): void {
    this.#settle(request, answer)
  }

  onUnanswered(request: Exchange): void {
    this.#settle(request, null)
  }

  onCut({ clock }: World): void {
    this.#model.cut(clock.now())
  }

  /** The service may have carried out the requests that it has not answered. */
  onKilled(): void {
    for (const { request, model } of this.#waiting.splice(0)) {
      if ('method' in request) model.lost(requestOf(request))
      else model.delivery(request)
    }
  }

  onRestarted({ clock }: World): void {
    this.#model.restarted(clock.now())
  }

  /** Begins a new model: nothing of the old world remains. */
  onWorldIsNew(): void {
    this.#model = newModel()
    this.#begun = false
  }

  /** Notes that the service may fail until this time, because its disk is full. */
  onTrouble(until: number): void {
    this.#model.troubled(until)
  }

  onCredit(account: string, amount: number, world: World): void {
    this.#model.credit(account, { channel: 'pin', amount }, world.clock.now())
  }

  onTokensRevoked(): void {
    this.#model.revokedIssued()
  }

  onHolderRenamed(phone: string, name: string): void {
    this.#model.renamed(phone, name)
  }

  /** Called for each delivery when the service sends it. */
  onDelivery({ url, headers, body }: Delivery, { clock }: World): void {
    this.#waiting.push({ request: { url, headers, body, at: clock.now() }, model: this.#model, answer: null })
    this.#goOn()
  }

  /** Notes that the service sends all waiting deliveries of its subscriptions, whatever their state. */
  onResumed({ clock }: World): void {
    this.#model.resumed(clock.now())
  }

  #settle(request: Exchange, answer: ServiceAnswer | null): void {
    const found = this.#waiting.find((waiting) => waiting.request === request)
    if (!found) return
    found.answer = answer
    this.#goOn()
  }

  #goOn(): void {
    while (this.#waiting[0]?.answer !== undefined) {
      const { request, model, answer } = this.#waiting.shift() as Required<Waiting>
      if (!('method' in request)) model.delivery(request)
      else if (answer === null) model.lost(requestOf(request))
      else checkAnswer(model, request, answer)
    }
  }
}

function newModel(): ReferenceModel {
  const { token, clientId, clientSecret } = demo
  const clients = { [clientId]: { secret: clientSecret, redirectUris: [] } }
  const { settle: settleMs, rateLimit, tokenTtl, keyTtl } = settings
  const model = new ReferenceModel({ seed: demoSeed, token, clients, settleMs, lateMs, rateLimit, tokenTtl, keyTtl })
  model.minted(tokens.laura, { scopes: allScopes, expiresAt: null, user: 1 })
  model.minted(payingToken.token, { scopes: payingToken.scopes, expiresAt: null, user: 0 })
  return model
}

/** Checks that an answer matches the interface, and that it names the world that handled the request. */
function checkAnswer(model: ReferenceModel, request: Exchange, answer: ServiceAnswer): void {
  const named = answer.headers[worldHeader.toLowerCase()]
  if (named !== request.world) {
    const message = `${request.method} ${request.url} was handled by world ${request.world}, and its answer names ${named}`
    broken('an answer names its world', message)
  }
  model.exchange(requestOf(request), answerOf(answer))
}

const requestOf = ({ method, url, headers, body, at }: Exchange): Request => ({
  ...{ method, url, headers, at, from: '127.0.0.1' },
  ...(headers['content-type'] !== undefined && { body }),
})

function answerOf({ status, headers, body }: ServiceAnswer): Answer {
  return { status, headers, body: body.startsWith('{') ? JSON.parse(body) : body }
}
