/** The sandbox's time, in epoch milliseconds: the machine's, moved forward by as much as it was told to. */
export class Clock {
  #offset: number

  constructor(offset = 0) {
    this.#offset = offset
  }

  now(): number {
    return Date.now() + this.#offset
  }

  /** How far ahead of the machine's clock, in milliseconds. */
  get offset(): number {
    return this.#offset
  }

  /** Moves forward to `time`; time never goes back. */
  moveTo(time: number): void {
    this.#offset += Math.max(0, time - this.now())
  }
}
