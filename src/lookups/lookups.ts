interface Limits {
  /** How many are worked on at a time. */
  readonly concurrency: number
  readonly signal: AbortSignal
}

/**
 * The results of `work` in the order of its inputs, each as soon as it and those before it are there. Holds no more
 * than `concurrency` results. The first failure ends it, after the results before it; so does the signal, at once.
 */
export async function* inOrder<Input, Result>(
  inputs: AsyncIterable<Input>,
  work: (input: Input) => Promise<Result>,
  { concurrency, signal }: Limits,
): AsyncGenerator<Result, void, undefined> {
  const source = inputs[Symbol.asyncIterator]()
  const queue = new Queue(source, work)
  const onAbort = () => queue.wake()
  signal.addEventListener('abort', onAbort)
  try {
    while (true) {
      signal.throwIfAborted()
      const outcome = queue.takeOldest()
      if (outcome) {
        if ('error' in outcome) throw outcome.error
        yield outcome.result
        continue
      }
      if (queue.length < concurrency) queue.read()
      if (queue.isDone) return
      await queue.change()
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not awaited: it would wait for an input that nobody wants any more.
    source.return?.().catch(() => {})
  }
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown }

/** Tasks under way, and finished ones that wait for their turn. */
class Queue<Input, Result> {
  wake = () => {}
  readonly #source: AsyncIterator<Input>
  readonly #work: (input: Input) => Promise<Result>
  readonly #tasks: { outcome?: Outcome<Result> }[] = []
  #isReading = false
  #hasEnded = false

  constructor(source: AsyncIterator<Input>, work: (input: Input) => Promise<Result>) {
    this.#source = source
    this.#work = work
  }

  get length(): number {
    return this.#tasks.length
  }

  get isDone(): boolean {
    return this.#hasEnded && this.#tasks.length === 0
  }

  /** Resolves when there is another input or another outcome. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }

  /** What became of the oldest task, when it is finished. */
  takeOldest(): Outcome<Result> | undefined {
    return this.#tasks[0]?.outcome && this.#tasks.shift()?.outcome
  }

  /** Starts on the next input, unless it is awaited already, or no more are wanted. */
  async read(): Promise<void> {
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

  #start(result: Promise<Result>): void {
    const task: { outcome?: Outcome<Result> } = {}
    this.#tasks.push(task)
    result
      .then(
        (value) => {
          task.outcome = { result: value }
        },
        (error: unknown) => {
          task.outcome = { error }
          this.#hasEnded = true
        },
      )
      .finally(() => this.wake())
  }
}
