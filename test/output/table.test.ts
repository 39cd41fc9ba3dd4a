import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { loadPaint, plain } from '../../src/output/colour.ts'
import { detail, field, status, time } from '../../src/output/columns.ts'
import type { Column } from '../../src/output/output.ts'
import { table } from '../../src/output/table.ts'
import { hostileText, unseen } from './hostile_text.ts'
import { rendered } from './rendered.ts'

interface Row {
  readonly id: string
  readonly payee: string
  readonly amount: string
}

const columns: readonly Column<Row>[] = [
  field('id', ({ id }) => id),
  field('payee_name', ({ payee }) => payee),
  { ...field('amount', ({ amount }: Row) => amount), align: 'right' },
]
const rows: readonly Row[] = [
  { id: 'aaaaaaaaaaaa', payee: 'María Fernández Rojas de la O', amount: '1.00 CRC' },
  { id: 'bbbbbbbbbbbb', payee: '日本', amount: '100,000.00 CRC' },
]

describe('a table', () => {
  it('aligns its columns, amounts to the right', async () => {
    expect(await rendered(table(plain, Number.POSITIVE_INFINITY), rows, columns)).toBe(
      [
        'ID            PAYEE NAME                             AMOUNT',
        'aaaaaaaaaaaa  María Fernández Rojas de la O        1.00 CRC',
        'bbbbbbbbbbbb  日本                           100,000.00 CRC\n',
      ].join('\n'),
    )
  })

  it('cuts words, and only words, to fit the terminal', async () => {
    expect(await rendered(table(plain, 45), rows, columns)).toBe(
      [
        'ID            PAYEE NAME               AMOUNT',
        'aaaaaaaaaaaa  María Fernánde…        1.00 CRC',
        'bbbbbbbbbbbb  日本             100,000.00 CRC\n',
      ].join('\n'),
    )
  })

  it('becomes a listing where it can not fit', async () => {
    expect(await rendered(table(plain, 30), rows, columns)).toBe(
      [
        'id          aaaaaaaaaaaa',
        'payee name  María Fernández Rojas de la O',
        'amount      1.00 CRC',
        '',
        'id          bbbbbbbbbbbb',
        'payee name  日本',
        'amount      100,000.00 CRC\n',
      ].join('\n'),
    )
  })

  it('of nothing is nothing', async () => {
    expect(await rendered(table(plain, 80), [], columns)).toBe('')
  })

  it('has one heading however long it is, and never more than 100 rows in hand', async () => {
    let taken = 0
    let written = 0
    const many = async function* () {
      for (; taken < 1000; taken++) yield { id: String(taken), payee: 'Ana Mora', amount: '1' }
    }
    for await (const text of table(plain, 80).rows(many(), columns)) {
      written += text.split('\n').length - 1
      expect(taken - written).toBeLessThanOrEqual(100)
    }
    expect(written).toBe(1001)
  })

  it('shows rows that are at hand while others are slow to come, and can stop waiting', async () => {
    const never = new Promise<never>(() => {})
    const slow = async function* () {
      yield rows[0] as Row
      await never
    }
    for await (const text of table(plain, 80).rows(slow(), columns)) {
      expect(text).toContain('aaaaaaaaaaaa')
      break
    }
  })

  it('shows the rows before the one that could not be had', async () => {
    const failing = async function* () {
      yield* rows
      throw new Error('The service is gone.')
    }
    let text = ''
    const all = async () => {
      for await (const part of table(plain, 80).rows(failing(), columns)) text += part
    }
    await expect(all()).rejects.toThrow('The service is gone.')
    expect(text.match(/^(a+|b+) {2}/gm)).toHaveLength(2)
  })

  it('never holds what cannot be seen, not even in its heading', async () => {
    const row = fc.record({ id: fc.constant('id'), payee: hostileText, amount: fc.constant('1.00') })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), async (list) => {
        const text = await rendered(table(plain, 60), list, columns)
        expect(text.replaceAll('\n', '')).not.toMatch(unseen)
      }),
    )
    const named = [field('\u001b[2Jna\u{e0041}me', ({ id }: Row) => id)]
    const text = (await rendered(table(plain, 60), rows, named)) + table(plain, 60).record(rows[0] as Row, named)
    expect(text.replaceAll('\n', '')).not.toMatch(unseen)
  })

  it('leaves details to the listing of one record', async () => {
    const both = [field('id', ({ id }: Row) => id), detail('payee', ({ payee }: Row) => payee)]
    expect(await rendered(table(plain, 80), rows.slice(0, 1), both)).toBe('ID\naaaaaaaaaaaa\n')
    expect(table(plain, 80).record(rows[0] as Row, both)).toBe(
      'id     aaaaaaaaaaaa\npayee  María Fernández Rojas de la O\n',
    )
  })
})

describe('colour', () => {
  it('marks a status and keeps the columns aligned', async () => {
    const paint = await loadPaint(true)
    const coloured = [status('status', ({ id }: Row) => id), field('payee', ({ payee }: Row) => payee)]
    const list = [
      { id: 'completed', payee: 'a', amount: '' },
      { id: 'failed', payee: 'b', amount: '' },
    ]
    const text = await rendered(table(paint, 80), list, coloured)
    expect(text).toContain('\u001b[32mcompleted\u001b[39m  a\n')
    expect(text).toContain('\u001b[31mfailed\u001b[39m     b\n')
    const widths = text.split('\n').map((line) => stringWidth(line))
    expect(Math.max(...widths)).toBe('completed  PAYEE'.length)
  })
})

describe('a time', () => {
  it('is local for people and ISO for machines', () => {
    const column = time('at', (iso: string | null) => iso)
    const iso = '2026-01-05T18:00:00.000000Z'
    expect(column.data(iso)).toBe(iso)
    expect(column.text?.(iso)).toMatch(/^2026-01-0[456] \d\d:\d\d:00$/)
    expect([column.text?.(null), column.text?.('soon')]).toEqual(['', 'soon'])
  })
})
