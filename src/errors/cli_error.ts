import { shellWord } from '../contract/shell_word.ts'
import { foreign, type Said, Text } from '../words/text.ts'
import type { Exit } from './exit_codes.ts'
import type { NextStep } from './next_step.ts'

/** A failure found by payctl itself, with its exit code. `message` says what happened and why. */
export class CliError extends Error {
  override readonly name: string = 'CliError'
  readonly exit: Exit
  /** The message in a form that can be translated; `message` is English. */
  readonly said: Said
  /** The next step, as text. */
  readonly hint: string | undefined
  /** The hint in a form that can be translated. */
  readonly saidHint: Said | undefined
  /** The next step as data; the caller puts it into words. */
  readonly next: NextStep | undefined
  /** Faults by their place, in a form that can be translated; `errors` are English. */
  saidErrors: Readonly<Record<string, readonly Said[]>> | undefined
  /** Id of the payment concerned, if the service has assigned one. */
  paymentId: string | undefined

  /** `cause`: the service's refusal behind this error, if any. */
  constructor(exit: Exit, message: Said, advice?: Said | NextStep, options?: { readonly cause: unknown }) {
    super(String(message), options)
    this.said = message
    this.exit = exit
    const isHint = typeof advice === 'string' || advice instanceof Text
    this.saidHint = isHint ? advice : undefined
    this.hint = isHint ? String(advice) : undefined
    this.next = isHint ? undefined : advice
    this.paymentId = this.next && 'paymentId' in this.next ? this.next.paymentId : undefined
  }

  /** Faults by their place, in the form of the service's errors: `{ "line 7": ["..."] }`. */
  get errors(): Readonly<Record<string, readonly string[]>> | undefined {
    if (!this.saidErrors) return undefined
    return Object.fromEntries(Object.entries(this.saidErrors).map(([place, faults]) => [place, faults.map(String)]))
  }
}

/** A mistake of the user that payctl itself finds. */
export class UsageError extends CliError {
  override readonly name: string = 'UsageError'

  constructor(message: Said, advice?: Said | NextStep) {
    super('usage', message, advice)
  }
}

/** A failure that concerns one payment intent. The cause sets the exit code. */
export class IntentError extends Error {
  override readonly name = 'IntentError'
  readonly intentId: string
  readonly said: Said
  /** Clause about the money, if it is known whether money moved. */
  readonly money: Said | undefined

  constructor(intentId: string, cause: unknown, money?: Said) {
    super(errorMessage(cause), { cause })
    this.intentId = intentId
    this.said = saidBy(cause)
    this.money = money
  }
}

/** Wraps errors of `work` in an IntentError. */
export async function concerning<T>({ id }: { readonly id: string }, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new IntentError(id, error)
  }
}

/** Message of a thrown value, in English. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Message of a thrown value, in a form that can be translated. */
export const saidBy = (error: unknown): Said =>
  error instanceof Error && 'said' in error ? (error.said as Said) : foreign(errorMessage(error))

/** The message as a clause, without "Nothing was sent", because an earlier attempt may have sent something. */
export function reasonOf(error: unknown): Text {
  const said = saidBy(error)
  if (typeof said === 'string') return new Text(said, [], 'reason')
  return said.form === 'foreign' ? foreign(said.template.replace(/\.$/, '')) : said.as('reason')
}

/** Quotes a word for a shell, in suggested commands. */
export function quoted(text: string): string {
  const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
  if (!hidden.test(text)) return shellWord(text)
  // Writes line ends and invisible characters as escapes, because the characters themselves would get lost between the
  // terminal and the shell.
  return `$'${text.replace(/['\\]/g, '\\$&').replace(hidden, inBytes)}'`
}

const inBytes = (character: string): string =>
  ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' })[character] ??
  [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
