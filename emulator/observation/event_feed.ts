import { randomUUID } from 'node:crypto'
import type {
  Currency,
  EndReason,
  MadeFrom,
  PaymentStatus,
  SubscriptionChange,
  WorldEvent,
} from '../../src/contract/index.ts'
import { setImmediate } from '../../src/real_time.ts'
import type { Clock } from '../clock.ts'
import type { Movement, Payment } from '../domain/payment.ts'
import type { Outgoing } from '../http/message.ts'
import type { Attempt, DeliveryRecord } from '../store/deliveries.ts'
import type { Subscription } from '../store/subscriptions.ts'
import type { LoggedRequest } from './request_log.ts'
import { emulatorStops, worldEnded } from './waits.ts'

/** A world by name and id. */
interface NamedWorld {
  readonly name: string
  readonly id: string
}

/** An event before it is written. */
export type Happening =
  | { readonly type: 'open'; readonly resumed: boolean }
  | { readonly type: 'request'; readonly request: LoggedRequest }
  | { readonly type: 'payment'; readonly payment: Payment; readonly from: PaymentStatus | null }
  | { readonly type: 'movement'; readonly payment: Payment; readonly movement: Movement }
  | { readonly type: 'funding'; readonly account: FundedAccount; readonly amount: number }
  | { readonly type: 'queued'; readonly delivery: DeliveryRecord }
  | { readonly type: 'delivery'; readonly delivery: DeliveryRecord; readonly attempt: Attempt }
  | { readonly type: 'subscription'; readonly change: SubscriptionChange; readonly subscription: Subscription }
  | { readonly type: 'clock'; readonly movedMs: number }
  | { readonly type: 'world_made'; readonly world: NamedWorld; readonly made_from: MadeFrom }
  | { readonly type: 'world_ended'; readonly world: NamedWorld; readonly ended_by: EndReason }
  | { readonly type: 'resync'; readonly reason: 'behind' | 'slow' }
  | { readonly type: 'end'; readonly reason: EndReason }

interface FundedAccount {
  readonly id: string
  readonly currency: Currency
}

type WithoutId<Event> = Event extends WorldEvent ? Omit<Event, 'id'> : never

/** Makes an event as readers see it, but without its id; null if the subject of the event no longer exists. */
export type EventWriter = (happening: Happening, at: number) => WithoutId<WorldEvent> | null

interface Noted {
  readonly happening: Happening
  /** Epoch milliseconds of the world's clock. */
  readonly at: number
}

interface Reader {
  readonly response: Outgoing
  /** True from the time when the reader has too many unsent bytes until its socket is empty. */
  isBehind: boolean
}

/**
 * Limits in bytes. `kept`: events kept for readers that reconnect. `unsent`: events that a reader's socket has not sent
 * yet.
 */
const limits = { kept: 2 * 1024 * 1024, unsent: 4 * 1024 * 1024 }

/**
 * Milliseconds of real time. `commentInterval`: time between two comments. `lingering`: time for which events are still
 * recorded after the last reader has left.
 */
const commentInterval = 15_000
const lingering = 60_000

const comment = ':\n\n'

/**
 * Live events of one world. Nothing is recorded until a reader connects. Each event is then written once, for all
 * readers, after the commit of its change.
 */
export class EventFeed {
  readonly #clock: Clock
  /** Distinguishes the ids of this feed from those of other worlds and processes. */
  readonly #series = randomUUID().slice(0, 8)
  readonly #readers = new Set<Reader>()
  /** Null while nothing is recorded. */
  #write: EventWriter | null = null
  /** Changes of the open transaction. */
  #uncommitted: Noted[] = []
  /** Committed changes to be written in this turn of the event loop. */
  #pending: Noted[] = []
  /** The latest events as text, by number. */
  readonly #kept = new Map<number, string>()
  #keptBytes = 0
  #last = 0
  #cancelComment = (): void => {}
  #cancelStop = (): void => {}
  /** Reason for the end of the feed; null: it has not ended. */
  #ended: EndReason | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes an answered request. */
  request(request: LoggedRequest): void {
    if (this.#write) this.#notePending({ type: 'request', request })
  }

  /** Notes a new payment (`from` is null) or its new status, in the transaction that stores it. */
  payment(payment: Payment, from: PaymentStatus | null): void {
    if (this.#write) this.#noteUncommitted({ type: 'payment', payment, from })
  }

  /** Notes a movement of a payment's money, in the transaction that books it. */
  movement(payment: Payment, movement: Movement): void {
    if (this.#write) this.#noteUncommitted({ type: 'movement', payment, movement })
  }

  /**
   * Notes a change of an account's balance without a payment, in the transaction that books it; `amount` in minor
   * units.
   */
  funding(account: FundedAccount, amount: number): void {
    if (this.#write && amount !== 0) this.#noteUncommitted({ type: 'funding', account, amount })
  }

  /**
   * Notes a delivery that was queued, or queued again, in the transaction that stores it; `read` returns the row of the
   * delivery.
   */
  queued(read: () => DeliveryRecord | undefined): void {
    const delivery = this.#write && read()
    if (delivery) this.#noteUncommitted({ type: 'queued', delivery })
  }

  /**
   * Notes an attempt at a delivery, in the transaction that records the attempt; `read` returns the delivery's row
   * after the attempt.
   */
  delivery(attempt: Attempt, read: () => DeliveryRecord | undefined): void {
    const delivery = this.#write && read()
    if (delivery) this.#noteUncommitted({ type: 'delivery', delivery, attempt })
  }

  /** Notes a change of a subscription, in the transaction that stores it. */
  subscription(change: SubscriptionChange, subscription: Subscription): void {
    if (this.#write) this.#noteUncommitted({ type: 'subscription', change, subscription })
  }

  /** Notes a change of the clock. */
  clock(movedMs: number): void {
    if (this.#write) this.#notePending({ type: 'clock', movedMs })
  }

  /** Notes that a world was made or has ended. */
  world(happening: Extract<Happening, { type: 'world_made' | 'world_ended' }>): void {
    if (this.#write) this.#notePending(happening)
  }

  /** Call after a commit. */
  readonly committed = (): void => {
    if (this.#uncommitted.length > 0) this.#publishSoon(this.#uncommitted.splice(0))
  }

  /** Call after a rollback. */
  readonly rolledBack = (): void => {
    this.#uncommitted.length = 0
  }

  /** Throws a Refusal if the feed has ended, because its world has ended or the emulator is about to stop. */
  refuseEnded(): void {
    if (this.#ended === null) return
    throw this.#ended === 'stopped' ? emulatorStops() : worldEnded('stream of events')
  }

  /**
   * Sends events to a response until the response closes. Begins after the event with the id `after` if the feed still
   * has all later events. Throws a Refusal if the feed has ended.
   */
  subscribe(response: Outgoing, { after, write }: { after: string | undefined; write: EventWriter }): void {
    this.refuseEnded()
    this.#cancelStop()
    this.#write ??= write
    const reader: Reader = { response, isBehind: false }
    response.on('close', () => this.#leave(reader))
    response.on('drain', () => this.#catchUp(reader))
    if (this.#readers.size === 0) this.#commentLater()
    this.#readers.add(reader)
    this.#send(reader, Buffer.from(this.#greeting(after)))
  }

  /** Publishes the committed events now. */
  flush(): void {
    this.#publish()
  }

  /** Ends all streams with a last event that gives the reason. */
  end(reason: EndReason): void {
    if (this.#ended) return
    this.#publish()
    const text = this.#textOf({ happening: { type: 'end', reason }, at: this.#clock.now() }) ?? ''
    this.#ended = reason
    for (const { response, isBehind } of this.#readers) {
      if (isBehind) response.destroy()
      else response.end(text)
    }
    this.#readers.clear()
    this.#stop()
  }

  /** The first events of a connection: a greeting, and the missed events if they are still in memory. */
  #greeting(after: string | undefined): string {
    const at = this.#clock.now()
    const [, series, number] = /^(\w+)-(\d{1,15})$/.exec(after ?? '') ?? []
    const seen = Number(number)
    const missed = this.#last - seen
    const isKnown = series === this.#series && missed >= 0 && missed <= this.#kept.size
    const first: Happening =
      after === undefined || isKnown ? { type: 'open', resumed: isKnown } : { type: 'resync', reason: 'behind' }
    // The greeting repeats the id of the last event before it, because the feed does not keep greetings.
    const greeting = this.#textOf({ happening: first, at }, isKnown ? seen : this.#last) ?? ''
    if (!isKnown) return greeting
    return greeting + [...this.#kept].flatMap(([number, text]) => (number > seen ? [text] : [])).join('')
  }

  #noteUncommitted(happening: Happening): void {
    this.#uncommitted.push({ happening, at: this.#clock.now() })
  }

  #notePending(happening: Happening): void {
    this.#publishSoon([{ happening, at: this.#clock.now() }])
  }

  #publishSoon(noted: readonly Noted[]): void {
    if (this.#pending.length === 0) setImmediate(() => this.#publish())
    this.#pending.push(...noted)
  }

  #publish(): void {
    if (this.#ended) return
    const texts: string[] = []
    for (const noted of this.#pending.splice(0)) {
      const text = this.#textOf(noted, this.#last + 1)
      if (text === null) continue
      this.#last += 1
      this.#keep(text)
      texts.push(text)
    }
    if (texts.length === 0) return
    const bytes = Buffer.from(texts.join(''))
    for (const reader of this.#readers) this.#send(reader, bytes)
  }

  /** Writes an event in the form of text/event-stream. */
  #textOf({ happening, at }: Noted, number = this.#last): string | null {
    const event = this.#write?.(happening, at)
    if (!event) return null
    const id = `${this.#series}-${number}`
    return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify({ id, ...event })}\n\n`
  }

  #keep(text: string): void {
    this.#kept.set(this.#last, text)
    this.#keptBytes += text.length
    for (const [number, oldest] of this.#kept) {
      if (this.#keptBytes <= limits.kept) return
      this.#kept.delete(number)
      this.#keptBytes -= oldest.length
    }
  }

  /**
   * Sends bytes to a reader. A reader with too many unsent bytes gets nothing until its socket is empty, and then
   * `resync`.
   */
  #send(reader: Reader, bytes: Buffer | string): void {
    const { response, isBehind } = reader
    if (isBehind) return
    if (response.writableLength > limits.unsent) reader.isBehind = true
    else response.write(bytes)
  }

  /** Call when a reader's socket is empty. */
  #catchUp(reader: Reader): void {
    if (!reader.isBehind || this.#ended) return
    reader.isBehind = false
    this.#send(reader, this.#textOf({ happening: { type: 'resync', reason: 'slow' }, at: this.#clock.now() }) ?? '')
  }

  #commentLater(): void {
    this.#cancelComment = this.#clock.after(commentInterval, () => {
      for (const reader of this.#readers) this.#send(reader, comment)
      this.#commentLater()
    })
  }

  #leave(reader: Reader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0 || this.#ended) return
    this.#cancelComment()
    this.#cancelStop = this.#clock.after(lingering, () => this.#stop())
  }

  /** Ends the recording. */
  #stop(): void {
    this.#cancelComment()
    this.#cancelStop()
    this.#write = null
    this.#uncommitted.length = 0
    this.#pending.length = 0
    this.#kept.clear()
    this.#keptBytes = 0
    // Skips a number: a reader that returns with an earlier id has missed unrecorded events, so it gets `resync`.
    this.#last += 1
  }
}

interface WorldWithFeed {
  readonly name: string
  readonly world: { readonly id: string; readonly events: EventFeed }
}

/** Notes a new world in the feeds of the worlds `all`. */
export function announceMade(
  made: WorldWithFeed & { readonly madeFrom: MadeFrom },
  all: readonly WorldWithFeed[],
): void {
  const world = { name: made.name, id: made.world.id }
  for (const each of all) each.world.events.world({ type: 'world_made', world, made_from: made.madeFrom })
}

/** Ends the streams of a world, and notes the end of the world in the feeds of the worlds `all`. */
export function announceEnd(ended: WorldWithFeed, all: readonly WorldWithFeed[], reason: EndReason): void {
  ended.world.events.end(reason)
  const world = { name: ended.name, id: ended.world.id }
  for (const each of all) each.world.events.world({ type: 'world_ended', world, ended_by: reason })
}
