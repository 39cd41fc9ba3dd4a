import type { Exit } from './exit_codes.ts'

/** A failure of the command line's own making, which knows how the run ends. `message` says what and why. */
export class CliError extends Error {
  override readonly name: string = 'CliError'
  readonly exit: Exit
  /** The next thing to do, best a command to type. */
  readonly hint: string | undefined
  /** Faults by where they are, as the service's own: `{ "line 7": ["..."] }`. */
  errors: Readonly<Record<string, readonly string[]>> | undefined

  /** `cause`: the service's refusal that this one explains, if any. */
  constructor(exit: Exit, message: string, hint?: string, options?: { readonly cause: unknown }) {
    super(message, options)
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

/** A failure that concerns one payment intent. The run ends as its cause says. */
export class IntentError extends Error {
  override readonly name = 'IntentError'
  readonly intentId: string

  constructor(intentId: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.intentId = intentId
  }
}

/** Does work for an intent: what goes wrong in it names the intent. */
export async function concerning<T>({ id }: { readonly id: string }, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new IntentError(id, error)
  }
}
