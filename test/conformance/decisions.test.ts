import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/reference/decisions.md'), 'utf8')

interface Row {
  readonly number: number
  readonly proof: string
}

const rows: readonly Row[] = page
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

  test('names a test for every row, or says that it is not built yet', () => {
    const bare = rows.filter(({ number, proof }) => {
      const proven = named.some((each) => each.number === number)
      return proven === proof.includes('not built yet')
    })

    expect(bare).toEqual([])
  })

  test.each(named)('row $number: $file has “$title”', ({ file, title }) => {
    expect(existsSync(join(root, file))).toBe(true)
    expect(readFileSync(join(root, file), 'utf8')).toContain(`'${title}'`)
  })
})
