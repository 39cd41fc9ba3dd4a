import { expect, test } from 'vitest'
import { full } from '../full.ts'
import { limitedPayctl, rowsOf, sending } from './limited_payctl.ts'

const codes = (runs: readonly { readonly exitCode: number | undefined }[]) =>
  runs.map(({ exitCode }) => exitCode).sort()

test('of two processes that want what is left one gets it', async () => {
  const at = await limitedPayctl()
  await at.limit('--per-day', '100', 'CRC')
  await at.send('40')
  const start = () => at.startProcess([...sending('60'), '--yes'])

  const runs = await Promise.all([start(), start()])

  expect(codes(runs)).toEqual([0, 5])
  expect(at.service.payments.size).toBe(2)
})

test.runIf(full)('of eight processes, single payments and batches, no more is paid than a day allows', async () => {
  const at = await limitedPayctl()
  await at.limit('--per-day', '100', 'CRC')
  const start = (argv: readonly string[]) => at.startProcess([...argv, '--yes'])

  const runs = await Promise.all(
    Array.from({ length: 8 }, (_, which) =>
      which % 2 === 0
        ? start(sending('20'))
        : start(['payments', 'batch', at.file(`${which}.csv`, rowsOf('10', `1${which}`)), '--batch-id', `b${which}`]),
    ),
  )

  const paid = [...at.service.payments.values()].reduce((sum, { amount }) => sum + amount.value, 0)
  expect(paid).toBeLessThanOrEqual(10_000)
  expect(paid).toBeGreaterThanOrEqual(7_300) // the longest batch did not fit
  expect(codes(runs)).toContain(5)
  const [{ used }] = JSON.parse((await at.run('limits', '--json')).stdout)
  expect(used.value).toBe(paid)
})
