import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hasEnded } from '../../../src/contract/payment_names.ts'
import { factsOf, type TailEvent } from '../../../src/webhooks/event.ts'
import { broken } from '../broken.ts'
import { type Action, baseUrl, type Callers, type End } from '../callers/callers.ts'
import { lookMs, savedBy, type Tailing } from '../callers/tails.ts'
import { machine, type Process } from '../machine/machine.ts'
import { unseen } from '../machine/statements.ts'
import { places, userIds } from '../script/places.ts'
import type { CallerName } from '../script/script.ts'
import { deliverySent, ofOwnWorld } from '../service/deliveries.ts'
import type { Exchange, Service, ServiceAnswer } from '../service/service.ts'
import { Queries } from './journals.ts'
import type { PaymentRow } from './told_invariants.ts'

// Promises of `webhooks tail`: it leaves no traces, changes no data of other users, and shows every end of a payment.

interface SubscriptionRow {
  readonly url: string
}

interface TailOptions {
  readonly callers: Callers
  readonly service: Service
}

type Payment = Pick<PaymentRow, 'id' | 'owner' | 'status'>

/** A subscription that a tail has requested. */
interface Asked {
  readonly folder: string
  readonly secret: string
  readonly process: Process
}

/** Longest time from Ctrl-C to the end, in milliseconds. */
const longestEnd = 30_000

/** State of the tails of one user in one folder. */
class Watch {
  /** Payments that had ended before any tail read the history. Undefined: no tail has read the history yet. */
  before: ReadonlySet<string> | undefined
  /** Shown ends of payments, and the process that showed each. */
  readonly shown = new Map<string, Process>()
  /** Running processes. */
  readonly running = new Set<Process>()
  /** True if two tails ran at the same time: each saves its shown ends without knowing those of the other. */
  shared = false
}

export class TailInvariants {
  readonly #options: TailOptions
  readonly #asked = new Map<string, Asked>()
  readonly #watches = new Map<CallerName, Watch>()
  readonly #queries = new Queries()
  /** Virtual time in milliseconds at which another caller suspended a subscription, by the subscription's id. */
  readonly #suspended = new Map<string, number>()
  /** URLs of subscriptions that callers have read, by id. */
  readonly #urls = new Map<string, string>()
  /** Processes that ran through a reset: the next world numbers its deliveries from 1 again. */
  readonly #survivors = new WeakSet<Process>()
  /** Processes that could not record their subscription, because the disk was full. */
  readonly #unrecorded = new WeakSet<Process>()
  /** Processes that have certainly saved their shown ends. */
  readonly #sure = new WeakSet<Process>()

  constructor(options: TailOptions) {
    this.#options = options
  }

  /** Callers that have run a tail. */
  get callers(): readonly CallerName[] {
    return [...this.#watches.keys()]
  }

  /** Called after a reset: no tail has read the new world's history. */
  worldIsNew(): void {
    this.#suspended.clear()
    for (const watch of this.#watches.values()) {
      watch.before = undefined
      watch.shown.clear()
      for (const process of watch.running) this.#survivors.add(process)
    }
  }

  /** Called for each request before the service handles it. */
  asked({ method, url, body, caller }: Exchange): void {
    const action = this.#options.callers.actionOf(caller)
    const [, resumed] = /^\/api\/webhooks\/subscriptions\/([\w-]+)\/resume$/.exec(url) ?? []
    if (resumed !== undefined) this.#suspended.delete(resumed)
    if (!caller || action?.do !== 'tail') return
    const watch = this.#watchOf(action)
    this.#begin(watch, caller)
    // A request that was refused before its body was read has no body.
    if (method !== 'POST' || url !== '/api/webhooks/subscriptions' || body === '') return
    this.#note(body, action, caller)
    // A tail reads the history before this request, so it must show later ends. If two tails of one user run for the
    // first time together, one of them possibly has not read the history.
    if (
      watch.before ||
      watch.running.size > 1 ||
      caller.disturbed ||
      this.#survivors.has(caller) ||
      !this.#hasHistory(action)
    )
      return
    watch.before = new Set(this.#ended(action).map(({ id }) => id))
  }

  #note(body: string, action: Action, process: Process): void {
    const { url, headers } = JSON.parse(body) as { url: string; headers: Record<string, string> }
    const [secret = ''] = Object.values(headers)
    this.#asked.set(url, { folder: this.#folderOf(action), secret, process })
  }

  #begin(watch: Watch, process: Process): void {
    if (watch.running.has(process)) return
    watch.running.add(process)
    watch.shared ||= watch.running.size > 1
  }

  /** True if a tail of this user has saved the history in this folder. */
  #hasHistory(action: Action): boolean {
    const name = createHash('sha256').update(`${baseUrl}\n${userIds[places[action.caller].user]}`).digest('hex')
    const file = join(this.#folderOf(action), 'webhooks', `seen-${name.slice(0, 16)}.json`)
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).horizon !== ''
  }

  /** Called for each answer that the service sends. */
  answered({ method, url, caller }: Exchange, { status, body }: ServiceAnswer): void {
    const [, id, what] = /^\/api\/webhooks\/subscriptions\/([\w-]+)(\/\w+)?$/.exec(url) ?? []
    if (id === undefined || status !== 200) return
    const { data } = JSON.parse(body) as { readonly data: { readonly url: string } }
    if (method === 'DELETE' && caller) this.#checkRemoved(data.url, caller)
    if (method === 'GET') this.#urls.set(id, data.url)
    if (what === '/suspend') this.#suspended.set(id, machine.elapsed)
  }

  /** Checks that a tail removes only its own subscription, and those of ended tails of its folder. */
  #checkRemoved(url: string, caller: Process): void {
    const action = this.#options.callers.actionOf(caller)
    const asked = this.#asked.get(url)
    const name = `${caller.name} removes the subscription of ${url}`
    if (!asked || action?.do !== 'tail') broken('removes its own', `${name}, which is not a tail's`)
    if (asked.process === caller) return
    if (asked.folder !== this.#folderOf(action)) broken('removes its own', `${name}, whose record is elsewhere`)
    if (asked.process.alive && !asked.process.ended) broken('removes its own', `${name}, whose tail still runs`)
  }

  /** Called with a tail's answer to a delivery: an accepted delivery must be saved. */
  received(action: Action, request: Buffer, answer: Buffer): void {
    if (action.do !== 'tail' || !action.save || !/^HTTP\/1.1 2/.test(answer.toString('latin1', 0, 12))) return
    const id = deliverySent(request)?.id
    const file = savedBy(this.#folderOf(action), action)
    if (id !== undefined && !(existsSync(file) && readFileSync(file, 'utf8').includes(`"${id}"`))) {
      broken('saved before it is taken', `tail ${action.id} has acknowledged ${id}, which is not in its file`)
    }
  }

  /** Called when an operation has ended. `calm`: the service was running, and its disk had room. */
  ended(end: End, { calm }: { readonly calm: boolean }): void {
    const { action, process, faults } = end
    if (action.do !== 'tail') return
    const watch = this.#watchOf(action)
    watch.running.delete(process)
    if (faults.includes('disk full')) this.#unrecorded.add(process)
    this.#checkFiles(action, end)
    this.#checkShown(end, watch)
    if (!process.alive) return
    const { interruptedAt } = process
    if (interruptedAt !== undefined && machine.elapsed - interruptedAt > longestEnd) {
      broken('ends when it is told', `${process.name} has ended ${machine.elapsed - interruptedAt} ms after Ctrl-C`)
    }
    // The login may have ended meanwhile.
    if ((calm && !process.disturbed) || !places[action.caller].logsIn) this.#checkResumed(process, calm)
  }

  /**
   * Checks that a tail resumed its subscription. Faults end after a while: the service runs again, and only some
   * requests of a check fail.
   */
  #checkResumed(process: Process, calm: boolean): void {
    const patience = 2 * lookMs + 10_000 + (calm ? 0 : 60_000) + (process.disturbed ? 320_000 : 0)
    for (const [id, since] of this.#suspended) {
      const own = this.#asked.get(this.#urls.get(id) ?? '')
      if (own?.process !== process || machine.elapsed - since < patience) continue
      broken('a suspended subscription is resumed', `that of ${process.name} was suspended at ${since} ms`)
    }
  }

  #checkShown({ told, process, faults, action }: End, watch: Watch): void {
    const ids = new Set<string>()
    for (const one of told) {
      if (one.what !== 'event' || !one.isNew) continue
      const { event } = one
      const { id, status } = factsOf(event)
      if (event.delivery_id !== null && ids.has(event.delivery_id) && !this.#survivors.has(process)) {
        broken('shown once', `${process.name} shows the delivery ${event.delivery_id} twice`)
      }
      if (event.delivery_id !== null) ids.add(event.delivery_id)
      if (id === null || !hasEnded(status)) continue
      this.#checkTrue(event, process)
      const earlier = watch.shown.get(id)
      if (event.recovered && earlier && !watch.shared && this.#sure.has(earlier)) {
        broken('shown once', `${process.name} recovers ${id}, which ${earlier.name} has shown`)
      }
      watch.shown.set(id, process)
    }
    const isForwarded = 'forwardTo' in action
    if (process.alive && !faults.includes('disk full') && !isForwarded) this.#sure.add(process)
  }

  #checkTrue(event: TailEvent, process: Process): void {
    if (this.#survivors.has(process)) return
    const { id, status } = factsOf(event)
    const isOfOther = event.delivery_id !== null && !ofOwnWorld.test(event.delivery_id)
    if (isOfOther || !this.#options.service.running) return
    const payment = this.#payments().find((one) => one.id === id)
    if (payment?.status === status) return
    broken('told true', `${process.name} shows that ${id} is ${status}, and it is ${payment?.status}`)
  }

  /** Checks that no file and no printed event contains the secret, and that only the owner can read the files. */
  #checkFiles(action: Tailing, { told, process }: End): void {
    const folder = this.#folderOf(action)
    const kept = namesIn(join(folder, 'webhooks')).map((name) => join(folder, 'webhooks', name))
    const files = [...kept, savedBy(folder, action)].filter((file) => existsSync(file) && statSync(file).isFile())
    const texts = files.map((file) => readFileSync(file, 'utf8'))
    const secrets = [...this.#asked.values()].filter((one) => one.process === process).map(({ secret }) => secret)
    for (const secret of secrets) {
      if ([...texts, JSON.stringify(told)].some((text) => text.includes(secret))) {
        broken('secrets nowhere', `the secret of ${process.name} is on disk, or was shown`)
      }
    }
    const open = files.find((file) => (statSync(file).mode & 0o077) !== 0)
    if (open) broken('secrets nowhere', `${open} can be read by others`)
  }

  /**
   * Checks the promises that hold when the simulation ends: no subscription is left behind, and a tail has shown every
   * end of a payment. Called after all faults, and after one more tail of each caller.
   */
  checkEnd(): void {
    for (const { url } of this.#subscriptions()) {
      const asked = this.#asked.get(url)
      if (asked && !this.#unrecorded.has(asked.process)) {
        broken('nothing is left behind', `the subscription of ${asked.process.name} is still there`)
      }
    }
    for (const [caller, { before, shown }] of this.#watches) {
      if (before === undefined) continue
      const missing = this.#ended({ caller }).find(({ id }) => !before.has(id) && !shown.has(id))
      if (missing) broken('every end is shown', `no tail of ${caller} has shown the end of ${missing.id}`)
    }
  }

  #subscriptions(): readonly SubscriptionRow[] {
    return this.#rows<SubscriptionRow>('SELECT url FROM subscriptions')
  }

  #payments(): readonly Payment[] {
    return this.#rows<Payment>('SELECT p.id, u.id AS owner, p.status FROM payments p JOIN users u ON u.seq = p.user')
  }

  #rows<Row>(sql: string): readonly Row[] {
    return unseen(() => this.#queries.all<Row>(this.#options.service.world.database.connection, sql))
  }

  #ended({ caller }: Pick<Action, 'caller'>): readonly Payment[] {
    const owner = userIds[places[caller].user]
    return this.#payments().filter((one) => one.owner === owner && hasEnded(one.status))
  }

  #folderOf = ({ caller }: Pick<Action, 'caller'>): string => this.#options.callers.folderOf(places[caller].journal)

  #watchOf({ caller }: Action): Watch {
    const first = caller === 'ana2' ? 'ana' : caller // both belong to one user and folder
    const watch = this.#watches.get(first) ?? new Watch()
    this.#watches.set(first, watch)
    return watch
  }
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}
