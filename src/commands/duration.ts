import { InvalidArgumentError } from 'commander'

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Longest that a timer can wait. */
const longest = 2 ** 31 - 1

/** `500ms`, `30s`, `1.5m`, `2h` to milliseconds. */
export function duration(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  const ms = Math.round(Number(number) * (units[unit] ?? Number.NaN))
  if (ms > 0 && ms <= longest) return ms
  throw new InvalidArgumentError('Give a number with its unit: 500ms, 30s, 2m, 1h.')
}
