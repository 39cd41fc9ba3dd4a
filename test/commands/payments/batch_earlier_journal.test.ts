import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { worldHeader } from '../../../src/contract/headers.ts'
import { batchWorld } from './batch_file.ts'

const fileOf = (name: string): string => fileURLToPath(new URL(`../../payments/files/${name}`, import.meta.url))

/** A world in which an earlier payctl wrote the journal. */
async function worldOfThen() {
  const world = await batchWorld()
  mkdirSync(world.stateDir, { recursive: true })
  const journal = new Sqlite(join(world.stateDir, 'journal.db'))
  journal.exec(readFileSync(fileOf('journal.sql'), 'utf8'))
  const answer = await fetch(`${world.service.base_url}/api/payments/service-status`)
  const name = answer.headers.get(worldHeader)
  journal.prepare('UPDATE intents SET base_url = ?, world = ?').run(world.service.base_url, name)
  journal.close()
  return world
}

test.each([
  ['without a name', [], 'b_a10fa7081285'],
  ['under its name', ['--batch-id', '2026-10'], '2026-10'],
])('a file that an earlier payctl paid %s is not paid again', async (_, flags, batch) => {
  const world = await worldOfThen()

  const { code, stderr } = await world.batch(fileOf('payments.csv'), ...flags)

  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Nothing to send: all 5 sent before') })
  expect(stderr).toContain(`Batch ${batch}.`)
  expect(await world.payments()).toEqual([])
})
