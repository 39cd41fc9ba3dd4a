/** The word that the user probably meant; undefined if none is similar. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  if (word === '') return undefined
  const typed = word.toLowerCase()
  const begun = words.filter((candidate) => candidate.toLowerCase().startsWith(typed))
  if (begun.length === 1 && typed.length > 1) return begun[0]
  const [best] = words
    .map((candidate) => ({ candidate, distance: editDistance(typed, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length * 0.4)))
    .sort((one, other) => one.distance - other.distance)
  return best?.candidate
}

/** End of a message: the unknown names and similar known names. Undefined if all names are known. */
export function unknownNames(names: readonly string[], known: readonly string[]): string | undefined {
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length === 0) return undefined
  const near = unknown.map((name) => nearest(name, known)).filter((name) => name !== undefined)
  return `${unknown.join(', ')}.${near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''}`
}

/** Number of letters to insert, remove, replace or swap with a neighbour. */
export function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row]
    rows.push(next)
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      next.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(from.length, to.length)
}
