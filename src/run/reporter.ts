import type { NextStep } from '../errors/next_step.ts'

/** Progress of work on many items. */
export interface Progress {
  readonly done: number
  /** Absent while the total is unknown. */
  readonly total?: number
  /** Results of the items: `609 sent   2 refused`. */
  readonly detail?: string
}

/** Label, text, and an addition to the text; the addition is empty if there is none. */
export type Fact = readonly [label: string, text: string, besides: string]

/** Interface through which an engine reports to a person at a terminal or to a program. */
export interface Reporter {
  /** Shows a note and a next step. A note is not a result. */
  remark(text: string, next?: NextStep): void
  /** Replaces the visible progress with a count of items or words; null removes it. */
  progress(state: Progress | string | null): void
  /** Shows what a person must see before answering a question, even in a quiet run. */
  fact(text: string): void
  /** Formats related facts as lines for `fact` or `remark`. */
  linesOf(facts: readonly Fact[]): readonly string[]
  /** Resolves to true for yes. Throws CliError if nobody can be asked. */
  ask(question: string): Promise<boolean>
  /**
   * Resolves to true once the user types an answer that satisfies `isRight`. Throws CliError if nobody can be asked.
   */
  askToType(question: string, isRight: (answer: string) => boolean): Promise<boolean>
}

/** A no-op reporter that agrees to every question. */
export const silent: Reporter = {
  remark() {},
  progress() {},
  fact() {},
  linesOf: () => [],
  ask: async () => true,
  askToType: async () => true,
}
