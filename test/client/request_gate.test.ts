import { expect, test } from 'vitest'
import { RequestGate } from '../../src/client/retry.ts'

test('requests are held for the longest wait that was asked for, whatever is asked for later', async () => {
  let now = 1_000
  const gate = new RequestGate(new AbortController().signal, () => now)
  await gate.released()

  gate.hold(5_000)
  gate.hold(10)

  expect(gate.left).toBeGreaterThanOrEqual(5_000)
  expect(gate.left).toBeLessThan(6_000)
  now = 7_000
  expect(gate.left).toBe(0)
  await gate.released()
})

test('waiting ends with its signal', async () => {
  const stop = new AbortController()
  const gate = new RequestGate(stop.signal)
  gate.hold(60_000)

  const released = gate.released()
  stop.abort()

  await expect(released).rejects.toThrow('aborted')
})
