import type { Money } from '../client/received.ts'
import { moneyText } from '../contract/money.ts'
import { decimal } from '../money/decimal.ts'
import type { Tone } from '../run/colour.ts'
import { clockTime, localTime } from '../run/time.ts'
import type { Column, Mark } from './output.ts'

type Cell = string | number | boolean | null | undefined

/** A member's name is a field; with a dash before it one that the table of a list omits, but for `-o wide`. */
type Named<Row> = (keyof Row & string) | `-${keyof Row & string}`

/** Columns, each made by one of the functions below, or named as a member of the row. */
export const columnsOf = <Row>(...all: readonly (Named<Row> | Column<Row>)[]): readonly Column<Row>[] =>
  all.map((one) => {
    if (typeof one !== 'string') return one
    return (one.startsWith('-') ? detail(one.slice(1)) : field(one)) as Column<Row>
  })

/** Makes a column of the row's member of that name, or of what `data` returns. */
interface Maker<Value> {
  <const Name extends string>(name: Name): Column<{ readonly [K in Name]?: Value }>
  <Row>(name: string, data: (row: Row) => Value): Column<Row>
}

const maker = <Value>(make: <Row>(name: string, data: (row: Row) => Value) => Column<Row>): Maker<Value> =>
  ((name: string, data = (row: Readonly<Record<string, Value>>) => row[name] as Value) =>
    make(name, data)) as Maker<Value>

export const field = maker<Cell>((name, data) => ({ name, data }))

/** A field that the table of a list omits, but for `-o wide`. */
export const detail = maker<Cell>((name, data) => ({ name, data, detail: true }))

/** Names and sentences, which a narrow table cuts. */
export const words = maker<Cell>((name, data) => ({ name, data, width: 32 }))

/** Sentences that go on below where a terminal is narrow, broken between words. */
export const prose = maker<Cell>((name, data) => ({ name, data, width: 40, wraps: 'between words' }))

/** Nested data: JSON, for people with spaces where its lines can break. */
export const nested = maker<unknown>((name, data) => ({
  name,
  data: (row) => JSON.stringify(data(row)),
  text: (row) => (JSON.stringify(data(row), null, 1) ?? '').replace(/\n */g, ' '),
}))

/** An id: a UUID or a value of its length. */
export const id = maker<Cell>((name, data) => ({ name, data, width: 36, uncut: true }))

export const iban = maker<Cell>((name, data) => ({ name, data, width: 22, uncut: true }))

/** An ISO time; local time for people. */
export const time = maker<string | null | undefined>((name, data) => ({
  name,
  data,
  text: (row) => localTime(data(row)),
  width: '2026-01-05 12:00:00'.length,
  uncut: true,
  isTime: true,
}))

/** The local time of a day that a heading above the rows tells. */
export const clock = <Row>(name: string, data: (row: Row) => string | null | undefined): Column<Row> => ({
  name,
  heading: '',
  data,
  text: (row) => clockTime(data(row) ?? '').slice(0, '12:00'.length),
  width: '12:00'.length,
  uncut: true,
})

/** Cells of the largest payment, with its sign. */
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
  width: 'processing'.length,
  uncut: true,
  tone(row) {
    const text = data(row) ?? ''
    return Object.hasOwn(statusTones, text) ? statusTones[text] : undefined
  },
}))

/** A status as a sign, where a table has no room for the word. */
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
