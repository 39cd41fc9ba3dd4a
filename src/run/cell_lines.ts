import stringWidth from 'string-width'

/** Spaces between two columns. */
export const gap = 2

/** Least cells of a column that is cut. */
const narrowest = 10

/** Terminal cells that a text takes. */
export const textWidth = (text: string): number => stringWidth(text)

/**
 * Narrows the widest cuttable columns until all fit side by side in `available` cells; null when they can't.
 */
export function fitWidths(
  natural: readonly number[],
  cuttable: readonly boolean[],
  available: number,
): readonly number[] | null {
  const least = natural.map((width, at) => (cuttable[at] ? Math.min(width, narrowest) : width))
  if (sideBySide(least) > available) return null
  const widths = natural.map((width, at) => (cuttable[at] ? Math.min(width, Math.max(available, narrowest)) : width))
  while (sideBySide(widths) > available) {
    const candidates = widths.map((width, at) => (cuttable[at] ? width : 0))
    const widest = Math.max(...candidates)
    widths[candidates.indexOf(widest)] = widest - 1
  }
  return widths
}

const sideBySide = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, gap * (widths.length - 1))

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
