import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { at, runPayctl } from '../support/run_payctl.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

it('the accounts that the README lists are those of the emulator', async () => {
  const [, command = '', listed = ''] = /^\$ npx payctl --emulator (accounts .*)\n([^$]+)\n\n\$/m.exec(readme) ?? []
  const emulator = await startEmulator()
  onTestFinished(() => emulator.close())
  const { env } = at(emulator.baseUrl)
  const { stdout } = await runPayctl(command.split(' '), {
    env: { ...env, PAYCTL_TOKEN: emulator.token, NO_COLOR: '1' },
    terminal: 80,
  })
  expect(stdout.trimEnd()).toBe(listed)
})
