/**
 * Runs `work` on items as they come, at most `limit` at a time, and yields results in the order they are ready. Takes no
 * more items than it works on. When the consumer leaves, what was begun is brought to its end first.
 */
export async function* concurrently<Item, Result>(
  items: Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const running = new Map<number, Promise<readonly [number, Result]>>()
  let number = 0
  try {
    for (const item of items) {
      const own = number++
      running.set(
        own,
        work(item).then((result) => [own, result] as const),
      )
      if (running.size >= limit) yield await next(running)
    }
    while (running.size > 0) yield await next(running)
  } finally {
    await Promise.allSettled(running.values())
  }
}

async function next<Result>(running: Map<number, Promise<readonly [number, Result]>>): Promise<Result> {
  const [own, result] = await Promise.race(running.values())
  running.delete(own)
  return result
}
