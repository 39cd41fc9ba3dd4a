import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../.build/package/package.ts', import.meta.url))

it.each([
  ['--nope', /^Unknown option '--nope'\.\nUsage: npm run package .+\n$/],
  ['mac', /^mac is not one of the platforms: linux-x64, .+, all\.\n$/],
])('The package script refuses %s before it writes anything', async (argument, says) => {
  const failed = promisify(execFile)(process.execPath, [script, argument])
  await expect(failed).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(says) })
})
