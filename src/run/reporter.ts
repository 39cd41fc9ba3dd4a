import type { NextStep } from '../errors/next_step.ts'

/** How far work on many items has come. */
export interface Progress {
  readonly done: number
  /** Absent while nobody knows how many there are. */
  readonly total?: number
  /** What became of the items: `609 sent   2 refused`. */
  readonly detail?: string
}

/** What it is, the fact in words, and what belongs to it; empty where nothing does. */
export type Fact = readonly [label: string, text: string, besides: string]

/** How an engine reports to a person at a terminal or to a program. */
export interface Reporter {
  /** A remark that is not a result, and what can be done about it. */
  remark(text: string, next?: NextStep): void
  /** Replaces the progress that is shown, of items or in words; null removes it. */
  progress(state: Progress | string | null): void
  /** What must be seen before a question is answered, however quiet the run is. */
  fact(text: string): void
  /** Facts of one thing as lines, for `fact` or `remark`. */
  linesOf(facts: readonly Fact[]): readonly string[]
  /** Whether to go on. Throws CliError if nobody can be asked. */
  ask(question: string): Promise<boolean>
  /** Whether an answer that `isRight` has been typed. Throws CliError if nobody can be asked. */
  askToType(question: string, isRight: (answer: string) => boolean): Promise<boolean>
}

/** Nobody hears it, and nobody objects. */
export const silent: Reporter = {
  remark() {},
  progress() {},
  fact() {},
  linesOf: () => [],
  ask: async () => true,
  askToType: async () => true,
}
