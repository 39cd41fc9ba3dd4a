import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { longestCommon, pairsOf } from '../../../emulator/comparison/alignment.ts'
import { type ComparedItem, compareTimelines } from '../../../emulator/comparison/compare.ts'
import type { Item, Root } from '../../../emulator/comparison/roots.ts'

const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 60 })

/** Length of a longest common subsequence, by the table that textbooks use. */
function longest(first: readonly string[], second: readonly string[]): number {
  let row: number[] = new Array(second.length + 1).fill(0)
  for (const key of first) {
    const next = [0]
    for (const [at, other] of second.entries()) {
      next.push(key === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

describe('the alignment of two lists', () => {
  it('is a longest common subsequence', () => {
    fc.assert(
      fc.property(keys, keys, (first, second) => {
        const pairs = longestCommon(first, second)
        expect(pairs.length).toBe(longest(first, second))
        expect(pairs.every(([at, there]) => first[at] === second[there])).toBe(true)
        expect(
          pairs.slice(1).every(([at, there], n) => at > (pairs[n]?.[0] ?? 0) && there > (pairs[n]?.[1] ?? 0)),
        ).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('gives the second list if what is not paired is removed and added', () => {
    fc.assert(
      fc.property(keys, keys, (first, second) => {
        const pairs = longestCommon(first, second)
        const [kept, there] = [new Set(pairs.map(([at]) => at)), new Set(pairs.map(([, at]) => at))]
        const remaining = first.filter((_, at) => kept.has(at))
        const applied = second.map((key, at) => (there.has(at) ? (remaining.shift() ?? '') : key))
        expect(applied).toEqual(second)
        expect(remaining).toEqual([])
      }),
    )
  })

  it('pairs every key that both lists have, wherever it is, and no null', () => {
    const count = (list: readonly string[], key: string) => list.filter((one) => one === key).length
    fc.assert(
      fc.property(keys, keys, (first, second) => {
        const common = [...new Set(first)].map((key) => Math.min(count(first, key), count(second, key)))
        expect(pairsOf(first, second)).toHaveLength(common.reduce((sum, one) => sum + one, 0))
        expect(pairsOf([...first, null], [null, ...second])).toHaveLength(common.reduce((sum, one) => sum + one, 0))
      }),
    )
  })

  it.each([
    ['reversed', (at: number) => 9999 - at],
    ['of few keys', (at: number) => (at * 7919) % 50],
    ['all different', (at: number) => at + 10_000],
  ])('of 10,000 keys, %s, takes less than two seconds', (_, there) => {
    const first = Array.from({ length: 10_000 }, (_, at) => String(at % 10_000))
    const second = Array.from({ length: 10_000 }, (_, at) => String(there(at)))
    const start = performance.now()
    pairsOf(first, second)
    expect(performance.now() - start).toBeLessThan(2000)
  })
})

/** A root with one item; keys and facts come from small sets, so that many are equal. */
const root = fc
  .record({
    key: fc.integer({ min: 0, max: 6 }),
    status: fc.constantFrom('200', '201'),
    id: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ key, status, id }): Root => {
    const what = `GET /${key} 01900000-0000-7000-8000-00000000000${id}`
    const happening = { time: 0, rank: 0, kind: 'request', cause: what, what } as const
    const item: Item = { happening, facts: { what, status }, paymentId: null }
    return {
      keys: [`request ${key} ${id}`, null, `request ${key}`, `request ${key % 3}`, null],
      madePayment: null,
      isRequest: true,
      items: [item],
    }
  })
const roots = fc.array(root, { maxLength: 20 })

/** Compares two lists of roots, without known ids and keys. */
const compareRoots = (first: readonly Root[], second: readonly Root[]) =>
  compareTimelines({ roots: first, ids: [], keys: [] }, { roots: second, ids: [], keys: [] })

const textOf = (items: readonly ComparedItem[]) =>
  items
    .map(({ change, first, second, differences }) => JSON.stringify([change, first?.facts, second?.facts, differences]))
    .sort()

describe('a comparison', () => {
  it('of a list with itself finds all the same', () => {
    fc.assert(
      fc.property(roots, (list) => {
        expect(compareRoots(list, list).every(({ change }) => change === 'same')).toBe(true)
      }),
    )
  })

  it('of exchanged lists is exchanged', () => {
    fc.assert(
      fc.property(roots, roots, (first, second) => {
        const back = compareRoots(second, first).map(({ change, first, second, differences }) => ({
          change: ({ added: 'removed', removed: 'added', same: 'same', changed: 'changed' } as const)[change],
          first: second,
          second: first,
          differences: differences.map(({ field, first, second }) => ({ field, first: second, second: first })),
        }))
        expect(textOf(back)).toEqual(textOf(compareRoots(first, second)))
      }),
      { numRuns: 300 },
    )
  })

  it('has every item of both lists once, so that its changes lead from one to the other', () => {
    fc.assert(
      fc.property(roots, roots, (first, second) => {
        const items = compareRoots(first, second)
        const count = (list: readonly (Item | null)[]) => list.filter((item) => item !== null)
        expect(new Set(count(items.map(({ first }) => first)))).toEqual(new Set(first.flatMap(({ items }) => items)))
        expect(new Set(count(items.map(({ second }) => second)))).toEqual(new Set(second.flatMap(({ items }) => items)))
        for (const { change, first, second, differences } of items) {
          expect([change === 'added', change === 'removed']).toEqual([first === null, second === null])
          expect(change === 'changed').toBe(differences.length > 0)
        }
      }),
    )
  })
})
