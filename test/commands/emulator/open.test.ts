import { expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { runPayctl } from '../../support/run_payctl.ts'

const secrets = { controlToken: 'c0ntrol-of-this-test', token: 'token-of-this-test-alone' }

/** Runs `payctl emulator open` against a new emulator with a control token. */
async function opened(...args: string[]) {
  const emulator = await startEmulator(secrets)
  onTestFinished(() => emulator.close())
  const env = { PAYCTL_CONTROL_TOKEN: secrets.controlToken, PAYCTL_BASE_URL: emulator.baseUrl }
  return { emulator, ...(await runPayctl(['emulator', 'open', ...args], { env })) }
}

test('payctl emulator open prints an address with a code, and never the control token', async () => {
  const { emulator, code, stdout, stderr } = await opened('--no-browser')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(new RegExp(`^${emulator.baseUrl}/_emulator/#code=[\\w-]{22}\n$`))
  const [, pageCode = ''] = /#code=(.*)\n/.exec(stdout) ?? []
  expect(await emulator.control.page.enter({ code: pageCode })).toEqual({ control_token: secrets.controlToken })
})

test('payctl emulator open leads to an id', async () => {
  const { stdout } = await opened('a key/1', '--no-browser', '--json')
  const { url } = JSON.parse(stdout)
  expect(decodeURIComponent(url.replace(/^.*&to=/, ''))).toBe('/search?q=a%20key%2F1')
})
