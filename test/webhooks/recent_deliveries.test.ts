import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRecent, recentDelivery } from '../../src/webhooks/saved_deliveries.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

const mebibyte = 1024 * 1024

test('the newest deliveries are kept, and never more than 4 MiB of them', async () => {
  const stateDir = await temporaryDirectory()
  const file = join(stateDir, 'webhooks', 'recent.ndjson')
  const recent = await openRecent(stateDir)
  const delivery = (nth: number) => ({
    receivedAt: '2026-11-20T12:00:00Z',
    headers: [['X-Webhook-Id', `whd_${String(nth).padStart(12, '0')}`]] as const,
    body: Buffer.from(JSON.stringify({ event: 'payment.failed', padding: 'x'.repeat(mebibyte / 2) })),
  })
  for (let nth = 1; nth <= 20; nth += 1) {
    await recent.append(delivery(nth))
    expect((await stat(file)).size).toBeLessThanOrEqual(4 * mebibyte)
  }
  await recent.close()
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  for (const line of lines) expect(JSON.parse(line).headers).toHaveProperty('X-Webhook-Id')
  expect(await recentDelivery(stateDir, 'last')).toEqual(delivery(20))
  expect(await recentDelivery(stateDir, '19')).toEqual(delivery(19))
  await expect(recentDelivery(stateDir, '1')).rejects.toThrow('No recent delivery is named 1')
})
