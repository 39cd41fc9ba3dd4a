import type { Exit } from './exit_codes.ts'
import type { NextStep } from './next_step.ts'

/** A failure of the command line's own making, which knows how the run ends. `message` says what and why. */
export class CliError extends Error {
  override readonly name: string = 'CliError'
  readonly exit: Exit
  /** The next thing to do, in words. */
  readonly hint: string | undefined
  /** The same as a fact, for whoever shows it to put into words. */
  readonly next: NextStep | undefined
  /** Faults by where they are, as the service's own: `{ "line 7": ["..."] }`. */
  errors: Readonly<Record<string, readonly string[]>> | undefined
  /** The payment that it is about, where the service has named one. */
  paymentId: string | undefined

  /** `cause`: the service's refusal that this one explains, if any. */
  constructor(exit: Exit, message: string, advice?: string | NextStep, options?: { readonly cause: unknown }) {
    super(message, options)
    this.exit = exit
    this.hint = typeof advice === 'string' ? advice : undefined
    this.next = typeof advice === 'string' ? undefined : advice
    this.paymentId = this.next && 'paymentId' in this.next ? this.next.paymentId : undefined
  }
}

/** The user's mistake, found before any request. */
export class UsageError extends CliError {
  override readonly name: string = 'UsageError'

  constructor(message: string, advice?: string | NextStep) {
    super('usage', message, advice)
  }
}

/** A failure that concerns one payment intent. The run ends as its cause says. */
export class IntentError extends Error {
  override readonly name = 'IntentError'
  readonly intentId: string

  constructor(intentId: string, cause: unknown) {
    super(errorMessage(cause), { cause })
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

/** What was thrown, in its own words. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The same as a clause: without the word that nothing was sent, for when something may have been before. */
export const reasonOf = (error: unknown): string =>
  errorMessage(error)
    .replace(/ Nothing (more )?was sent( by this run)?\.$/, '')
    .replace(/\.$/, '')

/** A word as a shell takes it, for commands that are suggested. */
export function quoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
  if (!hidden.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  // Line ends, and what a terminal does not show, would be lost: they are written as their bytes.
  return `$'${text.replace(/['\\]/g, '\\$&').replace(hidden, inBytes)}'`
}

const inBytes = (character: string): string =>
  ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' })[character] ??
  [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
