import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { patchesOf, planted } from './bug.ts'
import { bugs } from './bugs.ts'

test.each(bugs)('the planted bug $name still fits $file', (bug) => {
  for (const patch of patchesOf(bug)) {
    // Another test of the same worker may have changed the working directory.
    const text = readFileSync(new URL(`../../../${patch.file}`, import.meta.url), 'utf8')

    expect(planted(patch, text)).not.toBe(undefined)
    expect(planted(patch, text)).not.toBe(text)
  }
})

test('there are more than fifty, each with a different name', () => {
  expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length)
  expect(bugs.length).toBeGreaterThanOrEqual(50)
})
