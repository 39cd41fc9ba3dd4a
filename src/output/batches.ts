import { clearTimeout, setTimeout } from '../real_time.ts'
import type { Rows } from './renderer.ts'

/** Milliseconds to wait for another row before the available ones are shown. */
const slowRowMs = 50

/** Rows to show together. */
export interface Batch<Row> {
  readonly rows: readonly Row[]
  /** True for the last rows. */
  readonly isLast: boolean
}

/** Groups at most `size` rows, fewer if the next one is slow or fails. */
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
    // Not awaited: it would wait for a slow row that is no longer needed.
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
