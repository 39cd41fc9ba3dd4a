import type { Exit } from './exit_codes.ts'

/** A failure of the command line's own making, which knows how the run ends. `message` says what and why. */
export class CliError extends Error {
  override readonly name: string = 'CliError'
  readonly exit: Exit
  /** The next thing to do, best a command to type. */
  readonly hint: string | undefined
  /** Faults by where they are, as the service's own: `{ "line 7": ["..."] }`. */
  errors: Readonly<Record<string, readonly string[]>> | undefined

  constructor(exit: Exit, message: string, hint?: string) {
    super(message)
    this.exit = exit
    this.hint = hint
  }
}

/** The user's mistake, found before any request. */
export class UsageError extends CliError {
  override readonly name: string = 'UsageError'

  constructor(message: string, hint?: string) {
    super('usage', message, hint)
  }
}
