/** How a clock differs from the machine's; stored, so that it survives a restart. */
export interface ClockSetting {
  /** How far ahead of the machine's clock, in milliseconds; negative when it is behind. */
  readonly offset_ms: number
  /** The time it stands still at, in epoch milliseconds; null while it runs. */
  readonly frozen_at: number | null
}

/** The latest time a clock can be moved to: years in the API have four digits. */
export const endOfTime = Date.UTC(9999, 0, 1)

/** A world's time, in epoch milliseconds: the machine's plus an offset, or frozen. */
export class Clock {
  #offset: number
  #frozenAt: number | null

  constructor({ offset_ms, frozen_at }: ClockSetting = { offset_ms: 0, frozen_at: null }) {
    this.#offset = offset_ms
    this.#frozenAt = frozen_at
  }

  now(): number {
    return this.#frozenAt ?? Date.now() + this.#offset
  }

  get setting(): ClockSetting {
    return {
      offset_ms: this.#frozenAt === null ? this.#offset : this.#frozenAt - Date.now(),
      frozen_at: this.#frozenAt,
    }
  }

  get frozen(): boolean {
    return this.#frozenAt !== null
  }

  /** Milliseconds until the clock shows `time`: 0 if that is past, infinite if the clock is frozen. */
  until(time: number): number {
    const wait = Math.max(0, time - this.now())
    return wait > 0 && this.frozen ? Number.POSITIVE_INFINITY : wait
  }

  /** Starts a stopwatch on the machine's clock; the function returns the milliseconds since. */
  stopwatch(): () => number {
    const started = performance.now()
    return () => Math.round(performance.now() - started)
  }

  /** Its signal aborts after milliseconds of real time, unless it is cleared: other servers do not follow this clock. */
  timeout(ms: number): { readonly signal: AbortSignal; readonly clear: () => void } {
    // AbortSignal.timeout keeps its timer until the time is up, and there are thousands of deliveries a second.
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), ms).unref()
    return { signal: controller.signal, clear: () => clearTimeout(timer) }
  }

  /** Moves forward to `time`; time never goes back. */
  moveTo(time: number): void {
    const now = this.now()
    if (time <= now) return
    if (this.#frozenAt === null) this.#offset += time - now
    else this.#frozenAt = time
  }

  /** Stands still from now on; only `moveTo` moves it. */
  freeze(): void {
    this.#frozenAt ??= this.now()
  }

  /** Runs on from the time it stood still at. */
  unfreeze(): void {
    this.#offset = this.setting.offset_ms
    this.#frozenAt = null
  }
}
