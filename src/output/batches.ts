import type { Rows } from './renderer.ts'

/** How long to wait for another row before showing those at hand, in milliseconds. */
const patience = 50

/** Groups rows by up to `size`, or fewer when the next one is slow to come or cannot be had. */
export async function* batches<Row>(rows: Rows<Row>, size: number): AsyncGenerator<Row[], void, undefined> {
  const source = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  let batch: Row[] = []
  try {
    while (true) {
      const next = Promise.resolve(source.next())
      if (batch.length > 0 && (await isSlow(next))) {
        yield batch
        batch = []
      }
      const { done, value } = await next
      if (done) break
      batch.push(value)
      if (batch.length === size) {
        yield batch
        batch = []
      }
    }
    if (batch.length > 0) yield batch
  } catch (error) {
    if (batch.length > 0) yield batch
    throw error
  } finally {
    // Not awaited: it would wait for the row that is slow to come, which nobody wants any more.
    Promise.resolve(source.return?.()).catch(() => {})
  }
}

async function isSlow(next: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(resolve, patience, true)
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
