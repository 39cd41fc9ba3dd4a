import stringWidth from 'string-width'

/** Spaces between two columns. */
export const gap = 2

/** A column of words is not cut below this. */
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
