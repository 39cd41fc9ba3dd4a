import { randomUUID } from 'node:crypto'
import { isLoopback } from '../client/base_url.ts'
import type { Client } from '../client/client.ts'
import { type EventName, eventNames } from '../contract/event_names.ts'
import { worldHeader } from '../contract/headers.ts'
import { errorMessage } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'
import { ApiError } from '../errors/service_errors.ts'
import { pause } from '../real_time.ts'
import type { Reporter } from '../run/reporter.ts'
import { DeliveryHandler, type QueuedEvent } from './delivery_handler.ts'
import type { TailEvent } from './event.ts'
import { type Route, Routes, type Signing } from './forward.ts'
import { newSecret, startReceiver } from './receiver.ts'
import { type Missed, MissedPayments, recoveredHandler } from './recover.ts'
import { openRecent, SavedFile } from './saved_deliveries.ts'
import { SeenPayments } from './seen_payments.ts'
import { type Cause, Shutdown, within } from './shutdown.ts'
import { deliveryTimeout, type Owner, removeLeftovers, TemporarySubscription } from './temporary_subscription.ts'
import { type Condition, meeting, unknownFields } from './where.ts'

export interface TailOptions {
  /** Undefined: all. */
  readonly events?: readonly EventName[] | undefined
  /** Target URL of each delivery without a route. */
  readonly forwardTo?: string | undefined
  /** Signs forwarded deliveries; undefined: headers stay as received. */
  readonly signing?: Signing | undefined
  readonly route?: readonly Route[] | undefined
  /** Conditions that an event must meet. Other events are acknowledged, but not shown, saved or forwarded. */
  readonly where?: readonly Condition[] | undefined
  /** Public URL of the receiver, for a service on another machine. */
  readonly publicUrl?: string | undefined
  /** Port of the receiver; undefined: any free port. */
  readonly port?: number | undefined
  /** Path of a file to append deliveries to. */
  readonly save?: string | undefined
  /** Milliseconds. */
  readonly tailTimeout?: number | undefined
  /** Number of printed events after which the tail ends; recovered events do not count. */
  readonly limit?: number | undefined
  /** True: looks for missed events. */
  readonly recover: boolean
  /** Milliseconds between two comparisons. */
  readonly recoverInterval: number
}

/** Dependencies of a tail. */
interface TailRun {
  readonly baseUrl: string
  readonly client: Client
  /** Creates another client, whose requests only this signal ends. */
  readonly clientUntil: (signal: AbortSignal) => Promise<Client>
  readonly stateDir: string
  /** Ends the tail. */
  readonly signal: AbortSignal
  readonly reporter: Reporter
  /** Prints events in order. Calls `onPrinted` after each new event, and ends when `onPrinted` returns false. */
  readonly print: (events: AsyncIterable<QueuedEvent>, onPrinted: (event: TailEvent) => boolean) => Promise<void>
}

interface TailResult {
  readonly endedBy: Cause | undefined
  /** Number of printed events that count towards the limit; recovered events do not count. */
  readonly printed: number
}

/** Time limit for a forwarded delivery, in milliseconds: slightly less than the service waits. */
const forwardTimeout = (deliveryTimeout - 2) * 1000

/** Milliseconds to finish deliveries and remove the subscription at the end. */
const grace = 2_000
const cleanUpTimeout = 10_000

/**
 * Prints events until the signal aborts, the limit or timeout is reached, or the reader closes the pipe. Then removes
 * the tail's subscription.
 */
export const tail = (options: TailOptions, run: TailRun): Promise<TailResult> => new Tail(options, run).run()

interface Recovery {
  readonly seen: SeenPayments
  readonly payments: MissedPayments
  readonly atStart: Missed
}

class Tail {
  readonly #options: TailOptions
  readonly #run: TailRun
  readonly #events: readonly EventName[]
  readonly #limit: number
  readonly #shutdown: Shutdown
  readonly #routes: Routes
  /** Description of user and service, for notes. */
  #as = ''
  #printed = 0

  constructor(options: TailOptions, run: TailRun) {
    this.#options = options
    this.#run = run
    this.#events = options.events ?? eventNames
    this.#limit = options.limit ?? Number.POSITIVE_INFINITY
    this.#shutdown = new Shutdown(run.signal, options.tailTimeout)
    const { forwardTo, route: routes = [], signing } = options
    this.#routes = new Routes(routes, forwardTo, { timeout: forwardTimeout, signing })
  }

  async run(): Promise<TailResult> {
    const { client, baseUrl, stateDir } = this.#run
    const shutdown = this.#shutdown
    try {
      const { id: user, as } = await userOf(client)
      this.#as = as
      const owner = { stateDir, baseUrl, user }
      await this.#removeLeftovers(owner)
      const recovery = this.#options.recover ? await this.#startRecovery(owner) : undefined
      await this.#receive(owner, recovery)
    } finally {
      await shutdown.finish()
    }
    if (shutdown.error !== undefined) throw shutdown.error
    return { endedBy: shutdown.cause, printed: this.#printed }
  }

  /** Removes the subscriptions of killed tails. A failure does not prevent the start. */
  async #removeLeftovers(owner: Owner): Promise<void> {
    try {
      const count = await removeLeftovers(this.#run.client, owner)
      const what = count === 1 ? 'a subscription' : `${count} subscriptions`
      if (count > 0) this.#remark(`Removed ${what} of tails that were killed.`)
    } catch (error) {
      if (this.#run.signal.aborted) throw error
      this.#remark(`The subscription of an earlier tail could not be removed: ${errorMessage(error)}`)
    }
  }

  /** Undefined if the token is not allowed to read the history. */
  async #startRecovery(owner: Owner): Promise<Recovery | undefined> {
    const seen = await SeenPayments.load(owner.stateDir, owner)
    const payments = new MissedPayments(seen, this.#events)
    try {
      return { seen, payments, atStart: await payments.findAtStart(this.#run.client) }
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (error.status !== 403) {
        this.#remark(`Missed payments will be looked for later, as the history cannot be read now: ${error.message}`)
        return { seen, payments, atStart: { events: [], complete: true } }
      }
      this.#remark(
        'Missed payments are not looked for: the token lacks the scope send-payments, which the history needs.',
      )
      return undefined
    }
  }

  async #receive(owner: Owner, recovery: Recovery | undefined): Promise<void> {
    const shutdown = this.#shutdown
    const { save, port = 0, publicUrl } = this.#options
    shutdown.defer(() => recovery?.seen.save())
    const saved = save === undefined ? undefined : await SavedFile.open(save)
    shutdown.defer(() => saved?.close())
    const recent = await openRecent(owner.stateDir)
    shutdown.defer(() => recent.close())
    const routes = this.#routes
    const handler = new DeliveryHandler({
      saved: saved ? [saved, recent] : [recent],
      forwarder: routes,
      isWanted: meeting(this.#options.where ?? []),
      onExcluded: (event) => recovery?.payments.markReported(event),
      limit: this.#limit,
      onArrival: (event) => recovery?.payments.markArrived(event),
      onFault: (error) => shutdown.fail(error),
    })
    const secret = newSecret()
    const receiver = await startReceiver({ port, secret, onDelivery: (delivery) => handler.handle(delivery) })
    shutdown.defer(() => receiver.close(grace))
    const local = `http://127.0.0.1:${receiver.port}`
    const subscription = new TemporarySubscription({
      owner,
      url: publicUrl ?? `${local}/tail/${randomUUID()}`,
      ownUrl: publicUrl === undefined,
      secret,
      events: this.#events,
      remark: (text) => this.#remark(text),
      onCreate: () => handler.forgetDeliveries(),
    })
    shutdown.defer(() => this.#remove(subscription))
    await subscription.create(this.#run.client)
    this.#noteAddress(local, subscription)
    await this.#noteMistakes()

    const printing = this.#print(handler, recovery)
    await this.#startWatch(handler, subscription, recovery)
    await shutdown.begun
    handler.close()
    await within(grace, printing)
    await routes.close()
    await within(grace, printing)
  }

  #noteAddress(local: string, { id }: TemporarySubscription): void {
    const { publicUrl } = this.#options
    const reached = publicUrl === undefined ? '' : `, reached at ${publicUrl}`
    this.#remark(`Listening ${this.#as} (${local}${reached}, subscription ${id}). Ctrl-C stops.`)
    if (publicUrl === undefined || publicUrl.startsWith('https:') || isLoopback(publicUrl)) return
    this.#remark(`Deliveries to ${publicUrl} can be read on their way: give an https URL if the tunnel has one.`)
  }

  /**
   * Prints notes about targets that don't listen yet, whose deliveries must wait, and about unknown fields in
   * conditions, which are probably misspelt.
   */
  async #noteMistakes(): Promise<void> {
    const [unreachable, unknown] = await Promise.all([
      this.#routes.unreachable(this.#shutdown.signal),
      unknownFields(this.#options.where ?? []),
    ])
    for (const text of [...unreachable, ...unknown]) this.#remark(text)
  }

  /** Prints events; ends the tail when it has printed enough or its reader has gone. Never rejects. */
  #print({ events }: DeliveryHandler, recovery: Recovery | undefined): Promise<void> {
    const onPrinted = (event: TailEvent) => {
      if (!event.recovered || !this.#isForwarded(event)) recovery?.payments.markReported(event)
      if (!event.recovered) this.#printed += 1
      return this.#printed < this.#limit
    }
    return this.#run.print(events, onPrinted).then(
      () => this.#shutdown.begin('enough'),
      (error) => this.#shutdown.fail(error),
    )
  }

  /**
   * True if the event has a target. A recovered event with a target counts as reported once the target accepts it, or
   * after three attempts; any other recovered event, once it is printed.
   */
  #isForwarded(event: TailEvent): boolean {
    return event.event !== null && this.#routes.urlOf(event) !== undefined
  }

  /** Restores the subscription if it is lost, and looks for missed events at intervals. */
  async #startWatch(
    handler: DeliveryHandler,
    subscription: TemporarySubscription,
    recovery: Recovery | undefined,
  ): Promise<void> {
    const { signal } = this.#shutdown
    const isForwarded = (event: TailEvent) => this.#isForwarded(event)
    const handle = recovery && recoveredHandler(recovery.payments, handler, isForwarded, signal)
    const onMissed = ({ events, complete }: Missed) => {
      handle?.(events)
      if (complete) return
      this.#remark('Payments older than the part of the history that was read may be missing', { kind: 'read_history' })
    }
    if (recovery) onMissed(recovery.atStart)
    const client = await this.#run.clientUntil(signal)
    const watching = this.#watch(async () => {
      const done = await subscription.restore(client)
      if (done !== undefined) this.#remark(done)
      if (recovery) onMissed(await recovery.payments.findWhileRunning(client))
    })
    this.#shutdown.defer(() => Promise.all([watching, client.close()]))
  }

  /** Calls `look` at intervals until the tail ends. Never rejects. */
  async #watch(look: () => Promise<void>): Promise<void> {
    const { signal } = this.#shutdown
    let isTroubled = false
    while (!signal.aborted) {
      try {
        await pause(this.#options.recoverInterval, signal)
        await look()
        if (isTroubled) this.#remark('The service answers again.')
        isTroubled = false
      } catch (error) {
        if (signal.aborted) return
        if (!isTroubled) this.#remark(`Still listening, but the service cannot be asked: ${errorMessage(error)}`)
        isTroubled = true
      }
    }
  }

  /** Uses a separate client, because the run's client sends nothing after Ctrl-C. */
  async #remove(subscription: TemporarySubscription): Promise<void> {
    const client = await this.#run.clientUntil(AbortSignal.timeout(cleanUpTimeout))
    try {
      await subscription.remove(client)
    } catch (error) {
      const what = subscription.id === null ? 'The subscription' : `The subscription ${subscription.id}`
      this.#remark(`${what} may still exist at the service; the next tail removes it. ${errorMessage(error)}`)
    } finally {
      await client.close()
    }
  }

  #remark(text: string, next?: NextStep): void {
    this.#run.reporter.remark(text, next)
  }
}

/**
 * Asks for the user whose history is read. The id is empty if the service does not return it or the token is not
 * allowed to read it.
 */
async function userOf(client: Client): Promise<{ readonly id: string; readonly as: string }> {
  let isEmulator = false
  const stop = client.onAnswer(({ headers }) => {
    isEmulator = headers[worldHeader.toLowerCase()] !== undefined
  })
  const { port, host } = new URL(client.baseUrl)
  const place = () => (isEmulator && isLoopback(client.baseUrl) ? `emulator on port ${port || '80'}` : host)
  try {
    const { id, email } = await client.call('user.get')
    return { id: id ?? '', as: email ? `as ${email}, ${place()}` : `at ${place()}` }
  } catch (error) {
    if (isRefusal(error)) return { id: '', as: `at ${place()}` }
    throw error
  } finally {
    stop()
  }
}

/** True if the service refused one request; the tail continues without its result. A 401 ends the tail. */
const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && error.status !== 401
