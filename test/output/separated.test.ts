import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { field, money } from '../../src/output/columns.ts'
import { csv } from '../../src/output/csv.ts'
import { printable, printableLines } from '../../src/output/sanitise.ts'
import { tsv } from '../../src/output/tsv.ts'
import { hostileText } from './hostile_text.ts'
import { rendered } from './rendered.ts'

type Cells = readonly [string, string]

const columns = [field('a', (row: Cells) => row[0]), field('b', (row: Cells) => row[1])]
const rows = fc.array(fc.tuple(hostileText, hostileText), { maxLength: 5 })

/** What a spreadsheet would run comes back with an apostrophe before it. */
const inert = (text: string) => (/^[=+\-@]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text)

/** RFC 4180, with bare line feeds between records. */
function parseCsv(text: string): string[][] {
  const records: string[][] = []
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))([,\n])/g)) {
    const record = records.at(-1)
    const cell = quoted?.replaceAll('""', '"') ?? bare ?? ''
    if (!record || record.at(-1) === '\n') records.push([cell])
    else record[record.length - 1] = cell
    records.at(-1)?.push(end === '\n' ? '\n' : '')
  }
  return records.map((record) => record.slice(0, -1))
}

describe('csv', () => {
  it('is read back as it was written, less control characters', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (list) => {
        const expected = list.map((row) => row.map((cell) => inert(printableLines(cell))))
        expect(parseCsv(await rendered(csv, list, columns))).toEqual([['a', 'b'], ...expected])
      }),
    )
  })

  it('quotes separators, quotes and line ends', () => {
    expect(csv.record(['a,"b"', 'c\nd'], columns)).toBe('a,b\n"a,""b""","c\nd"\n')
  })
})

describe('tsv', () => {
  it('has one line for each row and one tab between two cells', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (list) => {
        const expected = list.map((row) => row.map((cell) => inert(printable(cell))).join('\t'))
        expect(await rendered(tsv, list, columns)).toBe(['a\tb', ...expected, ''].join('\n'))
      }),
    )
  })

  it('of one record is a heading and a line', () => {
    expect(tsv.record(['x', 'y'], columns)).toBe('a\tb\nx\ty\n')
  })
})

describe('formulas', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-2+3', "'-2+3"],
    ['+x', "'+x"],
    ['\u001b=1+1', "'=1+1"],
  ])('%s is made text', (text, cell) => {
    expect(tsv.record([text, ''], columns)).toBe(`a\tb\n${cell}\t\n`)
  })

  it.each(['-5.00', '+50688887777', '1500', 'a=b'])('%s stays as it is', (text) => {
    expect(tsv.record([text, ''], columns)).toBe(`a\tb\n${text}\t\n`)
  })

  it('an amount is a plain number of major units', () => {
    const amount = money('amount', (value: number) => ({ value, currency: 'CRC', formatted: '' }))
    expect([5, -5, 150_025, -123_456_789].map((value) => amount.data(value))).toEqual([
      '0.05',
      '-0.05',
      '1500.25',
      '-1234567.89',
    ])
  })
})
