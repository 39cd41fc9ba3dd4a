/** A generated id, alone or as part of a key. Does not match the ids of the seed, which are the same in every run. */
const madeId = /(?<![0-9a-f])(?!01900000)[0-9a-f]{8}([-_])[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}/g

/** A digest of a generated secret. */
const digest = /(?<="\w+_sha256":")[0-9a-f]{64}(?=")/g

/** The random prefix of a revision. */
const revision = /(?<="revision":")[\w-]{12}(?=\.\d)/g

/** Replacements for numbers that depend on the machine. */
const fixedNumbers: Readonly<Record<string, number>> = { pid: 4242, duration_ms: 12 }

/** Replaces values that differ between runs with fixed values. */
export class FixedValues {
  readonly #replacements: (readonly [string, string])[] = []

  /** Replaces `actual` with `fixed` everywhere. */
  replace(actual: string, fixed: string): void {
    this.#replacements.push([actual, fixed])
  }

  applyTo<T>(value: T): T {
    let text = JSON.stringify(value)
    for (const [actual, fixed] of this.#replacements) text = text.replaceAll(actual, fixed)
    const digested = text.replace(digest, 'b5'.repeat(32)).replace(revision, 'opened000001')
    return JSON.parse(numberIds(digested), (name, member) =>
      typeof member === 'number' ? (fixedNumbers[name] ?? member) : member,
    )
  }
}

/** Keeps the world's time at the start of an id, and replaces the random rest. */
function numberIds(text: string): string {
  const numbers = new Map<string, number>()
  return text.replace(madeId, (found, separator) => {
    const id = found.replaceAll(separator, '-')
    const number = numbers.get(id) ?? numbers.size + 1
    numbers.set(id, number)
    const fixed = `${id.slice(0, 13)}-7000-8000-${number.toString(16).padStart(12, '0')}`
    return fixed.replaceAll('-', separator)
  })
}
