/** Positions of a key that both lists contain: in the first list, and in the second. */
export type Pair = readonly [first: number, second: number]

/**
 * Pairs equal keys: first those of a longest common subsequence, then the remaining keys in order, wherever they are. A
 * null key equals no other key.
 */
export function pairsOf(first: readonly (string | null)[], second: readonly (string | null)[]): Pair[] {
  const pairs = longestCommon(first, second)
  const [taken, free] = [new Set(pairs.map(([at]) => at)), new Map<string, number[]>()]
  const takenThere = new Set(pairs.map(([, at]) => at))
  for (const [at, key] of second.entries()) {
    if (key === null || takenThere.has(at)) continue
    const waiting = free.get(key)
    if (waiting) waiting.push(at)
    else free.set(key, [at])
  }
  for (const queue of free.values()) queue.reverse()
  for (const [at, key] of first.entries()) {
    const there = key === null || taken.has(at) ? undefined : free.get(key)?.pop()
    if (there !== undefined) pairs.push([at, there])
  }
  return pairs
}

/** A longest common subsequence, as pairs in ascending order. */
export function longestCommon(first: readonly (string | null)[], second: readonly (string | null)[]): Pair[] {
  const pairs: Pair[] = []
  let start = 0
  while (start < first.length && start < second.length && isEqual(first[start], second[start])) {
    pairs.push([start, start])
    start += 1
  }
  let [end, endThere] = [first.length, second.length]
  const tail: Pair[] = []
  while (end > start && endThere > start && isEqual(first[end - 1], second[endThere - 1])) {
    end -= 1
    endThere -= 1
    tail.push([end, endThere])
  }
  // Keys that the other list lacks can't be in a common subsequence.
  const common = new Set(second.slice(start, endThere)).intersection(new Set(first.slice(start, end)))
  const inside = (keys: readonly (string | null)[], to: number): Placed[] =>
    keys.slice(start, to).flatMap((key, at) => (key !== null && common.has(key) ? [{ key, at: at + start }] : []))
  return [...pairs, ...inBlocks(inside(first, end), inside(second, endThere)), ...tail.reverse()]
}

const isEqual = (key: string | null | undefined, other: string | null | undefined): boolean =>
  key !== null && key === other

/** A key, and its position in the list that contains it. */
interface Placed {
  readonly key: string
  readonly at: number
}

/** Maximum product of the lengths of two lists that one table can compare: the table then takes 32 MiB. */
const largestTable = 2 ** 28

/**
 * Splits lists that are too long for one table into halves: the result is then a common subsequence, but perhaps not
 * the longest.
 */
function inBlocks(first: readonly Placed[], second: readonly Placed[]): Pair[] {
  if (first.length * second.length <= largestTable) return inTable(first, second)
  const [half, halfThere] = [Math.floor(first.length / 2), Math.floor(second.length / 2)]
  return [
    ...inBlocks(first.slice(0, half), second.slice(0, halfThere)),
    ...inBlocks(first.slice(half), second.slice(halfThere)),
  ]
}

/**
 * Finds the pairs with the bit-parallel algorithm of Hyyrö (2004). Row i of the table has a bit for each position of
 * `second`: 0 if the longest common subsequence with the first i keys gets longer there. One step handles 32 positions.
 */
function inTable(first: readonly Placed[], second: readonly Placed[]): Pair[] {
  const words = Math.ceil(second.length / 32)
  const places = new Map<string, Uint32Array>()
  for (const [at, { key }] of second.entries()) {
    const bits = places.get(key) ?? new Uint32Array(words)
    bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31))
    places.set(key, bits)
  }
  const rows: Uint32Array[] = []
  let row = new Uint32Array(words).fill(0xffff_ffff)
  for (const { key } of first) {
    row = nextRow(row, places.get(key) ?? new Uint32Array(words))
    rows.push(row)
  }
  const grows = (at: number, place: number): boolean => (((rows[at]?.[place >>> 5] ?? 0) >>> (place & 31)) & 1) === 0
  const pairs: Pair[] = []
  let [at, place] = [first.length - 1, second.length - 1]
  while (at >= 0 && place >= 0) {
    if (!grows(at, place)) place -= 1
    else if (at > 0 && grows(at - 1, place)) at -= 1
    else {
      pairs.push([first[at]?.at ?? 0, second[place]?.at ?? 0])
      at -= 1
      place -= 1
    }
  }
  return pairs.reverse()
}

/** `(row + (row & places)) | (row & ~places)`, on words of 32 bits with carry. */
function nextRow(row: Uint32Array, places: Uint32Array): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(row.length)
  let carry = 0
  for (let word = 0; word < row.length; word += 1) {
    const [bits, matches] = [row[word] ?? 0, places[word] ?? 0]
    const sum = bits + ((bits & matches) >>> 0) + carry
    carry = sum > 0xffff_ffff ? 1 : 0
    next[word] = sum | (bits & ~matches)
  }
  return next
}
