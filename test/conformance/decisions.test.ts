import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { proofs, root, rows } from './decisions.ts'

describe('docs/decisions/emulator.md', () => {
  test('has a row for each decision, numbered through', () => {
    expect(rows.length).toBeGreaterThanOrEqual(40)
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, at) => at + 1))
  })

  test('names a test for every row', () => {
    const proven = new Set(proofs.map(({ number }) => number))

    expect(rows.map(({ number }) => number).filter((number) => !proven.has(number))).toEqual([])
  })

  test.each(proofs)('row $number: $file has “$title”', ({ file, title }) => {
    expect(existsSync(join(root, file))).toBe(true)
    expect(readFileSync(join(root, file), 'utf8')).toContain(`'${title}'`)
  })
})
