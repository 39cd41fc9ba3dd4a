import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { full } from '../support/full.ts'
import { run, steps } from './sequences.ts'

afterEach(() => vi.useRealTimers())

const numRuns = full ? 200 : 8

test(`in ${numRuns} generated sequences of payments, batches, repetitions, requests on their way, crashes, clocks and changes of limits, no more leaves than they allow`, async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      expect(await run(sequence, (at) => vi.setSystemTime(at))).toBeUndefined()
    }),
    { numRuns },
  )
}, 600_000)
