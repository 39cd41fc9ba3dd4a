import { clearTimeout, setTimeout } from '../real_time.ts'
import { printable } from '../run/sanitise.ts'
import { Text, type Translate } from '../words/text.ts'
import type { Column, Layout } from './output.ts'

export type Rows<Row> = AsyncIterable<Row> | Iterable<Row>

/** Parts of a list's layout that only output for people shows. */
export interface ListExtras<Row> extends Pick<Layout<Row>, 'group' | 'below' | 'card' | 'isCards'> {
  /** Called with the columns for which a terminal has no room. */
  readonly onLeftOut?: (names: readonly string[]) => void
}

/** Renders results in one format, as text or bytes. */
export interface Renderer {
  record<Row>(data: Row, columns: readonly Column<Row>[], card?: Layout<Row>['card']): string
  /** Yields text as rows arrive, and keeps a bounded number of rows in memory. */
  rows<Row>(rows: Rows<Row>, columns: readonly Column<Row>[], extras?: ListExtras<Row>): AsyncIterable<string>
  /** Bytes of all rows, or of one record, for binary formats. */
  bytes?<Row>(rows: Rows<Row>, columns: readonly Column<Row>[]): Promise<Uint8Array>
  /** Text of the whole answer, for formats that print the answer instead of its rows. */
  whole?(data: unknown): string
}

/** Text for machines. */
export const dataOf = <Row>({ data }: Column<Row>, row: Row): string => stringOf(data(row))

/** Text for people, on one line. */
export const textOf = <Row>({ data, text }: Column<Row>, row: Row, translate: Translate): string => {
  const shown = text ? text(row) : data(row)
  return printable(shown instanceof Text ? translate(shown) : stringOf(shown))
}

/** A value as a string; empty if the value is missing. */
const stringOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')

/** Milliseconds to wait for another row before the available rows are rendered. */
const slowRowMs = 50

/** Rows to render together. */
interface Batch<Row> {
  readonly rows: readonly Row[]
  /** True for the last rows. */
  readonly isLast: boolean
}

/** Groups at most `size` rows, fewer if the next row is slow or fails. */
export async function* batches<Row>(rows: Rows<Row>, size: number): AsyncGenerator<Batch<Row>, void, undefined> {
  const source = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  const batch: Row[] = []
  const take = (isLast: boolean): Batch<Row> => ({ rows: batch.splice(0), isLast })
  try {
    while (true) {
      const next = Promise.resolve(source.next())
      if (batch.length > 0 && (await isSlow(next))) yield take(false)
      const { done, value } = await next
      if (done) break
      if (batch.length === size) yield take(false)
      batch.push(value)
    }
    if (batch.length > 0) yield take(true)
  } catch (error) {
    if (batch.length > 0) yield take(true)
    throw error
  } finally {
    // Does not await the iterator's `return`: it would wait for a slow row that is no longer needed.
    Promise.resolve(source.return?.()).catch(() => {})
  }
}

async function isSlow(next: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(resolve, slowRowMs, true)
  })
  const settled = next.then(
    () => false as const,
    () => false as const,
  )
  try {
    return await Promise.race([settled, late])
  } finally {
    clearTimeout(timer)
  }
}
