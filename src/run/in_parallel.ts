/**
 * Works on items, at most `limit` at a time, and yields each result when it is ready. Ends only after all started work
 * has ended.
 */
export async function* inParallel<Item, Result>(
  items: Iterator<Item, unknown>,
  limit: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const running = new Map<number, Promise<readonly [number, Result]>>()
  let isExhausted = false
  try {
    for (let started = 0; ; ) {
      while (running.size < limit && !isExhausted) {
        const item = items.next()
        if (item.done) {
          isExhausted = true
          break
        }
        const own = started++
        running.set(
          own,
          work(item.value).then((result) => [own, result] as const),
        )
      }
      if (running.size === 0) return
      const [own, result] = await Promise.race(running.values())
      running.delete(own)
      yield result
    }
  } finally {
    if (!isExhausted) items.return?.()
    await Promise.allSettled(running.values())
  }
}
