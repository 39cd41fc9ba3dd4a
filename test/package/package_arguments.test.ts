import { execFile } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../support/run_payctl.ts'

const script = fileURLToPath(new URL('../../.build/package/package.ts', import.meta.url))

it('The package script refuses a folder with other files, and deletes nothing', async () => {
  const folder = await temporaryDirectory()
  writeFileSync(join(folder, 'thesis.txt'), 'two years of work')
  const failed = promisify(execFile)(process.execPath, [script, '--folder', folder, 'linux-x64'])
  const stderr = `${folder} contains thesis.txt, which is not a package of payctl. Give another folder.\n`
  await expect(failed).rejects.toMatchObject({ code: 2, stdout: '', stderr })
  expect(readdirSync(folder)).toEqual(['thesis.txt'])
})

it.each([
  ['--nope', /^Unknown option '--nope'\.\nUsage: npm run package .+\n$/],
  ['mac', /^mac is not one of the platforms: linux-x64, .+, all\.\n$/],
])('The package script refuses %s before it writes anything', async (argument, says) => {
  const failed = promisify(execFile)(process.execPath, [script, argument])
  await expect(failed).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(says) })
})
