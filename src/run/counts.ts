import { say, type Text } from '../words/text.ts'

/** `1,600`. */
export const grouped = (count: number | bigint): string => count.toLocaleString('en-US')

/** A count with its noun: `1 row`, `1,600 rows`. */
export const counted = (count: number, what: string): string => `${grouped(count)} ${what}${count === 1 ? '' : 's'}`

/** Maximum number of lines, or runs of lines, to name. */
const mostNamed = 6

/** Line numbers as text: `line 3`, `lines 3, 8 and 10 to 14`, `lines 3, 8, 10 to 14, ... (40 rows)`. */
export function linesSaid(lines: readonly number[]): Text {
  const runs: [number, number][] = []
  for (const line of lines.toSorted((one, other) => one - other)) {
    const last = runs.at(-1)
    if (last && line === last[1] + 1) last[1] = line
    else runs.push([line, line])
  }
  const texts = runs.flatMap(([first, last]) =>
    last - first > 1 ? `${first} to ${last}` : first === last ? `${first}` : [`${first}`, `${last}`],
  )
  if (texts.length > mostNamed)
    return say`lines ${`${texts.slice(0, mostNamed).join(', ')}, ... (${counted(lines.length, 'row')})`}`
  const last = texts.pop() ?? ''
  return texts.length === 0 && !last.includes(' ')
    ? say`line ${last}`
    : say`lines ${[texts.join(', '), last].filter(Boolean).join(' and ')}`
}
