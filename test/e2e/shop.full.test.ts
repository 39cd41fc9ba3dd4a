import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa, execaSync } from 'execa'
import { describe, expect, it } from 'vitest'
import { folder, suites } from './shop/suites.ts'

/** The environment without what this run's own Vitest has put there. */
const outside = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|PAYCTL)/.test(name)),
)

const hasPython =
  execaSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'], { reject: false }).exitCode === 0

describe('the tests of a shop', () => {
  it.for(suites)('pass: $name', { timeout: 120_000 }, async ({ emulate, command, env }, { skip }) => {
    skip(command[0] === 'python3' && !hasPython, 'There is no Python 3.9')
    const state = mkdtempSync(join(tmpdir(), 'payctl-shop-'))
    const [file = '', ...args] = [...(emulate ?? []), ...command]
    const { exitCode, all } = await execa(file, args, {
      cwd: folder,
      env: { ...outside, ...env, PAYCTL_STATE_DIR: state, PAYCTL_CONFIG_DIR: state },
      extendEnv: false,
      reject: false,
      all: true,
    })
    expect(exitCode, all).toBe(0)
    expect(all).toMatch(/\b40 (passed|tests, 0 failed)/)
  })
})
