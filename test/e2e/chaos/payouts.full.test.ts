import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { blocksOf } from '../../docs/guide_blocks.ts'
import { payctlInShell } from '../../support/program.ts'
import { temporaryDirectory } from '../../support/run_payctl.ts'
import { startRun } from '../../support/started.ts'

const scripts = ['naive_payout.ts', 'repaired_payout.ts', 'payout_batch.sh']

const fileOf = (script: string): string => fileURLToPath(new URL(script, import.meta.url))

it.each(scripts)('the guide has %s as it is', (name) => {
  const { text } = blocksOf('chaos.md').find(({ file }) => file === name) ?? {}
  expect(text).toBe(`${name.endsWith('.sh') ? '#' : '//'} ${name}\n${readFileSync(fileOf(name), 'utf8')}`)
})

/** Runs a script with this many seeds, in a separate folder for each. */
async function payouts(script: string, seeds: number, more: readonly string[] = []) {
  const folder = await temporaryDirectory()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'payctl'), `#!/bin/sh\nexec ${payctlInShell} "$@"\n`)
  chmodSync(join(bin, 'payctl'), 0o755)
  const program = script.endsWith('.sh') ? 'sh' : `'${process.execPath}'`
  const line = `mkdir -p '${folder}'/$PAYCTL_CHAOS_SEED && cd '${folder}'/$PAYCTL_CHAOS_SEED && PAYCTL_STATE_DIR=$PWD PATH='${bin}':$PATH exec ${program} '${fileOf(script)}'`
  const flags = [
    '--settle',
    'instant',
    '--chaos',
    '1',
    '--chaos-profile',
    'hostile',
    '--chaos-seeds',
    `${seeds}`,
    ...more,
  ]
  const started = startRun(['emulate', ...flags, '--', 'sh', '-c', line], {
    env: { PAYCTL_STATE_DIR: join(folder, 'state'), NO_COLOR: '1' },
    process: true,
    stdin: 'ignore',
  })
  onTestFinished(() => void started.kill('SIGKILL'))
  return started
}

describe('payouts under chaos', () => {
  it('are made twice by the naive script, within a few seeds', async () => {
    const { exitCode, stderr } = await payouts('naive_payout.ts', 10)
    expect(exitCode).toBe(6)
    expect(stderr).toContain('the first answer was lost')
    expect(stderr).toMatch(/^Again: payctl emulate --chaos \d+ --settle instant --chaos-profile hostile -- /m)
  }, 60_000)

  it('are made twice by the naive script that is killed', async () => {
    const { exitCode, stderr } = await payouts('naive_payout.ts', 5, ['--chaos-profile', 'mild', '--chaos-kill'])
    expect(exitCode).toBe(6)
    expect(stderr).toMatch(/^The run fails because of its report: \d+ (paid_twice|unresolved)/m)
  }, 60_000)

  it.each([
    ['the repaired one', 'repaired_payout.ts', 10],
    ['payctl', 'payout_batch.sh', 5],
  ])(
    'are made once by %s, killed and run again, with every seed',
    async (_, script, seeds) => {
      const { exitCode, stderr } = await payouts(script, seeds, ['--chaos-kill'])
      expect(stderr.split('\n').at(-1)).toBe(`None of ${seeds} seeds failed, from 1 to ${seeds}.`)
      expect(exitCode).toBe(0)
    },
    600_000,
  )

  it.each([
    ['the repaired one', 'repaired_payout.ts', 20],
    ['payctl', 'payout_batch.sh', 8],
  ])(
    'are made once by %s, with every seed',
    async (_, script, seeds) => {
      const { exitCode, stderr } = await payouts(script, seeds)
      expect(stderr.split('\n').at(-1)).toBe(`None of ${seeds} seeds failed, from 1 to ${seeds}.`)
      expect(exitCode).toBe(0)
    },
    600_000,
  )
})
