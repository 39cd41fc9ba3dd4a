/** A patch of one file, as data. */
interface Patch {
  readonly file: string
  /** Text that occurs exactly once in the file. */
  readonly old: string
  readonly new: string
}

/** A bug to plant. */
export interface Bug extends Patch {
  readonly name: string
  /** Its effect. */
  readonly wrong: string
  /** Patch of another file: if two safeguards prevent the bug, a patch must remove each. */
  readonly also?: Patch
}

export const patchesOf = (bug: Bug): readonly Patch[] => (bug.also ? [bug, bug.also] : [bug])

/** The patched text of a file; undefined if the patch does not fit the text. */
export function planted({ old, new: bad }: Patch, text: string): string | undefined {
  const [before, after, more] = text.split(old)
  return before === undefined || after === undefined || more !== undefined ? undefined : before + bad + after
}
