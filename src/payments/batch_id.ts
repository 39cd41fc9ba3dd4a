/** What the names that payctl makes begin with; the user's own must be others, as they mean something else. */
export const madeUp = 'b_'

/** Why a text can't be the id of a batch, if so, as a sentence. */
export function batchIdFault(text: string): string | undefined {
  if (text.startsWith(madeUp)) {
    return `Names that begin with ${madeUp} are made by payctl: leave --batch-id out to go on with one.`
  }
  if (/^[\w.:@+][\w.:@+-]{0,63}$/.test(text)) return undefined
  return 'Give 1 to 64 letters, digits or any of . : @ + - _, not beginning with -'
}
