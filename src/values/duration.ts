const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of a duration with its unit: `500ms`, `30s`, `1.5m`, `2h`, `1d`; NaN for any other text. */
export function parseDuration(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? []
  return Math.round(Number(number) * (units[unit] ?? Number.NaN))
}

/** Milliseconds for which a service remembers idempotency keys, from a minute to ten years; NaN for any other text. */
export function parseKeyLife(text: string): number {
  const ms = parseDuration(text)
  return ms >= 60_000 && ms <= 3650 * 86_400_000 ? ms : Number.NaN
}
