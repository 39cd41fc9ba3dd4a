/** An answer that the interface does not allow. */
export class Difference extends Error {
  override readonly name = 'Difference'
  readonly invariant: 'as the interface says' | 'no fault'

  constructor(message: string, invariant: Difference['invariant'] = 'as the interface says') {
    super(message)
    this.invariant = invariant
  }
}

/** Changes to the model, made after a whole answer has been accepted. */
export type Lessons = (() => void)[]

/** Placeholder in an expected value for several allowed values. */
export class Matcher {
  /** Describes the difference; null if the value is allowed. */
  readonly differs: (actual: unknown, lessons: Lessons) => string | null

  constructor(differs: Matcher['differs']) {
    this.differs = differs
  }
}

type Test = (value: unknown) => boolean

export const matching = (what: string, accepts: Test): Matcher =>
  new Matcher((actual) => (accepts(actual) ? null : `${shown(actual)} is not ${what}`))

export const text = (pattern: RegExp) => (value: unknown) => typeof value === 'string' && pattern.test(value)

export const someText: Matcher = matching('a text', text(/./))

/**
 * A value that the service chooses. At first it matches any value that passes the test; from then on, only the first
 * matched value. Two values with the same `taken` set are never equal.
 */
export class Free<T = string> extends Matcher {
  value: T | undefined

  constructor(what: string, accepts: Test, taken?: Set<unknown>) {
    super((actual, lessons) => {
      if (this.value !== undefined) {
        return actual === this.value ? null : `${shown(actual)}, and before it was ${shown(this.value)}`
      }
      if (!accepts(actual)) return `${shown(actual)} is not ${what}`
      if (taken?.has(actual)) return `${shown(actual)} was given before`
      lessons.push(() => {
        // Another place of the same answer may have set the value.
        if (this.value === actual) return
        if (this.value !== undefined) throw new Difference(`${shown(actual)} and ${shown(this.value)} in one answer`)
        if (taken?.has(actual)) throw new Difference(`${shown(actual)} is given twice in one answer`)
        taken?.add(actual)
        this.value = actual as T
      })
      return null
    })
  }
}

/** One of several allowed values; `learn` runs if the answer contains this value. */
interface Alternative {
  readonly expected: unknown
  readonly learn?: () => void
}

/** Matches the first alternative that fits. */
export const oneOf = (alternatives: readonly Alternative[]): Matcher =>
  new Matcher((actual, lessons) => {
    let first: string | null = null
    for (const { expected, learn } of alternatives) {
      const learned: Lessons = []
      const difference = differenceOf(expected, actual, learned)
      if (difference === null) {
        lessons.push(...learned, ...(learn ? [learn] : []))
        return null
      }
      first ??= difference
    }
    return first ?? `${shown(actual)} is not expected at all`
  })

/** Matches a value that equals `expected` and also matches `more`. */
export const both = (expected: unknown, more: Matcher): Matcher =>
  new Matcher((actual, lessons) => differenceOf(expected, actual, lessons) ?? more.differs(actual, lessons))

/** Describes the first difference and its place; null: none. Members expected to be undefined must be absent. */
export function differenceOf(expected: unknown, actual: unknown, lessons: Lessons, place = ''): string | null {
  const at = (difference: string) => (place === '' ? difference : `${place}: ${difference}`)
  if (expected instanceof Matcher) {
    const difference = expected.differs(actual, lessons)
    return difference === null ? null : at(difference)
  }
  if (typeof expected !== 'object' || expected === null) {
    return Object.is(expected, actual) ? null : at(`${shown(actual)} instead of ${shown(expected)}`)
  }
  if (typeof actual !== 'object' || actual === null || Array.isArray(expected) !== Array.isArray(actual)) {
    return at(`${shown(actual)} instead of ${shown(expected)}`)
  }
  const [left, right] = [expected as Record<string, unknown>, actual as Record<string, unknown>]
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const inner = place === '' ? key : `${place}.${key}`
    if (left[key] === undefined) {
      if (key in right) return `${inner} is there, with ${shown(right[key])}`
      continue
    }
    if (!(key in right)) return `${inner} is missing`
    const difference = differenceOf(left[key], right[key], lessons, inner)
    if (difference !== null) return difference
  }
  return null
}

/** Text of a value for messages; a matcher shows the value that it has learned. */
export const shown = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (inner instanceof Free ? (inner.value ?? '(free)') : inner)) ?? 'nothing'
