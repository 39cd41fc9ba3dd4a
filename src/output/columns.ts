import type { Money } from '../client/received.ts'
import { decimal, moneyText } from '../contract/money.ts'
import type { Tone } from '../run/style.ts'
import { clockTime, localTime } from '../run/time.ts'
import { foreign } from '../words/text.ts'
import type { CellData, Column, Mark } from './output.ts'

/** Name of a row's member. With a dash before the name, a list's table omits the member, except with `-o wide`. */
type MemberName<Row> = (keyof Row & string) | `-${keyof Row & string}`

/** Columns, made by the functions below or named after members of the row. */
export const columnsOf = <Row>(...all: readonly (MemberName<Row> | Column<Row>)[]): readonly Column<Row>[] =>
  all.map((one) => {
    if (typeof one !== 'string') return one
    return (one.startsWith('-') ? detail(one.slice(1)) : field(one)) as Column<Row>
  })

/** Creates a column from the row's member with that name, or from the result of `data`. */
interface Maker<Value> {
  <const Name extends string>(name: Name): Column<{ readonly [K in Name]?: Value }>
  <Row>(name: string, data: (row: Row) => Value): Column<Row>
}

export const maker = <Value>(make: <Row>(name: string, data: (row: Row) => Value) => Column<Row>): Maker<Value> =>
  ((name: string, data = (row: Readonly<Record<string, Value>>) => row[name] as Value) =>
    make(name, data)) as Maker<Value>

export const field = maker<CellData>((name, data) => ({ name, data }))

/** A field that a list's table omits, except with `-o wide`. */
export const detail = maker<CellData>((name, data) => ({ name, data, detail: true }))

/** Names and sentences, which a narrow table cuts. */
export const words = maker<CellData>((name, data) => ({ name, data, width: 32 }))

/** Sentences that wrap between words on a narrow terminal. */
export const prose = maker<CellData>((name, data) => ({ name, data, width: 40, wraps: 'between words' }))

/** Nested data as JSON. For people it has spaces, so that lines can break. */
export const nested = maker<unknown>((name, data) => ({
  name,
  data: (row) => JSON.stringify(data(row)),
  text: (row) => (JSON.stringify(data(row), null, 1) ?? '').replace(/\n */g, ' '),
}))

/** An id: a UUID or a value of that length. */
export const id = maker<CellData>((name, data) => ({ name, data, width: 36, uncut: true }))

export const iban = maker<CellData>((name, data) => ({ name, data, width: 22, uncut: true }))

/** A time: ISO for machines, local time for people. */
export const time = maker<string | null | undefined>((name, data) => ({
  name,
  data,
  text: (row) => localTime(data(row)),
  width: '2026-01-05 12:00:00'.length,
  uncut: true,
  isTime: true,
}))

/** Local time of day; a heading above the rows gives the date. */
export const clock = <Row>(name: string, data: (row: Row) => string | null | undefined): Column<Row> => ({
  name,
  heading: '',
  data,
  text: (row) => clockTime(data(row) ?? '').slice(0, '12:00'.length),
  width: '12:00'.length,
  uncut: true,
})

/** Width of the largest payment in cells, with its sign. */
export const amountWidth = '-5,000,000.00 CRC'.length

/** Major units as an exact decimal for machines (`1500.25`), with its currency for people. */
export const money = maker<Money | null | undefined>((name, data) => ({
  name,
  data: (row) => {
    const amount = data(row)
    return amount ? decimal(amount.value) : null
  },
  text: (row) => moneyText(data(row)),
  isMoney: true,
  align: 'right',
  width: amountWidth,
  uncut: true,
}))

/** A coloured status of any resource. */
export const status = maker<string | null | undefined>((name, data) => ({
  name,
  data,
  text: (row) => foreign(data(row) ?? ''),
  width: 'processing'.length,
  uncut: true,
  tone(row) {
    const text = data(row) ?? ''
    return Object.hasOwn(statusTones, text) ? statusTones[text] : undefined
  },
}))

/** A status as a sign, for tables without room for the word. */
export const mark = <Row>(of: (row: Row) => Mark): Column<Row> => ({
  name: 'mark',
  heading: '',
  data: of,
  mark: of,
})

const statusTones: Readonly<Record<string, Tone>> = {
  active: 'good',
  completed: 'good',
  delivered: 'good',
  online: 'good',
  registered: 'good',
  pending: 'busy',
  processing: 'busy',
  partial: 'busy',
  inactive: 'dim',
  closed: 'dim',
  blocked: 'bad',
  failed: 'bad',
  timeout: 'bad',
  service_unavailable: 'bad',
  validation_failed: 'bad',
  system_error: 'bad',
  offline: 'bad',
  suspended: 'bad',
  exhausted: 'bad',
  not_found: 'bad',
}
