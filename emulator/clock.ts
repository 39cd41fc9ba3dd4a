import { clearTimeout, monotonicClock, pause, setTimeout, wallClock } from '../src/real_time.ts'

export { eventLoopDelay } from '../src/real_time.ts'

/** Time of the machine. Tests replace it with a clock that they control. */
export interface MachineTime {
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Calls `callback` once after `ms` milliseconds; the returned function cancels the call. */
  readonly after: (ms: number, callback: () => void) => () => void
}

export const machineTime: MachineTime = {
  now: wallClock,
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** Setting of a clock, relative to the machine's clock; stored, so that the clock survives a restart. */
export interface ClockSetting {
  /** Milliseconds ahead of the machine's clock; negative if behind. */
  readonly offset_ms: number
  /** Time at which the clock is frozen, in epoch milliseconds; null if it is not frozen. */
  readonly frozen_at: number | null
  /** Clock seconds per second of the machine; 1 by default. */
  readonly speed?: number
  /**
   * The machine's time, in epoch milliseconds, at which `offset_ms` was right; needed only for a speed other than 1.
   */
  readonly since?: number
}

/** The time at which every clock stops: years in the API have four digits. */
export const endOfTime = Date.UTC(9999, 0, 1)

/** A world's clock, in epoch milliseconds: the machine's time plus an offset, faster or slower, or frozen. */
export class Clock {
  #offset: number
  /**
   * Time at which the clock stands still, in epoch milliseconds: frozen, or held by a move. Null while the clock runs.
   */
  #standsAt: number | null
  #frozen: boolean
  #held = false
  #speed: number
  #since: number
  /** Milliseconds by which callers have moved this clock forward since it was constructed. */
  jumped = 0
  #shownSecond = Number.NaN
  #shown = ''

  readonly #machine: MachineTime

  constructor(
    { offset_ms, frozen_at, speed = 1, since = 0 }: ClockSetting = { offset_ms: 0, frozen_at: null },
    machine: MachineTime = machineTime,
  ) {
    this.#machine = machine
    this.#offset = offset_ms
    this.#standsAt = frozen_at
    this.#frozen = frozen_at !== null
    this.#speed = speed
    this.#since = since
  }

  now(): number {
    if (this.#standsAt !== null) return this.#standsAt
    const machine = this.#machine.now()
    if (this.#speed === 1) return Math.min(endOfTime, machine + this.#offset)
    const passed = Math.floor((machine - this.#since) * this.#speed)
    return Math.min(endOfTime, this.#since + this.#offset + passed)
  }

  /** The machine's time, in epoch milliseconds. */
  machineNow(): number {
    return this.#machine.now()
  }

  get setting(): ClockSetting {
    const since = this.#machine.now()
    const standsAt = this.#standsAt
    const frozen_at = this.#frozen ? standsAt : null
    if (this.#speed === 1) return { offset_ms: standsAt === null ? this.#offset : standsAt - since, frozen_at }
    return { offset_ms: this.now() - since, frozen_at, speed: this.#speed, since }
  }

  get frozen(): boolean {
    return this.#frozen
  }

  get speed(): number {
    return this.#speed
  }

  /** The time as a `Date` header. */
  get httpDate(): string {
    const second = Math.floor(this.now() / 1000)
    if (second !== this.#shownSecond) {
      this.#shownSecond = second
      this.#shown = new Date(second * 1000).toUTCString()
    }
    return this.#shown
  }

  /**
   * Milliseconds of real time until the clock shows `time`: 0 if it is past, infinite while the clock stands still, and
   * for a time after the end of time.
   */
  until(time: number): number {
    const wait = Math.max(0, time - this.now())
    const isNever = time > endOfTime || this.#standsAt !== null
    return wait > 0 && isNever ? Number.POSITIVE_INFINITY : Math.ceil(wait / this.#speed)
  }

  /** Calls `callback` once after `ms` milliseconds of the machine's time; the returned function cancels the call. */
  after(ms: number, callback: () => void): () => void {
    return this.#machine.after(ms, callback)
  }

  /** Starts a stopwatch, which does not follow this clock; returns a function for the elapsed milliseconds. */
  stopwatch(): () => number {
    const started = monotonicClock()
    return () => Math.round(monotonicClock() - started)
  }

  /** Like `stopwatch`, with fractions of milliseconds. */
  preciseStopwatch(): () => number {
    const started = monotonicClock()
    return () => monotonicClock() - started
  }

  /**
   * Makes a signal that aborts after `ms` milliseconds unless it is cleared. It uses real time, because other servers
   * do not follow this clock.
   */
  timeout(ms: number): RealTimeout {
    // Not AbortSignal.timeout: it keeps its timer until the time is up, and deliveries can reach thousands a second.
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), ms).unref()
    return { signal: controller.signal, clear: () => clearTimeout(timer), expire: () => controller.abort() }
  }

  /** Resolves after `ms` milliseconds of real time, or when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    await pause(ms, signal).catch(() => {})
  }

  /** Moves forward to `time`; an earlier time changes nothing. */
  moveTo(time: number): void {
    const now = this.now()
    if (time <= now) return
    this.jumped += time - now
    if (this.#standsAt === null) this.#offset += time - now
    else this.#standsAt = time
  }

  /** Stops the clock until `release`; only `moveTo` moves it. Only one move at a time is allowed to hold the clock. */
  hold(): void {
    this.#held = true
    this.#standsAt ??= this.now()
  }

  /** Resumes the clock from the time that it shows, unless it is frozen. */
  release(): void {
    this.#held = false
    this.#runOn()
  }

  /** Stops the clock until `unfreeze`; only `moveTo` moves it. */
  freeze(): void {
    this.#frozen = true
    this.#standsAt ??= this.now()
  }

  /** Resumes the clock from the time that it shows. */
  unfreeze(): void {
    this.#frozen = false
    this.#runOn()
  }

  /** Sets the speed, in seconds of the clock per second of the machine; the clock continues from its current time. */
  setSpeed(speed: number): void {
    const now = this.now()
    this.#speed = speed
    this.#runFrom(now)
  }

  #runOn(): void {
    if (this.#frozen || this.#held || this.#standsAt === null) return
    this.#runFrom(this.#standsAt)
    this.#standsAt = null
  }

  #runFrom(time: number): void {
    this.#since = this.#machine.now()
    this.#offset = time - this.#since
  }
}

/** Timeout in real time. */
export interface RealTimeout {
  readonly signal: AbortSignal
  readonly clear: () => void
  /** Lets the timeout expire now. */
  readonly expire: () => void
}
