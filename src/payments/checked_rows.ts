import { UsageError } from '../errors/cli_error.ts'
import type { NextStep } from '../errors/next_step.ts'

/** Rows are wrong; nothing was sent. */
export class WrongRowsError extends UsageError {
  override readonly name = 'UsageError'
  /** Faults by line: of every wrong row, even those that `errors` does not name. */
  readonly faults: ReadonlyMap<number, readonly string[]>

  constructor(message: string, next: NextStep, faults: ReadonlyMap<number, readonly string[]>) {
    super(message, next)
    this.faults = faults
  }
}

/** Wrong rows by line: the first `limit`, and the count of all. */
export class Faults {
  readonly #limit: number
  readonly #byLine = new Map<number, readonly string[]>()

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit
  }

  add(line: number, faults: readonly string[]): void {
    this.#byLine.set(line, [...(this.#byLine.get(line) ?? []), ...faults])
  }

  throwIfAny(): void {
    const { size } = this.#byLine
    if (size === 0) return
    const more = size > this.#limit ? ` The first ${this.#limit}:` : ''
    const rows = size === 1 ? '1 row is' : `${size} rows are`
    const next = { kind: 'correct_rows', areAllNamed: size <= this.#limit } as const
    const error = new WrongRowsError(`${rows} wrong. Nothing was sent.${more}`, next, this.#byLine)
    const named = [...this.#byLine].toSorted(([one], [other]) => one - other).slice(0, this.#limit)
    error.errors = Object.fromEntries(named.map(([line, faults]) => [`line ${line}`, faults]))
    throw error
  }
}
