import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa, execaSync } from 'execa'
import { describe, expect, it } from 'vitest'
import { environmentOf, suites } from './shop/suites.ts'

const hasPython =
  execaSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))'], { reject: false }).exitCode === 0

describe('the tests of a shop', () => {
  it.for(suites)('pass: $name', { timeout: 120_000 }, async (suite, { skip }) => {
    skip(suite.command.includes('python3') && !hasPython, 'There is no Python 3.9')
    const [file = '', ...args] = suite.command
    const env = environmentOf(suite, mkdtempSync(join(tmpdir(), 'payctl-shop-')))
    const { exitCode, all } = await execa(file, args, { env, extendEnv: false, reject: false, all: true })
    expect(exitCode, all).toBe(0)
    expect(all).toMatch(/\b40 (passed|tests, 0 failed)/)
  })
})
