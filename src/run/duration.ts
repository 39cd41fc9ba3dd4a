import { InvalidArgumentError } from 'commander'

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A parser of durations up to `longest` milliseconds: `500ms`, `30s`, `1.5m`, `2h`, `1d` to milliseconds. */
const durationUpTo =
  (longest: number) =>
  (text: string): number => {
    const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? []
    const ms = Math.round(Number(number) * (units[unit] ?? Number.NaN))
    if (ms > 0 && ms <= longest) return ms
    throw new InvalidArgumentError('Give a number with its unit: 500ms, 30s, 2m, 1h.')
  }

/** As long as a timer can wait. */
export const duration = durationUpTo(2 ** 31 - 1)

/** Of the emulator's clock, which needs no timer. */
export const emulatedDuration = durationUpTo(366 * 86_400_000)
