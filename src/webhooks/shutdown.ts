import { clearTimeout, setTimeout } from '../real_time.ts'
/** Reason for a tail's end. */
export type Cause = 'interrupted' | 'timeout' | 'enough' | 'fault'

/** The end of a tail: the first reason that occurs, and cleanup steps. */
export class Shutdown {
  readonly #controller = new AbortController()
  readonly #steps: (() => Promise<unknown> | undefined)[] = []
  readonly #timer: ReturnType<typeof setTimeout> | undefined
  /** Resolves when there is a reason to end. */
  readonly begun: Promise<void>
  cause: Cause | undefined
  error: unknown

  /** `timeout` is in milliseconds. */
  constructor(interruption: AbortSignal, timeout: number | undefined) {
    const interrupt = () => this.begin('interrupted')
    this.begun = new Promise((resolve) => this.signal.addEventListener('abort', () => resolve(), { once: true }))
    interruption.addEventListener('abort', interrupt, { once: true })
    if (timeout !== undefined) this.#timer = setTimeout(() => this.begin('timeout'), timeout)
    if (interruption.aborted) interrupt()
  }

  /** Aborts when there is a reason to end. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  begin(cause: Cause): void {
    this.cause ??= cause
    clearTimeout(this.#timer)
    this.#controller.abort()
  }

  fail(error: unknown): void {
    if (this.cause === undefined) this.error = error
    this.begin('fault')
  }

  /** Adds a cleanup step; steps run in reverse order. */
  defer(step: () => Promise<unknown> | undefined): void {
    this.#steps.push(step)
  }

  /** Runs all steps, even if some fail. */
  async finish(): Promise<void> {
    this.begin('enough')
    for (const step of this.#steps.splice(0).reverse()) await step()?.catch(() => {})
  }
}

/** Resolves when the work has ended, or after `ms` milliseconds. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
