import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'

const script = fileURLToPath(new URL('run.ts', import.meta.url))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const run = (...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' }
    const child = execFile(process.execPath, [script, ...args], { env }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr })
    })
  })

describe('npm run conformance', () => {
  test.each([
    ['nothing', [], '--base-url is missing.'],
    ['no token', ['--base-url', 'http://127.0.0.1:4010'], '--token is missing.'],
    ['no base URL', ['--token', 'abc'], '--base-url is missing.'],
    ['a flag without its value', ['--token', 'abc', '--base-url'], '--base-url is missing.'],
    [
      'a base URL that is none',
      ['--token', 'abc', '--base-url', 'localhost:4010'],
      '--base-url is no http or https URL',
    ],
  ])('with %s says what is missing and how it is used, and runs nothing', async (_, args, why) => {
    const { code, stdout, stderr } = await run(...args)

    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(why)
    expect(stderr).toContain('npm run conformance -- --base-url <url> --token <token>')
  })

  test('against a server runs the suite, and names what it skips', async () => {
    const { baseUrl, token, close } = await startEmulator({ settle: 0 })
    onTestFinished(close)

    const { code, stdout } = await run('--base-url', baseUrl, `--token=${token}`)

    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/✓ .*the user behind the token is shown/)
    expect(stdout).toMatch(/↓ .*many at once never spend more than there is/)
  }, 120_000)
})
