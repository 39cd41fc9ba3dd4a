/** A patch of one file, kept as data. */
interface Patch {
  readonly file: string
  /** Occurs once in the file. */
  readonly old: string
  readonly new: string
}

/** A bug to be planted. */
export interface Bug extends Patch {
  readonly name: string
  /** What is wrong then. */
  readonly wrong: string
  /** Patches another file: of what two safeguards prevent, both have to be missing. */
  readonly also?: Patch
}

export const patchesOf = (bug: Bug): readonly Patch[] => (bug.also ? [bug, bug.also] : [bug])

/** A file's text with the patch; undefined where the text is not the one that the patch was made for. */
export function planted({ old, new: bad }: Patch, text: string): string | undefined {
  const [before, after, more] = text.split(old)
  return before === undefined || after === undefined || more !== undefined ? undefined : before + bad + after
}
