import type { NextStep } from '../errors/next_step.ts'
import { inEnglish, type Said, type Translate } from '../words/text.ts'

/** Progress of work on many items. */
export interface Progress {
  readonly done: number
  /** Number of all items; absent while it is unknown. */
  readonly total?: number
  /** Results of the items: `609 sent   2 refused`. */
  readonly detail?: Said
}

/** Label, text, and an addition to the text; the addition is empty if there is none. */
export type Fact = readonly [label: Said, text: Said, besides: Said]

/** Interface through which an engine reports to a person at a terminal or to a program. */
export interface Reporter {
  /** Shows a note and a next step. A note is not a result. */
  remark(text: Said, next?: NextStep): void
  /** Replaces the visible progress with a count of items, or with words; null removes the progress. */
  progress(state: Progress | Said | null): void
  /** Shows what a person must see before answering a question, even in a quiet run. */
  fact(text: Said): void
  /** Formats related facts as lines for `fact` or `remark`. */
  linesOf(facts: readonly Fact[]): readonly string[]
  /** Translates a message into the language of the run, for text whose layout depends on its width. */
  readonly translate: Translate
  /** Resolves to true for yes. Throws CliError if nobody can be asked. */
  ask(question: Said): Promise<boolean>
  /**
   * Resolves to true once the user types an answer that satisfies `isRight`. Throws CliError if nobody can be asked.
   */
  askToType(question: Said, isRight: (answer: string) => boolean): Promise<boolean>
}

/** A no-op reporter that agrees to every question. */
export const silent: Reporter = {
  remark() {},
  progress() {},
  fact() {},
  linesOf: () => [],
  translate: inEnglish,
  ask: async () => true,
  askToType: async () => true,
}
