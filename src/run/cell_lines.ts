import stringWidth from 'string-width'

/** Letters and signs of one cell each: Latin, general punctuation in use, arrows, mathematics, ₡, €, ✓, ✗, blocks. */
const singleCells = /^[ -~\u00a0-\u00ac\u00ae-\u024f–—‘’“”•…₡€↓→−≠█░✓✗]*$/

/** Terminal cells that a text takes. */
export const textWidth = (text: string): number => (singleCells.test(text) ? text.length : stringWidth(text))

/** Most UTF-16 units of one visible character: no script puts more marks on a letter. */
const longestCluster = 16

/** The beginning that fits into `width` cells, with `mark` behind it if it is cut. */
export function cutTo(text: string, width: number, mark = '…'): string {
  if (fits(text, width)) return text
  let used = 0
  let shown = ''
  let whole = ''
  for (const { cluster, cells } of clustersOf(text)) {
    used += cells
    if (used > width) return shown + mark
    whole += cluster
    if (used < width) shown = whole
  }
  return whole
}

/** The whole text in lines of `width` cells, broken between words if possible. */
export function wrapped(text: string, width: number): readonly string[] {
  if (fits(text, width)) return [text]
  const lines: string[] = []
  let line = ''
  let used = 0
  /** Start of the last word of the line. */
  let word = 0
  for (const { cluster, cells } of clustersOf(text)) {
    while (used + cells > width && line !== '') {
      const end = word > 0 && cluster !== ' ' ? word : line.length
      lines.push(line.slice(0, end).trimEnd())
      line = line.slice(end)
      used = textWidth(line)
      word = 0
    }
    if (cluster === ' ' && line === '') continue
    line += cluster
    used += cells
    if (cluster === ' ') word = line.length
  }
  return line === '' ? lines : [...lines, line]
}

/** Prose in lines of `width` cells. A longer word, which may be an id or a URL to copy, has a line of its own. */
export function wordsWrapped(text: string, width: number): readonly string[] {
  if (fits(text, width)) return [text]
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of text.split(' ')) {
    const cells = textWidth(word)
    if (line !== '' && used + 1 + cells > width) {
      lines.push(line)
      line = ''
      used = 0
    }
    used += line === '' ? cells : 1 + cells
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/**
 * The same, where the further lines begin below the first one's text: behind its indent and its label, as in
 * `  Left out     7 sent before`.
 */
export function hanging(text: string, width: number): readonly string[] {
  const start = /^ +(?:\S+(?: \S+)? {2,})?/.exec(text)?.[0] ?? ''
  if (start.length * 2 > width) return wordsWrapped(text, width)
  const lines = wordsWrapped(text.slice(start.length), width - start.length)
  return lines.map((line, at) => (at === 0 ? start : ' '.repeat(start.length)) + line)
}

const fits = (text: string, width: number): boolean => text.length <= width * longestCluster && textWidth(text) <= width

/** A visible character and the cells that it takes. */
function* clustersOf(text: string): Generator<{ readonly cluster: string; readonly cells: number }, void> {
  segmenter ??= new Intl.Segmenter()
  for (const { segment } of segmenter.segment(text)) {
    const cluster = segment.slice(0, longestCluster)
    yield { cluster, cells: textWidth(cluster) }
  }
}

let segmenter: Intl.Segmenter | undefined
