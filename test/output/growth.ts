/** Times below this, in milliseconds, say nothing on a busy machine. */
const floor = 20

/** Runs of each size; the quickest counts, as others wait for their turn of the processor. */
const runs = 5

/**
 * How many times longer the work takes on eight times as much: about 8 where its time is linear, 64 where it is
 * quadratic.
 */
export async function growth(work: (size: number) => unknown, size: number): Promise<number> {
  await work(size) // compiles it
  const [one, eight] = [await quickest(() => work(size)), await quickest(() => work(size * 8))]
  return Math.max(eight, floor) / Math.max(one, floor / 8)
}

/** Below this the time is not quadratic, above it not linear. */
export const linear = 24

async function quickest(work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs && best > floor / 8; run += 1) {
    const start = performance.now()
    await work()
    best = Math.min(best, performance.now() - start)
  }
  return best
}

/** Texts of a size that have trapped regular expressions and measures of width. */
export const longTexts: readonly (readonly [name: string, make: (size: number) => string])[] = [
  ['points between letters', (size) => 'a.'.repeat(size / 2)],
  ['spaces', (size) => `x${' '.repeat(size)}x`],
  ['line ends', (size) => `x${'\n'.repeat(size)}x`],
  ['slashes', (size) => `://${'/'.repeat(size)}x`],
  ['beginnings of URLs', (size) => 'a://b@'.repeat(size / 6)],
  ['names of secrets', (size) => 'token '.repeat(size / 6)],
  ['members of headers', (size) => '"headers":{'.repeat(size / 11)],
  ['quotes', (size) => `x${'"'.repeat(size)}x`],
  ['wide characters', (size) => '日本'.repeat(size / 2)],
  ['marks on one letter', (size) => `e${'\u0301'.repeat(size)}`],
  ['Hangul that is one syllable', (size) => '\u1100'.repeat(size)],
  ['flags', (size) => '🇨🇷'.repeat(size / 4)],
  ['tags', (size) => '\u{e0041}'.repeat(size / 2)],
  ['colours', (size) => '\u001b[31m'.repeat(size / 5)],
]
