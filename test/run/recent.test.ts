import { expect, it } from 'vitest'
import { RecentMap, RecentSet } from '../../src/run/recent.ts'

it('a RecentMap forgets the entry that was set longest ago', () => {
  const map = new RecentMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})

it('a RecentSet forgets the member that was added longest ago', () => {
  const set = new RecentSet(2, ['x', 'a', 'b'])
  expect([...set]).toEqual(['a', 'b'])
  set.add('a').add('c')
  expect([...set]).toEqual(['a', 'c'])
  set.delete('a')
  expect(set.has('a')).toBe(false)
})
