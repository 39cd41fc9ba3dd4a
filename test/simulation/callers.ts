import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { demo } from '../../emulator/seed.ts'
import { tokenSource } from '../../src/auth/access_token.ts'
import { storeCredentials } from '../../src/auth/credentials_file.ts'
import { expiry, requestToken } from '../../src/auth/token_endpoint.ts'
import type { Client } from '../../src/client/client.ts'
import { createClient } from '../../src/client/create_client.ts'
import { eventNames } from '../../src/contract/index.ts'
import { standIn } from '../../src/journal/intent.ts'
import { type Journal, openJournal } from '../../src/journal/journal.ts'
import { payBatch } from '../../src/payments/batch.ts'
import { stageRows, withCheckedRows } from '../../src/payments/batch_checks.ts'
import type { ResultRow } from '../../src/payments/batch_result.ts'
import { orderOf } from '../../src/payments/order.ts'
import type { PaymentOptions } from '../../src/payments/payment_session.ts'
import { resumePayments } from '../../src/payments/resume.ts'
import { retryBatch } from '../../src/payments/retry.ts'
import { sendPayment } from '../../src/payments/send.ts'
import { silent } from '../../src/run/reporter.ts'
import { Broken } from './broken.ts'
import { consent, redirectUri } from './browser.ts'
import { cutPower } from './databases.ts'
import { explore } from './explore.ts'
import { Killed, machine, Process } from './machine.ts'
import { network } from './network.ts'
import { operate } from './operator.ts'
import { Random } from './random.ts'
import type { CallerName, CallerOperation, Fault, Operation, Order } from './script.ts'
import { type Service, tokens } from './service.ts'
import { fillDisk } from './statements.ts'
import { putDatabase } from './templates.ts'

// Runs of payctl, each a process of its own: the real client, journal and payment engine, as the commands use them.

/** Where a caller keeps its files, and who it is. */
interface Place {
  readonly journal: string
  readonly user: keyof typeof tokens
  /** Whether it logs in, with tokens that expire; else it has a token for good. */
  readonly logsIn: boolean
  /** Minor units of CRC that may leave in a day. */
  readonly perDay?: number
}

export const places: Readonly<Record<CallerName, Place>> = {
  ana: { journal: 'ana', user: 'maria', logsIn: true, perDay: 90_000_000 },
  ana2: { journal: 'ana', user: 'maria', logsIn: true, perDay: 90_000_000 },
  bot: { journal: 'bot', user: 'maria', logsIn: false },
  laura: { journal: 'laura', user: 'laura', logsIn: false },
}

/** The account that pays. */
export const accountOf = { maria: demo.accounts[0].id, laura: demo.neighbour.account.id }
export const userIds = { maria: demo.user.id, laura: demo.neighbour.user.id }

/** What a caller was told, and by what it can be checked. */
export type Told =
  | { readonly what: 'accepted'; readonly order: string; readonly payment: string; readonly amount: number }
  | { readonly what: 'refused' | 'not_sent'; readonly order: string; readonly key: string }
  | { readonly what: 'pages'; readonly user: keyof typeof tokens; readonly ids: readonly string[] }

const baseUrl = 'http://127.0.0.1:4010'

export interface CallersOptions {
  readonly seed: string
  readonly folder: string
  readonly service: Service
  /** Hears of each fault that has happened. */
  readonly onFault: (fault: Fault['fault'], operation: CallerOperation) => void
}

/** How an operation ended: what it was told; `killed`, or what it threw. */
export interface End {
  readonly told: readonly Told[]
  readonly process: Process
  readonly error: unknown
}

export const descriptionOf = ({ order }: Pick<Order, 'order'>): string => `Order ${order} of the simulation`

type Action = Extract<Operation, { readonly caller: CallerName }>

export class Callers {
  readonly #options: CallersOptions
  readonly #live = new Set<Process>()

  constructor(options: CallersOptions) {
    this.#options = options
    for (const { journal, perDay } of Object.values(places)) {
      const folder = this.folderOf(journal)
      mkdirSync(folder, { recursive: true })
      // Else the first command makes it.
      if (new Random(options.seed, 'journal', journal).chance(0.8)) {
        putDatabase(join(folder, 'journal.db'), `journal of ${journal}`, (template) => openJournal(template).close())
      }
      if (perDay === undefined) continue
      const limits = { services: [], users: null, per_day: { CRC: perDay } }
      writeFileSync(join(folder, 'limits.json'), JSON.stringify({ version: 1, profiles: { [journal]: limits } }))
    }
  }

  folderOf = (journal: string): string => join(this.#options.folder, journal)

  /** Runs an operation to its end, or until it is killed. */
  async run(operation: Action): Promise<End> {
    const { seed, onFault } = this.#options
    const name = `${operation.caller} ${operation.id}`
    const random = new Random(seed, 'operation', operation.id)
    const process = new Process(name, random)
    this.#live.add(process)
    this.#disturb(process, operation, (fault) => {
      process.disturbed = true
      onFault(fault, operation)
    })
    const told: Told[] = []
    const death = new Promise<void>((resolve) => process.atDeath(resolve))
    machine.log(`${name} begins: ${operation.do}`)
    let error: unknown
    const work = machine.as(process, async () => {
      try {
        for (const one of await this.#act(operation, process)) if (process.alive) told.push(one)
      } catch (thrown) {
        // No words for a user: a bug.
        if ([Broken, TypeError, RangeError, ReferenceError].some((kind) => thrown instanceof kind)) throw thrown
        if (process.alive) error = thrown
      }
    })
    await Promise.race([work, death])
    this.#live.delete(process)
    machine.log(`${name} ends after ${process.steps} steps: ${process.alive ? describe(told, error) : 'killed'}`)
    return { told, process, error }
  }

  /** The service that they talk to has died. */
  lose(): void {
    for (const process of this.#live) process.disturbed = true
  }

  #disturb(process: Process, { id, faults = [] }: CallerOperation, onFault: (fault: Fault['fault']) => void): void {
    const { seed, service } = this.#options
    const bySteps = faults.filter((fault) => 'step' in fault)
    const byRequests = faults.filter((fault) => 'request' in fault)
    process.onStep = () => {
      for (const fault of bySteps) {
        if (fault.step !== process.steps) continue
        onFault(fault.fault)
        if (fault.fault === 'killed') kill(process, fault.written)
        else if (fault.fault === 'power cut') cutPower(this.#live, process.random)
        else if (fault.fault === 'disk full') fillDisk(process)
        else if (fault.fault === 'clock moved') process.clockOffset += fault.ms
      }
    }
    network.trafficOf(process, {
      random: new Random(seed, 'network', id),
      requests: 0,
      faultOf(request) {
        const found = byRequests.find((one) => one.request === request && one.fault !== 'service killed')
        return found && found.fault !== 'service killed' ? found.fault : undefined
      },
      onFault,
      onDelivered(request) {
        for (const one of byRequests) {
          if (one.fault !== 'service killed' || one.request !== request || !service.running) continue
          onFault(one.fault)
          killAtStatement(service, one)
        }
      },
    })
  }

  async #act(operation: Action, process: Process): Promise<readonly Told[]> {
    const place = places[operation.caller]
    if (operation.do === 'log in') return this.#logIn(place)
    if (operation.do === 'operate') {
      await operate(process.random, operation.deeds)
      return []
    }
    const client = await this.#clientOf(place)
    const folder = this.folderOf(place.journal)
    try {
      switch (operation.do) {
        case 'read history':
          return [await readHistory(client, place, operation.perPage)]
        case 'look around':
          await explore(client, process.random, operation.questions)
          return []
        case 'subscribe':
          return await subscribe(client, operation.receiver)
        default:
      }
      const journal = openJournal(folder)
      try {
        return await pay(operation, { client, journal, place, folder })
      } finally {
        if (process.alive) journal.close()
      }
    } finally {
      await client.close()
    }
  }

  async #clientOf({ journal, user, logsIn }: Place): Promise<Client> {
    if (!logsIn) return createClient({ baseUrl, token: tokens[user] })
    const target = {
      ...{ profile: journal, baseUrl, authUrl: baseUrl, token: undefined, emulator: undefined, unnamedEmulators: [] },
      settings: { clientId: undefined, fxProvider: 'upstream', from: undefined },
    }
    const source = await tokenSource(target, {
      ...{ configDir: this.folderOf(journal), signal: new AbortController().signal, timeout: undefined, retries: 3 },
      ...{ trace: undefined, proxyFor: undefined, note: (text: string) => machine.log(text) },
    })
    return createClient({ baseUrl, token: source.token, renew: source.renew })
  }

  /** As after a consent in the browser: the code has come to payctl, which exchanges it. */
  async #logIn({ journal, user }: Place): Promise<readonly Told[]> {
    const authUrl = baseUrl
    const redirect_uri = redirectUri
    const code = await consent(userIds[user], authUrl)
    if (code === undefined) return []
    const identity = { client_id: demo.clientId, client_secret: demo.clientSecret }
    const start = Date.now()
    const grant = await requestToken(
      { grant_type: 'authorization_code', ...identity, redirect_uri, code, code_verifier: undefined as never },
      { authUrl, signal: new AbortController().signal, retries: 3 },
    )
    await storeCredentials(this.folderOf(journal), journal, {
      ...{ kind: 'oauth', base_url: authUrl, auth_url: authUrl, access_token: grant.accessToken, ...identity },
      ...(grant.refreshToken !== undefined && { refresh_token: grant.refreshToken }),
      ...expiry(grant, start),
    })
    return []
  }
}

/** Kills it now, or within its next statement. */
function kill(process: Process, written: number | undefined): void {
  if (written === undefined) process.kill()
  else process.dying = { kill: () => process.kill(), written }
}

/** Has the service die before the so manieth statement from now, or within that. */
export function killAtStatement(
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

interface Paying {
  readonly client: Client
  readonly journal: Journal
  readonly place: Place
  readonly folder: string
}

type Payment = Extract<Action, { readonly do: 'send' | 'batch' | 'retry batch' | 'resume' }>

async function pay(operation: Payment, { client, journal, place, folder }: Paying): Promise<readonly Told[]> {
  const told: Told[] = []
  const options: PaymentOptions = {
    ...{ client, journal, profile: place.journal, reporter: silent, limitsIn: folder },
    holder: async () => standIn('login', place.user),
  }
  const running = {
    ...{ concurrency: 4, connect: async (changes: object) => client.with(changes) },
  }
  switch (operation.do) {
    case 'send': {
      const { order, to, amount, key } = operation
      const from = accountOf[place.user]
      const request = { from, to, amount, description: descriptionOf(operation), idempotencyKey: key }
      const outcome = await sendPayment(orderOf(request), options)
      if (outcome.outcome === 'accepted') told.push({ what: 'accepted', order, payment: outcome.payment.id, amount })
      else if (outcome.outcome !== 'unknown') told.push({ what: outcome.outcome, order, key })
      return told
    }
    case 'resume':
      await resumePayments({
        ...options,
        async write(intents) {
          for await (const { status } of intents) machine.log(`resumed: ${status}`)
        },
      })
      return told
    case 'batch': {
      const from = accountOf[place.user]
      const rows = operation.rows.map((row) => ({
        from,
        to: row.to,
        amount: row.amount,
        description: descriptionOf(row),
      }))
      const write = async (results: AsyncIterable<ResultRow>) => {
        for await (const result of results) {
          const row = operation.rows[(result.line ?? 0) - 1]
          if (!row || result.payment_id === null) continue
          told.push({ what: 'accepted', order: row.order, payment: result.payment_id, amount: row.amount })
        }
      }
      await withCheckedRows(
        { client, stage: async (staged, accounts) => stageRows(rows, staged, accounts), concurrency: 4 },
        (checked) =>
          payBatch(checked, {
            ...{ ...options, ...running, batchId: operation.batch, wait: undefined },
            openResults: async () => ({ write, async close() {} }),
          }),
      )
      return told
    }
    case 'retry batch': {
      const write = async (results: AsyncIterable<ResultRow>) => {
        for await (const { status } of results) machine.log(`again: ${status}`)
      }
      const openResults = async () => ({ write, async close() {} })
      await retryBatch({ ...options, ...running, batch: operation.batch, openResults })
      return told
    }
    default:
      return told
  }
}

async function readHistory(client: Client, { user }: Place, perPage: number): Promise<Told> {
  const ids: string[] = []
  for await (const payment of client.items('payments.history', { query: { per_page: perPage } })) {
    ids.push(payment.id ?? '')
  }
  return { what: 'pages', user, ids }
}

async function subscribe(client: Client, receiver: number): Promise<readonly Told[]> {
  const url = `http://127.0.0.1:${5000 + receiver}/events`
  await client.call('webhooks.create', { body: { url, events: [...eventNames], max_attempts: 3, timeout: 5 } })
  return []
}

const describe = (told: readonly Told[], error: unknown): string =>
  `${told.map((one) => (one.what === 'pages' ? `${one.ids.length} rows` : `${one.what} ${one.order}`)).join(', ')} ${
    error instanceof Killed ? 'killed' : error instanceof Error ? error.message : ''
  }`
