import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Audit } from '../../../src/audit/audit.ts'
import { tokenSource } from '../../../src/auth/access_token.ts'
import type { Client, ClientOptions } from '../../../src/client/client.ts'
import { createClient } from '../../../src/client/create_client.ts'
import { worldHeader } from '../../../src/contract/index.ts'
import { openJournal } from '../../../src/journal/journal.ts'
import { Broken } from '../broken.ts'
import { cutPower } from '../machine/databases.ts'
import { machine, Process } from '../machine/machine.ts'
import { network } from '../machine/network.ts'
import { fillDisk } from '../machine/statements.ts'
import { putDatabase } from '../machine/templates.ts'
import type { Leaving } from '../machine/traffic.ts'
import { Random } from '../random.ts'
import { type Place, places, profiles, tokens } from '../script/places.ts'
import type { CallerName, CallerOperation, Fault, Moment, NetworkFault, Operation } from '../script/script.ts'
import { operate } from '../service/operator.ts'
import type { Service } from '../service/service.ts'
import { explore } from './explore.ts'
import { changeLimits, writeLimits } from './limits.ts'
import { logIn, logOut } from './logins.ts'
import { type Payment, pay } from './payments.ts'
import { subscribe, suspendAll } from './subscribers.ts'
import { watchEvents } from './tails.ts'
import { describe, type Told } from './told.ts'

// Runs of payctl, each in a separate process, with the real client, journal and payment engine of the commands.

export const baseUrl = 'http://127.0.0.1:4010'

interface CallersOptions {
  readonly seed: string
  readonly folder: string
  readonly service: Service
  /** Called for each fault that has happened. */
  readonly onFault: (fault: Fault['fault'], operation: CallerOperation) => void
  /** Called for each request of a process before the request is sent. */
  readonly onRequest: (action: Action, process: Process, leaving: Leaving) => void
  /** Called with the world of each answer that a process receives. */
  readonly onHeard: (process: Process, world: string) => void
  readonly onTurnedAway: (process: Process, bytes: Buffer, fault: NetworkFault) => void
  /** Called before a person answers a question of an operation, and with the answer. */
  readonly onQuestion: (action: Action) => void
  readonly onReply: (action: Action, isYes: boolean) => void
  /** Called with each result when its caller receives the result. */
  readonly onTold: (action: Action, told: Told) => void
  /** Runs what happens at a moment of an operation; undefined: nothing happens. */
  readonly during: (moment: Moment) => Promise<void> | undefined
  /** Called for each delivery to a process when the service sends it. */
  readonly onDelivery: (delivery: Buffer) => void
  /** Called for each answer of a process to a delivery. */
  readonly onReceived: (action: Action, delivery: Buffer, answer: Buffer) => void
}

/** End of an operation: its results (`told`), and the error that it threw, if any. */
export interface End {
  readonly action: Action
  readonly told: readonly Told[]
  readonly process: Process
  readonly error: unknown
  /** Faults that happened to the operation. */
  readonly faults: readonly Fault['fault'][]
  /** Start of the operation, in virtual milliseconds. */
  readonly begun: number
}

export type Action = Extract<Operation, { readonly caller: CallerName }>

export class Callers {
  readonly #options: CallersOptions
  readonly #live = new Set<Process>()
  readonly #actions = new WeakMap<Process, Action>()

  constructor(options: CallersOptions) {
    this.#options = options
    for (const journal of new Set(profiles.map((place) => place.journal))) {
      const folder = this.folderOf(journal)
      mkdirSync(folder, { recursive: true })
      // Usually creates the journal; otherwise the first command creates it.
      if (new Random(options.seed, 'journal', journal).chance(0.8)) {
        putDatabase(join(folder, 'journal.db'), `journal of ${journal}`, (template) => openJournal(template).close())
      }
    }
    for (const place of profiles) this.restoreLimits(place)
  }

  folderOf = (journal: string): string => join(this.#options.folder, journal)

  /** Operation that a caller runs in a process; undefined for any other process. */
  actionOf = (process: Process | undefined): Action | undefined => process && this.#actions.get(process)

  /** Writes the limits that apply from the start. */
  restoreLimits(place: Place): void {
    writeLimits(place, this.folderOf(place.journal))
  }

  /** Runs an operation until it ends or its process is killed. */
  async run(operation: Action): Promise<End> {
    const { seed, onFault, onTold } = this.#options
    const name = `${operation.caller} ${operation.id}`
    const random = new Random(seed, 'operation', operation.id)
    const process = new Process(name, random)
    process.filesAreSteps = operation.do === 'tail'
    const faults: Fault['fault'][] = []
    this.#live.add(process)
    this.#actions.set(process, operation)
    this.#disturb(process, operation, (fault) => {
      process.disturbed = true
      faults.push(fault)
      onFault(fault, operation)
    })
    const told: Told[] = []
    const death = new Promise<void>((resolve) => process.atDeath(resolve))
    const begun = machine.elapsed
    machine.log(`${name} begins: ${operation.do}`)
    let error: unknown
    const work = machine.as(process, async () => {
      const tell = (one: Told) => {
        if (!process.alive) return
        told.push(one)
        onTold(operation, one)
      }
      try {
        await this.#act(operation, process, tell)
      } catch (thrown) {
        if (isBug(thrown)) throw thrown
        if (process.alive) error = thrown
      }
    })
    await Promise.race([work, death])
    this.#live.delete(process)
    process.ended = operation.do === 'tail'
    machine.log(`${name} ends after ${process.steps} steps: ${process.alive ? describe(told, error) : 'killed'}`)
    return { action: operation, told, process, error, faults, begun }
  }

  /** Marks all running processes as disturbed, because the service has died. */
  lose(): void {
    for (const process of this.#live) process.disturbed = true
  }

  #disturb(process: Process, operation: Action, onFault: (fault: Fault['fault']) => void): void {
    const { seed, service, onRequest, onTurnedAway, onDelivery, onReceived, during } = this.#options
    const { id, faults = [] } = operation
    const bySteps = faults.filter((fault) => 'step' in fault)
    const byRequests = faults.filter((fault) => 'request' in fault)
    const ofPayments = faults.find((fault) => 'payments' in fault)?.fault
    const byDeliveries = faults.filter((fault) => 'delivery' in fault)
    let [deliveries, payments, readings] = [0, 0, 0]
    process.onStep = () => {
      for (const fault of bySteps) {
        if (fault.step !== process.steps) continue
        onFault(fault.fault)
        if (fault.fault === 'killed') kill(process, fault.written)
        else if (fault.fault === 'power cut') cutPower(this.#live, process.random)
        else if (fault.fault === 'disk full') fillDisk(process)
        else if (fault.fault === 'interrupted') process.interrupt()
        else if (fault.fault === 'clock moved') process.clockOffset += fault.ms
      }
    }
    network.trafficOf(process, {
      random: new Random(seed, 'network', id),
      requests: 0,
      faultOf(request, bytes) {
        const found = byRequests.filter((one) => one.request === request).map(({ fault }) => fault)
        const own = found.find((fault) => fault !== 'service killed' && fault !== 'world reset')
        return own ?? (bytes && isPayment(bytes) ? ofPayments : undefined)
      },
      beforeRequest(bytes) {
        if (isPayment(bytes)) payments += 1
        const atPayment = isPayment(bytes) ? during({ of: id, payment: payments }) : undefined
        return atPayment ?? during({ of: id, request: this.requests })
      },
      beforeAnswer(request) {
        if (!readsHistory(request)) return undefined
        readings += 1
        return during({ of: id, history: readings })
      },
      onFault,
      onRequest(leaving) {
        onRequest(operation, process, leaving)
        const isReset = byRequests.some((one) => one.fault === 'world reset' && one.request === this.requests)
        if (!isReset || !service.running) return
        onFault('world reset')
        service.reset()
      },
      onTurnedAway: (bytes, fault) => onTurnedAway(process, bytes, fault),
      onDelivered(request) {
        for (const one of byRequests) {
          if (one.fault !== 'service killed' || one.request !== request || !service.running) continue
          onFault(one.fault)
          killAtStatement(service, one)
        }
      },
      incoming: {
        onRequest: (bytes) => onDelivery(bytes),
        onAnswer: (delivery, answer) => onReceived(operation, delivery, answer),
        nextFault() {
          deliveries += 1
          const fault = byDeliveries.find((one) => one.delivery === deliveries)?.fault
          if (fault) onFault(fault)
          return fault
        },
      },
    })
  }

  async #act(operation: Action, process: Process, tell: (told: Told) => void): Promise<void> {
    const place = places[operation.caller]
    const folder = this.folderOf(place.journal)
    if (operation.do === 'operate') return await operate(process.random, operation.deeds)
    if (operation.do === 'log in') return logIn({ ...place, user: operation.as ?? place.user }, { folder, baseUrl })
    if (operation.do === 'log out') return logOut(place, folder, tell)
    if (operation.do === 'change limits') return changeLimits(operation.limits, place, folder)
    const { signal } = process.interruption
    const client = await this.#connect(place, { signal })
    try {
      switch (operation.do) {
        case 'read history':
          return tell(await readHistory(client, place, operation.perPage))
        case 'look around':
          return await explore(client, process.random, operation.questions)
        case 'subscribe':
          return await subscribe(client, operation.receiver)
        case 'suspend subscriptions':
          return await suspendAll(client)
        case 'tail': {
          const connect = (options: UntilSignal) => this.#connect(place, options)
          return await watchEvents(operation, { baseUrl, folder, process, client, connect, tell })
        }
        default:
          return await this.#pay(operation, { client, place, process, tell })
      }
    } finally {
      await client.close()
    }
  }

  async #pay(operation: Payment, { process, place, ...others }: Acting): Promise<void> {
    const folder = this.folderOf(place.journal)
    const journal = openJournal(folder)
    const audit = { file: new Audit(folder), decidedBy: 'flag' } as const
    const { onQuestion, onReply, during } = this.#options
    let question = 0
    const ask = async () => {
      question += 1
      onQuestion(operation)
      await during({ of: operation.id, question })
      const isYes = !operation.declines
      onReply(operation, isYes)
      return isYes
    }
    try {
      const connect = (options: UntilSignal) => this.#connect(place, options)
      await pay(operation, {
        ...others,
        ...{ journal, audit, place, folder, connect, ask },
        signal: process.interruption.signal,
      })
    } finally {
      audit.file.close()
      if (process.alive) journal.close()
    }
  }

  /** Connects like the commands: the end of the client also ends renewals of its login. */
  async #connect(
    { journal, profile, user, logsIn, token: own = tokens[user] }: Place,
    options: UntilSignal,
  ): Promise<Client> {
    const { process } = machine
    const onAnswer: ClientOptions['onAnswer'] = ({ headers }) => {
      const world = headers[worldHeader.toLowerCase()]
      if (process && world !== undefined) this.#options.onHeard(process, world)
    }
    if (!logsIn) return createClient({ baseUrl, token: own, onAnswer, ...options })
    const target = {
      ...{ profile, baseUrl, authUrl: baseUrl, token: undefined, emulator: undefined, unnamedEmulators: [] },
      settings: { clientId: undefined, fxProvider: 'upstream', from: undefined, keyLife: undefined },
    }
    const { token, renew } = await tokenSource(target, {
      ...{ configDir: this.folderOf(journal), signal: options.signal, timeout: undefined, retries: 3 },
      ...{ trace: undefined, proxyFor: undefined, note: (text) => machine.log(String(text)) },
    })
    return createClient({ baseUrl, token, renew, onAnswer, ...options })
  }
}

type UntilSignal = Partial<ClientOptions> & { readonly signal: AbortSignal }

interface Acting {
  readonly client: Client
  readonly place: Place
  readonly process: Process
  readonly tell: (told: Told) => void
}

const isPayment = (request: Buffer): boolean => startsWith(request, 'POST /api/payments ')

const readsHistory = (request: Buffer): boolean => startsWith(request, 'GET /api/payments/history')

const startsWith = (bytes: Buffer, text: string): boolean => bytes.toString('latin1', 0, text.length) === text

/** True for an unexpected error: it has no message for users, and no code of a system failure. */
const isBug = (thrown: unknown): boolean =>
  [Broken, TypeError, RangeError, ReferenceError].some((kind) => thrown instanceof kind) ||
  (thrown instanceof Error && thrown.constructor === Error && !('code' in thrown))

/** Kills a process now, or within its next statement. */
function kill(process: Process, written: number | undefined): void {
  if (written === undefined) process.kill()
  else process.dying = { kill: () => process.kill(), written }
}

/** Kills the service before the nth statement from now, or within it. */
function killAtStatement(
  service: Service,
  { statement, written }: { readonly statement: number; readonly written?: number },
): void {
  const { process } = service
  if (!process) return
  const last = process.steps + statement
  const end = () => service.restart(700)
  process.onStep = () => {
    if (process.steps < last || service.process !== process) return
    if (written === undefined) end()
    else process.dying ??= { kill: end, written }
  }
}

async function readHistory(client: Client, { user }: Place, perPage: number): Promise<Told> {
  const ids: string[] = []
  for await (const payment of client.items('payments.history', { query: { per_page: perPage } })) {
    ids.push(payment.id ?? '')
  }
  return { what: 'pages', user, ids }
}
