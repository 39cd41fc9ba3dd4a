import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decode } from '../../src/client/decode.ts'
import { Payment } from '../../src/contract/index.ts'
import { field, money } from '../../src/output/columns.ts'
import { csv, excelCsv } from '../../src/output/spreadsheet_formats.ts'
import { tsv } from '../../src/output/text_formats.ts'
import { printable, printableLines } from '../../src/run/sanitise.ts'
import { hostileText } from './hostile_text.ts'
import { rendered } from './rendered.ts'

type Cells = readonly [string, string]

const columns = [field('a', (row: Cells) => row[0]), field('b', (row: Cells) => row[1])]
const rows = fc.array(fc.tuple(hostileText, hostileText), { maxLength: 5 })

/** True if a spreadsheet could read a cell as a formula, whatever characters it skips first. */
function couldRun(cell: string): boolean {
  if (/^[+-]?\d+([.,]\d+)?$/.test(cell)) return false
  const first = Array.from(cell).find((character) => /[^\s\p{Z}\p{C}"]/u.test(character))
  return first !== undefined && '=+-@\u2212'.includes(first.normalize('NFKC').charAt(0))
}

const unmarked = (text: string) => text.replaceAll("'", '')

/** True if a cell shows a text, with or without the apostrophe before a formula. */
const isText = (cell: string, text: string) => cell === text || unmarked(cell) === unmarked(text)

/** Parses CSV as in RFC 4180, but with bare line feeds between records. */
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

/** Line ends that common readers recognise. */
const lineEnd = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

describe('csv', () => {
  it('is read back as it was written, without control characters', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (list) => {
        const [head, ...read] = parseCsv(await rendered(csv, list, columns))
        expect(head).toEqual(['a', 'b'])
        const expected = list.map((row) => row.map(printableLines))
        expect(read.map((row, at) => row.map((cell, n) => isText(cell, expected[at]?.[n] ?? '')))).toEqual(
          list.map((row) => row.map(() => true)),
        )
        expect(read.flat().filter(couldRun)).toEqual([])
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
        const lines = (await rendered(tsv, list, columns)).split(lineEnd)
        expect(lines[0]).toBe('a\tb')
        expect(lines.at(-1)).toBe('')
        const read = lines.slice(1, -1).map((line) => line.split('\t'))
        expect(read.map((cells, at) => cells.map((cell, n) => isText(cell, printable(list[at]?.[n] ?? ''))))).toEqual(
          list.map((row) => row.map(() => true)),
        )
        expect(read.flat().filter(couldRun)).toEqual([])
      }),
    )
  })

  it('of one record is a heading and a line', () => {
    expect(tsv.record(['x', 'y'], columns)).toBe('a\tb\nx\ty\n')
  })
})

describe('a row', () => {
  it.each(['\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f', '\t'])(
    'of tsv is not broken by %j',
    (character) => {
      expect(tsv.record([`a${character}b`, 'c'], columns)).toMatch(/^a\tb\na ?b\tc\n$/)
    },
  )

  it.each(['\t=1', '\r=1', '\n=1', '\r1'])('of csv that begins with a line end or a tab is text: %j', (text) => {
    expect(parseCsv(csv.record([text, ''], columns))[1]?.[0]).toMatch(/^'/)
  })

  it.each([
    [{ a: 1 }, '{"a":1}'],
    [['x'], '["x"]'],
    [true, 'true'],
    [Number.NaN, 'NaN'],
  ])('shows a value of another type than promised: %j', (value, cell) => {
    expect(tsv.record([value as unknown as string, ''], columns)).toBe(`a\tb\n${cell}\t\n`)
  })

  it('leaves empty what a server left out', () => {
    const deep = [field('name', (row: Payment) => row.payee.name), money('fee', (row: Payment) => row.fee)]
    const read = (sent: unknown) => decode(sent, Payment).data as Payment
    expect(tsv.record(read(null), deep)).toBe('name\tfee\n\t\n')
    expect(tsv.record(read({ payee: null, fee: { value: '12.5' } }), deep)).toBe('name\tfee\n\t\n')
  })
})

describe('formulas', () => {
  /** Cells that Excel would read with another separator: a quote opens a field only at its beginning. */
  function cellsOf(text: string, separator: string): string[] {
    const ends = separator === '\t' ? '\\t\\n' : `${separator}\\n`
    const cell = new RegExp(`(?:"((?:[^"]|"")*)(?:"|$)([^${ends}]*)|([^${ends}]*))(?:[${ends}]|$)`, 'y')
    const cells: string[] = []
    while (cell.lastIndex < text.length) {
      const [, quoted, rest = '', bare = ''] = cell.exec(text) ?? []
      cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"') + rest)
    }
    return cells
  }

  const writers = [
    ['csv', csv],
    ['tsv', tsv],
    ['csv for Excel in Spanish', excelCsv('es-CR')],
    ['csv for Excel in English', excelCsv('en-US')],
  ] as const

  it.each(writers)('are text wherever a program splits the line: %s', async (_, writer) => {
    const joined = fc
      .array(fc.oneof(hostileText, fc.constantFrom(',', ';', '\t', '|', '\n', '"', ' ', '=1', '+a', '-b', '@c')))
      .map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(fc.tuple(joined, joined), async (row) => {
        const text = (await rendered(writer, [row], columns)).replace(/^\ufeff/, '')
        for (const separator of [',', ';', '\t', '|']) {
          const isOurs = (cell: string) => /^="\d+"$/.test(cell)
          expect(cellsOf(text, separator).filter((cell) => couldRun(cell) && !isOurs(cell))).toEqual([])
        }
      }),
    )
  })

  it.each([
    [csv, 'Ana;=1+cmd|calc', "Ana;'=1+cmd|calc,"],
    [csv, 'Ana; "+cmd|calc', `"Ana;' ""+cmd|calc",`],
    [csv, '"a\n=1', `"""a\n'=1",`],
    [csv, 'a,=1', '"a,=1",'],
    [csv, 'Ana;-5;b', 'Ana;-5;b,'],
    [tsv, '"=1+1"', `'"=1+1"\t`],
    [tsv, 'Ana;=1', "Ana;'=1\t"],
    [excelCsv('es-CR'), 'Ana,=1', "Ana,'=1;"],
  ])('case %#: %s', (writer, text, cell) => {
    expect(
      writer
        .record([text, ''], columns)
        .replace(/^\ufeff?a[,;\t]b\r?\n/, '')
        .trimEnd(),
    ).toBe(cell.trimEnd())
  })

  it('in the name of a column are text too', () => {
    const named = [field('=1+1', (row: Cells) => row[0])]
    for (const [, writer] of writers) expect(writer.record(['', ''], named)).toMatch(/^\ufeff?'=1\+1\r?\n/)
  })

  it.each([
    ['=1+1', "'=1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-2+3', "'-2+3"],
    ['+x', "'+x"],
    ['\u001b=1+1', "'=1+1"],
    [' =1+1', "' =1+1"],
    ['\u00a0\u200b=1+1', "'\u00a0=1+1"],
    ['\t=1+1', "' =1+1"],
    ['\uff1d1+1', "'\uff1d1+1"],
    ['\uff0b1', "'\uff0b1"],
    ['\uff0d1', "'\uff0d1"],
    ['\uff20SUM(A1)', "'\uff20SUM(A1)"],
    ['-1|calc', "'-1|calc"],
    ['=\u0338', "'=\u0338"],
    ['+\u0301', "'+\u0301"],
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
