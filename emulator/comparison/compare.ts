import { type Pair, pairsOf } from './alignment.ts'
import { Correspondence, templateOf } from './correspondence.ts'
import type { Facts, Item, Root, Timeline } from './roots.ts'

/** A fact with different values in two worlds. */
export interface Difference {
  readonly field: string
  readonly first: Facts[string]
  readonly second: Facts[string]
}

/** An event of both worlds, or of only one. */
export interface ComparedItem {
  readonly change: 'same' | 'added' | 'removed' | 'changed'
  readonly first: Item | null
  readonly second: Item | null
  readonly differences: readonly Difference[]
}

/**
 * Pairs the events of two worlds by cause, and compares the events of each pair. The order of the arguments does not
 * affect the pairs: the comparison always starts from the same one of the two worlds.
 */
export function compareTimelines(first: Timeline, second: Timeline): ComparedItem[] {
  if (comesAfter(first.roots, second.roots)) return compareTimelines(second, first).map(exchanged)
  const pairs = pairsOfRoots(first.roots, second.roots)
  const known: Known = {
    ids: new Correspondence(new Set(first.ids).intersection(new Set(second.ids))),
    keys: new Correspondence(new Set(first.keys).intersection(new Set(second.keys))),
  }
  for (const [at, there] of pairs) {
    const [payment, other] = [first.roots[at]?.madePayment, second.roots[there]?.madePayment]
    if (payment && other) known.ids.holds(payment, other)
  }
  return walked(first.roots, second.roots, pairs).flatMap(([root, other]) => itemsOf(root, other, known))
}

/**
 * Pairs roots that correspond, by one key after the other. Before the last key, pairs the payments that paired requests
 * made.
 */
function pairsOfRoots(first: readonly Root[], second: readonly Root[]): Pair[] {
  const pairs: Pair[] = []
  const pairBy = (keyOf: (root: Root, side: 0 | 1) => string | null) => {
    const free = ([first, second] as const).map((roots, side) => {
      const taken = new Set(pairs.map((pair) => pair[side]))
      return [...roots.entries()].filter(([at]) => !taken.has(at))
    })
    const [left = [], right = []] = free
    const found = pairsOf(
      left.map(([, root]) => keyOf(root, 0)),
      right.map(([, root]) => keyOf(root, 1)),
    )
    pairs.push(...found.map(([at, there]): Pair => [left[at]?.[0] ?? 0, right[there]?.[0] ?? 0]))
  }
  const passes = Math.max(0, ...[...first, ...second].slice(0, 1).map(({ keys }) => keys.length))
  for (let pass = 0; pass < passes; pass += 1) {
    if (pass === passes - 1) pairBy(makerKeys(first, second, pairs))
    pairBy(({ keys }) => keys[pass] ?? null)
  }
  return pairs
}

/** Returns a function that maps a payment to a key for pairing: payments made by paired requests have equal keys. */
function makerKeys(first: readonly Root[], second: readonly Root[], pairs: readonly Pair[]) {
  const makers: readonly [Map<string, string>, Map<string, string>] = [new Map(), new Map()]
  for (const [number, [at, there]] of pairs.entries()) {
    const [maker, other] = [first[at], second[there]]
    if (!maker?.isRequest || maker.madePayment === null || !other?.madePayment) continue
    makers[0].set(maker.madePayment, `pair ${number}`)
    makers[1].set(other.madePayment, `pair ${number}`)
  }
  return ({ isRequest, madePayment }: Root, side: 0 | 1): string | null =>
    isRequest || madePayment === null ? null : (makers[side].get(madePayment) ?? null)
}

/** Corresponding names of the two worlds. A name that both worlds have corresponds to itself. */
interface Known {
  readonly ids: Correspondence
  readonly keys: Correspondence
}

function itemsOf(root: Root | null, other: Root | null, known: Known): ComparedItem[] {
  const [items, others] = [root?.items ?? [], other?.items ?? []]
  const keyOf = ({ happening: { kind, cause } }: Item): string => (kind === 'request' ? kind : `${kind} ${cause}`)
  return walked(items, others, pairsOf(items.map(keyOf), others.map(keyOf))).map(([first, second]) => {
    if (first === null) return { change: 'added', first, second, differences: [] }
    if (second === null) return { change: 'removed', first, second, differences: [] }
    const differences = differencesOf(first.facts, second.facts, known)
    return { change: differences.length === 0 ? 'same' : 'changed', first, second, differences }
  })
}

function differencesOf(facts: Facts, others: Facts, known: Known): Difference[] {
  const fields = [...new Set([...Object.keys(facts), ...Object.keys(others)])]
  return fields.flatMap((field) => {
    const [first, second] = [facts[field] ?? null, others[field] ?? null]
    return isSame(field, [first, second], known) ? [] : [{ field, first, second }]
  })
}

function isSame(field: string, [value, other]: readonly [Facts[string], Facts[string]], { ids, keys }: Known): boolean {
  if (typeof value !== 'string' || typeof other !== 'string') return value === other
  if (field === 'idempotency_key') return keys.holds(value, other)
  if (value === other) return true
  const [template, otherTemplate] = [templateOf(value), templateOf(other)]
  if (template.text !== otherTemplate.text) return false
  return template.ids.every((id, at) => ids.holds(id, otherTemplate.ids[at] ?? ''))
}

/**
 * Merges both lists in the order of the second list. An entry that only the first list has comes before the next entry
 * that both lists have.
 */
function walked<T>(first: readonly T[], second: readonly T[], pairs: readonly Pair[]): [T | null, T | null][] {
  const here = new Map(pairs.map(([at, there]) => [there, at]))
  const paired = new Set(pairs.map(([at]) => at))
  const all: [T | null, T | null][] = []
  let next = 0
  const addRemoved = (end: number) => {
    for (; next < end; next += 1) if (!paired.has(next)) all.push([first[next] as T, null])
  }
  for (const [there, one] of second.entries()) {
    const at = here.get(there)
    if (at !== undefined) addRemoved(at)
    all.push([at === undefined ? null : (first[at] as T), one])
  }
  addRemoved(first.length)
  return all
}

const opposites = { same: 'same', changed: 'changed', added: 'removed', removed: 'added' } as const

const exchanged = ({ change, first, second, differences }: ComparedItem): ComparedItem => ({
  change: opposites[change],
  first: second,
  second: first,
  differences: differences.map(({ field, first, second }) => ({ field, first: second, second: first })),
})

/** True if `first` comes after `second` in a fixed order of lists of roots; false if the lists are equal. */
function comesAfter(first: readonly Root[], second: readonly Root[]): boolean {
  if (first.length !== second.length) return first.length > second.length
  const textOf = ({ keys, items }: Root) => JSON.stringify([keys, items.map(({ facts }) => facts)])
  for (const [at, root] of first.entries()) {
    const [text, other] = [textOf(root), textOf(second[at] as Root)]
    if (text !== other) return text > other
  }
  return false
}
