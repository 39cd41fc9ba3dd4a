import type { NextStep } from '../errors/next_step.ts'

/** How an engine speaks to whoever runs it: a person at a terminal, or a program. */
export interface Reporter {
  /** Tells a person something that is not a result, and what can be done about it. */
  remark(text: string, next?: NextStep): void
  /** Shows how far long work has come, in place of what was shown before; null takes it away. */
  progress(text: string | null): void
  /** Whether to go on. Throws CliError where nobody can be asked. */
  ask(question: string): Promise<boolean>
}
