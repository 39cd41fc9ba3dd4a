import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LiveList } from '../../../emulator/page/parts/live_list.ts'

declare global {
  /** The tests are compiled without the types of a browser. */
  function requestAnimationFrame(draw: () => void): number
}

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', () => 1)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

test('a list with many new rows is read again once, although more rows come while it is read', async () => {
  const reads: (() => void)[] = []
  const list = new LiveList({
    async read() {
      await new Promise<void>((resolve) => reads.push(resolve))
      return { rows: [{ id: 'of-the-answer' }], total: 1 }
    },
  })
  for (let number = 0; number < 2100; number++) list.take({ id: `r${number}` }, true)
  expect(reads).toHaveLength(1)
  reads[0]?.()
  await expect.poll(() => list.at(list.length - 1)?.id).toBe('of-the-answer')
  expect(list.length).toBeLessThan(110)
})
