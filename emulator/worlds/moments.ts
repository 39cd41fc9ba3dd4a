import type { Database as Connection } from 'better-sqlite3'
import { type Clock, type ClockSetting, type MachineTime, machineTime } from '../clock.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Cause } from '../store/database.ts'
import { type Undo, UndoLog } from '../store/undo_log.ts'

/** The state of a world after a write. */
export interface Moment {
  /** Number of the moment in its world, from 1. */
  readonly number: number
  /** The world's clock, in epoch milliseconds. */
  readonly at: number
  readonly clock: ClockSetting
  /** The machine's time that `clock` is relative to, in epoch milliseconds. */
  readonly madeAt: number
  readonly cause: Cause
  /** Changes that lead back to the previous moment; null for the first moment. */
  readonly undo: Undo | null
  /** Memory that the moment takes, in bytes. */
  readonly bytes: number
}

/** A moment to return to, and the changes made since that moment, the latest first. */
export interface WayBack {
  readonly moment: Moment
  readonly undo: readonly Undo[]
}

/** Estimated memory of a moment besides its changes, in bytes. */
const overhead = 600

const beginning: Cause = { kind: 'start', what: 'moments are saved from here on', id: null, payment: null }
const unnamed: Cause = { kind: 'control', what: 'emulator', id: null, payment: null }

interface Parts {
  readonly connection: () => Connection
  readonly clock: Clock
  readonly machine: MachineTime | undefined
}

/** The latest moments of a world, one for each write that changed a row, up to a limit of bytes. */
export class Moments {
  readonly #clock: Clock
  readonly #machine: MachineTime
  readonly #connection: () => Connection
  /** Undefined: moments were never kept. */
  #log: UndoLog | undefined
  readonly #kept = new Map<number, Moment>()
  /** Moments of the commit under way. */
  #pending: Moment[] = []
  /** Cause of writes that do not name a cause. */
  #reason = unnamed
  /** Limit in bytes; null: moments are off. */
  #limit: number | null = null
  #bytes = 0
  /** Number of the newest moment. */
  #last = 0

  constructor({ connection, clock, machine = machineTime }: Parts) {
    this.#clock = clock
    this.#machine = machine
    this.#connection = connection
  }

  get limit(): number | null {
    return this.#limit
  }

  get bytes(): number {
    return this.#bytes
  }

  get count(): number {
    return this.#kept.size
  }

  /** Number of the moment with the current state; null: moments are off. */
  get current(): number | null {
    return this.#limit === null ? null : this.#last
  }

  /** Keeps moments from now on, up to a limit of bytes; no transaction may be under way. */
  keep(limit: number): void {
    const begins = this.#limit === null
    this.#limit = limit
    if (begins) {
      this.#log ??= new UndoLog(this.#connection())
      this.#log.start()
      this.#begin(beginning, null)
    }
    this.committed()
  }

  /** Drops all moments and stops recording; no transaction may be under way. */
  stop(): void {
    this.#log?.stop()
    this.#kept.clear()
    this.#bytes = 0
    this.#limit = null
  }

  /**
   * Stops recording and runs `work`, which replaces the rows with those of another world. If `work` throws, the rows are
   * unchanged: the moments stay, and recording continues.
   */
  endWith(work: () => void): void {
    this.#log?.stop()
    try {
      work()
    } catch (error) {
      if (this.#limit !== null) this.#log?.start()
      throw error
    }
    this.#kept.clear()
  }

  /** If rows have changed since the last call, makes a moment of the changes. Call after each write. */
  written = (cause: (() => Cause) | undefined): void => {
    const undo = this.#limit === null ? null : this.#log?.take()
    if (undo) this.#begin(cause ? cause() : this.#reason, undo)
  }

  /** Call after a write that threw: the triggers have recorded the rows of a statement that then failed. */
  refused = (): void => this.#log?.drop()

  /** Until `work` returns, `reason` is the cause of writes that do not name a cause. */
  during<T>(reason: Cause, work: () => T): T {
    this.#reason = reason
    try {
      return work()
    } finally {
      this.#reason = unnamed
    }
  }

  /** Call after a commit. */
  committed(): void {
    for (const moment of this.#pending.splice(0)) {
      this.#kept.set(moment.number, moment)
      this.#bytes += moment.bytes
    }
    this.#dropOldest()
  }

  /** Call after a rollback. */
  rolledBack(): void {
    this.#log?.drop()
    // The numbers of these moments are not reused, because requests have recorded them.
    this.#pending = []
  }

  /** Latest first. */
  list = (): Moment[] => [...this.#kept.values()].reverse()

  /** Number of the previous moment; null if that moment is not saved. */
  before({ number }: Moment): number | null {
    return this.at(number - 1)?.number ?? null
  }

  /**
   * The moment that shows the state with this number; undefined if it is not saved. A rollback leaves a gap in the
   * numbers; a number in the gap leads to the last moment before the gap.
   */
  at(number: number): Moment | undefined {
    const [oldest = 0] = this.#kept.keys()
    for (let one = number; one >= oldest && one > 0; one -= 1) {
      const moment = this.#kept.get(one)
      if (moment) return moment
    }
    return undefined
  }

  /** Finds the way back to a moment. Throws a Refusal with 404 if the moment is not saved. */
  wayBackTo(id: string, world: string): WayBack {
    const moment = this.#kept.get(Number(id.slice(1)))
    if (!moment) throw new Refusal(404, { message: this.#lack(id, world) })
    const undo: Undo[] = []
    for (const later of this.list()) {
      if (later === moment) break
      if (later.undo) undo.push(later.undo)
    }
    return { moment, undo }
  }

  #lack(id: string, world: string): string {
    if (this.#limit === null) {
      return `The world ${world} saves no moments. To save moments from now on: payctl emulator moments keep`
    }
    const number = Number(id.slice(1))
    const numbers = [...this.#kept.keys()]
    const [oldest = 0, newest = 0] = [numbers[0], numbers.at(-1)]
    if (number < oldest) {
      return `The moment ${id} of the world ${world} was dropped. The oldest saved moment is ${momentId(oldest)}.`
    }
    const earlier = number > newest ? newest : (this.at(number)?.number ?? oldest)
    return `The world ${world} has no moment ${id}. The nearest earlier moment is ${momentId(earlier)}.`
  }

  #begin(cause: Cause, undo: Undo | null): void {
    this.#last += 1
    const [at, clock, madeAt] = [this.#clock.now(), this.#clock.setting, this.#machine.now()]
    const bytes = (undo?.length ?? 0) + overhead
    this.#pending.push({ number: this.#last, at, clock, madeAt, cause, undo, bytes })
  }

  /** Keeps at least the latest moment, whatever its size. */
  #dropOldest(): void {
    for (const [number, { bytes }] of this.#kept) {
      if (this.#bytes <= (this.#limit ?? 0) || this.#kept.size === 1) return
      this.#kept.delete(number)
      this.#bytes -= bytes
    }
  }
}

/** Id of a moment, like `m12`. */
export const momentId = (number: number): string => `m${number}`
