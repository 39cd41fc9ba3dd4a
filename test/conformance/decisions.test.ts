import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/reference/decisions.md'), 'utf8')

const rows = page
  .split('\n')
  .map((line) => line.split(' | '))
  .filter(([first]) => /^\| \d+$/.test(first ?? ''))
  .map((cells) => ({ number: Number(cells[0]?.slice(2)), proof: cells.at(-1) ?? '' }))

const named = rows.flatMap(({ number, proof }) =>
  [...proof.matchAll(/`(test\/[^`]+)`: “([^”]+)”/g)].map(([, file = '', title = '']) => ({ number, file, title })),
)

describe('docs/reference/decisions.md', () => {
  test('has a row for each decision, numbered through', () => {
    expect(rows.length).toBeGreaterThanOrEqual(40)
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, at) => at + 1))
  })

  test('names a test for every row', () => {
    const proven = new Set(named.map(({ number }) => number))

    expect(rows.map(({ number }) => number).filter((number) => !proven.has(number))).toEqual([])
  })

  test.each(named)('row $number: $file has “$title”', ({ file, title }) => {
    expect(existsSync(join(root, file))).toBe(true)
    expect(readFileSync(join(root, file), 'utf8')).toContain(`'${title}'`)
  })
})
