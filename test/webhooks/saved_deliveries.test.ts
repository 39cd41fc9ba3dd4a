import { open, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { savedLines } from '../../src/webhooks/replay.ts'
import { openRecent, recentDelivery, SavedFile } from '../../src/webhooks/saved_deliveries.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

test('a delivery is forced to disk before it counts as saved, with others that came meanwhile', async () => {
  const delivery = (id: number) => ({ receivedAt: '2026-01-05T12:00:00.000Z', headers: [], body: Buffer.from(`${id}`) })
  const path = join(await temporaryDirectory(), 'saved')
  const probe = await open(path, 'w')
  const prototype = Object.getPrototypeOf(probe)
  await probe.close()
  const onDisk: string[] = []
  const { datasync } = prototype
  vi.spyOn(prototype, 'datasync').mockImplementation(async function (this: unknown) {
    await datasync.call(this)
    onDisk.push(await readFile(path, 'utf8'))
  })
  const saved = await SavedFile.open(path)
  const bodies = (text = '') => text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).body]))

  const seen = await Promise.all([1, 2, 3].map((id) => saved.append(delivery(id)).then(() => bodies(onDisk.at(-1)))))
  await saved.close()

  expect(seen[0]).toContain('1')
  expect(seen[2]).toEqual(['1', '2', '3'])
  expect(onDisk).toHaveLength(2)
})

test('the newest deliveries are saved, and never more than 4 MiB of them', async () => {
  const mebibyte = 1024 * 1024
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

test('deliveries of one tail stay, although another tail has dropped older ones', async () => {
  const stateDir = await temporaryDirectory()
  const delivery = (nth: number, length = 0) => ({
    receivedAt: '2026-11-20T12:00:00Z',
    headers: [['X-Webhook-Id', `whd_${String(nth).padStart(12, '0')}`]] as const,
    body: Buffer.from(JSON.stringify({ event: 'payment.failed', padding: 'x'.repeat(length) })),
  })
  const one = await openRecent(stateDir)
  const other = await openRecent(stateDir)
  await one.append(delivery(1))
  for (let nth = 2; nth <= 10; nth += 1) await other.append(delivery(nth, 512 * 1024))

  await one.append(delivery(11))

  expect(await recentDelivery(stateDir, 'last')).toEqual(delivery(11))

  // A tail only follows the file that the other tail has made; it drops older deliveries once it has written 2 MiB.
  const files = new Set<number>()
  for (let nth = 12; nth <= 19; nth += 1) {
    await (nth % 2 === 0 ? other : one).append(delivery(nth, 512 * 1024))
    files.add((await stat(join(stateDir, 'webhooks', 'recent.ndjson'))).ino)
  }
  expect(files.size).toBeLessThanOrEqual(3)
  await one.close()
  await other.close()
})

test('all saved lines are read, however long it takes until the first is asked for', { timeout: 5_000 }, async () => {
  const file = join(await temporaryDirectory(), 'saved.ndjson')
  await writeFile(file, 'one\ntwo\nthree')
  for (const name of [file, '-']) {
    const lines = await savedLines(name, () => Readable.from(['one\ntwo\n', 'three']))
    // Waits so long that a reader that starts at once would have read everything.
    for (let times = 0; times < 5; times += 1) await readFile(file)
    const read: string[] = []
    for await (const line of lines) read.push(line)
    expect(read).toEqual(['one', 'two', 'three'])
  }
})
