import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../../commands/run_payctl.ts'
import { startRun } from '../../commands/started.ts'
import { blocksOf } from '../../docs/guide_blocks.ts'
import { full } from '../../full.ts'

/** Runs one of the scripts of docs/guide/chaos.md with so many seeds. */
async function payouts(script: string, seeds: number) {
  const state = join(await temporaryDirectory(), 'state')
  const file = fileURLToPath(new URL(script, import.meta.url))
  const flags = ['--settle', 'instant', '--chaos', '1', '--chaos-profile', 'hostile', '--chaos-seeds', `${seeds}`]
  const started = startRun(['emulate', ...flags, '--', process.execPath, file], {
    env: { PAYCTL_STATE_DIR: state, NO_COLOR: '1' },
    process: true,
    stdin: 'ignore',
  })
  onTestFinished(() => void started.kill('SIGKILL'))
  return started
}

it.each(['naive_payout.ts', 'repaired_payout.ts'])('the guide has %s as it is', (name) => {
  const { text } = blocksOf('chaos.md').find(({ file }) => file === name) ?? {}
  expect(text).toBe(`// ${name}\n${readFileSync(new URL(name, import.meta.url), 'utf8')}`)
})

const patience = full ? 600_000 : 60_000

describe('payouts under chaos', () => {
  it('are made twice by the naive script, within a few seeds', async () => {
    const { exitCode, stderr } = await payouts('naive_payout.ts', 10)
    expect(exitCode).toBe(6)
    expect(stderr).toContain('the first answer was lost')
    expect(stderr).toMatch(/^Again: payctl emulate --chaos \d+ --settle instant --chaos-profile hostile -- /m)
  })

  it(
    'are made once by the repaired one, with every seed',
    async () => {
      const seeds = full ? 100 : 3
      const { exitCode, stderr } = await payouts('repaired_payout.ts', seeds)
      expect(stderr.split('\n').at(-1)).toBe(`No seed failed of ${seeds}, from 1 to ${seeds}.`)
      expect(exitCode).toBe(0)
    },
    patience,
  )
})
