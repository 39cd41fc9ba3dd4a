interface Limits {
  readonly concurrency: number
  readonly signal: AbortSignal
}

/**
 * Yields the results of `work` in the order of its inputs, each as soon as it and all earlier ones are available. Holds
 * at most `concurrency` results. The first failure ends it, after the results before it. The signal ends it at once,
 * even while it awaits an input: Readable.map of node:stream would wait for that input.
 */
export async function* inOrder<Input, Result>(
  inputs: AsyncIterable<Input> | Iterable<Input>,
  work: (input: Input) => Promise<Result>,
  { concurrency, signal }: Limits,
): AsyncGenerator<Result, void, undefined> {
  const source = Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]()
  const tasks = new Tasks(source, work)
  const onAbort = () => tasks.wake()
  signal.addEventListener('abort', onAbort)
  try {
    while (!tasks.areDone) {
      signal.throwIfAborted()
      const outcome = tasks.takeOldest()
      if (outcome === undefined) {
        const change = tasks.change()
        if (tasks.count < concurrency) tasks.readNext()
        await change
      } else if ('error' in outcome) throw outcome.error
      else yield outcome.result
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not awaited: it would wait for an input that is no longer needed.
    Promise.resolve(source.return?.()).catch(() => {})
  }
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown }

interface Task<Result> {
  outcome?: Outcome<Result>
}

/** Work on inputs that were read, until its results are taken. */
class Tasks<Input, Result> {
  readonly #source: Iterator<Input> | AsyncIterator<Input>
  readonly #work: (input: Input) => Promise<Result>
  /** Oldest first. */
  readonly #tasks: Task<Result>[] = []
  #isReading = false
  /** No input is left, or a failure makes further input useless. */
  #hasEnded = false
  #wake = () => {}

  constructor(source: Iterator<Input> | AsyncIterator<Input>, work: (input: Input) => Promise<Result>) {
    this.#source = source
    this.#work = work
  }

  get count(): number {
    return this.#tasks.length
  }

  get areDone(): boolean {
    return this.#hasEnded && this.#tasks.length === 0
  }

  /** Undefined while the oldest result is missing. */
  takeOldest(): Outcome<Result> | undefined {
    const [oldest] = this.#tasks
    if (oldest?.outcome) this.#tasks.shift()
    return oldest?.outcome
  }

  /** Resolves at the next input or outcome, or at `wake`. */
  change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    return promise
  }

  wake(): void {
    this.#wake()
  }

  /** Starts work on the next input, unless an input is already awaited. */
  async readNext(): Promise<void> {
    if (this.#isReading || this.#hasEnded) return
    this.#isReading = true
    try {
      const next = await this.#source.next()
      if (next.done) this.#hasEnded = true
      else this.#start(this.#work(next.value))
    } catch (error) {
      this.#start(Promise.reject(error))
    }
    this.#isReading = false
    this.wake()
  }

  async #start(work: Promise<Result>): Promise<void> {
    const task: Task<Result> = {}
    this.#tasks.push(task)
    try {
      task.outcome = { result: await work }
    } catch (error) {
      task.outcome = { error }
      this.#hasEnded = true
    }
    this.wake()
  }
}
