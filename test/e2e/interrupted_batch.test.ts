import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startWorld } from '../emulator/control/world.ts'
import { everyNth } from '../support/full.ts'
import { surroundings } from '../support/payctl_process.ts'
import { runPayctl, temporaryDirectory } from '../support/run_payctl.ts'
import { keys, openPayctl } from '../support/terminal.ts'

const rows = 3_000
const concurrency = 4

/** A batch of many rows under a daily limit, in a terminal. */
async function openBatch() {
  const world = await startWorld({ rateLimit: null })
  const home = await temporaryDirectory()
  const env = { ...surroundings(world.emulator), PAYCTL_STATE_DIR: home, PAYCTL_CONFIG_DIR: join(home, 'config') }
  await runPayctl(['limits', 'set', '--per-day', '900000', 'CRC'], { env })
  const file = join(home, 'rows.csv')
  const lines = Array.from({ length: rows }, (_, row) => `87000001,0.01,${world.colones},Row ${row} of the payroll`)
  writeFileSync(file, `to,amount,from,description\n${lines.join('\n')}\n`)
  const argv = ['payments', 'batch', file, '--batch-id', 'nomina', '--concurrency', String(concurrency)]
  return {
    terminal: openPayctl(argv, { env }),
    run: (...argv: readonly string[]) => runPayctl(argv, { env }),
    paid: async () => (await world.client.call('payments.history', { query: { per_page: 1 } })).total ?? 0,
  }
}

describe.each(everyNth(['SIGINT', 'SIGTERM', 'SIGHUP'] as const, 3))('after %s no payment is sent', (signal) => {
  test.each([
    ['at the question', '(y/N)', ''],
    ['right after the yes', '(y/N)', `y${keys.enter}`],
    ['while rows are prepared', /Preparing [\d,]+ of 3,000/, `y${keys.enter}`],
  ])('%s', async (_, cue, answer) => {
    const { terminal, run, paid } = await openBatch()
    await terminal.shows('(y/N)')
    terminal.type(answer)
    await terminal.shows(cue)

    terminal.kill(signal)

    expect(await terminal.ended).toBe(130)
    expect(await paid()).toBe(0)
    expect(terminal.screen).not.toContain('payments resume')
    const { code, stderr } = await run('payments', 'resume', '--batch', 'nomina', '--yes')
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/lacks rows of its file|has no batch nomina/)
    expect(await paid()).toBe(0)
  })

  test('but those whose request had left while the batch is sending', async () => {
    const { terminal, run, paid } = await openBatch()
    await terminal.answer('(y/N)', `y${keys.enter}`)
    await terminal.shows(/[1-9]\d* sent/)

    terminal.kill(signal)
    const before = await paid()

    expect(await terminal.ended).toBe(130)
    // The signal takes a while to arrive on a busy machine.
    expect(await paid()).toBeLessThanOrEqual(before + 10 * concurrency)
    const intents = JSON.parse((await run('payments', 'intents', '--batch', 'nomina', '--all', '--json')).stdout)
    expect(intents.filter(({ status }: { status: string }) => status === 'settled')).toHaveLength(await paid())
  })
})
