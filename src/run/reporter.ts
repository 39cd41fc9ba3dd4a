import type { NextStep } from '../errors/next_step.ts'

/** How an engine reports to a person at a terminal or to a program. */
export interface Reporter {
  /** A remark that is not a result, and what can be done about it. */
  remark(text: string, next?: NextStep): void
  /** Replaces the progress that is shown; null removes it. */
  progress(text: string | null): void
  /** Whether to go on. Throws CliError if nobody can be asked. */
  ask(question: string): Promise<boolean>
}
