import { everyNth } from '../support/full.ts'

/** Limit between linear and quadratic growth: a smaller factor is not quadratic, a larger factor is not linear. */
export const linear = 24

/** Milliseconds below which a time is meaningless on a busy machine. */
const floor = 20

/** Maximum number of runs. The quickest run counts, because others may include garbage collection. */
const runs = 6

/**
 * Factor by which the work takes longer on an input eight times the size: about 8 if its time is linear, 64 if it is
 * quadratic. Repeats the measurement while the result looks quadratic.
 */
export async function growth(work: (size: number) => unknown, size: number): Promise<number> {
  let [one, eight] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let ratio = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs && !(ratio < linear); run += 1) {
    one = Math.min(one, await timeOf(() => work(size)))
    eight = Math.min(eight, await timeOf(() => work(size * 8)))
    ratio = Math.max(eight, floor) / Math.max(one, floor / 8)
  }
  return ratio
}

/** CPU time of the work in milliseconds, without the time of other programs. */
async function timeOf(work: () => unknown): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

type LongText = readonly [name: string, make: (size: number) => string]

const traps: readonly LongText[] = [
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

/** Strings that are slow in careless regular expressions and width measurements; the quick tests use a few of them. */
export const longTexts = everyNth(traps, 4, 1)
