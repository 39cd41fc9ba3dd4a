import { InvalidArgumentError } from 'commander'

/** What the names that payctl makes begin with; the user's own must be others, as they mean something else. */
export const madeUp = 'b_'

/** A parser of `--batch-id`. */
export function batchId(text: string): string {
  if (text.startsWith(madeUp)) {
    throw new InvalidArgumentError(
      `Names that begin with ${madeUp} are made by payctl: leave --batch-id out to go on with one.`,
    )
  }
  if (/^[\w.:@+][\w.:@+-]{0,63}$/.test(text)) return text
  throw new InvalidArgumentError('Give 1 to 64 letters, digits or any of . : @ + - _, not beginning with -')
}
