import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { planted } from './bug.ts'
import { bugs } from './bugs.ts'

test.each(bugs)('the planted bug $name still fits $file', (bug) => {
  const text = readFileSync(bug.file, 'utf8')

  expect(planted(bug, text)).not.toBe(undefined)
  expect(planted(bug, text)).not.toBe(text)
})

test('there are more than fifty, each with a name of its own', () => {
  expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length)
  expect(bugs.length).toBeGreaterThanOrEqual(50)
})
