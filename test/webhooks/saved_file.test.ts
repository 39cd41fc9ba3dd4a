import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { SavedFile } from '../../src/webhooks/saved_deliveries.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

const delivery = (id: number) => ({ receivedAt: '2026-01-05T12:00:00.000Z', headers: [], body: Buffer.from(`${id}`) })

it('a delivery is forced to disk before it counts as saved, with others that came meanwhile', async () => {
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
