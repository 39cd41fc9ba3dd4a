import type { Client } from '../client/client.ts'
import type { RequestGate } from '../client/retry.ts'
import { UsageError } from '../errors/cli_error.ts'
import { isServiceAnswer } from '../errors/service_errors.ts'
import { RecentMap } from '../run/recent.ts'
import type { Said } from '../words/text.ts'

/** Members that the lookups by phone and by IBAN both return for a holder. */
export interface Holder {
  readonly status: string | null | undefined
  readonly name?: string | null | undefined
  readonly document_number?: string | null | undefined
  readonly currency?: string | null | undefined
  readonly country_code?: string | null | undefined
  readonly entity_name?: string | null | undefined
}

/** A holder with the value, or a `RowWithoutHolder`. */
export interface LookupRow extends Holder {
  readonly phone_number?: string | null | undefined
  readonly iban?: string | null | undefined
}

/**
 * Row of a value without a holder. The class is the only certain difference from a holder: a service may send a holder
 * with any status, and with a member `reason` that the interface does not list.
 */
export class RowWithoutHolder implements LookupRow {
  declare readonly phone_number?: string
  declare readonly iban?: string
  declare readonly status: 'not_found' | 'invalid'
  /** Message from the service, or from payctl about a value that is not valid. */
  declare readonly reason: Said

  constructor(key: Lookup['key'], value: string, why: Pick<RowWithoutHolder, 'status' | 'reason'>) {
    Object.assign(this, { [key]: value, ...why })
  }
}

/** Kinds of values that one list can contain. */
export type KindOfValues = 'phone' | 'iban' | 'any'

/** A lookup of holders by phone or IBAN. */
export interface Lookup {
  /** Member of a row that contains the value. */
  readonly key: 'phone_number' | 'iban'
  /** The value in the service's form. Throws UsageError for an invalid value. */
  readonly normalize: (text: string) => string
  /** Throws ApiError 404 if the value has no holder. */
  readonly find: (value: string, client: Client) => Promise<LookupRow>
}

interface LookupRun {
  readonly client: Client
  /** Delays requests while the service asks for a delay. */
  readonly gate: RequestGate
  /** Concurrent requests. */
  readonly concurrency: number
  readonly signal: AbortSignal
}

/** Maximum number of cached rows for repeated values. */
const mostCached = 10_000

/**
 * Yields a row for each value, in order. `lookupOf` chooses the lookup for a value. The first failure other than a 404
 * ends the lookup, after the rows of earlier values.
 */
export function lookUpMany(
  values: AsyncIterable<string>,
  lookupOf: (text: string) => Lookup,
  { client, gate, concurrency, signal }: LookupRun,
): AsyncGenerator<LookupRow, void, undefined> {
  const known = new RecentMap<string, Promise<LookupRow>>(mostCached)
  const ask = async (value: string, { key, find }: Lookup): Promise<LookupRow> => {
    await gate.released()
    try {
      return await find(value, client)
    } catch (error) {
      const row = rowOfNobody(error, key, value)
      if (row) return row
      throw error
    }
  }
  const lookUp = async (text: string): Promise<LookupRow> => {
    const lookup = lookupOf(text)
    const value = normalized(text, lookup.normalize)
    if (value instanceof UsageError) {
      return new RowWithoutHolder(lookup.key, text, { status: 'invalid', reason: value.said })
    }
    const row = known.get(value) ?? ask(value, lookup)
    known.set(value, row)
    return row
  }
  return inOrder(values, lookUp, { concurrency, signal })
}

/** The row of a value without a holder (404); undefined for other errors. */
export const rowOfNobody = (error: unknown, key: Lookup['key'], value: string): RowWithoutHolder | undefined =>
  isServiceAnswer(error, 404)
    ? new RowWithoutHolder(key, value, { status: 'not_found', reason: error.message })
    : undefined

function normalized(text: string, normalize: Lookup['normalize']): string | UsageError {
  try {
    return normalize(text)
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
}

interface Limits {
  readonly concurrency: number
  readonly signal: AbortSignal
}

/**
 * Yields the results of `work` in the order of its inputs, each as soon as it and all earlier results are available.
 * Holds at most `concurrency` results. The first failure ends the lookup, after the results of earlier values. The
 * signal ends the lookup at once, even while it awaits an input: Readable.map of node:stream would wait for that input.
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
    // Does not await the iterator's `return`: it would wait for an input that is no longer needed.
    Promise.resolve(source.return?.()).catch(() => {})
  }
}

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown }

interface Task<Result> {
  outcome?: Outcome<Result>
}

/** Work that was started on inputs, and its results until they are taken. */
class Tasks<Input, Result> {
  readonly #source: Iterator<Input> | AsyncIterator<Input>
  readonly #work: (input: Input) => Promise<Result>
  /** Oldest first. */
  readonly #tasks: Task<Result>[] = []
  #isReading = false
  /** True if no input is left, or if a failure makes further input useless. */
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

  /** Removes and returns the oldest result; undefined while this result is not known. */
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
