import stringWidth from 'string-width'

/** Characters that take one terminal cell each: Latin, common punctuation, arrows, mathematics, ₡, €, ✓, ✗, blocks. */
const singleCells = /^[ -~\u00a0-\u00ac\u00ae-\u024f–—‘’“”•…₡€↓→−≠█░✓✗]*$/

/** Width of the text in terminal cells. */
export const textWidth = (text: string): number => (singleCells.test(text) ? text.length : widthOfOthers(text))

/** Widths of recently measured texts: string-width takes 3 µs for a name, and a table measures each text 20 times. */
const known = new Map<string, number>()
const longestMemory = 1000

function widthOfOthers(text: string): number {
  const before = known.get(text)
  if (before !== undefined) return before
  if (known.size === longestMemory) known.clear()
  const width = stringWidth(text)
  known.set(text, width)
  return width
}

/** Maximum number of UTF-16 units of one visible character: no script uses more marks on a letter. */
const longestCluster = 16

/** The start of the text that fits into `width` terminal cells, followed by `mark` if the text is cut. */
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

/** The words of prose. A number with its groups of digits and its currency is one word. */
export const proseWords = (text: string): readonly string[] => text.split(breaks)

/** The whole text in lines of `width` cells, broken as prose if possible. */
export const wrapped = (text: string, width: number): readonly string[] =>
  fits(text, width) ? [text] : filled(proseWords(text), width).flatMap((line) => brokenAnywhere(line, width))

function brokenAnywhere(text: string, width: number): readonly string[] {
  if (fits(text, width)) return [text]
  const lines: string[] = []
  let line = ''
  let used = 0
  /** Index in `line` at which its last word begins. */
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

/**
 * Prose in lines of `width` cells. A word that is longer than a line may be an id or a URL to copy: it stays whole on a
 * separate line. No line breaks inside a number or between an amount and its currency, because half an amount is a
 * different amount.
 */
export function wordsWrapped(text: string, width: number): readonly string[] {
  if (fits(text, width)) return [text]
  const words = proseWords(text).flatMap((word) => (textWidth(word) > width ? word.split(' ') : word))
  return filled(words, width)
}

/** Lines that each hold as many words as fit, and at least one word. */
function filled(words: readonly string[], width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of words) {
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

/** Spaces at which prose may break: not those in `8700 0001`, `CR76 ... 0001` or `1,500.25 CRC`. */
const breaks = / (?<!\d (?=\d|[A-Z]{3}\b|\.{3} \d))(?<!\d \.{3} (?=\d))/

/**
 * Wraps words and aligns further lines with the first line's text, which follows its indent and label, as in ` Left out
 * 7 sent before`.
 */
export function hanging(text: string, width: number): readonly string[] {
  const start = /^ +(?:\S+(?: \S+)? {2,})?/.exec(text)?.[0] ?? ''
  if (start.length * 2 > width) return wordsWrapped(text, width)
  const lines = wordsWrapped(text.slice(start.length), width - start.length)
  return lines.map((line, at) => (at === 0 ? start : ' '.repeat(start.length)) + line)
}

const fits = (text: string, width: number): boolean => text.length <= width * longestCluster && textWidth(text) <= width

/** Yields each visible character, and the number of terminal cells that it takes. */
function* clustersOf(text: string): Generator<{ readonly cluster: string; readonly cells: number }, void> {
  segmenter ??= new Intl.Segmenter()
  for (const { segment } of segmenter.segment(text)) {
    const cluster = segment.slice(0, longestCluster)
    yield { cluster, cells: textWidth(cluster) }
  }
}

let segmenter: Intl.Segmenter | undefined
