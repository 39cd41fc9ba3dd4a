import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { label, type TerminalStyle } from '../../src/output/card.ts'
import { detail, field, iban, id, money, status, time, words } from '../../src/output/columns.ts'
import { drawTable } from '../../src/output/draw_table.ts'
import { columnsFor } from '../../src/output/format.ts'
import type { Column } from '../../src/output/output.ts'
import { table } from '../../src/output/table.ts'
import { cutTo } from '../../src/run/cell_lines.ts'
import { loadPaint, marksFor, plain } from '../../src/run/style.ts'
import { growth, linear, longTexts } from './growth.ts'
import { hostileText, unseen } from './hostile_text.ts'
import { rendered } from './rendered.ts'

const marks = marksFor({ LANG: 'es_CR.UTF-8' })

const look = (width: number): TerminalStyle => ({ paint: plain, marks, width })

interface Row {
  readonly id: string
  readonly payee: string
  readonly amount: string
}

const columns: readonly Column<Row>[] = [
  field('id', ({ id }) => id),
  field('payee_name', ({ payee }) => payee),
  { ...field('amount', ({ amount }: Row) => amount), align: 'right', uncut: true },
]
const rows: readonly Row[] = [
  { id: 'aaaaaaaaaaaa', payee: 'María Fernández Rojas de la O', amount: '1.00 CRC' },
  { id: 'bbbbbbbbbbbb', payee: '日本', amount: '100,000.00 CRC' },
]

describe('a table', () => {
  it('aligns its columns, amounts to the right', async () => {
    expect(await rendered(table(look(Number.POSITIVE_INFINITY)), rows, columns)).toBe(
      [
        'ID            PAYEE NAME                             AMOUNT',
        'aaaaaaaaaaaa  María Fernández Rojas de la O        1.00 CRC',
        'bbbbbbbbbbbb  日本                           100,000.00 CRC\n',
      ].join('\n'),
    )
  })

  it('cuts words, and only words, to fit the terminal', async () => {
    expect(await rendered(table(look(45)), rows, columns)).toBe(
      [
        'ID            PAYEE NAME               AMOUNT',
        'aaaaaaaaaaaa  María Fernánde…        1.00 CRC',
        'bbbbbbbbbbbb  日本             100,000.00 CRC\n',
      ].join('\n'),
    )
  })

  it('cuts a heading that is longer than its column', async () => {
    const long = columns.map((column) => ({ ...column, heading: `${label(column.name)} in full` }))
    expect(await rendered(table(look(45)), rows, long)).toBe(
      [
        'ID IN FULL    PAYEE NAME IN …  AMOUNT IN FULL',
        'aaaaaaaaaaaa  María Fernánde…        1.00 CRC',
        'bbbbbbbbbbbb  日本             100,000.00 CRC\n',
      ].join('\n'),
    )
  })

  it('leaves out columns and says which, never the amount', async () => {
    const left: string[] = []
    const onLeftOut = (names: readonly string[]) => void left.push(...names)
    let text = ''
    for await (const part of table(look(34)).rows(rows, columns, { onLeftOut })) text += part
    expect(text).toBe(
      ['ID                    AMOUNT', 'aaaaaaaaaaaa        1.00 CRC', 'bbbbbbbbbbbb  100,000.00 CRC\n'].join('\n'),
    )
    expect(left).toEqual(['payee name'])
  })

  it('shows spare columns on a wide terminal, if names are then not cut', async () => {
    const spare = [...columns, { ...field('note', ({ id: note }: Row) => note), spare: true as const }]
    const lines = async (width: number) => (await rendered(table(look(width)), rows, spare)).split('\n')
    expect((await lines(120))[0]).toMatch(/AMOUNT +NOTE$/)
    for (const width of [80, Number.POSITIVE_INFINITY]) expect((await lines(width))[0]).toMatch(/AMOUNT$/)
    const long = rows.map((row) => ({ ...row, payee: 'a name of 20 letters '.repeat(5) }))
    const left: string[] = []
    for await (const part of table(look(120)).rows(long, spare, { onLeftOut: (names) => void left.push(...names) })) {
      expect(part).toContain('a name of 20 letters a name of 20')
    }
    expect(left).toEqual([])
  })

  it('becomes a listing where not even the amounts fit', async () => {
    expect(await rendered(table(look(26)), rows, columns)).toBe(
      [
        '  Id          aaaaaaaaaaaa',
        '  Payee name  María Fernández Rojas de la O',
        '  Amount      1.00 CRC',
        '',
        '  Id          bbbbbbbbbbbb',
        '  Payee name  日本',
        '  Amount      100,000.00 CRC\n',
      ].join('\n'),
    )
  })

  it('of nothing is nothing', async () => {
    expect(await rendered(table(look(80)), [], columns)).toBe('')
  })

  it('has one heading however long it is, and never more than 100 rows in hand', async () => {
    let taken = 0
    let written = 0
    const many = async function* () {
      for (; taken < 1000; taken++) yield { id: String(taken), payee: 'Ana Mora', amount: '1' }
    }
    for await (const text of table(look(80)).rows(many(), columns)) {
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
    for await (const text of table(look(80)).rows(slow(), columns)) {
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
      for await (const part of table(look(80)).rows(failing(), columns)) text += part
    }
    await expect(all()).rejects.toThrow('The service is gone.')
    expect(text.match(/^(a+|b+) {2}/gm)).toHaveLength(2)
  })

  it('never holds what cannot be seen, not even in its heading', async () => {
    const row = fc.record({ id: fc.constant('id'), payee: hostileText, amount: fc.constant('1.00') })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), async (list) => {
        const text = await rendered(table(look(60)), list, columns)
        expect(text.replaceAll('\n', '')).not.toMatch(unseen)
      }),
    )
    const named = [field('\u001b[2Jna\u{e0041}me', ({ id }: Row) => id)]
    const text = (await rendered(table(look(60)), rows, named)) + table(look(60)).record(rows[0] as Row, named)
    expect(text.replaceAll('\n', '')).not.toMatch(unseen)
  })

  it('leaves details to the card of one record and to -o wide', async () => {
    const both = [field('id', ({ id }: Row) => id), detail('payee', ({ payee }: Row) => payee)]
    const shown = (format: 'table' | 'wide') => columnsFor(both, { format }).columns
    expect(await rendered(table(look(80)), rows.slice(0, 1), shown('table'))).toBe('ID\naaaaaaaaaaaa\n')
    expect(await rendered(table(look(80)), rows.slice(0, 1), shown('wide'))).toContain('PAYEE')
    expect(table(look(80)).record(rows[0] as Row, both)).toBe(
      '  Id     aaaaaaaaaaaa\n  Payee  María Fernández Rojas de la O\n',
    )
  })
})

describe('a table whose rows come one after the other', () => {
  interface Payment {
    readonly id: string
    readonly payee: string
    readonly iban: string
    readonly status: string
    readonly amount: { readonly value: number; readonly currency: 'CRC'; readonly formatted: string }
  }

  const paymentColumns: readonly Column<Payment>[] = [
    id('id', (payment) => payment.id),
    status('status', (payment) => payment.status),
    money('amount', (payment) => payment.amount),
    words('payee', (payment) => payment.payee),
    iban('iban', (payment) => payment.iban),
  ]
  const crc = (value: number) => ({ value, currency: 'CRC' as const, formatted: '' })
  const uuid = (last: number) => `019a2e5c-7b1d-7c3e-9f4a-${String(last).padStart(12, '0')}`
  const payments: readonly Payment[] = [
    { id: '12', status: 'x', amount: crc(1), payee: 'Al', iban: '' },
    { id: uuid(1), status: 'pending', amount: crc(500_000_000), payee: 'Ana', iban: 'CR05015202001026284066' },
    { id: uuid(2), status: 'service_unavailable', amount: crc(100), payee: 'María Fernández Rojas', iban: '' },
    { id: uuid(3), status: 'failed', amount: crc(-9_900_000_000_000), payee: '日本語の名前はここに', iban: '' },
  ]

  /** Prints a list whose rows arrive one by one, each when the rows before it have been printed. */
  async function printed(list: readonly Payment[], width: number): Promise<string> {
    let text = ''
    let print = () => {}
    const slow = async function* () {
      for (const payment of list) {
        yield payment
        await new Promise<void>((resolve) => (print = resolve))
      }
    }
    for await (const part of table(look(width)).rows(slow(), paymentColumns)) {
      text += part
      print()
    }
    return text
  }

  it('puts all of them under its heading, whatever comes later', async () => {
    expect(await printed(payments, 120)).toBe(
      `${[
        'ID                                    STATUS                 AMOUNT  PAYEE                        IBAN',
        '12                                    x                    0.01 CRC  Al',
        `${uuid(1)}  pending      5,000,000.00 CRC  Ana                          CR05015202001026284066`,
        `${uuid(2)}  service_un           1.00 CRC  María Fernández Rojas`,
        '                                      available',
        `${uuid(3)}  failed      -99,000,000,000.0  日本語の名前はここに`,
        '0 CRC'.padStart(67),
      ].join('\n')}\n`,
    )
  })

  it('cuts nothing without a terminal', async () => {
    const long = {
      id: uuid(1),
      status: 'failed',
      amount: crc(1),
      payee: 'María Fernández Rojas de la O Quesada',
      iban: '',
    }
    expect(await printed([...payments.slice(0, 1), long], Number.POSITIVE_INFINITY)).toContain(
      `María Fernández Rojas de la O\n${' '.repeat(69)}Quesada\n`,
    )
  })

  it.each([40, 80, 102, 103, 140])('has one shape from the first row to the last, on %i columns', async (width) => {
    const text = await printed(payments, width)
    const isListing = width < 55
    expect(text.match(/^ {2}Id {6}\S/gm) ?? []).toHaveLength(isListing ? payments.length : 0)
    expect(text.match(/^ID /gm) ?? []).toHaveLength(isListing ? 0 : 1)
    if (!isListing) expect(Math.max(...text.split('\n').map((line) => stringWidth(line)))).toBeLessThanOrEqual(width)
  })

  it('is as wide as its rows need where it knows them all', async () => {
    const quick = async function* () {
      yield* payments.slice(0, 1)
    }
    const expected = 'ID  STATUS    AMOUNT  PAYEE  IBAN\n12  x       0.01 CRC  Al\n'
    expect(await rendered(table(look(140)), quick(), paymentColumns)).toBe(expected)
    const many = [...Array(150).fill(payments[0]), payments[1]]
    const lines = (await rendered(table(look(140)), many, paymentColumns)).split('\n')
    expect(lines[1]?.indexOf('Al')).toBe(lines[151]?.indexOf('Ana'))
  })
})

describe('drawing lines of cells', () => {
  const layout = (widths: readonly number[]) => ({
    columns: widths.map((_, at) => ({
      ...field(String(at), () => ''),
      ...(at % 2 === 1 && { align: 'right' as const }),
    })),
    widths,
    isCut: widths.map(() => true),
  })

  it('pads each cell to its column, by the widths that cut it', async () => {
    const unit = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      fc.constantFrom('👩‍👩‍👧‍👦', '🇨🇷', '\u1100\u1161\u11a8', 'ﾎﾞ', 'क्ष', '日', '❤️', 'e\u0301\u0302'),
    )
    const text = fc.string({ unit, maxLength: 12 }).map((drawn) => drawn.replace(/[\p{Cc}\u2028\u2029]/gu, ''))
    const tables = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }).chain((widths) =>
      fc.record({
        widths: fc.constant(widths),
        lines: fc.array(fc.tuple(...widths.map((width) => text.map((drawn) => cutTo(drawn, width)))), {
          minLength: 1,
          maxLength: 20,
        }),
      }),
    )
    fc.assert(
      fc.property(tables, ({ widths, lines }) => {
        const expected = lines.map((cells) =>
          cells
            .map((cell, at) => [cell, ' '.repeat((widths[at] ?? 0) - stringWidth(cell))])
            .map((parts, at) => (at % 2 === 1 ? parts.reverse() : parts).join(''))
            .join('  ')
            .trimEnd(),
        )
        expect(drawTable(lines, layout(widths))).toEqual(expected)
      }),
    )
  })

  it.each([
    ['accents', 'e\u0301'],
    ['as many marks as a cell can hold', `e${'\u0301'.repeat(15)}`],
    ['families', '👩‍👩‍👧‍👦'],
  ])('takes no longer than its cells are wide: %s', async (_, letter) => {
    const draw = (size: number) => drawTable([[letter.repeat(size)]], layout([size * 2]))
    expect(await growth(draw, 100)).toBeLessThan(linear)
  })
})

describe('a table of long cells', () => {
  it.each(longTexts)('takes no longer than they are long: %s', async (_, make) => {
    const show = async (size: number) => {
      const row = { id: '1', payee: make(size), amount: '1' }
      for (const width of [80, Number.POSITIVE_INFINITY]) {
        await rendered(table(look(width)), [row, { ...row, payee: 'b' }], columns)
        table(look(width)).record(row, columns)
      }
    }
    expect(await growth(show, 4_000)).toBeLessThan(linear)
  })

  it('takes no longer than it has columns', async () => {
    const show = async (size: number) => {
      const many = Array.from({ length: size }, (_, at) => field(`c${at}`, () => 'a b'))
      for (const width of [80, Number.POSITIVE_INFINITY]) await rendered(table(look(width)), [0, 0], many)
    }
    expect(await growth(show, 100)).toBeLessThan(linear)
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
    const text = await rendered(table({ ...look(80), paint }), list, coloured)
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
