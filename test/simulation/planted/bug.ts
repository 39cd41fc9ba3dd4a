/** A bug to be planted: a patch of one file, kept as data. */
export interface Bug {
  readonly name: string
  /** What is wrong then. */
  readonly wrong: string
  readonly file: string
  /** Occurs once in the file. */
  readonly old: string
  readonly new: string
}

/** A file's text with the bug; undefined where the text is not the one that the patch was made for. */
export function planted({ old, new: bad }: Bug, text: string): string | undefined {
  const [before, after, more] = text.split(old)
  return before === undefined || after === undefined || more !== undefined ? undefined : before + bad + after
}
