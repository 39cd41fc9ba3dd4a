import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ConnectedEmulator, connectEmulator } from 'payctl/emulator'
import type { TestProject } from 'vitest/node'
import { prepare } from './prepared.ts'

/**
 * Prepares the emulator that started this suite. At the end, compares the emulator's report with the counts of the
 * tests.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { PAYCTL_CONTROL_URL: url, PAYCTL_CONTROL_TOKEN: controlToken, SHOP_COUNTS: counts } = process.env
  if (url === undefined) {
    project.provide('prepared', null)
    return async () => {}
  }
  const run = randomUUID()
  process.env.SHOP_RUN = run
  const emulator = await connectEmulator({ url, controlToken })
  project.provide('prepared', await prepare(emulator))
  return async () => {
    if (counts !== undefined) await writeCounts(emulator, join(counts, run))
    await emulator.close()
  }
}

async function writeCounts({ control }: ConnectedEmulator, file: string): Promise<void> {
  const { paid_twice, suspected } = await control.report()
  const sql = existsSync(`${file}.counts`) ? readFileSync(`${file}.counts`, 'utf8').trim().split('\n') : []
  const sum = sql.reduce((total, each) => total + Number(each), 0)
  writeFileSync(`${file}.json`, JSON.stringify({ sql: sum, report: paid_twice.count, suspected: suspected.count }))
}
