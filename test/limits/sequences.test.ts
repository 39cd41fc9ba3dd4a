import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { full } from '../full.ts'
import { most, run, steps } from './sequences.ts'

afterEach(() => vi.useRealTimers())

const numRuns = full ? 1000 : 20

test(`in ${numRuns} generated sequences of payments, repetitions, crashes and clocks, no more leaves than the limits allow`, async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const left = (await run(sequence, (at) => vi.setSystemTime(at))).filter(({ moved }) => moved)
      const days = Map.groupBy(left, ({ day }) => day)
      for (const [, payments] of days) {
        const sum = payments.reduce((total, { amount }) => total + amount, 0)
        expect(sum).toBeLessThanOrEqual(most.day)
        for (const [, same] of Map.groupBy(payments, ({ payee }) => payee)) {
          expect(same.reduce((total, { amount }) => total + amount, 0)).toBeLessThanOrEqual(most.payeeDay)
        }
      }
      for (const { amount } of left) expect(amount).toBeLessThanOrEqual(most.payment)
    }),
    { numRuns },
  )
}, 600_000)
