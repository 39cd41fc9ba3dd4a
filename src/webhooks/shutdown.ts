type Cause = 'interrupted' | 'timeout' | 'enough' | 'fault'

/** Why a tail ends (the first reason counts), and what is to be done then. */
export class Ending {
  readonly #controller = new AbortController()
  readonly #steps: (() => Promise<unknown> | undefined)[] = []
  /** Resolves when there is a reason. */
  readonly begun: Promise<void>
  cause: Cause | undefined
  error: unknown

  /** `timeout` is in milliseconds. */
  constructor(interruption: AbortSignal, timeout: number | undefined) {
    const interrupt = () => this.begin('interrupted')
    this.begun = new Promise((resolve) => this.signal.addEventListener('abort', () => resolve(), { once: true }))
    interruption.addEventListener('abort', interrupt, { once: true })
    if (interruption.aborted) interrupt()
    const timer = timeout === undefined ? undefined : setTimeout(() => this.begin('timeout'), timeout)
    this.begun.then(() => clearTimeout(timer))
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  begin(cause: Cause): void {
    this.cause ??= cause
    this.#controller.abort()
  }

  fail(error: unknown): void {
    if (this.cause === undefined) this.error = error
    this.begin('fault')
  }

  /** A step of the end; the last one named is the first taken. */
  onFinish(step: () => Promise<unknown> | undefined): void {
    this.#steps.push(step)
  }

  /** Takes all steps, whatever becomes of each. */
  async finish(): Promise<void> {
    this.begin('enough')
    for (const step of this.#steps.splice(0).reverse()) await step()?.catch(() => {})
  }
}

/** Resolves when the work has, or when the time (milliseconds) is up. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
